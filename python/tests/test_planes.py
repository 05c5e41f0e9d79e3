"""layout and dtype: many images in one call, and values that are converted because the call says so."""

import numpy as np
import pytest

import tilewright
import tilewright.planes
from cases import CASES, case

RNG = np.random.default_rng(4)


# Every operator on images, with the axis of images at each place of its layout.
@pytest.mark.parametrize(
    "name", [name for name, op in tilewright.operators.items() if "(n)" not in op.declared_inputs[0].says]
)
def test_every_operator_takes_many_images(name):
    function = getattr(tilewright, name)
    inputs, options = case(name, next(type for of, type in CASES if of == name))
    turned = [tuple(np.ascontiguousarray(a[::-1]) for a in inputs), tuple(inputs)]
    want = [function(*arrays, **options, device="cpu") for arrays in turned]
    letters = "hwc"[: inputs[0].ndim]
    for at in range(3):
        layout = letters[:at] + "n" + letters[at:]
        stacked = [np.stack(arrays, axis=at) for arrays in zip(*turned)]
        stats = {}
        got = function(*stacked, **options, device="cpu", layout=layout, stats=stats)
        assert stats["planes"] == 2 and stats["variant"].startswith(name + "/")
        summed = {"column_sum": "h", "row_sum": "w"}.get(name, "")
        axis = layout.replace(summed, "").index("n")
        for images, one in zip(np.moveaxis(got, axis, 0), want):
            np.testing.assert_array_equal(images, one)


# The result of a sum has the letters of the layout but for the axis that was summed, in their order.
@pytest.mark.parametrize("layout", ["nhw", "hnw", "hwn", "nhwc", "hnwc", "hnwtc", "nchw", "hcw", "thbwa"])
def test_sums_keep_the_order_of_the_axes(layout):
    images = RNG.integers(0, 256, tuple(range(2, 2 + len(layout))), dtype=np.uint8)
    for name, letter in (("column_sum", "h"), ("row_sum", "w")):
        got = getattr(tilewright, name)(images, layout=layout, device="cpu")
        np.testing.assert_array_equal(got, images.sum(layout.index(letter), dtype=np.uint32))
        out = np.zeros_like(got)
        assert getattr(tilewright, name)(images, layout=layout, out=out) is out
        np.testing.assert_array_equal(out, got)


def test_channels():
    images = RNG.integers(0, 256, (2, 3, 17, 23), dtype=np.uint8)
    want = np.stack([[tilewright.gaussian_blur(plane, 2, device="cpu") for plane in one] for one in images])
    np.testing.assert_array_equal(tilewright.gaussian_blur(images, 2, layout="nchw", device="cpu"), want)
    last = np.moveaxis(images, 1, -1)  # not contiguous
    for given in (last, np.ascontiguousarray(last)):
        np.testing.assert_array_equal(
            tilewright.gaussian_blur(given, 2, layout="nhwc", device="cpu"), np.moveaxis(want, 1, -1)
        )
    # No operator on sums takes channels: each is an image.
    for name, axis in (("column_sum", -2), ("row_sum", -1)):
        sums = images.sum(axis, dtype=np.uint32)
        np.testing.assert_array_equal(getattr(tilewright, name)(images, layout="nchw"), sums)
        np.testing.assert_array_equal(
            getattr(tilewright, name)(last, layout="nhwc"), np.moveaxis(sums, 1, -1)
        )
    # Three images of one row each are no colour image.
    rows = images[0, :, :1, :3]
    assert tilewright.invert(rows, layout="nhw").shape == tilewright.invert(rows).shape == (3, 1, 3)
    assert (tilewright.gaussian_blur(rows, 2, layout="nhw") != tilewright.gaussian_blur(rows, 2)).any()


def test_products_of_many_matrices():
    a, b = RNG.random((2, 5, 7, 11), "f4"), RNG.random((2, 5, 11, 3), "f4")
    got = tilewright.matmul(a, b, layout="nthw", device="cpu")
    np.testing.assert_allclose(got, a @ b, rtol=0, atol=1e-5)
    with pytest.raises(tilewright.ArgumentError, match=r"different numbers of images: \(2,\) and \(5,\)"):
        tilewright.matmul(a[0], b[:, 0], layout="nhw")


def test_out_strides_and_progress():
    images = RNG.integers(0, 65536, (3, 13, 1), dtype=np.uint16)
    want = np.stack([tilewright.gaussian_blur(one, 3, device="cpu") for one in images])
    frozen = images.copy()
    frozen.flags.writeable = False
    for given in (
        frozen,
        np.repeat(images, 2, 0)[::2],
        images[:, ::-1].copy()[:, ::-1],
        images[::-1].copy()[::-1],
    ):
        out = np.zeros((1, 13, 3), np.uint16).T
        got = tilewright.gaussian_blur(given, 3, layout="nhw", out=out, device="cpu")
        assert got is out
        np.testing.assert_array_equal(out, want)
    # Nearly a minute of a core, if nothing ended it: progress is asked each 50 ms.
    many, parts = np.zeros((3000, 100, 100), np.uint16), []
    how = {"layout": "nhw", "device": "cpu", "schedule": "reference"}
    with pytest.raises(tilewright.Error, match="cancelled"):
        tilewright.gaussian_blur(many, 20, progress=lambda done: parts.append(done) or len(parts) < 2, **how)
    assert len(parts) == 2 and 0 < parts[0] < parts[1] < 1
    own = tilewright.gaussian_blur(tilewright.Array.view(images), 3, layout="nhw", device="cpu")
    np.testing.assert_array_equal(own, want)


@pytest.mark.parametrize(
    "make,exception,words",
    [
        (lambda a: tilewright.invert(a), ValueError, "say by the layout, nhwc or nchw, which axes"),
        (lambda a: tilewright.invert(a, layout="nhw"), ValueError, "the array has 4 axes"),
        (lambda a: tilewright.invert(a, layout="ncwh"), ValueError, "h before w"),
        (lambda a: tilewright.invert(a, layout="nnhw"), ValueError, "a different letter for each axis"),
        (lambda a: tilewright.invert(a, layout="abcd"), ValueError, "h before w"),
        (lambda a: tilewright.invert(a, layout="n\udc80hw"), ValueError, "a different letter"),
        (lambda a: tilewright.invert(a, layout="n2hw"), ValueError, "a different letter"),
        (lambda a: tilewright.invert(a, layout=4), TypeError, "layout: takes a word, not int"),
        (lambda a: tilewright.invert(a[:0], layout="nchw"), ValueError, "no elements"),
        (lambda a: tilewright.invert(a, layout="nchw", out=a), ValueError, "shares memory with an input"),
        (lambda a: tilewright.invert(a, layout="nchw", out=a[0]), ValueError, "must have the shape"),
        (lambda a: tilewright.invert(a, layout="nchw", out=np.zeros(a.shape)), ValueError, "must be uint8"),
        (lambda a: tilewright.gaussian_blur(a, -1, layout="nchw"), ValueError, "sigma"),
        (
            lambda a: tilewright.recursive_gaussian(a.astype("i4"), layout="nchw"),
            ValueError,
            'dtype="float32" converts it',
        ),
        (
            lambda a: tilewright.gaussian_blur(a.tolist(), layout="nchw"),
            TypeError,
            'no arrays of int64; dtype="float32"',
        ),
        (lambda a: tilewright.prepare(tilewright.invert, a, layout="nchw"), TypeError, "takes no layout"),
    ],
)
def test_refusals(make, exception, words):
    with pytest.raises(exception, match=words) as caught:
        make(np.zeros((2, 3, 8, 9), np.uint8))
    assert "\n" not in str(caught.value)


def test_dtype_converts():
    values = [[0.0, 1, 2], [3, 4, 5]]
    want = tilewright.recursive_gaussian(np.float32(values), 1, device="cpu")
    for given in (np.int32(values), np.int32(values)[:, ::-1].copy()[:, ::-1], np.int64(values)):
        with pytest.raises((TypeError, ValueError), match='dtype="float32" converts it'):
            tilewright.recursive_gaussian(given, 1, device="cpu")
        result = tilewright.recursive_gaussian(given, 1, dtype="float32", device="cpu")
        np.testing.assert_array_equal(result, want)
    np.testing.assert_array_equal(
        tilewright.recursive_gaussian([values, values], 1, dtype=np.float32, layout="nhw", device="cpu"),
        [want, want],
    )
    assert tilewright.min_plus_convolution([1, 2], [3, 4], dtype="f8").tolist() == [4, 5, 6]
    with pytest.raises(TypeError, match="no_type"):
        tilewright.invert(values, dtype="no_type")
