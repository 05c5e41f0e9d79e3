"""CuPy's and PyTorch's arrays on a CUDA device: in place, in their stream. Skipped where there is none."""

import numpy as np
import pytest

import tilewright
from cases import CASES, case

if not any(d.usable and d.id == "cuda:0" for d in tilewright.devices()):
    pytest.skip("no CUDA device", allow_module_level=True)

LIBRARIES = []
for _library in ("cupy", "torch"):
    try:
        LIBRARIES.append(__import__(_library))
    except ImportError:
        pass
if not LIBRARIES:
    pytest.skip("neither CuPy nor PyTorch is installed", allow_module_level=True)

RNG = np.random.default_rng(11)
IMAGE = RNG.integers(0, 256, (517, 803), dtype=np.uint8)
WANT = tilewright.gaussian_blur(IMAGE, 2, device="cpu")


def to_device(library, array):
    return library.asarray(array) if library.__name__ == "cupy" else library.from_numpy(array).cuda()


def to_host(array):
    return array.get() if hasattr(array, "get") else array.cpu().numpy()


class Stream:
    """A stream of a library's own, in which work is under way, as a context."""

    def __init__(self, library):
        self.library = library
        cupy = library.__name__ == "cupy"
        self.stream = library.cuda.Stream(non_blocking=True) if cupy else library.cuda.Stream()
        self.context = self.stream if cupy else library.cuda.stream(self.stream)

    def __enter__(self):
        self.context.__enter__()
        big = to_device(self.library, np.ones((2048, 2048), np.float32))
        for _ in range(40):
            big = big @ big * 1e-4
        return self

    def __exit__(self, *error):
        self.context.__exit__(*error)


pytestmark = pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.__name__)


@pytest.mark.parametrize("name,type", CASES)
def test_every_operator(library, name, type):
    inputs, options = case(name, type)
    function = getattr(tilewright, name)
    want = function(*inputs, **options, device="cuda")
    stats = {}
    got = function(*[to_device(library, i) for i in inputs], **options, stats=stats)
    assert got.__class__.__module__.split(".")[0] == library.__name__
    assert stats["device"] == "cuda:0" and stats["copied"] == []
    warm = {}
    function(*[to_device(library, i) for i in inputs], **options, stats=warm)
    # No array is copied; min-plus reads a few numbers, by which it decides how to continue.
    assert warm["bytes_to_host"] + warm["bytes_to_device"] < 4096
    np.testing.assert_array_equal(to_host(got), want)


def test_out_and_crops(library):
    big = to_device(library, np.pad(IMAGE, ((3, 5), (7, 9)), constant_values=9))
    out = to_device(library, np.full((530, 900), 7, np.uint8))
    part = out[2:519, 5:808]
    tilewright.gaussian_blur(to_device(library, IMAGE), 2)  # brings the weights to the device
    stats = {}
    assert tilewright.gaussian_blur(big[3:-5, 7:-9], 2, out=part, stats=stats) is part
    assert stats["bytes_to_host"] == stats["bytes_to_device"] == 0
    result = to_host(out)
    np.testing.assert_array_equal(result[2:519, 5:808], WANT)
    result[2:519, 5:808] = 7
    assert (result == 7).all()  # nothing was written beside the part


@pytest.mark.parametrize("offset", [0, 1, 2, 3, 5, 8, 13, 255])
def test_any_alignment(library, offset):
    raw = to_device(library, np.zeros(IMAGE.size + 256, np.uint8))
    image = raw[offset : offset + IMAGE.size].reshape(IMAGE.shape)
    image[:] = to_device(library, IMAGE)
    for name in ("gaussian_blur", "transpose", "invert", "column_sum", "row_sum"):
        np.testing.assert_array_equal(
            to_host(getattr(tilewright, name)(image)), getattr(tilewright, name)(IMAGE, device="cpu")
        )


def test_streams_are_joined(library):
    """The input is written, and the result read, in a stream that is busy; nobody waits on the host."""
    for _ in range(10):
        image = to_device(library, np.zeros_like(IMAGE))
        source = to_device(library, IMAGE)
        with Stream(library):
            image[:] = source
            soft = tilewright.gaussian_blur(image, 2)
            again = 255 - soft
            image[:] = 0
        # The default stream, in which the elements are brought to the host, does not wait for others.
        library.cuda.synchronize() if library.__name__ == "torch" else library.cuda.Device().synchronize()
        np.testing.assert_array_equal(to_host(again), 255 - WANT)
        with Stream(library):
            image[:] = source
            kept = tilewright.gaussian_blur(tilewright.Array.view(image), 2)
        np.testing.assert_array_equal(kept.numpy(), WANT)


def test_inputs_of_two_streams(library):
    """Each input is written in a busy stream of its own library; the product waits for both."""
    if len(LIBRARIES) < 2:
        pytest.skip("takes CuPy and PyTorch")
    a, b = RNG.random((300, 400), dtype=np.float32), RNG.random((400, 200), dtype=np.float32)
    want = tilewright.matmul(a, b, device="cuda")
    other = next(other for other in LIBRARIES if other is not library)
    for _ in range(5):
        sources = to_device(library, a), to_device(other, b)
        inputs = to_device(library, np.zeros_like(a)), to_device(other, np.zeros_like(b))
        with Stream(library), Stream(other):
            for array, source in zip(inputs, sources):
                array[:] = source
            product = tilewright.matmul(*inputs)
            library.cuda.synchronize() if library.__name__ == "torch" else library.cuda.Device().synchronize()
        np.testing.assert_array_equal(to_host(product), want)


def test_results_on_the_device_for_others(library):
    own = tilewright.gaussian_blur(tilewright.Array.view(IMAGE), 2, device="cuda")
    assert own.device == "cuda:0" and own.__dlpack_device__() == (2, 0)
    theirs = library.from_dlpack(own)
    np.testing.assert_array_equal(to_host(theirs), WANT)
    if library.__name__ == "cupy":
        np.testing.assert_array_equal(library.asarray(own).get(), WANT)  # __cuda_array_interface__


def test_refusals(library):
    image = to_device(library, IMAGE)
    with pytest.raises(ValueError, match="contiguous"):
        tilewright.invert(image[:, ::2])
    with pytest.raises(ValueError, match="shares memory"):
        tilewright.invert(image, out=image)
    with pytest.raises(ValueError, match="another library's memory"):
        tilewright.invert(IMAGE, out=image, device="cpu")
    with pytest.raises(TypeError, match="not"):
        tilewright.invert(to_device(library, IMAGE.astype(np.int64)))
    np.testing.assert_array_equal(tilewright.invert(IMAGE, device="cuda"), 255 - IMAGE)
    assert (tilewright.gaussian_blur(image, 2, out=np.empty_like(IMAGE)) == WANT).all()
    a, b = RNG.random((30, 40), dtype=np.float32), RNG.random((40, 20), dtype=np.float32)
    mixed = to_host(tilewright.matmul(to_device(library, a), b))  # an array of the host comes to the device
    np.testing.assert_array_equal(mixed, tilewright.matmul(a, b, device="cuda"))


def test_compiled_graphs(library):
    if library.__name__ != "torch":
        pytest.skip("of PyTorch alone")
    torch = library
    import tilewright.torch

    image = to_device(torch, IMAGE)
    torch.library.opcheck(
        tilewright.torch.gaussian_blur,
        (image,),
        {"sigma": 2.0},
        test_utils=("test_schema", "test_faketensor"),
    )

    for backend in ("eager", "inductor"):

        @torch.compile(fullgraph=True, backend=backend)
        def work(x):
            return tilewright.torch.gaussian_blur(x + 0, sigma=2.0).float() * 2

        np.testing.assert_array_equal(to_host(work(image)), WANT.astype(np.float32) * 2)


def test_tensors_without_memory(library):
    if library.__name__ != "torch":
        pytest.skip("of PyTorch alone")
    image = to_device(library, IMAGE)
    image.untyped_storage().resize_(0)
    with pytest.raises(ValueError, match="no memory; was it freed"):
        tilewright.invert(image)
    with pytest.raises(ValueError, match="no memory; was it freed"):
        tilewright.invert(to_device(library, IMAGE), out=image)
