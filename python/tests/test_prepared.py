"""Prepared calls: the values and the errors of the call."""

import threading

import numpy as np
import pytest

import tilewright
from cases import CASES, case

DEVICES = [d.id for d in tilewright.devices() if d.usable and (d.is_gpu or d.id == "cpu")]
IMAGE = np.random.default_rng(3).integers(0, 256, (67, 93), dtype=np.uint8)


@pytest.mark.parametrize("name,type", CASES)
@pytest.mark.parametrize("device", DEVICES)
def test_every_operator(name, type, device):
    inputs, options = case(name, type)
    others = [np.ascontiguousarray(array[::-1]) for array in inputs]
    function = getattr(tilewright, name)
    try:
        want = function(*others, **options, device=device)
    except tilewright.Error:
        pytest.skip("the operator has no variant of this type there")
    prepared = tilewright.prepare(function, *inputs, **options, device=device)
    assert prepared.device == device
    out = np.empty_like(want)
    for _ in range(2):
        np.testing.assert_array_equal(prepared(*others), want)
        assert prepared(*others, out=out) is out
        np.testing.assert_array_equal(out, want)
        np.testing.assert_array_equal(prepared(*inputs), function(*inputs, **options, device=device))


def test_options_are_those_of_the_function():
    want = tilewright.gaussian_blur(IMAGE, 2.5, border="mirror", device="cpu")
    for call in (tilewright.gaussian_blur, "gaussian_blur"):
        stats = {}
        prepared = tilewright.prepare(call, IMAGE, 2.5, border="mirror", device="cpu", stats=stats)
        assert stats["device"] == "cpu"
        np.testing.assert_array_equal(prepared(IMAGE), want)
    assert "gaussian_blur on cpu" in repr(prepared)
    for wrong in ("nothing", None, print, 3, np.transpose, np.invert):
        with pytest.raises(TypeError, match="prepare"):
            tilewright.prepare(wrong, IMAGE)
    dask = pytest.importorskip("tilewright.dask")
    with pytest.raises(TypeError, match="^prepare.. takes a function of an operator, .* not .*transpose"):
        tilewright.prepare(dask.transpose, IMAGE)
    with pytest.raises(TypeError):
        tilewright.prepare(tilewright.transpose, IMAGE, sigma=3)
    with pytest.raises(tilewright.ArgumentError):
        tilewright.prepare(tilewright.gaussian_blur, IMAGE, -1)


def test_what_is_refused():
    prepared = tilewright.prepare(tilewright.transpose, IMAGE, device="cpu")
    with pytest.raises(tilewright.ArgumentError, match=r"must be uint8 \(67, 93\)"):
        prepared(IMAGE[1:])
    with pytest.raises(tilewright.ArgumentError, match=r"must be uint8 \(67, 93\)"):
        prepared(IMAGE.astype("f4"))
    with pytest.raises(tilewright.ArgumentError, match=r"must be uint8 \(93, 67\)"):
        prepared(IMAGE, out=np.empty((67, 93), "u1"))
    with pytest.raises(TypeError, match="1 array, not 2"):
        prepared(IMAGE, IMAGE)
    with pytest.raises(TypeError):
        prepared("image")
    with pytest.raises(TypeError, match="1 array, not 0"):
        prepared()
    np.testing.assert_array_equal(prepared(IMAGE), IMAGE.T)


def test_strides_and_kinds():
    prepared = tilewright.prepare(tilewright.transpose, IMAGE, device="cpu")
    wide = np.zeros((67, 200), "u1")
    wide[:, 3:96] = IMAGE
    np.testing.assert_array_equal(prepared(wide[:, 3:96]), IMAGE.T)
    np.testing.assert_array_equal(prepared(np.asfortranarray(IMAGE)), IMAGE.T)
    own = tilewright.Array.view(IMAGE)
    result = prepared(own)
    assert isinstance(result, tilewright.Array)
    np.testing.assert_array_equal(result.numpy(), IMAGE.T)


def test_pipelines():
    pipeline = tilewright.Pipeline("transpose | invert | transpose")
    prepared = tilewright.prepare(pipeline, IMAGE, device="cpu")
    for image in (IMAGE, IMAGE[::-1].copy()):
        np.testing.assert_array_equal(prepared(image), 255 - image)
    with pytest.raises(TypeError, match="takes 1 array, not 0"):
        tilewright.prepare(pipeline)


def test_threads_share_one():
    prepared = tilewright.prepare(tilewright.transpose, IMAGE, device="cpu")
    wrong = []

    def work():
        for i in range(50):
            image = IMAGE + np.uint8(i)
            if not np.array_equal(prepared(image), image.T):
                wrong.append(i)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
