"""Every operator of the registry, with every type of data, as a Python function."""

import inspect
import pickle
import re

import numpy as np
import pytest

import tilewright
from cases import CASES, case


@pytest.mark.parametrize("name,type", CASES)
def test_all_ways_in_and_out_give_the_same(name, type):
    function = getattr(tilewright, name)
    inputs, options = case(name, type)
    stats = {}
    want = function(*inputs, **options, device="cpu", stats=stats)
    assert want.__class__ is np.ndarray and want.flags.c_contiguous and want.flags.owndata
    assert stats["variant"].startswith(name + "/") and stats["device"] == "cpu" and stats["copied"] == []

    own = function(*map(tilewright.Array.view, inputs), **options, device="cpu")
    assert isinstance(own, tilewright.Array)
    np.testing.assert_array_equal(own.numpy(), want)

    strided = [np.repeat(i, 2, axis=-1)[..., ::2] for i in inputs]
    np.testing.assert_array_equal(function(*strided, **options, device="cpu", stats=stats), want)
    assert stats["copied"] == tilewright.operators[name].inputs

    out = np.zeros(want.shape[:-1] + (2 * want.shape[-1],), want.dtype)[..., ::2]
    assert function(*inputs, **options, out=out, device="cpu", stats=stats) is out
    assert stats["copied"] == ["out"]
    np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("name", tilewright.operators)
def test_functions_are_ordinary(name):
    function, op = getattr(tilewright, name), tilewright.operators[name]
    assert pickle.loads(pickle.dumps(function)) is function
    assert op.summary[1:] in function.__doc__ and function.__module__ == "tilewright"
    parameters = inspect.signature(function).parameters
    assert list(parameters)[: len(op.inputs)] == op.inputs
    assert {option.name for option in op.options} <= set(parameters)
    for word in ("out", "device", "schedule", "stats"):
        assert parameters[word].kind is inspect.Parameter.KEYWORD_ONLY
    for option in op.options:
        assert re.split("[\n(]", option.help)[0][:30] in function.__doc__
        assert (parameters[option.name].default is inspect.Parameter.empty) == option.is_needed


def test_variants():
    all_variants = tilewright.variants()
    assert len(all_variants) == sum(len(op.variants()) for op in tilewright.operators.values())
    some = tilewright.variants("transpose", schedule="tuned", type="u8", backend="cpu")
    assert some and all(
        r.operator == "transpose" and r.family == "tuned" and r.says.endswith(".") for r in some
    )
    with pytest.raises(tilewright.ArgumentError, match="no such operator; known: .*transpose"):
        tilewright.variants("blur")


def test_stats_and_schedule():
    stats = {}
    image = np.zeros((40, 50), np.uint8)
    tilewright.transpose(image, schedule="reference", device="cpu", stats=stats)
    assert stats["variant"] == "transpose/reference/u8/cpu" == stats["libraries"][0]
    assert stats["total_ms"] > 0 and stats["bytes_to_device"] == 0


def test_pipeline():
    image = np.random.default_rng(0).integers(0, 256, (90, 70), dtype=np.uint8)
    pipeline = tilewright.Pipeline("gaussian_blur sigma=2 | transpose | column_sum")
    want = tilewright.column_sum(tilewright.transpose(tilewright.gaussian_blur(image, 2)))
    stats = {}
    np.testing.assert_array_equal(pipeline(image, stats=stats), want)
    assert stats["variant"].count("|") == 2
    assert repr(pipeline) == 'tilewright.Pipeline("gaussian_blur sigma=2 | transpose | column_sum")'
    assert repr(pickle.loads(pickle.dumps(pipeline))) == repr(pipeline)
    with pytest.raises(tilewright.ArgumentError, match="no_such"):
        tilewright.Pipeline("no_such")
    with pytest.raises(TypeError, match="takes 1 array,"):
        pipeline(image, image)


def test_halo():
    operators = tilewright.operators
    assert operators["gaussian_blur"].halo((2.0,)) == 8
    assert operators["invert"].halo() == 0
    assert operators["transpose"].halo() is None
    recursive = operators["recursive_gaussian"]
    assert recursive.halo() is None
    assert recursive.halo((5.0,), 1e-2) < recursive.halo((5.0,), 1e-6) < recursive.halo((10.0,), 1e-6) < 200


def test_sums_that_u32_may_not_hold():
    image = np.full((2, 70000), 65535, np.uint16)
    names = (("u64", np.uint64), ("f64", np.float64), ("f32", np.float32), ("uint64", np.uint64))
    types = ((np.float64, np.float64), (np.dtype("u8"), np.uint64), (float, np.float64))
    for output_type, dtype in names + types:
        sums = tilewright.row_sum(image, output_type, device="cpu")
        assert sums.dtype == dtype and (sums == dtype(70000 * 65535)).all()
    out = np.empty(2, np.uint64)
    assert tilewright.row_sum(image, "u64", out=out, device="cpu") is out
    assert out.tolist() == [4587450000, 4587450000]
    with pytest.raises(tilewright.ArgumentError, match="uint64 or float64, which hold them, or float32"):
        tilewright.row_sum(image)
    strided = np.full((70000, 6), 65535, np.uint16)[:, ::2]
    assert tilewright.column_sum(strided, "f64").tolist() == [4587450000.0] * 3


def test_products_of_float16():
    rng = np.random.default_rng(5)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((33, 70), (70, 20)))
    product = tilewright.matmul(a, b, device="cpu")
    assert product.dtype == np.float32
    np.testing.assert_allclose(product, a.astype("f8") @ b.astype("f8"), rtol=0, atol=1e-4)
    own = tilewright.Array((2, 3), "float16")
    assert own.dtype == np.float16 and not np.asarray(own).any()
    with pytest.raises(tilewright.ArgumentError, match="the same type"):
        tilewright.matmul(a, b.astype("f4"))


def test_output_of():
    assert tilewright.operators["transpose"].output_of([("uint8", [3, 5])]) == ("uint8", (5, 3))
    assert tilewright.operators["column_sum"].output_of([("uint8", [3, 5])], ("f32",)) == ("float32", (5,))


@pytest.mark.skipif("fft2d" not in tilewright.operators, reason="this build has no fft2d")
@pytest.mark.parametrize("h,w", [(1, 1), (3, 2), (17, 36), (100, 1009), (1000, 60), (31, 1920)])
@pytest.mark.parametrize("real,dtype,bound", [("f4", "c8", 2e-6), ("f8", "c16", 8e-15)])
def test_transforms_of_every_side_are_those_of_numpy(h, w, real, dtype, bound):
    random = np.random.default_rng(1)
    field = (random.standard_normal((h, w)) + 1j * random.standard_normal((h, w))).astype(dtype)
    values = random.standard_normal((h, w)).astype(real)
    half = field[:, : w // 2 + 1].copy()  # which is the spectrum of no real values

    def expect(got, want, dtype):
        assert got.dtype == dtype and got.shape == want.shape
        assert np.linalg.norm(got - want) <= bound * np.log2(max(h, w, 2)) * np.linalg.norm(want)

    exact, wide = field.astype("c16"), half.astype("c16")
    expect(tilewright.fft2d(field, device="cpu"), np.fft.fft2(exact), dtype)
    expect(tilewright.fft2d(field, direction="inverse", device="cpu"), np.fft.ifft2(exact), dtype)
    expect(tilewright.rfft2(values, device="cpu"), np.fft.rfft2(values.astype("f8")), dtype)
    expect(tilewright.irfft2(half, s=(h, w), device="cpu"), np.fft.irfft2(wide, s=(h, w)), real)
    if w % 2 == 0:
        expect(tilewright.irfft2(half, device="cpu"), np.fft.irfft2(wide), real)
    for shape in ((h + 1, w), (h, 0), h, (h, w, 1), (h, w / 2), "hw"):
        with pytest.raises(ValueError, match="s: takes"):
            tilewright.irfft2(half, s=shape, device="cpu")
    for layout in ("nw", 3):
        with pytest.raises((TypeError, tilewright.ArgumentError), match="layout"):
            tilewright.irfft2(half, s=(h, w), layout=layout, device="cpu")
    with pytest.raises(tilewright.ArgumentError, match="real values per row"):
        tilewright.irfft2(half, s=(h, w + 2), device="cpu")
    with pytest.raises(tilewright.ArgumentError, match="half takes real values"):
        tilewright.rfft2(field, device="cpu")


@pytest.mark.skipif("fresnel" not in tilewright.operators, reason="this build has no fresnel")
@pytest.mark.parametrize("side,padded", [(67, 135), (55, 128)])
def test_light_is_padded_to_the_fastest_side(side, padded):
    field = np.random.default_rng(5).random((side, side)).astype(np.complex64)
    options = dict(wavelength=532e-9, distance=1e-2, pitch=10e-6, method="convolution", device="cpu")
    before = padded // 2 - side // 2
    surrounded = np.pad(field, (before, padded - side - before))
    middle = slice(before, before + side)
    want = tilewright.fresnel(surrounded, **options)[middle, middle]
    np.testing.assert_array_equal(tilewright.fresnel(field, **options, pad=True), want)
