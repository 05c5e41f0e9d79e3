"""tilewright.ndimage beside SciPy, and beside the definition where SciPy is not installed."""

import numpy as np
import pytest

import tilewright
from tilewright import ndimage

RNG = np.random.default_rng(11)
MODES = ["reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap", "grid-constant"]


def image(dtype, shape):
    if np.dtype(dtype).kind == "f":
        return RNG.random(shape).astype(dtype)
    return RNG.integers(0, np.iinfo(dtype).max + 1, shape).astype(dtype)


def source(i, n, mode):
    """The element that stands at place i, of n; None beyond a constant border."""
    if 0 <= i < n:
        return i
    if mode in ("constant", "grid-constant"):
        return None
    if mode == "nearest":
        return min(max(i, 0), n - 1)
    if mode in ("wrap", "grid-wrap"):
        return i % n
    period = 2 * n if mode in ("reflect", "grid-mirror") else max(2 * n - 2, 1)
    i %= period
    return i if i < n else period - (1 if mode in ("reflect", "grid-mirror") else 0) - i


def defined(values, sigma, mode, cval=0.0, radius=None):
    """The filter of order 0 by its definition, all axes, in float64. sigma: one for each axis."""
    values = values.astype(np.float64)
    for axis, one in enumerate(sigma):
        if one == 0:
            continue
        r = int(4 * one + 0.5) if radius is None else radius
        weights = np.exp(-0.5 * np.arange(-r, r + 1) ** 2 / one**2)
        lines = np.moveaxis(values, axis, 0)
        made = np.zeros_like(lines)
        for place in range(len(lines)):
            for k, weight in zip(range(place - r, place + r + 1), weights / weights.sum()):
                found = source(k, len(lines), mode)
                made[place] += weight * (cval if found is None else lines[found])
        values = np.moveaxis(made, 0, axis)
    return values


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "dtype,error", [("uint8", 1.0), ("uint16", 1.0), ("float32", 4e-6), ("float64", 1e-13)]
)
@pytest.mark.parametrize(
    "shape,sigma", [((13, 17), (2, 2)), ((1, 7), (1.5, 1.5)), ((5, 11), (0, 3)), ((2, 6, 7), (0, 1, 1))]
)
def test_the_definition(mode, dtype, error, shape, sigma):
    values = image(dtype, shape)
    got = ndimage.gaussian_filter(values, sigma, mode=mode, cval=0.25, device="cpu")
    assert got.dtype == values.dtype and got.flags.c_contiguous and got.flags.owndata
    assert np.abs(got - defined(values, sigma, mode, 0.25)).max() <= error


# What gaussian_blur does, and what is its result bit for bit.
@pytest.mark.parametrize("mode,border", [("reflect", "reflect"), ("mirror", "mirror"), ("constant", "zero")])
def test_gaussian_blur_does_the_work(mode, border):
    for dtype in ("uint8", "uint16", "float32"):
        stack = image(dtype, (3, 2, 31, 23))
        got = ndimage.gaussian_filter(stack, 3, mode=mode, axes=(-2, -1), device="cpu")
        for place in np.ndindex(3, 2):
            np.testing.assert_array_equal(
                got[place], tilewright.gaussian_blur(stack[place], 3, border, device="cpu")
            )
    colour = image("uint8", (31, 23, 3))
    np.testing.assert_array_equal(
        ndimage.gaussian_filter(colour, 3, mode=mode, channel_axis=-1, device="cpu"),
        tilewright.gaussian_blur(colour, 3, border, device="cpu"),
    )
    many = image("uint8", (31, 23, 5))  # more channels than gaussian_blur takes
    got = ndimage.gaussian_filter(many, 3, mode=mode, axes=(0, 1), device="cpu")
    for c in range(5):
        np.testing.assert_array_equal(
            got[..., c], tilewright.gaussian_blur(many[..., c], 3, border, device="cpu")
        )


def test_a_sigma_per_axis_and_a_truncated_window():
    for dtype in ("uint8", "uint16", "float32"):
        values = image(dtype, (3, 31, 23))
        got = ndimage.gaussian_filter(values, (1, 2.5), mode="wrap", truncate=3, axes=(1, 2), device="cpu")
        options = {"sigma": 2.5, "sigma_y": 1, "border": "wrap", "truncate": 3, "device": "cpu"}
        np.testing.assert_array_equal(got, tilewright.gaussian_blur(values, layout="nhw", **options))
        for each, plane in zip(got, values):
            np.testing.assert_array_equal(each, tilewright.gaussian_blur(plane, **options))
    with pytest.raises(ValueError, match="takes a whole number from 0 to 255 for uint8"):
        tilewright.gaussian_blur(image("uint8", (5, 5)), border="constant", value=0.5)


def test_a_border_of_bytes_is_padded():
    values = image("uint8", (19, 29))
    got = ndimage.gaussian_filter(values, 2, mode="constant", cval=255, device="cpu")
    assert np.abs(got - defined(values, (2, 2), "constant", 255)).max() <= 1
    assert (ndimage.gaussian_filter(np.full((9, 9), 255, "u1"), 2, mode="constant", cval=255) == 255).all()


@pytest.mark.parametrize(
    "options",
    [
        {"sigma": 2},
        {"sigma": (1, 2.5)},
        {"sigma": 2, "order": 1},
        {"sigma": 2, "order": (0, 2)},
        {"sigma": 3, "order": 3},
        {"sigma": 2, "truncate": 2.5},
        {"sigma": 2, "radius": 3},
        {"sigma": (1, 2), "radius": (4, 0)},
        {"sigma": 2, "axes": 1},
        {"sigma": (2, 1), "axes": (1, 0)},
        {"sigma": (0, 0)},
        {"sigma": np.array(1.5), "axes": np.int64(0)},
        {"sigma": 1.5, "mode": ("wrap", "mirror")},
    ],
)
@pytest.mark.parametrize("mode", MODES)
def test_scipy(options, mode):
    scipy = pytest.importorskip("scipy.ndimage")
    options = {"mode": mode, "cval": 0.5, **options}
    for dtype, error in (
        ("float64", 1e-14),
        ("float32", 2e-6),
        ("complex128", 1e-14),
        ("int64", 2),
        ("uint8", 2),
    ):
        for shape in ((23, 31), (1, 1), (2, 5)):
            values = image("uint8", shape) if dtype in ("int64", "uint8") else image("float32", shape)
            values = values.astype(dtype)
            if dtype in ("int64", "uint8") and options.get("order", 0) != 0:
                continue  # derivatives are below 0
            if dtype == "complex128":
                values = values + 1j * values[::-1]
            want = scipy.gaussian_filter(values, **options)
            got = ndimage.gaussian_filter(values, **options, device="cpu")
            assert got.dtype == want.dtype
            assert np.abs(got.astype("c16") - want).max() <= error


def test_scipy_of_one_axis_and_of_volumes():
    scipy = pytest.importorskip("scipy.ndimage")
    volume = image("float32", (7, 19, 23))
    for how in ({"axis": 0}, {"axis": -2, "order": 1}, {"mode": "wrap"}, {"radius": 2}):
        got = ndimage.gaussian_filter1d(volume, 1.5, **how)
        np.testing.assert_allclose(got, scipy.gaussian_filter1d(volume, 1.5, **how), rtol=0, atol=1e-6)
    got = ndimage.gaussian_filter(volume, 2)
    np.testing.assert_allclose(got, scipy.gaussian_filter(volume, 2), rtol=0, atol=2e-6)
    for places in ([(3, 4)], [(0, 0), (18, 22)]):
        holes = volume[0].copy()
        for value, place in zip((np.nan, np.inf), places):
            holes[place] = value
        want = scipy.gaussian_filter(holes, 1)
        got = ndimage.gaussian_filter(holes, 1, device="cpu")
        same = np.isfinite(want)
        assert (np.isfinite(got) == same).all() and not same.all()
        np.testing.assert_allclose(got[same], want[same], rtol=0, atol=2e-6)


def test_array_likes_strides_and_outputs():
    values = image("uint8", (21, 26))
    want = ndimage.gaussian_filter(values, 2, device="cpu")
    read_only = values.copy()
    read_only.flags.writeable = False
    for same in (
        np.repeat(values, 2, 1)[:, ::2],
        values[::-1].copy()[::-1],
        np.asfortranarray(values),
        read_only,
    ):
        np.testing.assert_array_equal(ndimage.gaussian_filter(same, 2, device="cpu"), want)
    swapped = ndimage.gaussian_filter(values.astype(">f4"), 2, device="cpu")
    assert swapped.dtype.isnative and (swapped == ndimage.gaussian_filter(np.float32(values), 2)).all()
    listed = ndimage.gaussian_filter(values.tolist(), 2)
    assert listed.dtype == np.int64 and np.abs(listed - want.astype("i8")).max() <= 1
    for output in ("float32", np.float32, np.dtype("f4"), "float64", "uint16", bool):
        assert ndimage.gaussian_filter(values, 2, output=output).dtype == np.dtype(output)
    exact = defined(values, (2, 2), "reflect")
    assert np.abs(ndimage.gaussian_filter(values, 2, output="f8") - exact).max() < 1e-10
    assert np.abs(ndimage.gaussian_filter(values, 2, output="f4", device="cpu") - exact).max() < 1e-3
    out = np.zeros((26, 21), np.uint8).T
    assert ndimage.gaussian_filter(values, 2, output=out, device="cpu") is out
    np.testing.assert_array_equal(out, want)
    assert ndimage.gaussian_filter(values, 2, output=values, device="cpu") is values
    np.testing.assert_array_equal(values, want)
    assert ndimage.gaussian_filter(np.zeros((0, 3)), 1).shape == (0, 3)
    same = ndimage.gaussian_filter(want, 0)
    assert not np.may_share_memory(same, want) and (same == want).all()
    assert ndimage.gaussian_filter(np.float64(3), 1) == 3
    full = np.full((9, 9), -1, np.int64).astype(np.uint64)
    assert (ndimage.gaussian_filter(full, 1) >= np.uint64(2**64 - 4096)).all()


@pytest.mark.parametrize(
    "how,exception,words",
    [
        ({"sigma": -1}, ValueError, "sigma = -1: takes a number from 0 on"),
        ({"sigma": float("nan")}, ValueError, "sigma = nan"),
        ({"sigma": (1, 2, 3)}, ValueError, "one for each of the 2 axes"),
        ({"sigma": 1, "mode": "edge"}, ValueError, "mode = edge: takes reflect"),
        ({"sigma": 1, "mode": [["edge"], [1, 2]]}, ValueError, r"mode = \['edge'\]: takes reflect"),
        ({"sigma": 1, "mode": "constant", "cval": "x"}, TypeError, "^cval: takes a number, not str$"),
        ({"sigma": 1, "mode": "constant", "cval": 1j}, TypeError, "^cval: takes a number, not complex$"),
        ({"sigma": 1, "cval": float("nan"), "output": "u1"}, ValueError, "^cval = nan: takes a finite"),
        ({"sigma": 1, "output": "nothing"}, TypeError, "^output: takes an array, or a type .*, not nothing$"),
        ({"sigma": 1, "order": -1}, ValueError, "order = -1"),
        ({"sigma": 1, "radius": 1.5}, ValueError, "radius = 1.5"),
        ({"sigma": 1, "axes": (0, 0)}, ValueError, "named twice"),
        ({"sigma": 1, "axes": 2}, tilewright.ArgumentError, "^axes = 2: the array has 2 axes$"),
        ({"sigma": 1, "axes": (0, -3)}, tilewright.ArgumentError, "^axes = -3: the array has 2 axes$"),
        ({"sigma": 1, "axes": (0, 1.0)}, TypeError, "^axes: takes whole numbers, not float$"),
        ({"sigma": 1, "axes": "01"}, TypeError, "^axes: takes whole numbers, not str$"),
        ({"sigma": 1, "axes": [[0, 1], [2]]}, TypeError, "^axes: takes whole numbers, not list$"),
        ({"sigma": 1, "channel_axis": 1.5}, TypeError, "^channel_axis: takes whole numbers, not float$"),
        ({"sigma": 1, "axes": 0, "channel_axis": 1}, ValueError, "channel_axis"),
        ({"sigma": 1, "output": np.zeros((2, 2))}, ValueError, r"must have the shape \(5, 6\)"),
        ({"sigma": 1, "output": "U3"}, TypeError, "output: takes numbers"),
        ({"sigma": "1"}, TypeError, "sigma: takes a number, not str"),
        ({"sigma": 1, "order": None}, TypeError, "order: takes a number, not NoneType"),
        ({"sigma": 1, "radius": float("inf")}, ValueError, "radius = inf"),
        ({"sigma": 1, "truncate": float("nan")}, ValueError, "truncate = nan"),
    ],
)
def test_refusals(how, exception, words):
    with pytest.raises(exception, match=words):
        ndimage.gaussian_filter(np.zeros((5, 6)), **how)


@pytest.mark.parametrize("cval", [1000, -3, 2.5])
def test_integers_are_continued_by_numbers_that_their_type_lacks(cval):
    image = np.full((9, 8), 100, np.uint8)
    how = {"sigma": 1, "mode": "constant", "cval": cval}
    want = np.clip(np.rint(ndimage.gaussian_filter(image.astype("f8"), **how)), 0, 255)
    np.testing.assert_array_equal(ndimage.gaussian_filter(image, **how), want)


@pytest.mark.parametrize("axis", [(0, 1), 1.0, None, "x"])
def test_one_axis_is_a_whole_number(axis):
    with pytest.raises(TypeError, match=f"^axis: takes whole numbers, not {type(axis).__name__}$"):
        ndimage.gaussian_filter1d(np.zeros((5, 6)), 1, axis)


def test_names_that_numpy_has_from_version_2_on_are_not_needed(monkeypatch):
    monkeypatch.delattr(np.lib, "array_utils", raising=False)
    assert ndimage.gaussian_filter(np.ones((5, 6)), 1, axes=(-2, 1)).shape == (5, 6)
