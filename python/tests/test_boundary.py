"""Arrays that a generator makes: any type, shape, strides and order of bytes, and broken descriptions. A call
gives NumPy's result or an error of its own; nothing else comes through. TILEWRIGHT_BOUNDARY is the
number of arrays of each test: 2000 without it."""

import os
import sys

import numpy as np
import pytest

import tilewright

COUNT = int(os.environ.get("TILEWRIGHT_BOUNDARY", "2000"))
TYPES = "u1 u2 u4 u8 i1 i2 i4 i8 f2 f4 f8 c8 c16 b1 S3 U2 M8[s] O V5 >u2 >f4 >c8".split()
REFUSALS = (tilewright.Error, TypeError, ValueError, BufferError)


def any_view(rng):
    """A view of random memory, and of nothing outside of it."""
    array = np.zeros(tuple(rng.integers(0, 9, rng.integers(0, 5))), rng.choice(TYPES))
    if array.dtype.kind in "uif" and array.size:
        array[...] = rng.integers(0, 100, array.shape).astype(array.dtype)
    for _ in range(rng.integers(0, 4)):
        change = rng.integers(0, 6)
        axis = rng.integers(0, array.ndim) if array.ndim else 0
        if change == 0:
            array = array.T
        elif change == 1 and array.ndim:
            array = np.flip(array, axis)
        elif change == 2 and array.ndim:
            array = array[tuple(slice(rng.integers(0, 3), None, rng.integers(1, 4)) for _ in array.shape)]
        elif change == 3 and array.ndim and array.shape[axis] == 1:
            array = np.broadcast_to(array, array.shape[:axis] + (5,) + array.shape[axis + 1 :])
        elif change == 4 and array.size and not array.dtype.hasobject:
            raw = np.zeros(array.nbytes + 1, np.uint8)[1:]  # at an odd address
            moved = raw.view(array.dtype).reshape(array.shape)
            moved[...] = array
            array = moved
        elif change == 5:
            array = array.view()
            array.flags.writeable = False
    return array


@pytest.mark.parametrize("seed", range(4))
def test_any_array(seed):
    rng = np.random.default_rng(seed)
    served = 0
    for _ in range(COUNT // 4):
        array = any_view(rng)
        try:
            result = tilewright.transpose(array, device="cpu")
        except REFUSALS:
            continue
        np.testing.assert_array_equal(result, array.swapaxes(0, 1))
        served += 1
    assert served > COUNT // 100


@pytest.mark.parametrize("seed", range(2))
def test_any_output(seed):
    rng = np.random.default_rng(seed)
    image = np.full((4, 6), 7, np.uint8)
    for _ in range(COUNT // 4):
        output = any_view(rng)
        before = output.copy()
        try:
            tilewright.transpose(image, device="cpu", out=output)
        except REFUSALS:
            np.testing.assert_array_equal(output, before)
            continue
        np.testing.assert_array_equal(output, image.T)


def laid_out(rng, dense):
    """The same elements, which lie in memory in another way."""
    ways = rng.integers(0, 5)
    if ways == 0:
        return np.asfortranarray(dense)
    if ways == 1:
        return np.flip(np.ascontiguousarray(np.flip(dense)))
    if ways == 2:
        moved = np.zeros(dense.nbytes + 1, np.uint8)[1:].view(dense.dtype).reshape(dense.shape)
    else:
        step = int(rng.integers(1, 3))
        wider = np.zeros((dense.shape[0] * step, dense.shape[1] * step + 3), dense.dtype)
        moved = wider[::step, : dense.shape[1] * step : step]
    moved[...] = dense
    return moved


@pytest.mark.parametrize(
    "name,types,how",
    [
        ("column_sum", "u1 u2 f4 f8 f2", {}),
        ("row_sum", "u1 u2 f4 f8 f2", {}),
        ("transpose", "u1 u2 f4 f8 c8", {}),
        ("invert", "u1", {}),
        ("gaussian_blur", "u1 u2 f4 f8 f2", {"sigma": 2}),
        ("recursive_gaussian", "u1 u2 f4 f8", {"sigma": 3}),
        ("fft2d", "c8 c16", {}),
    ],
)
def test_any_layout(name, types, how):
    """The result is that of a dense array, and nothing is written beside a result that is a part."""
    rng = np.random.default_rng(7)
    call = getattr(tilewright, name)
    for _ in range(COUNT // 40):
        dense = rng.integers(0, 100, rng.integers(1, 60, 2)).astype(rng.choice(types.split()))
        expected = call(dense, device="cpu", **how)
        around = np.full([n + 2 for n in expected.shape], 7, expected.dtype)
        part = around[(slice(1, -1),) * expected.ndim]
        call(laid_out(rng, dense), device="cpu", out=part, **how)
        limit = 0 if expected.dtype.kind in "ui" else 1e-3 if expected.dtype.itemsize == 2 else 1e-5
        np.testing.assert_allclose(part, expected, limit, limit * np.abs(expected).max())
        part[...] = 7
        assert (around == 7).all()


class Described:
    """What says of itself whatever a test wants."""

    def __init__(self, fields):
        self.__cuda_array_interface__ = fields


def any_thing(rng):
    things = [None, -1, 0, 3, 2**40, 2**63, 2**80, -(2**63), 1.5, "", "<f4", "|u1", b"x", (), (1,), (-1, 4)]
    things += [(2**40, 2**40), (2, 3, "4"), [1], {}, object(), ((1, 2), 3), (0, False), (16, True), ("a", 0)]
    return things[rng.integers(0, len(things))]


def test_any_description():
    rng = np.random.default_rng(5)
    refused = 0
    for _ in range(COUNT):
        fields = {"shape": (2, 3), "typestr": "|u1", "data": (0, False), "version": 3}
        fields |= {"strides": None, "stream": None}
        for name in rng.choice(list(fields), rng.integers(1, 4)):
            fields[str(name)] = any_thing(rng)
        if rng.integers(0, 4) == 0:
            del fields[str(rng.choice(list(fields)))]
        if isinstance(fields.get("data"), tuple):
            fields["data"] = (0, False)  # a pointer is believed: that of no memory alone is given
        with pytest.raises((*REFUSALS, OverflowError)):
            tilewright.transpose(Described(rng.choice([fields, {}, any_thing(rng)])), device="cpu")
        refused += 1
    assert refused == COUNT


class Exchanged:
    """A producer of DLPack whose answers are not those of one."""

    def __init__(self, capsule, device):
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **_):
        if isinstance(self.capsule, type) and issubclass(self.capsule, Exception):
            raise self.capsule("no")
        return self.capsule

    def __dlpack_device__(self):
        return self.device


def test_any_exchange():
    rng = np.random.default_rng(6)
    used = np.zeros((2, 3), np.uint8).__dlpack__()
    np.from_dlpack(Exchanged(used, (1, 0)))  # a capsule is taken once
    capsules = [None, 3, "capsule", used, object(), sys.modules, BufferError, MemoryError]
    devices = [(1, 0), (2, 0), (4, 0), (1, -1), (99, 99), (2**40, 0), None, (1,), "cpu", (1.5, 0)]
    for _ in range(COUNT // 4):
        producer = Exchanged(capsules[rng.integers(0, len(capsules))], devices[rng.integers(0, len(devices))])
        with pytest.raises((*REFUSALS, OverflowError, MemoryError)):
            tilewright.transpose(producer, device="cpu")
