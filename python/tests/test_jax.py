"""JAX, on the device that it takes by itself. Skipped where it is not installed."""

import os
import subprocess
import sys

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import tilewright  # noqa: E402
import tilewright.jax  # noqa: E402

RNG = np.random.default_rng(4)
IMAGE = RNG.integers(0, 256, (67, 91), dtype=np.uint8)
ON_GPU = jax.default_backend() == "gpu"
DEVICE = "cuda" if ON_GPU else "cpu"  # of tilewright
jax.config.update("jax_default_matmul_precision", "highest")  # not that of TF32


BORDERS = ("reflect", "mirror", "nearest", "zero", "constant")


def floats(*shape):
    return RNG.random(shape, dtype=np.float32)


# The same bytes as of the function on arrays of NumPy. On a GPU that function has arrays of another
# alignment, for which another variant may sum floats in another order.
def assert_result(made, want):
    made, want = np.asarray(made), np.asarray(want)
    if not ON_GPU or want.dtype.kind in "ui":
        np.testing.assert_array_equal(made, want)
        return
    error = {np.dtype(np.float16): 2**-10, np.dtype(jnp.bfloat16): 2**-7}.get(want.dtype, 1e-6)
    exact = np.complex128 if want.dtype.kind == "c" else np.float64
    made, want = made.astype(exact), want.astype(exact)
    np.testing.assert_allclose(made, want, rtol=0, atol=error * np.abs(want).max())


# With and without jit.
@pytest.mark.parametrize(
    "name,arrays,options",
    [
        ("gaussian_blur", (IMAGE,), {"sigma": 3.0, "border": "mirror"}),
        ("gaussian_blur", (floats(2, 3, 31, 23),), {"sigma": 2.0, "layout": "nchw"}),
        ("recursive_gaussian", (floats(31, 23, 3),), {"sigma": 4.0}),
        ("transpose", (IMAGE,), {}),
        ("invert", (IMAGE,), {}),
        ("column_sum", (IMAGE,), {"output_type": "f64"}),
        ("row_sum", (floats(4, 31, 23),), {"layout": "nhw"}),
        ("matmul", (floats(33, 70), floats(70, 20)), {}),
        ("matmul", (floats(9, 5).astype(np.float16), floats(5, 7).astype(np.float16)), {}),
        ("matmul", (jnp.asarray(floats(9, 5), "bfloat16"), jnp.asarray(floats(5, 7), "bfloat16")), {}),
        ("gaussian_blur", (jnp.asarray(floats(2, 31, 23), "bfloat16"),), {"sigma": 2.0, "layout": "nhw"}),
        ("gaussian_blur", (floats(31, 23).astype(np.float16),), {"sigma": 2.0}),
        ("recursive_gaussian", (jnp.asarray(floats(31, 23), "bfloat16"),), {"sigma": 2.0}),
        ("row_sum", (jnp.asarray(floats(31, 23), "bfloat16"),), {}),
        ("fft2d", (floats(30, 48),), {}),
        ("fresnel", (floats(64, 64),), {"wavelength": 532e-9, "distance": 0.01, "pitch": 8e-6}),
        ("min_plus_convolution", (floats(90), floats(40)), {}),
    ],
)
def test_results(name, arrays, options):
    want = getattr(tilewright, name)(*map(np.asarray, arrays), **options, device=DEVICE)
    call = getattr(tilewright.jax, name)
    jax.config.update("jax_enable_x64", want.dtype == np.float64)
    try:
        for made in (call(*arrays, **options), jax.jit(lambda *a: call(*a, **options))(*arrays)):
            assert isinstance(made, jax.Array) and made.dtype == want.dtype
            assert_result(made, want)
    finally:
        jax.config.update("jax_enable_x64", False)


def test_results_between_other_work():
    @jax.jit
    def work(image):
        return tilewright.jax.gaussian_blur(image + 0, 2.0).astype(jnp.float32) * 2

    want = tilewright.gaussian_blur(IMAGE, 2, device="cpu").astype(np.float32) * 2
    for image in (IMAGE, IMAGE[:50]):
        np.testing.assert_array_equal(work(image)[:20], want[:20])
    images = np.stack([IMAGE, IMAGE[::-1]])
    np.testing.assert_array_equal(jax.vmap(work)(images), np.stack([want, want[::-1]]))


# Linear operators: the gradient is that of finite differences, of which a step of 1 has no error.
@pytest.mark.parametrize(
    "name,shapes,options",
    [
        *(("gaussian_blur", [(5, 7)], {"sigma": 1.2, "border": b}) for b in BORDERS),
        ("gaussian_blur", [(6, 7)], {"sigma": 1.2, "sigma_y": 0.6, "border": "wrap"}),
        ("gaussian_blur", [(6, 7)], {"sigma": 1.2, "border": "constant", "value": 3.0}),
        ("gaussian_blur", [(2, 3, 5, 7)], {"sigma": 0.8, "border": "nearest", "layout": "nchw"}),
        ("recursive_gaussian", [(5, 7)], {"sigma": 1.2}),
        ("transpose", [(5, 7, 3)], {}),
        ("column_sum", [(2, 5, 7)], {"layout": "nhw"}),
        ("row_sum", [(5, 7)], {}),
        ("matmul", [(4, 5), (5, 6)], {}),
        ("fft2d", [(5, 8)], {}),
    ],
)
def test_gradients(name, shapes, options):
    call = getattr(tilewright.jax, name)
    arrays = tuple(floats(*shape) for shape in shapes)
    check_grads(lambda *a: call(*a, **options), arrays, order=1, modes=["rev"], eps=1.0, atol=1e-4, rtol=1e-4)


# Of real values, also of spectra that no real values have.
@pytest.mark.parametrize("width", [1, 2, 9, 10])
def test_the_gradient_of_halves(width):
    call, options = tilewright.jax.fft2d, {"half": True, "layout": "nhw"}
    values = floats(2, 6, width)
    spectrum = floats(2, 6, width // 2 + 1) + 1j * floats(2, 6, width // 2 + 1)
    back = {**options, "direction": "inverse", "width": width}
    close = {"eps": 1.0, "atol": 1e-3, "rtol": 1e-3}
    check_grads(lambda a: call(a, **options), (values,), order=2, modes=["rev"], **close)
    for made, other, given in (
        (lambda a: call(a, **options), jnp.fft.rfft2, values),
        (lambda a: call(a, **back), lambda a: jnp.fft.irfft2(a, s=(6, width)), spectrum),
    ):
        ours, want = (jax.grad(lambda a: (jnp.abs(f(a)) ** 3).sum())(given) for f in (made, other))
        np.testing.assert_allclose(ours, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())


@pytest.mark.parametrize("direction", ["forward", "inverse"])
def test_the_gradient_of_complex_transforms(direction):
    field = floats(6, 10) + 1j * floats(6, 10)
    other = {"forward": jnp.fft.fft2, "inverse": jnp.fft.ifft2}[direction]

    def loss(transform, a):
        return (jnp.abs(transform(a)) ** 3).sum()

    ours = jax.grad(lambda a: loss(lambda f: tilewright.jax.fft2d(f, direction=direction), a))(field)
    want = jax.grad(lambda a: loss(other, a))(field)
    np.testing.assert_allclose(ours, want, rtol=1e-4, atol=1e-4 * np.abs(want).max())


def test_gradients_of_gradients():
    def twice(product):
        inner = jax.grad(lambda b: (product(b, b.T) ** 2).sum())
        return jax.jit(jax.grad(lambda a: (inner(a) ** 2).sum()))(floats_once)

    floats_once = floats(5, 6)
    np.testing.assert_allclose(twice(tilewright.jax.matmul), twice(jnp.matmul), rtol=1e-4)


# NumPy has the bfloat16 of ml_dtypes, on which JAX depends, and gives its elements by no protocol.
def test_bfloat16_of_numpy_and_of_jax():
    image = np.asarray(jnp.asarray(floats(31, 46), jnp.bfloat16))
    want = tilewright.gaussian_blur(image, 2, dtype="float32", device="cpu").astype(image.dtype)
    out = np.zeros((46, 31), image.dtype).T
    for given, how in (
        (image, {}),
        (image, {"out": out}),
        (np.asfortranarray(image), {}),
        (image[:, ::-1][:, ::-1], {"out": np.zeros_like(image)[:, ::-1]}),
        (jax.device_put(image, jax.devices("cpu")[0]), {}),
    ):
        made = tilewright.gaussian_blur(given, 2, device="cpu", **how)
        assert made is how.get("out", made) and type(made) is type(given) and made.dtype == image.dtype
        np.testing.assert_array_equal(np.asarray(made), want)


def test_refusals():
    with pytest.raises(ValueError, match="sigma"):
        jax.jit(lambda a: tilewright.jax.gaussian_blur(a, -1.0))(IMAGE)
    with pytest.raises(TypeError, match="int8"):
        tilewright.jax.gaussian_blur(IMAGE.astype(np.int8))
    with pytest.raises(TypeError, match="the result is float64"):
        tilewright.jax.column_sum(IMAGE, output_type="f64")
    with pytest.raises(TypeError, match="fresnel: has no gradient"):
        how = {"wavelength": 532e-9, "distance": 0.01, "pitch": 8e-6}
        jax.grad(lambda a: tilewright.jax.fresnel(a, **how).sum())(floats(64, 64))
    # What is found when the program runs comes out as JAX's error, with the words of ours.
    with pytest.raises(Exception, match="NaN"):
        tilewright.jax.min_plus_convolution(np.full(9, np.nan, np.float32), floats(9)).block_until_ready()


def test_one_processor_is_enough():
    words = (
        "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
        "import jax, numpy, tilewright.jax\n"
        "image = numpy.ones((1500, 1500), numpy.float32)\n"
        "print(float(jax.jit(lambda a: tilewright.jax.gaussian_blur(a, 2.0).sum())(image)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", words], capture_output=True, text=True, timeout=120, env=os.environ
    )
    assert abs(float(done.stdout) - 1500**2) < 1500, done.stderr
