"""What arrays go in and come out, and that nothing is copied where nothing has to be."""

import gc

import numpy as np
import pytest

import tilewright

RNG = np.random.default_rng(3)
IMAGE = RNG.integers(0, 256, (61, 83), dtype=np.uint8)


def blurred(image, **how):
    stats = {}
    result = tilewright.gaussian_blur(image, 2, device="cpu", stats=stats, **how)
    return result, stats["copied"]


WANT = tilewright.gaussian_blur(IMAGE, 2, device="cpu")


def misaligned(image):
    raw = np.zeros(image.nbytes + 1, np.uint8)
    view = raw[1:].view(image.dtype).reshape(image.shape)
    view[:] = image
    return view


@pytest.mark.parametrize(
    "what,make,copied",
    [
        ("dense", lambda a: a, False),
        ("rows with a pitch", lambda a: np.pad(a, ((0, 0), (0, 9)))[:, :83], False),
        ("a crop", lambda a: np.pad(a, 5)[5:-5, 5:-5], False),
        ("read-only", lambda a: np.frombuffer(a.tobytes(), np.uint8).reshape(a.shape), False),
        ("memoryview", memoryview, False),
        ("upside down", lambda a: np.flipud(a).copy()[::-1], True),
        ("mirrored", lambda a: np.fliplr(a).copy()[:, ::-1], True),
        ("every second row", lambda a: np.repeat(a, 2, axis=0)[::2], False),
        ("every second column", lambda a: np.repeat(a, 2, axis=1)[:, ::2], True),
        ("Fortran order", np.asfortranarray, True),
    ],
)
def test_strides(what, make, copied):
    result, names = blurred(make(IMAGE))
    np.testing.assert_array_equal(result, WANT)
    assert names == (["image"] if copied else [])


def test_misaligned_elements_are_copied():
    image = RNG.integers(0, 65536, (31, 20)).astype(np.uint16)
    result, names = blurred(misaligned(image))
    np.testing.assert_array_equal(result, tilewright.gaussian_blur(image, 2))
    assert names == ["image"]


# Of such fields the steps between elements are no whole numbers of elements.
@pytest.mark.parametrize("dtype", ["uint16", "float32", "float64"])
def test_fields_of_packed_structures_are_copied(dtype):
    packed = np.zeros((31, 20), [("other", "u1"), ("field", dtype)])
    packed["field"] = RNG.integers(0, 65536, (31, 20))
    stats = {}
    result = tilewright.transpose(packed["field"], stats=stats)
    np.testing.assert_array_equal(result, packed["field"].T)
    out = np.zeros((20, 31), packed.dtype)
    assert tilewright.transpose(result.T.copy(), out=out["field"], stats=stats).base is out
    np.testing.assert_array_equal(out["field"], result)
    assert stats["copied"] == ["out"] and not out["other"].any()
    out.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        tilewright.transpose(packed["field"], out=out["field"])


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.empty((61, 83), np.uint8),
        lambda: np.empty((61, 100), np.uint8)[:, 3:86],
        lambda: np.empty((83, 61), np.uint8).T,
        lambda: np.empty((61, 83), np.uint8)[::-1],
    ],
)
def test_out_is_returned(make):
    out = make()
    assert tilewright.gaussian_blur(IMAGE, 2, out=out, device="cpu") is out
    np.testing.assert_array_equal(out, WANT)


def test_out_between_rows_stays():
    wide = np.full((61, 100), 7, np.uint8)
    tilewright.gaussian_blur(IMAGE, 2, out=wide[:, :83], device="cpu")
    assert (wide[:, 83:] == 7).all()


# Classes that are derived from NumPy's array, as numpy.memmap, have its types, that of ml_dtypes too.
@pytest.mark.parametrize("dtype", ["uint8", "bfloat16"])
def test_derived_arrays(dtype):
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    derived = type("Derived", (np.ndarray,), {})
    image = IMAGE.astype(dtype)
    result, copied = blurred(image.view(derived), out=np.zeros_like(image).view(derived))
    assert copied == [] and type(result) is derived
    np.testing.assert_array_equal(result, blurred(image)[0])
    assert type(blurred(image.view(derived))[0]) is np.ndarray


def test_arrays_of_the_library():
    array = tilewright.Array((61, 83), "uint8")
    assert (
        not array.numpy().any()
        and array.shape == (61, 83)
        and array.dtype == np.uint8
        and array.device == "cpu"
    )
    np.asarray(array)[:] = IMAGE
    result = tilewright.gaussian_blur(array, 2, device="cpu")
    np.testing.assert_array_equal(result, WANT)
    np.testing.assert_array_equal(np.from_dlpack(result), WANT)
    np.testing.assert_array_equal(result.crop(3, 4, 10, 20).numpy(), WANT[3:13, 4:24])
    assert repr(array) == "<tilewright.Array uint8 (61, 83) on cpu>"
    with pytest.raises(AttributeError):
        array.__cuda_array_interface__


def test_views_share_elements():
    image = IMAGE.copy()
    view = tilewright.Array.view(image)
    image[0, 0] ^= 255
    assert view.numpy()[0, 0] == image[0, 0]
    assert np.shares_memory(view.numpy(), image)


@pytest.mark.parametrize("make", [lambda a: a, lambda a: tilewright.Array.view(a), lambda a: a.tobytes()])
def test_views_of_read_only_memory_are_read_only(make):
    image = IMAGE.reshape(-1).copy()
    image.flags.writeable = False
    view = tilewright.Array.view(make(image))
    before = view.numpy().copy()
    for shown in (view.numpy(), np.asarray(view), np.from_dlpack(view), tilewright.Array.view(view).numpy()):
        assert not shown.flags.writeable
    with pytest.raises(TypeError, match="read-only"):
        tilewright.column_sum(np.zeros((3, len(image)), np.uint8), out=view)
    with pytest.raises(BufferError, match="read-only"):
        view.__dlpack__()
    np.testing.assert_array_equal(view.numpy(), before)
    assert np.from_dlpack(view, copy=True).flags.writeable
    rows = tilewright.Array.view(image.reshape(61, 83))
    with pytest.raises(TypeError, match="read-only"):
        tilewright.invert(IMAGE, out=rows)
    with pytest.raises(TypeError, match="read-only"):
        tilewright.prepare(tilewright.invert, IMAGE, out=rows)
    assert not rows.crop(0, 0, 4, 4).numpy().flags.writeable
    np.testing.assert_array_equal(tilewright.invert(rows).numpy(), 255 - IMAGE)


def test_memory_lives_as_long_as_what_shows_it():
    for show in (lambda view: view.numpy(), np.from_dlpack, np.asarray):
        shown = [show(tilewright.Array.view(np.full((50, 70), n, np.uint8))) for n in range(100)]
        gc.collect()
        assert [array.min() for array in shown] == [array.max() for array in shown] == list(range(100))


def test_memory_lives_as_long_as_results():
    arrays = [tilewright.invert(tilewright.Array.view(IMAGE.copy())).numpy() for _ in range(50)]
    for array in arrays:
        np.testing.assert_array_equal(array, 255 - IMAGE)


class Exporter:
    """An array of another library, on the host, by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class WithNamespace(Exporter):
    """One whose library follows the array API standard."""

    def __array_namespace__(self):
        class Namespace:
            @staticmethod
            def from_dlpack(array):
                return WithNamespace(np.from_dlpack(array))

        return Namespace


def test_other_libraries_get_their_own_kind():
    assert isinstance(tilewright.gaussian_blur(Exporter(IMAGE), 2), np.ndarray)
    result = tilewright.gaussian_blur(WithNamespace(IMAGE), 2)
    assert isinstance(result, WithNamespace)
    np.testing.assert_array_equal(result.array, WANT)


def test_dlpack_capsules():
    array = tilewright.Array.view(IMAGE)
    assert array.__dlpack_device__() == (1, 0)
    for _ in range(3):
        array.__dlpack__()  # nobody takes it
        array.__dlpack__(max_version=(1, 1))
    assert not np.shares_memory(np.from_dlpack(array, copy=True), IMAGE)
    with pytest.raises(BufferError, match="stream"):
        array.__dlpack__(stream=1)
    with pytest.raises(BufferError, match="dl_device"):
        array.__dlpack__(dl_device=(2, 0))
    for name in ("max_version", "dl_device", "copy"):
        with pytest.raises(TypeError, match=name):
            array.__dlpack__(**{name: "word"})


def test_numpy_converts_only_where_it_may():
    array = tilewright.Array.view(IMAGE)
    assert np.asarray(array, np.float32).dtype == np.float32
    assert np.shares_memory(array.__array__(np.uint8, copy=False), IMAGE)
    assert not np.shares_memory(array.__array__(copy=True), IMAGE)
    with pytest.raises(ValueError, match="copy"):
        array.__array__(np.float32, copy=False)


def opencl():
    return [d.id for d in tilewright.devices() if d.usable and d.id.startswith("opencl")]


def test_elements_stay_on_a_device():
    if not opencl():
        pytest.skip("no OpenCL device")
    device = opencl()[0]
    image = tilewright.Array.view(IMAGE)
    image.sync(device)
    stats = {}
    soft = tilewright.gaussian_blur(image, 2, device=device, stats=stats)
    assert soft.device == device and stats["bytes_to_host"] == 0
    again = tilewright.invert(soft, stats=stats)  # "auto" is where the array is
    assert stats["device"] == device and stats["bytes_to_device"] == stats["bytes_to_host"] == 0
    np.testing.assert_array_equal(again.numpy(), 255 - WANT)


def test_memory_of_another_library_on_opencl():
    if not opencl():
        pytest.skip("no OpenCL device")
    device = opencl()[0]
    owner = tilewright.invert(tilewright.Array.view(IMAGE), device=device)  # its elements are on the device
    target = tilewright.invert(tilewright.Array.view(np.zeros_like(IMAGE)), device=device)
    memory, out_memory = owner.device_memory, target.device_memory
    assert memory and out_memory
    # Pitches are those of the library's arrays, whose rows are padded; a vector of all of it is dense.
    length = owner.strides[0] * 61
    image = tilewright.Array.wrap(device, memory, "uint8", (length,), owner)
    assert image.device == device and image.device_memory == memory
    with pytest.raises(tilewright.ArgumentError, match="memory of a GPU"):
        tilewright.Array.wrap("cpu", memory, "uint8", (length,))
    np.testing.assert_array_equal(image.numpy().reshape(61, -1)[:, :83], 255 - IMAGE)
    assert not image.numpy().flags.writeable
