"""DLPack's C exchange API, by a type that offers it. Its functions are made by ctypes over NumPy's arrays."""

import ctypes
import sys

import numpy as np
import pytest

import tilewright

IMAGE = np.random.default_rng(3).integers(0, 256, (33, 47), dtype=np.uint8)
UNUSED, USED, TABLE = b"dltensor_versioned", b"used_dltensor_versioned", b"dlpack_exchange_api"
asked = []  # what the library asked of the arrays


class Tensor(ctypes.Structure):
    """The beginning of DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


Give = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))
Describe = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))
Stream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class Table(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("older", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("give", Give),
        ("take", ctypes.c_void_p),
        ("describe", Describe),
        ("stream", Stream),
    ]


capsules = ctypes.pythonapi
capsules.PyCapsule_New.restype = ctypes.py_object
capsules.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsules.PyCapsule_GetPointer.restype = ctypes.c_void_p
capsules.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
capsules.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]


@Give
def give(array, out):
    asked.append("give")
    if not array.gives:
        return -1
    capsule = array.elements.__dlpack__(max_version=(1, 1))
    out[0] = capsules.PyCapsule_GetPointer(capsule, UNUSED)
    capsules.PyCapsule_SetName(capsule, USED)
    return 0


@Describe
def describe(array, out):
    asked.append("describe")
    out.contents.kind, out.contents.index = 1, 0  # the host
    return 0 if array.gives else -1


def capsule_of(table):
    return capsules.PyCapsule_New(ctypes.addressof(table), TABLE, None)


@Stream
def stream(kind, index, out):
    asked.append("stream")
    return -1  # calls on the CPU do not ask


FUNCTIONS = dict(give=give, describe=describe, stream=stream)
CURRENT = Table(1, 3, None, **FUNCTIONS)
NEWER = Table(2, 0, ctypes.addressof(CURRENT))  # a version to come, with the one of today beside it
TO_COME = Table(2, 0, None, **FUNCTIONS)


class Slow:
    """An array that has methods alone."""

    def __init__(self, elements, gives=True):
        self.elements, self.gives = elements, gives

    def __dlpack__(self, **how):
        asked.append("method")
        return self.elements.__dlpack__(**how)

    def __dlpack_device__(self):
        asked.append("method")
        return self.elements.__dlpack_device__()


class Fast(Slow):
    __dlpack_c_exchange_api__ = capsule_of(CURRENT)


class Newer(Slow):
    __dlpack_c_exchange_api__ = capsule_of(NEWER)


class ToCome(Slow):
    __dlpack_c_exchange_api__ = capsule_of(TO_COME)


class Derived(Fast):
    pass


@pytest.mark.parametrize("kind", [Fast, Newer])
def test_functions_in_place_of_methods(kind):
    asked.clear()
    elements, out = IMAGE.copy(), np.zeros_like(IMAGE)
    references = sys.getrefcount(elements)
    target, stats = kind(out), {}
    assert tilewright.invert(kind(elements), out=target, device="cpu", stats=stats) is target
    np.testing.assert_array_equal(out, 255 - IMAGE)
    assert "give" in asked and "method" not in asked and stats["copied"] == []
    np.testing.assert_array_equal(tilewright.invert(kind(elements), device="cpu"), 255 - IMAGE)
    assert sys.getrefcount(elements) == references  # what was given is given back


@pytest.mark.parametrize(
    "array",
    [Slow(IMAGE), Derived(IMAGE), ToCome(IMAGE), Fast(IMAGE, gives=False)],
    ids=lambda array: type(array).__name__,
)
def test_methods_where_there_are_no_functions(array):
    asked.clear()
    np.testing.assert_array_equal(tilewright.invert(array, device="cpu"), 255 - IMAGE)
    assert "method" in asked


def test_read_only_memory():
    elements = IMAGE.copy()
    elements.flags.writeable = False
    np.testing.assert_array_equal(tilewright.invert(Fast(elements), device="cpu"), 255 - IMAGE)
    with pytest.raises(TypeError, match="out: takes a writable array, and it is read-only"):
        tilewright.invert(IMAGE, out=Fast(elements), device="cpu")
