"""Operators on Dask arrays: the bytes of one call, or within a stated error of them."""

import pickle

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
import tilewright  # noqa: E402
import tilewright.dask as tiled  # noqa: E402

RNG = np.random.default_rng(1)


def image(dtype, shape):
    if dtype == "float32":
        return RNG.random(shape, dtype=np.float32)
    return RNG.integers(0, np.iinfo(dtype).max + 1, shape).astype(dtype)


def test_every_operator_with_a_halo_is_there():
    for name, op in tilewright.operators.items():
        exact = len(op.inputs) == 1 and not any(o.is_needed for o in op.options) and op.halo() is not None
        if exact:
            assert name in tiled.__all__
            assert pickle.loads(pickle.dumps(getattr(tiled, name))) is getattr(tiled, name)
    assert set(tiled.__all__) >= {"invert", "gaussian_blur", "recursive_gaussian", "transpose", "matmul"}


@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("border", ["reflect", "mirror", "nearest", "zero"])
@pytest.mark.parametrize("sigma", [0.5, 2, 7.5])
@pytest.mark.parametrize(
    "shape,chunks",
    [
        ((311, 457), (100, 128)),
        ((200, 333), (64, 333)),
        ((97, 201, 3), (50, 70, 1)),
        ((40, 500), (7, 90)),
        ((20, 20), (7, 9)),
    ],
)
def test_blur_has_the_bytes_of_one_call(dtype, border, sigma, shape, chunks):
    whole = image(dtype, shape)
    got = tiled.gaussian_blur(da.from_array(whole, chunks=chunks), sigma, border, device="cpu")
    assert got.shape == whole.shape and got.dtype == whole.dtype
    np.testing.assert_array_equal(got.compute(), tilewright.gaussian_blur(whole, sigma, border, device="cpu"))


@pytest.mark.parametrize("sigma", [2, 7.5])
def test_blur_of_f32_is_within_its_bound(sigma):
    whole = image("float32", (311, 457))
    got = tiled.gaussian_blur(da.from_array(whole, chunks=(100, 128)), sigma, device="cpu").compute()
    radius = int(4 * sigma + 0.5)
    bound = 2 * 2 * (2 * radius + 3) * 2.0**-24
    assert np.abs(got - tilewright.gaussian_blur(whole, sigma, device="cpu")).max() <= bound


@pytest.mark.parametrize("dtype,most", [("uint8", 1), ("uint16", 1), ("float32", 8e-6)])
@pytest.mark.parametrize("sigma", [2, 10])
def test_recursive_gaussian_is_within_its_error(dtype, most, sigma):
    whole = image(dtype, (700, 900))
    chunked = da.from_array(whole, chunks=(350, 300))
    want = tilewright.recursive_gaussian(whole, sigma, device="cpu").astype("f8")
    off = np.abs(tiled.recursive_gaussian(chunked, sigma, device="cpu").compute() - want)
    assert off.max() <= most and (off > 0).mean() < (0.01 if dtype != "float32" else 1)
    rough = np.abs(tiled.recursive_gaussian(chunked, sigma, error=0.1, device="cpu").compute() - want)
    scale = 1 if dtype == "float32" else np.iinfo(dtype).max
    assert off.mean() < rough.mean() and rough.max() <= 0.1 * scale + 1


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
@pytest.mark.parametrize("shape", [(311, 457), (97, 201, 3)])
def test_transpose(dtype, shape):
    whole = image(dtype, shape)
    got = tiled.transpose(da.from_array(whole, chunks=(100, 64) + shape[2:]), device="cpu").compute()
    np.testing.assert_array_equal(got, np.swapaxes(whole, 0, 1))


@pytest.mark.parametrize("name", ["column_sum", "row_sum"])
@pytest.mark.parametrize("dtype", ["uint8", "uint16"])
@pytest.mark.parametrize("output_type", [None, "f32", "u64", "f64"])
def test_sums_have_the_bytes_of_one_call(name, dtype, output_type):
    whole = image(dtype, (1111, 777))
    got = getattr(tiled, name)(da.from_array(whole, chunks=(100, 64)), output_type, device="cpu").compute()
    want = getattr(tilewright, name)(whole, output_type, device="cpu")
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("dtype, made, half_step", [("f2", "f4", 2.0**-24), ("f8", "f8", 2.0**-53)])
def test_sums_of_floats(dtype, made, half_step):
    whole = RNG.standard_normal((150, 220)).astype(dtype)
    for name, axis in (("column_sum", 0), ("row_sum", 1)):
        got = getattr(tiled, name)(da.from_array(whole, chunks=(50, 64)), device="cpu").compute()
        assert got.dtype == made
        bound = 2 * whole.shape[axis] * half_step * np.abs(whole.astype("f8")).sum(axis)
        assert (np.abs(got - whole.astype("f8").sum(axis)) <= bound).all()


def test_long_sums_are_exact_or_refused():
    whole = da.full((3, 70000), 65535, dtype="u2", chunks=(2, 999))
    assert tiled.row_sum(whole, "u64", device="cpu").compute().tolist() == [70000 * 65535] * 3
    got = tiled.row_sum(whole, "f32", device="cpu").compute()
    assert got.dtype == np.float32 and got[0] == np.float32(70000 * 65535)
    with pytest.raises(tilewright.ArgumentError, match="uint64 or float64, which hold them, or float32"):
        tiled.row_sum(whole)


@pytest.mark.parametrize("dtype, half_step", [("f4", 2.0**-24), ("f8", 2.0**-53)])
def test_matmul(dtype, half_step):
    a, b = RNG.standard_normal((150, 220)).astype(dtype), RNG.standard_normal((220, 130)).astype(dtype)
    got = tiled.matmul(
        da.from_array(a, chunks=(50, 64)), da.from_array(b, chunks=(60, 50)), device="cpu"
    ).compute()
    assert got.dtype == a.dtype
    bound = 2 * 2 * 220 * half_step * (np.abs(a) @ np.abs(b))
    assert (np.abs(got - a.astype("f8") @ b) <= bound).all()


def test_refusals():
    with pytest.raises(TypeError, match="dask.array.from_array"):
        tiled.gaussian_blur(np.zeros((9, 9), np.uint8))
    with pytest.raises(ValueError, match="2 or 3 dimensions"):
        tiled.gaussian_blur(da.zeros(9, dtype="u1"))
    with pytest.raises(ValueError, match="sigma"):
        tiled.gaussian_blur(da.zeros((9, 9), dtype="u1"), -1)
    with pytest.raises(TypeError, match="sgima"):
        tiled.gaussian_blur(da.zeros((9, 9), dtype="u1"), sgima=1)
    with pytest.raises(ValueError, match="output_type = uint8: takes uint32, uint64, float32, float64"):
        tiled.column_sum(da.zeros((9, 9), dtype="u1"), "u8")
    with pytest.raises(ValueError, match="border = wrap: it takes pixels from the opposite side"):
        tiled.gaussian_blur(da.zeros((9, 9), dtype="u1"), border="wrap")


def test_a_border_with_a_value_and_a_sigma_per_axis():
    whole = image("uint8", (97, 61))
    how = {"border": "constant", "value": 200.0, "sigma_y": 3.0, "device": "cpu"}
    got = tiled.gaussian_blur(da.from_array(whole, chunks=(30, 25)), 1.5, **how).compute()
    np.testing.assert_array_equal(got, tilewright.gaussian_blur(whole, 1.5, **how))


# What each chunk's call would refuse is refused before anything is computed.
def test_dtype_channels_and_schedule_are_checked_when_the_graph_is_made():
    with pytest.raises(TypeError, match="int64"):
        tiled.gaussian_blur(da.zeros((9, 9), dtype="i8"))
    with pytest.raises(ValueError, match="channels"):
        tiled.gaussian_blur(da.zeros((10, 20, 30), dtype="u1"))
    for name, count, dtype in (
        ("gaussian_blur", 1, "u1"),
        ("transpose", 1, "u1"),
        ("row_sum", 1, "u1"),
        ("matmul", 2, "f4"),
    ):
        arrays = [da.zeros((8, 8), dtype=dtype)] * count
        with pytest.raises(ValueError, match="schedule = tund: no such schedule .did you mean 'tuned'"):
            getattr(tiled, name)(*arrays, schedule="tund")
        with pytest.raises((TypeError, ValueError), match="int64"):
            getattr(tiled, name)(*[array.astype("i8") for array in arrays])


def test_from_zarr_to_zarr(tmp_path):
    zarr = pytest.importorskip("zarr")
    whole = image("uint8", (500, 700))
    source = zarr.create_array(tmp_path / "in.zarr", shape=whole.shape, chunks=(128, 128), dtype="uint8")
    source[:] = whole
    tiled.gaussian_blur(da.from_zarr(source), 3, device="cpu").to_zarr(str(tmp_path / "out.zarr"))
    np.testing.assert_array_equal(
        zarr.open(str(tmp_path / "out.zarr"))[:], tilewright.gaussian_blur(whole, 3, device="cpu")
    )


def test_what_dask_would_refuse_with_its_own_words():
    chunked = da.zeros((20, 30), dtype="f4", chunks=10)
    with pytest.raises(ValueError, match="matmul: a, b = .20, 30., .20, 30.: the first matrix must have as"):
        tiled.matmul(chunked, chunked)
    for error in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="recursive_gaussian: error = .*: takes a number above 0"):
            tiled.recursive_gaussian(chunked, 2, error=error)
    unknown = chunked[chunked[:, 0] > 0]
    for call in (tiled.gaussian_blur, tiled.recursive_gaussian, tiled.column_sum):
        with pytest.raises(ValueError, match="the shape is not known; call compute_chunk_sizes"):
            call(unknown)
