"""PyTorch on the host. Skipped where it is not installed."""

import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import tilewright  # noqa: E402
import tilewright.torch  # noqa: E402

IMAGE = np.random.default_rng(2).integers(0, 256, (67, 91), dtype=np.uint8)
WANT = tilewright.gaussian_blur(IMAGE, 2, device="cpu")


def test_tensors_in_and_out():
    result = tilewright.gaussian_blur(torch.from_numpy(IMAGE), 2, device="cpu")
    assert isinstance(result, torch.Tensor)
    np.testing.assert_array_equal(result.numpy(), WANT)
    out = torch.empty_like(result)
    assert tilewright.gaussian_blur(torch.from_numpy(IMAGE), 2, out=out, device="cpu") is out
    with pytest.raises((RuntimeError, BufferError, TypeError)):
        tilewright.gaussian_blur(torch.ones((9, 9), requires_grad=True))


def test_every_operator_is_a_custom_operator():
    for name in tilewright.operators:
        assert hasattr(torch.ops.tilewright, name)
    tensor = torch.from_numpy(IMAGE)
    np.testing.assert_array_equal(torch.ops.tilewright.gaussian_blur(tensor, 2.0).numpy(), WANT)
    np.testing.assert_array_equal(tilewright.torch.transpose(tensor).numpy(), IMAGE.T)
    torch.library.opcheck(
        tilewright.torch.gaussian_blur,
        (tensor,),
        {"sigma": 2.0, "border": "mirror"},
        test_utils=("test_schema", "test_faketensor"),
    )


def test_strided_tensors():
    wide = torch.from_numpy(np.repeat(IMAGE, 2, axis=1))
    stats = {}
    np.testing.assert_array_equal(
        tilewright.gaussian_blur(wide[:, ::2], 2, device="cpu", stats=stats).numpy(), WANT
    )
    assert stats["copied"] == ["image"]
    out = torch.zeros((91, 67), dtype=torch.uint8).T
    assert tilewright.gaussian_blur(torch.from_numpy(IMAGE), 2, out=out, device="cpu") is out
    np.testing.assert_array_equal(out.numpy(), WANT)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_products_of_16_bit_floats(dtype):
    a, b = torch.randn(33, 70).to(dtype), torch.randn(70, 20).to(dtype)
    product = tilewright.matmul(a, b, device="cpu")
    assert product.dtype == torch.float32
    torch.testing.assert_close(product, (a.double() @ b.double()).float(), rtol=0, atol=1e-4)


class Derived(torch.Tensor):
    """A type of its own, which PyTorch's functions in C do not know."""


@pytest.mark.parametrize("side", [40, 3000])
def test_results_are_tensors(side):
    image = torch.zeros((side, side), dtype=torch.uint8)
    for tensor in (image, image.as_subclass(Derived), torch.nn.Parameter(image, requires_grad=False)):
        result = tilewright.invert(tensor, device="cpu")
        assert isinstance(result, torch.Tensor) and result.is_contiguous() and bool((result == 255).all())


def freed():
    tensor = torch.zeros((67, 91), dtype=torch.uint8)
    tensor.untyped_storage().resize_(0)
    return tensor


@pytest.mark.parametrize(
    "make,exception,words",
    [
        (freed, ValueError, "no memory; was it freed"),
        (lambda: torch.zeros((9, 9), requires_grad=True), TypeError, "detach"),
        (lambda: torch.zeros((9, 9), dtype=torch.bfloat16), ValueError, "takes u8, u16 or f32"),
        (lambda: torch.zeros((9, 9), dtype=torch.int64), TypeError, "not Tensor of torch.int64"),
        (lambda: torch.zeros((9, 9), dtype=torch.bool), TypeError, "not Tensor of torch.bool"),
        (lambda: torch.zeros((9, 9)).to_sparse(), TypeError, "image: "),
        (lambda: torch.zeros((9, 9), device="meta"), (TypeError, ValueError, BufferError), "meta"),
        (lambda: torch.zeros((9, 9), dtype=torch.complex64).conj(), TypeError, "conj"),
        (lambda: torch.zeros((9, 9), dtype=torch.complex64).conj().imag, TypeError, "resolve_neg"),
        (lambda: torch.zeros(()), ValueError, "1 to 3 dimensions"),
        (lambda: torch.zeros((0, 9)), ValueError, "no elements"),
    ],
)
def test_refusals(make, exception, words):
    tensor = make()
    with pytest.raises(exception, match=words) as caught:
        tilewright.gaussian_blur(tensor, 2, device="cpu")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_the_graph_does_not_break(backend):
    if backend == "inductor" and not shutil.which("c++"):
        pytest.skip("PyTorch compiles the graph by a C++ compiler, which is not here")

    @torch.compile(fullgraph=True, backend=backend)
    def work(x):
        return tilewright.torch.gaussian_blur(x + 0, sigma=2.0).float() * 2

    np.testing.assert_array_equal(work(torch.from_numpy(IMAGE)).numpy(), WANT.astype(np.float32) * 2)
    # Other shapes: a second graph, or one for all shapes.
    other = IMAGE[:50]
    want = tilewright.gaussian_blur(other, 2, device="cpu").astype(np.float32) * 2
    np.testing.assert_array_equal(work(torch.from_numpy(other)).numpy(), want)
