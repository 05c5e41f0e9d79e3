"""Arrays on a CUDA device without a GPU: a driver that answers, keeps memory and computes nothing.

TILEWRIGHT_FAKE_CUDA names the folder of its libcuda.so.1. What is tested is which memory calls use and what
is refused; test_cuda.py tests values on a real device.
"""

import os
import subprocess
import sys
import textwrap

import pytest

FAKE = os.environ.get("TILEWRIGHT_FAKE_CUDA")
if not FAKE:
    pytest.skip("TILEWRIGHT_FAKE_CUDA is not set; ctest sets it", allow_module_level=True)

BEGIN = '''
import numpy as np
import tilewright

class Theirs:
    """An array of another library on a CUDA device, which knows DLPack."""
    def __init__(self, array):
        self.array, self.asked = array, []
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    def __dlpack__(self, **how):
        self.asked.append(how)
        return self.array.__dlpack__(**how)

class ByInterface:
    """One that knows __cuda_array_interface__ alone."""
    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}

def on_device(shape=(60, 64), device="cuda:0"):
    array = tilewright.invert(tilewright.Array.view(np.zeros(shape, np.uint8)), device=device)
    assert array.device == device and array.device_memory
    return array

def refused(exception, words, call):
    try:
        call()
    except exception as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)

image, out = on_device(), on_device()
'''


def run(code, **variables):
    environment = {**os.environ, "LD_LIBRARY_PATH": FAKE, **variables}
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + textwrap.dedent(code)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["Theirs", "ByInterface"])
def test_arrays_are_used_in_place(kind):
    run(f"""
        stats = {{}}
        target = {kind}(out)
        assert tilewright.invert({kind}(image), out=target, stats=stats) is target
        assert stats["device"] == "cuda:0" and stats["copied"] == [], stats
        assert stats["bytes_to_device"] == stats["bytes_to_host"] == 0, stats
        result = tilewright.invert({kind}(image))
        assert isinstance(result, tilewright.Array) and result.device == "cuda:0"
    """)


def test_prepared_calls_are_one_launch_on_arrays_in_place():
    run("""
        prepared = tilewright.prepare(tilewright.invert, Theirs(image), out=Theirs(out))
        assert prepared.is_one_launch and prepared.device == "cuda:0", prepared
        other, target = Theirs(on_device()), Theirs(on_device())
        assert prepared(other, out=target, stream=0x5550) is target
        assert other.asked[0]["stream"] == 0x5550
        result = prepared(image)
        assert isinstance(result, tilewright.Array) and result.device == "cuda:0"
        refused(tilewright.ArgumentError, "must be uint8 (60, 64)", lambda: prepared(on_device((60, 65))))
        elsewhere = Theirs(on_device(device="cuda:1"))
        refused(tilewright.ArgumentError, "another library's memory", lambda: prepared(elsewhere))
    """)


def test_streams_are_handed_on():
    run("""
        theirs = Theirs(image)
        tilewright.invert(theirs, out=Theirs(out))
        assert theirs.asked[0]["stream"] == 1 and theirs.asked[0]["max_version"] == (1, 1), theirs.asked
        theirs = Theirs(image)
        tilewright.invert(theirs, out=Theirs(out), stream=0x5550)
        assert theirs.asked[0]["stream"] == 0x5550
        image.__dlpack__(stream=0x7770)
        image.__dlpack__(stream=-1)
        refused(BufferError, "copy", lambda: image.__dlpack__(copy=True))
        refused(BufferError, "copy=False", lambda: image.__dlpack__(dl_device=(1, 0), copy=False))
        refused(BufferError, "dl_device", lambda: image.__dlpack__(dl_device=(2, 1)))
        assert image.__cuda_array_interface__["stream"] == 1
    """)


def test_refusals():
    run("""
        refused(ValueError, "contiguous", lambda: tilewright.invert(ByInterface(image, strides=(128, 2))))
        refused(ValueError, "contiguous", lambda: tilewright.invert(
            ByInterface(image, typestr="<u2", shape=(60, 32), strides=(65, 2))))
        for strides in ((64,), (64, 1, 1)):
            refused(ValueError, "as many strides as axes", lambda: tilewright.invert(
                ByInterface(image, strides=strides)))
        refused(TypeError, "mask", lambda: tilewright.invert(ByInterface(image, mask=ByInterface(image))))
        lies = Theirs(image)
        lies.__dlpack__ = lambda **how: np.zeros((60, 64), np.uint8).__dlpack__()
        refused(TypeError, "memory of another device", lambda: tilewright.invert(lies))
        lies.__dlpack__ = lambda **how: None
        refused(TypeError, "gives no array", lambda: tilewright.invert(lies))
        numbered = ByInterface(image)
        numbered.cuda_device = "first"
        refused(TypeError, "number of a device", lambda: tilewright.invert(numbered))
        view = tilewright.Array.view(ByInterface(image, data=(image.device_memory, True)))
        assert view.__cuda_array_interface__["data"][1]
        refused(TypeError, "read-only", lambda: tilewright.invert(out, out=view))
        assert not tilewright.Array.view(Theirs(image)).__cuda_array_interface__["data"][1]
        refused(ValueError, "shares memory", lambda: tilewright.invert(Theirs(image), out=Theirs(image)))
        refused(TypeError, "not <i2", lambda: tilewright.invert(ByInterface(image, typestr="<i2")))
        refused(TypeError, "writable", lambda: tilewright.invert(
            image, out=ByInterface(out, data=(out.device_memory, True))))
        refused(ValueError, "another library's memory", lambda: tilewright.invert(
            np.zeros((60, 64), np.uint8), out=Theirs(out), device="cpu"))
        refused(ValueError, "another library's memory", lambda: tilewright.invert(
            Theirs(image), device="cuda:1"))
        refused(ValueError, "was it freed", lambda: tilewright.invert(ByInterface(image, data=(0, False))))
    """)


def test_owners_are_held():
    run("""
        import gc, sys
        theirs = Theirs(image)
        before = sys.getrefcount(theirs)
        kept = tilewright.Array.view(theirs)
        assert sys.getrefcount(theirs) > before
        del kept
        gc.collect()
        assert sys.getrefcount(theirs) == before
    """)


# Of GPUs of compute capability 8.0 and above, some have 99 KB of shared memory per block.
def test_every_field_is_transformed_where_blocks_have_99_kilobytes():
    run(
        """
        for side in (16, 700, 1001, 1009, 2048, 4096, 8192):
            for shape in ((side, 16), (16, side)):
                stats = {}
                tilewright.fft2d(np.zeros(shape, np.complex128), device="cuda:1")
                tilewright.fft2d(np.zeros(shape, np.complex64), device="cuda:1", stats=stats)
                assert len(stats["libraries"]) == 2 or side > 2000, stats
        for side in (1000, 2048, 4096):
            for method in ("transform", "convolution", "angular_spectrum"):
                how = {"wavelength": 532e-9, "distance": 0.01, "pitch": 8e-6, "method": method}
                tilewright.fresnel(np.zeros((side, side), np.complex64), **how, device="cuda:1")
        """,
        FAKE_CUDA_SHARED=str(99 * 1024),
    )


# XLA's call on a GPU, as JAX would make it there.
def test_jax_calls_work_in_the_stream_and_on_the_device_of_xla():
    pytest.importorskip("jax", reason="JAX is not installed")
    run("""
        import ctypes
        import tilewright.jax as ours
        from tilewright._tilewright import operators

        def block(array):
            own = array.__cuda_array_interface__
            shape = (ctypes.c_int64 * len(own["shape"]))(*own["shape"])
            return ours._Buffer(0, None, 0, own["data"][0], len(shape), shape)

        def listed(like, *each):
            made = dict(like._fields_)["each"]._type_
            return (made * len(each))(*(ctypes.pointer(one) for one in each))

        asked, said = [], []
        def answers(name, answer):
            def called(argument):
                asked.append((name, argument.contents.context))
                argument.contents.answer = answer
            return ours._Answer(called)
        def failure(argument):
            said.append(argument.contents.message.decode())
            return 1

        def call(op, values, layout, arrays, out, device):
            number = ours._number(ours._Call(operators[op], values, "tuned", layout),
                                  tuple(np.dtype(a.dtype) for a in arrays), np.dtype(out.dtype))
            interface = ours._Interface(
                ctypes.sizeof(ours._Interface), stream=answers("stream", 0x5550),
                device=answers("device", device),
                failure=dict(ours._Interface._fields_)["failure"](failure))
            given = ctypes.c_int64(number)
            frame = ours._Frame(interface=ctypes.pointer(interface), context=0x77)
            for name, each in (("arguments", [block(a) for a in arrays]), ("results", [block(out)]),
                               ("attributes", [ours._Number(0, ctypes.pointer(given))])):
                getattr(frame, name).each = listed(type(getattr(frame, name)), *each)
            return ours._functions["CUDA"](ctypes.byref(frame))

        assert call("invert", (), None, [image], out, 0) is None and not said, said
        assert asked == [("device", 0x77), ("stream", 0x77)], asked
        other = [on_device((60, 64), "cuda:1") for _ in range(2)]
        assert call("invert", (), None, other[:1], other[1], 1) is None and not said, said
        many, results = on_device((4, 60, 64)), on_device((4, 60, 64))
        assert call("invert", (), "nhw", [many], results, 0) is None and not said, said
        assert call("invert", (), "hwn", [many], results, 0) == 1
        assert "must be contiguous" in said.pop()
    """)
