"""PyTorch. Skipped where it is not installed. Tests with a `device` run on CUDA too, where it can be used."""

import shutil

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import tilewright  # noqa: E402
import tilewright.torch  # noqa: E402

IMAGE = np.random.default_rng(2).integers(0, 256, (67, 91), dtype=np.uint8)
WANT = tilewright.gaussian_blur(IMAGE, 2, device="cpu")
DEVICES = ["cpu"]
if torch.cuda.is_available() and any(d.usable and d.id == "cuda:0" for d in tilewright.devices()):
    DEVICES.append("cuda")


@pytest.fixture(params=DEVICES)
def device(request):
    """Where PyTorch makes tensors during a test."""
    with torch.device(request.param):
        yield request.param


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
def test_products_of_16_bit_floats(device, dtype):
    a, b = torch.randn(33, 70).to(dtype), torch.randn(70, 20).to(dtype)
    product = tilewright.matmul(a, b, device=device)
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
    ones = torch.ones((side, side), dtype=torch.bfloat16)  # NumPy may have no such type
    blurred = tilewright.gaussian_blur(ones, 2, device="cpu")
    assert blurred.dtype == torch.bfloat16 and bool((blurred == 1).all())
    for dtype, want in (
        (torch.bfloat16, torch.bfloat16),
        ("bfloat16", torch.bfloat16),
        (torch.float32, torch.float32),
        (np.float32, torch.float32),
    ):
        ones = torch.ones((side, side), dtype=torch.int64)
        assert tilewright.gaussian_blur(ones, 2, device="cpu", dtype=dtype).dtype == want


def freed():
    tensor = torch.zeros((67, 91), dtype=torch.uint8)
    tensor.untyped_storage().resize_(0)
    return tensor


@pytest.mark.parametrize(
    "make,exception,words",
    [
        (freed, ValueError, "no memory; was it freed"),
        (lambda: torch.zeros((9, 9), requires_grad=True), TypeError, "detach"),
        (lambda: torch.zeros((9, 9), dtype=torch.int32), ValueError, "takes uint8, uint16, float32"),
        (lambda: torch.zeros((9, 9), dtype=torch.int64), TypeError, "not Tensor of torch.int64"),
        (lambda: torch.zeros((9, 9), dtype=torch.bool), TypeError, "not Tensor of torch.bool"),
        (lambda: torch.zeros((9, 9)).to_sparse(), TypeError, "image: "),
        (lambda: torch.zeros((9, 9), device="meta"), (TypeError, ValueError, BufferError), "meta"),
        (lambda: torch.zeros((9, 9), dtype=torch.complex64).conj(), TypeError, "conj"),
        (lambda: torch.zeros((9, 9), dtype=torch.complex64).conj().imag, TypeError, "resolve_neg"),
        (lambda: torch.zeros(()), ValueError, "1 to 8 dimensions"),
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


# Linear operators: the gradient is that of PyTorch's finite differences, of which a step of 1 has no error.
CALLS = {
    "gaussian_blur": [
        (((5, 7),), {"sigma": 1.2, "border": border}) for border in ("reflect", "mirror", "nearest", "zero")
    ]
    + [(((1, 2),), {"sigma": 2.0, "border": border}) for border in ("reflect", "mirror", "nearest", "zero")]
    + [(((2, 4, 5),), {"sigma": 0.8, "border": "mirror", "layout": "nhw"})]
    + [(((4, 5, 3),), {"sigma": 0.8, "border": "nearest"})]
    + [(((4, 2, 5),), {"sigma": 0.8, "border": "nearest", "layout": "hcw"})],
    "recursive_gaussian": [(((6, 5),), {"sigma": 1.5}), (((2, 6, 5),), {"sigma": 1.5, "layout": "nhw"})],
    "transpose": [(((3, 5),), {}), (((2, 3, 5),), {"layout": "nhw"})],
    "column_sum": [(((3, 5),), {}), (((3, 2, 5),), {"layout": "hnw"}), (((3, 5, 2),), {"layout": "hwc"})],
    "row_sum": [(((3, 5),), {}), (((3, 2, 5),), {"layout": "hnw"}), (((3, 5, 2),), {"layout": "hwc"})],
    "matmul": [(((3, 5), (5, 2)), {}), (((2, 3, 5), (2, 5, 2)), {"layout": "nhw"})],
}


@pytest.mark.filterwarnings("ignore:Input #")
@pytest.mark.parametrize(
    "name,shapes,how", [(name, *case) for name, cases in CALLS.items() for case in cases]
)
def test_gradients_are_finite_differences(device, name, shapes, how):
    torch.manual_seed(1)
    arrays = tuple(torch.randn(shape, requires_grad=True) for shape in shapes)
    call = getattr(torch.ops.tilewright, name)
    assert torch.autograd.gradcheck(lambda *a: call(*a, **how), arrays, eps=1, atol=2e-5, rtol=1e-4)


# The inner products <A x, y> and <x, A* y> are the same, also of fields.
@pytest.mark.parametrize(
    "name,options",
    [
        ("fft2d", {}),
        ("fft2d", {"direction": "inverse"}),
        ("fft2d", {"pad": True}),
        ("fresnel", {"method": "convolution"}),
        ("fresnel", {"method": "angular_spectrum"}),
        ("fresnel", {"method": "convolution", "pad": True}),
    ],
)
def test_gradients_of_fields(device, name, options):
    torch.manual_seed(2)
    if name == "fresnel":
        options = {"wavelength": 532e-9, "distance": 1e-3, "pitch": 8e-6, **options}
    # fresnel takes squares
    side = ((20, 20) if name == "fresnel" else (20, 30)) if options.get("pad") else (32, 32)
    for layout in (None, "nhw"):
        x = torch.randn((2, *side) if layout else side, dtype=torch.complex64, requires_grad=True)
        made = getattr(torch.ops.tilewright, name)(x, **options, layout=layout)
        y = torch.randn_like(made)
        made.backward(y)
        here, there = (
            torch.vdot(made.detach().flatten(), y.flatten()),
            torch.vdot(x.detach().flatten(), x.grad.flatten()),
        )
        assert abs(here - there) <= 1e-4 * made.detach().norm() * y.norm()
    if name == "fft2d" and not options:
        real = torch.randn(side, requires_grad=True)
        torch.ops.tilewright.fft2d(real).abs().square().sum().backward()
        torch.testing.assert_close(real.grad, 2 * real.detach() * real.numel(), rtol=1e-4, atol=0.1)
    if name == "fresnel":
        with pytest.raises(RuntimeError, match="fresnel: has a gradient from a complex64 field"):
            torch.ops.tilewright.fresnel(torch.rand(32, 32, requires_grad=True), 532e-9, 1e-3, 8e-6)


# Of real values, also of spectra that no real values have.
@pytest.mark.parametrize("width", [1, 2, 9, 10])
def test_the_gradient_of_halves(device, width):
    torch.manual_seed(3)
    options = {"half": True, "layout": "nhw"}
    spectrum = torch.randn((2, 6, width // 2 + 1), dtype=torch.complex64)
    for ours, want, given in (
        (options, torch.fft.rfft2, torch.randn((2, 6, width))),
        ({**options, "direction": "inverse", "width": width}, None, spectrum),
    ):
        want = want or (lambda a: torch.fft.irfft2(a, s=(6, width)))
        gradients = []
        for call in (lambda a, ours=ours: torch.ops.tilewright.fft2d(a, **ours), want):
            leaf = given.clone().requires_grad_()
            (call(leaf).abs() ** 3).sum().backward()
            gradients.append(leaf.grad)
        torch.testing.assert_close(*gradients, rtol=1e-4, atol=1e-4 * gradients[1].abs().max().item())


def plain_blur(images, sigma, border):
    radius = int(4 * sigma + 0.5)
    weights = torch.exp(-0.5 * (torch.arange(-radius, radius + 1, dtype=images.dtype) / sigma) ** 2)
    weights /= weights.sum()
    pad = {"mode": {"mirror": "reflect", "nearest": "replicate", "zero": "constant"}[border]}
    soft = torch.nn.functional.pad(images, [radius] * 4, **pad)
    channels = images.shape[1]
    for shape in ((1, 1, -1, 1), (1, 1, 1, -1)):
        kernel = weights.view(shape).expand(channels, *[-1] * 3)
        soft = torch.nn.functional.conv2d(soft, kernel, groups=channels)
    return soft


@pytest.mark.parametrize("border", ["mirror", "nearest", "zero"])
def test_batches_beside_autograd_of_a_plain_blur(device, border):
    torch.manual_seed(3)
    images = torch.rand(2, 3, 19, 23, requires_grad=True)
    exact = images.detach().double().requires_grad_()
    got = tilewright.torch.gaussian_blur(images, sigma=2.0, border=border, layout="nchw")
    want = plain_blur(exact, 2.0, border)
    weights = torch.randn(got.shape)
    (got * weights).sum().backward()
    (want * weights.double()).sum().backward()
    torch.testing.assert_close(got.double(), want, rtol=0, atol=1e-6)
    torch.testing.assert_close(images.grad.double(), exact.grad, rtol=0, atol=2e-6)


def test_opcheck_of_batches(device):
    images = torch.rand(2, 3, 9, 11, requires_grad=True)
    torch.library.opcheck(
        tilewright.torch.gaussian_blur, (images, 1.0), {"border": "nearest", "layout": "nchw"}
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_autocast_and_half_types(device, dtype):
    a, b = torch.randn(9, 17).to(dtype).requires_grad_(), torch.randn(17, 5).to(dtype).requires_grad_()
    with torch.autocast(device, dtype=torch.bfloat16):
        if hasattr(torch.library, "register_autocast"):
            assert tilewright.torch.gaussian_blur(a.detach(), sigma=1.0).dtype == torch.float32
        product = tilewright.torch.matmul(a, b)
    assert product.dtype == torch.float32
    product.sum().backward()
    assert a.grad.dtype == b.grad.dtype == dtype
    torch.testing.assert_close(a.grad.float(), b.detach().float().sum(1).expand(9, 17), rtol=1e-2, atol=1e-2)


def test_the_module(device):
    images = torch.from_numpy(np.stack([IMAGE, IMAGE.copy()[::-1]]))[:, None].to(device)
    soft = tilewright.torch.GaussianBlur(2.0, border="reflect")(images)
    np.testing.assert_array_equal(soft[0, 0].cpu().numpy(), WANT)
    assert soft.shape == images.shape
    half = (images / 255).half().requires_grad_()
    made = torch.nn.Sequential(tilewright.torch.GaussianBlur())(half)
    made.sum().backward()
    assert made.dtype == half.grad.dtype == torch.float16
    compiled = torch.compile(tilewright.torch.GaussianBlur(2.0), fullgraph=True, backend="aot_eager")
    floats = images.float().requires_grad_()
    compiled(floats).square().sum().backward()
    kept, floats.grad = floats.grad, None
    tilewright.torch.GaussianBlur(2.0)(floats).square().sum().backward()
    torch.testing.assert_close(kept, floats.grad)
    for sigma in (0, (2, 1), (1, 2, 3)):
        with pytest.raises(ValueError, match="sigma"):
            tilewright.torch.GaussianBlur(sigma)
