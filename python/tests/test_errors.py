"""Bad input: one line, by the exception that Python programs expect."""

import ctypes

import numpy as np
import pytest

import tilewright
from tilewright import _tilewright, ndimage

IMAGE = np.zeros((20, 30), np.uint8)


class Exporter:
    """An array of another library, whose __dlpack__ and __dlpack_device__ return or raise what is given."""

    def __init__(self, capsule, place=(1, 0)):
        self.capsule, self.place = capsule, place

    def __dlpack__(self, **how):
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule

    def __dlpack_device__(self):
        return self.place


class OnCuda:
    def __init__(self, **fields):
        self.__cuda_array_interface__ = fields


@pytest.mark.parametrize(
    "call,exception,words",
    [
        (
            lambda: tilewright.invert(IMAGE.astype(np.int64)),
            TypeError,
            "image: takes an array of uint8, .* not ndarray of int64",
        ),
        (lambda: tilewright.invert(IMAGE.astype(object)), TypeError, "not ndarray of object"),
        (lambda: tilewright.invert(IMAGE.astype(bool)), TypeError, "of bool; dtype=.uint8."),
        (lambda: tilewright.invert(IMAGE.astype(np.int16)), TypeError, "not ndarray of int16"),
        (lambda: tilewright.invert(IMAGE.astype(">u2")), TypeError, '>u2; dtype="uint16" converts it'),
        (lambda: tilewright.invert(np.ma.masked_array(IMAGE)), TypeError, "mask would be ignored"),
        (
            lambda: tilewright.invert(IMAGE.view(type("Own", (np.ma.MaskedArray,), {}))),
            TypeError,
            "mask would be ignored",
        ),
        (lambda: tilewright.invert([[1, 2], [3, 4]]), TypeError, "not list"),
        (lambda: tilewright.invert([[1, 300]], dtype="uint8"), tilewright.ArgumentError, "no array of uint8"),
        (lambda: tilewright.invert([[1], [2, 3]], dtype="uint8"), tilewright.ArgumentError, "no array of"),
        (lambda: tilewright.invert(None), TypeError, "not NoneType$"),
        (lambda: tilewright.invert("photo.png"), TypeError, "not str$"),
        (lambda: tilewright.invert(IMAGE.astype("f4")), ValueError, "takes uint8 or .*; convert it first"),
        (lambda: tilewright.invert(IMAGE, dtype="int8"), TypeError, "dtype: takes uint8, .*, not int8"),
        (lambda: tilewright.invert(IMAGE, dtype="uint9"), TypeError, "dtype: takes uint8, .*, not uint9"),
        (lambda: tilewright.matmul(*[np.ones((2, 3, 3), "f4")] * 2), ValueError, "say by the layout, nhw"),
        (lambda: tilewright.gaussian_blur(np.ones((9, 8, 7), "f4")), ValueError, "say by the layout, chw"),
        (lambda: tilewright.fresnel(np.ones((9, 9), "c16"), 1, 1, 1), ValueError, 'dtype="complex64" conv'),
        (lambda: tilewright.irfft2(np.ones((9, 9), "f4")), ValueError, "half takes a complex spectrum"),
        (lambda: tilewright.invert(np.zeros((3, 0), np.uint8)), ValueError, "give an array with some"),
        (lambda: tilewright.invert(np.uint8(3) * np.ones((), np.uint8)), (TypeError, ValueError), "image: "),
        (lambda: tilewright.invert(np.zeros((2, 2, 2, 2), np.uint8)), ValueError, "layout, nhwc or nchw"),
        (lambda: tilewright.gaussian_blur(IMAGE.astype(np.int32)), ValueError, "takes uint8, uint16, "),
        (lambda: tilewright.gaussian_blur(IMAGE.astype(np.uint32)), ValueError, "takes uint8, uint16, "),
        (lambda: tilewright.fft2d(IMAGE.astype(np.clongdouble)), TypeError, 'dtype="complex64" converts it'),
        (lambda: tilewright.fft2d(IMAGE.astype(np.clongdouble), layout="hw"), TypeError, 'dtype="complex64"'),
        (lambda: tilewright.gaussian_blur(IMAGE.astype("c8")), ValueError, "give it the real part"),
        (lambda: tilewright.gaussian_blur(IMAGE.astype("c16")), ValueError, "give it the real part"),
        (lambda: tilewright.invert(IMAGE, out=np.zeros((2, 2), "u1")), ValueError, "invert: out = uint8 .2"),
        (lambda: tilewright.gaussian_blur(IMAGE, -1), ValueError, "sigma"),
        (lambda: tilewright.gaussian_blur(IMAGE, float("nan")), ValueError, "sigma"),
        (lambda: tilewright.gaussian_blur(IMAGE, "two"), TypeError, "sigma: takes a number, not str"),
        (lambda: tilewright.gaussian_blur(IMAGE, True), TypeError, "sigma: takes a number, not bool"),
        (lambda: tilewright.gaussian_blur(IMAGE, border="round"), ValueError, "border"),
        (lambda: tilewright.gaussian_blur(IMAGE, border=3), TypeError, "border: takes a word, not int"),
        (lambda: tilewright.gaussian_blur(IMAGE, sgima=3), TypeError, "sgima"),
        (lambda: tilewright.gaussian_blur(IMAGE, border="\udc80"), TypeError, "border: takes a word"),
        (lambda: tilewright.gaussian_blur(), TypeError, "image"),
        (lambda: tilewright.invert(IMAGE.astype("U3")), TypeError, "not ndarray of <U3"),
        (lambda: tilewright.invert(np.zeros((4, 4), [("a", "u1")])), TypeError, "not ndarray of"),
        (lambda: tilewright.invert(Exporter(RuntimeError("gone"))), TypeError, "image: its library.*: gone"),
        (lambda: tilewright.invert(Exporter(3)), TypeError, "not Exporter"),
        (lambda: tilewright.invert(Exporter(None, "x")), TypeError, "__dlpack_device__"),
        (lambda: tilewright.invert(OnCuda(shape=(3, 3))), TypeError, "image: .* has no data"),
        (
            lambda: tilewright.fft2d(np.zeros((20, 20), np.complex64), pad=1),
            TypeError,
            "pad: takes True or False",
        ),
        (lambda: tilewright.fft2d(np.zeros((1, 16385), np.complex64)), ValueError, "not from 1 to 16384"),
        (lambda: tilewright.invert(IMAGE, schedule="fastest"), ValueError, "no such schedule"),
        (
            lambda: tilewright.invert(IMAGE, device="gpu"),
            ValueError,
            "no such device name.*tilewright.devices\\(\\)",
        ),
        (lambda: tilewright.invert(IMAGE, device="cuda:99"), tilewright.DeviceError, "cuda:99"),
        (
            lambda: tilewright.invert(IMAGE, out=np.zeros((20, 31), np.uint8)),
            ValueError,
            "must be uint8 \\(20, 30\\)",
        ),
        (lambda: tilewright.invert(IMAGE, out=np.zeros((20, 30), np.uint16)), ValueError, "must be uint8"),
        (lambda: tilewright.invert(IMAGE, out=IMAGE), ValueError, "shares memory with an input"),
        (
            lambda: tilewright.invert(IMAGE, out=np.frombuffer(bytes(600), np.uint8).reshape(20, 30)),
            TypeError,
            "out: takes a writable array",
        ),
        (lambda: tilewright.invert(IMAGE, stats=[]), TypeError, "stats: takes a dict"),
        (lambda: tilewright.invert(IMAGE, device=None), TypeError, "device: takes a word, not NoneType"),
        (lambda: tilewright.invert(IMAGE, schedule=3), TypeError, "schedule: takes a word, not int"),
        (lambda: tilewright.invert(IMAGE, stream="a"), TypeError, "stream: takes the address"),
        (lambda: tilewright.invert(IMAGE, stream=-1), TypeError, "stream: takes the address"),
        (lambda: tilewright.gaussian_blur(IMAGE, sigma_y=-1), ValueError, "blur: sigma_y = -1: takes"),
        (lambda: tilewright.column_sum(IMAGE, "u8"), ValueError, "output_type = uint8: takes uint32, uint64"),
        (lambda: tilewright.column_sum(IMAGE, str), ValueError, "output_type = str: takes uint32, uint64"),
        (lambda: tilewright.column_sum(IMAGE, 3), TypeError, "output_type: takes a word, not int"),
        (lambda: tilewright.Pipeline("invert")(), TypeError, "^the pipeline takes 1 array, not 0$"),
        (lambda: tilewright.Pipeline("invert")(IMAGE, dtype="u1"), TypeError, "takes no argument 'dtype'$"),
        (lambda: tilewright.Pipeline("invert").prepare(IMAGE, x=1), TypeError, "takes no argument 'x'$"),
        (lambda: tilewright.prepare("invert", IMAGE)(), TypeError, "prepared call takes 1 array, not 0$"),
        (lambda: tilewright.prepare("invert", IMAGE)(IMAGE, x=1), TypeError, "takes no argument 'x'$"),
        (lambda: tilewright.explain("invert", IMAGE, 3), TypeError, "invert takes image, and options by"),
        (lambda: tilewright.explain("invert", IMAGE > 3), TypeError, "not ndarray of bool"),
        (lambda: tilewright.explain("--help"), ValueError, "^explain: takes no option help; .*n.__doc__"),
        (lambda: tilewright.explain("-h"), ValueError, "^explain: takes no option help"),
        (lambda: tilewright.verify(help=True), ValueError, "^verify: takes no option help"),
        (lambda: tilewright.variants("blur"), ValueError, "^operator = blur: no such operator; known: col"),
        (lambda: tilewright.Pipeline(None), TypeError, "stages: takes a word, not NoneType"),
        (lambda: tilewright.Pipeline("invert")(IMAGE, device=1), TypeError, "device: takes a word"),
        (lambda: tilewright.set_num_threads(-1), tilewright.ArgumentError, "^n: takes 0"),
        (lambda: tilewright.set_num_threads("x"), TypeError, "n: takes a whole number, not str"),
        (lambda: tilewright.set_num_threads(None), TypeError, "n: takes a whole number, not NoneType"),
        (lambda: tilewright.gaussian_blur(IMAGE, 10**400), ValueError, "sigma = inf: takes a number above 0"),
        (lambda: tilewright.Array((3, 3)).sync(3), TypeError, "^device: takes a word, not int$"),
        (lambda: tilewright.Array((3, 3)).sync("cpu", 3), TypeError, "^sync.. takes 1 argument, not 2$"),
        (lambda: tilewright.Array.view(), TypeError, "^array: takes .*, not NoneType"),
        (lambda: tilewright.Array.view(IMAGE, 1), TypeError, "^view.. takes 1 argument, not 2$"),
        (lambda: tilewright.Array.view(IMAGE, copy=1), TypeError, "^view.. takes no argument 'copy'$"),
        (lambda: tilewright.Array((3, 3)).numpy(1), TypeError, "^numpy.. takes 0 arguments, not 1$"),
        (lambda: tilewright.operators["invert"].run(), TypeError, "^arrays: takes a tuple, not NoneType$"),
        (lambda: tilewright.operators["invert"].run(IMAGE), TypeError, "^arrays: takes a tuple, not nda"),
        (lambda: tilewright.operators["invert"].run((IMAGE,), 3), TypeError, "^values: takes a tuple, not i"),
        (lambda: tilewright.operators["invert"].run((IMAGE,), size=3), TypeError, "no argument 'size'$"),
        (lambda: tilewright.operators["invert"].run((IMAGE,), layout=3), TypeError, "^layout: takes a word"),
        (lambda: tilewright.operators["invert"].prepare(), TypeError, "^arrays: takes a tuple, not None"),
        (lambda: tilewright.operators["invert"].variants(1), TypeError, "^variants.. takes 0 arg.*, not 1$"),
        (lambda: tilewright.operators["invert"].halo(2), TypeError, "^values: takes a tuple, not int$"),
        (lambda: tilewright.operators["invert"].halo((), "a"), TypeError, "^error: takes a number, not str$"),
        (lambda: tilewright.operators["invert"].halo(size=1), TypeError, "takes no argument 'size'$"),
        (lambda: tilewright.operators["invert"].output_of(), TypeError, "^inputs: takes pairs .*, not None"),
        (lambda: tilewright.operators["invert"].output_of([3]), TypeError, "^inputs: takes pairs .*, not l"),
        (lambda: tilewright.operators["invert"].output_of([], 3), TypeError, "^values: takes a tuple, not i"),
        (lambda: tilewright.operators["invert"].check_schedule(), TypeError, "^schedule: takes a word, not"),
        (lambda: tilewright.operators["invert"].check_schedule("auto", 1), TypeError, "takes 1 arg.*not 2$"),
        (lambda: tilewright.Array.wrap(), TypeError, "^device: takes a word, not NoneType$"),
        (lambda: tilewright.Array.wrap("cpu"), TypeError, "^memory: takes a whole number, not NoneType$"),
        (lambda: tilewright.Array.wrap("cpu", -1), ValueError, "^memory: takes an address .*, not -1$"),
        (lambda: tilewright.Array.wrap("cpu", 8, 8), TypeError, "^dtype: takes a word, not int$"),
        (lambda: tilewright.Array.wrap("cpu", 8, "u8", 3), TypeError, "^shape: takes a seq.*, not int$"),
        (lambda: tilewright.Array.wrap("cpu", 8, "u8", (3,), size=1), TypeError, "no argument 'size'$"),
        (lambda: tilewright.Array((3, 3)).crop(0, 0, 1, 10**30), ValueError, "^crop: 1 rows from 0 and 9"),
        (lambda: tilewright.Array((3, 3)).crop(0, 0, 2), TypeError, "^width: takes .*, not NoneType$"),
        (lambda: tilewright.Array((3, 3)).crop(0, "a", 2, 2), TypeError, "^x: takes a whole .*, not str$"),
        (lambda: tilewright.Array((3, 3)).crop(0, 0, 4, 1), ValueError, "^crop: 4 rows from 0 and 1 columns"),
        (lambda: tilewright.set_num_threads(), TypeError, "^n: takes a whole number, not NoneType$"),
        (lambda: tilewright.set_num_threads(1, 2), TypeError, "^set_num_threads.. takes 1 argument, not 2$"),
        (lambda: tilewright.devices("cpu"), TypeError, "^devices.. takes 0 arguments, not 1$"),
        (lambda: tilewright.best_device(kind=1), TypeError, "^best_device.. takes no argument 'kind'$"),
        (lambda: tilewright.synchronize("cpu", 1), TypeError, "^synchronize.. takes 1 argument, not 2$"),
        (lambda: tilewright.device_time_ms(), TypeError, "^device: takes a word, not NoneType$"),
        (lambda: tilewright.device_time_ms("cpu"), TypeError, "^calls: takes .*, not NoneType$"),
        (lambda: tilewright.set_num_threads(2.0), TypeError, "n: takes a whole number, not float"),
        (lambda: tilewright.synchronize(3), TypeError, "device: takes a word, not int"),
        (lambda: tilewright.device_time_ms("cpu", 3), TypeError, "calls: takes a function, not int"),
        (
            lambda: tilewright.matmul(np.zeros((3, 4), "f4"), np.zeros((3, 4), "f4")),
            ValueError,
            "as many columns",
        ),
        (lambda: tilewright.Array((3, 3), "int8"), TypeError, "dtype: takes uint8"),
        (lambda: tilewright.Array((3, 3), 8), TypeError, "^dtype: takes a word, not int$"),
        (lambda: tilewright.Array(3), TypeError, "^shape: takes a sequence of whole numbers, not int$"),
        (lambda: tilewright.Array((2.5, 3)), TypeError, "^shape: takes a sequence of whole .*, not tuple$"),
        (lambda: tilewright.Array(), TypeError, "^shape: takes a sequence of whole .*, not NoneType$"),
        (lambda: tilewright.Array((3, 3), "uint8", 1), TypeError, "^Array.. takes 2 arguments, not 3$"),
        (lambda: tilewright.Array((3, 3), kind=1), TypeError, "^Array.. takes no argument 'kind'$"),
        (lambda: tilewright.Pipeline(), TypeError, "^stages: takes a word, not NoneType$"),
        (lambda: tilewright.Pipeline("invert", 2), TypeError, "^Pipeline.. takes 1 argument, not 2$"),
        # A view of one byte, of which no copy is made.
        (
            lambda: tilewright.invert(np.broadcast_to(np.uint8(1), (1 << 33, 1))),
            ValueError,
            "image: it has 8589934592 elements along an axis, and an array has at most",
        ),
        # What a caller gave may have lines of its own.
        (lambda: tilewright.irfft2(np.zeros((4, 3), "c8"), IMAGE), ValueError, "s: takes two whole numbers"),
        (lambda: tilewright.prepare(IMAGE), TypeError, "prepare.. takes a function"),
        (lambda: tilewright.variants("in\nvert"), ValueError, "operator = in vert"),
        (lambda: tilewright.invert(IMAGE, dtype="a\nb"), TypeError, "dtype: takes uint8, .*, not a b$"),
        (lambda: tilewright.Pipeline("invert")(IMAGE, **{"a\nb": 1}), TypeError, "no argument 'a b'$"),
        (lambda: tilewright.invert(IMAGE, layout="h\nw"), ValueError, "layout = h w"),
        (lambda: ndimage.gaussian_filter(IMAGE, 1, mode="a\nb"), ValueError, "mode = a b"),
        (lambda: ndimage.gaussian_filter(IMAGE, [IMAGE] * 3), ValueError, "each of the 2 axes, not 3"),
        (
            lambda: tilewright.Array((1 << 30, 1 << 30, 1 << 10), "uint8"),
            (MemoryError, ValueError),
            "uint8|memory",
        ),
    ],
)
def test_refusals(call, exception, words):
    with pytest.raises(exception, match=words) as caught:
        call()
    assert "\n" not in str(caught.value) and "--" not in str(caught.value) and "`" not in str(caught.value)


def test_a_capsule_is_taken_once():
    once = Exporter(IMAGE.__dlpack__())
    assert tilewright.invert(once).all()
    with pytest.raises(TypeError, match="not Exporter"):
        tilewright.invert(once)


def test_buffers_without_strides():
    values = (ctypes.c_uint8 * 30 * 20)()
    values[3][5] = 7
    assert tilewright.invert(values, device="cpu")[3, 5] == 248
    out = (ctypes.c_uint8 * 30 * 20)()
    assert tilewright.invert(values, out=out, device="cpu") is out and out[3][5] == 248


def test_a_released_buffer_is_refused_and_a_used_one_stays():
    view = memoryview(bytes(600)).cast("B", (20, 30))
    view.release()
    with pytest.raises(TypeError, match="not memoryview"):
        tilewright.invert(view)
    values = bytearray(8)
    kept = tilewright.Array.view(values)
    with pytest.raises(BufferError):
        values.clear()
    del kept
    values.clear()


def test_a_device_may_be_an_entry_of_the_list():
    first = tilewright.devices()[0]
    assert tilewright.invert(IMAGE, device=first).all()
    assert first == tilewright.devices()[0] != "cpu" and first != None  # noqa: E711
    assert len({first, *tilewright.devices()[:1]}) == 1


def test_out_of_memory():
    image = np.zeros((2, 2), np.uint8)
    with pytest.raises(MemoryError):
        tilewright.Array((1 << 20, 1 << 24), "float64")
    assert tilewright.invert(image).all()


def test_errors_say_where():
    with pytest.raises(tilewright.ArgumentError) as caught:
        tilewright.gaussian_blur(IMAGE, 0)
    assert isinstance(caught.value, ValueError) and isinstance(caught.value, tilewright.Error)
    assert caught.value.operation == "gaussian_blur" and caught.value.argument == "sigma"
    assert caught.value.device is None


def test_words_of_the_command_line():
    words = _tilewright.in_words_of_python
    assert words("take --device cpu, or parts") == 'take device="cpu", or parts'
    assert words("take --schedule tuned") == 'take schedule="tuned"'
    assert words("it aliases; take --method angular_spectrum") == 'it aliases; take method="angular_spectrum"'
    assert words("--pad adds zeros up to 32") == "pad=True adds zeros up to 32"
    assert words("`tilewright list fft2d` shows it") == 'tilewright.variants("fft2d") shows it'
    assert words("--size = 0: takes a size") == "size = 0: takes a size"
    assert words("--grey takes its grey values") == "grey=True takes its grey values"
    assert words("a - b, --, -- x and -3") == "a - b, --, -- x and -3"
    assert words("no; convert it to c64 first") == 'no; dtype="complex64" converts it'
    for other in ("no; convert it to ", "no; convert it to PNG first"):
        assert words(other) == other


def test_types_have_their_names_of_numpy():
    with pytest.raises(tilewright.ArgumentError, match=r"^invert: image = float32 \(20, 30\): ") as caught:
        tilewright.invert(IMAGE.astype("f4"))
    assert caught.value.value == "float32 (20, 30)"
    with pytest.raises(tilewright.ArgumentError, match="'column_sum output-type=u8': .*output-type = uint8"):
        tilewright.Pipeline("column_sum output-type=u8")(IMAGE)  # a program's own words stay


def test_a_failed_call_leaves_the_process_working():
    for _ in range(20):
        with pytest.raises(ValueError):
            tilewright.invert(IMAGE, out=IMAGE)
    assert tilewright.invert(IMAGE).all()
