"""Calls with `layout` or `dtype`: arrays of many images, and values that are no array of a taken type yet."""

import contextlib
import math
import sys

import numpy as np

from ._tilewright import ArgumentError, operators
from ._words import one_line

TYPES = (
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "int32",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)

_SUMMED = {"column_sum": "h", "row_sum": "w"}  # the axis of an image that a result has no more


def converted(values, dtype):
    """`values` as an array of that type: a list or another sequence as NumPy's."""
    name = str(dtype).removeprefix("torch.")
    if name not in TYPES:
        with contextlib.suppress(TypeError):
            name = np.dtype(dtype).name
    if name not in TYPES:
        raise TypeError(f"dtype: takes {', '.join(TYPES[:-1])} or {TYPES[-1]}, not {one_line(name)}")
    if hasattr(values, "new_empty"):  # PyTorch's
        return values.to(getattr(sys.modules["torch"], name))
    if name == "bfloat16":
        try:
            import ml_dtypes  # noqa: F401: makes the name known to NumPy
        except ModuleNotFoundError:
            raise TypeError("dtype: bfloat16 of NumPy needs the package ml_dtypes; install it") from None
    try:
        return values.astype(name) if hasattr(values, "astype") else np.asarray(values, name)
    except (OverflowError, ValueError) as error:
        raise ArgumentError(f"dtype: the values are no array of {name}: {one_line(error)}") from error


def _with_axes(array):
    """Arrays of NumPy, CuPy and PyTorch as they are; others as NumPy's."""
    return array if hasattr(array, "new_empty") or hasattr(array, "__array_function__") else np.asarray(array)


def permuted(array, order):
    if list(order) == list(range(len(order))):
        return array
    return array.permute(order) if hasattr(array, "permute") else array.transpose(order)


def _empty(like, dtype, shape):
    if hasattr(like, "new_empty"):
        return like.new_empty(shape, dtype=getattr(sys.modules["torch"], dtype))
    return np.empty_like(like, dtype=dtype, shape=shape, order="C", subok=False)


def _dense(array):
    """An array that the library takes as it is: on a GPU it copies none, so the array's own does."""
    if hasattr(array, "new_empty"):
        return array.contiguous() if array.is_cuda else array
    if hasattr(array, "__cuda_array_interface__") and not array.flags.c_contiguous:
        return array.copy(order="C")
    return array


class Planes:
    """How the axes of arrays are those of images, by a word such as "nchw".

    Arrays are looked at with the axes of `batch` first, in their order, then those of an image; so is the
    result, whose own axes then take the places that the layout gives them.
    """

    def __init__(self, op, layout, shapes, values):
        """`shapes`: (dtype, shape) of each array. Errors: ArgumentError; TypeError, of other types too."""

        def refuse(why):
            raise ArgumentError(f"{op.name}: layout = {one_line(layout)}: {why}")

        if not isinstance(layout, str):
            raise TypeError(f"layout: takes a word, not {type(layout).__name__}")
        is_word = layout.isascii() and layout.isalpha() and len(set(layout)) == len(layout)
        if not is_word or not 0 <= layout.find("h") < layout.find("w"):
            refuse('takes a different letter for each axis, h before w among them, such as "nhwc" or "nchw"')
        for dtype, shape in shapes:
            if dtype not in TYPES:
                other = "complex64" if dtype.startswith("complex") else "float32"
                raise TypeError(f'{op.name}: takes no arrays of {dtype}; dtype="{other}" converts them')
            if len(shape) != len(layout):
                refuse(f"the array has {len(shape)} axes: {tuple(shape)}")
            if 0 in shape:
                refuse("the array has no elements")
        self.layout = layout
        # Channels behind the width are those of a pixel where the operator takes such pixels.
        self._take("hwc" if layout.endswith("c") and layout.index("w") == len(layout) - 2 else "hw")
        try:
            self.output = op.output_of(self._shapes_of_planes(shapes), values)
        except ArgumentError:
            if self.image == "hw":
                raise
            self._take("hw")
            self.output = op.output_of(self._shapes_of_planes(shapes), values)
        counts = {tuple(shape[axis] for axis in self.order[: len(self.batch)]) for _, shape in shapes}
        if len(counts) > 1:
            refuse(f"the arrays have different numbers of images: {' and '.join(map(str, sorted(counts)))}")
        self.counts = counts.pop()
        is_sum = len(self.output[1]) < len(self.image)
        made = self.image.replace(_SUMMED[op.name], "") if is_sum else self.image
        kept = [letter for letter in layout if letter in self.batch or letter in made]
        self.order_of_output = [kept.index(letter) for letter in self.batch + made]
        placed = dict(zip(self.order_of_output, self.counts + tuple(self.output[1])))
        self.shape = tuple(placed[axis] for axis in range(len(kept)))

    def _take(self, image):
        self.image = image
        self.batch = "".join(letter for letter in self.layout if letter not in image)
        self.order = [self.layout.index(letter) for letter in self.batch + image]

    def _shapes_of_planes(self, shapes):
        return [
            (dtype, [int(shape[axis]) for axis in self.order[len(self.batch) :]]) for dtype, shape in shapes
        ]

    def result(self, like):
        """A new array for the results: dense with the images one after another."""
        return permuted(_empty(like, self.output[0], self.counts + tuple(self.output[1])), self.order_back())

    def order_back(self):
        return [self.order_of_output.index(axis) for axis in range(len(self.shape))]


def type_and_shape(array):
    return str(array.dtype).removeprefix("torch."), list(array.shape)


def call(name, arrays, values, out, device, schedule, stats, stream, progress, layout, dtype):
    """A call of the operator's function."""
    op = operators[name]
    if dtype is not None:
        arrays = tuple(a if a is None else converted(a, dtype) for a in arrays)
    if layout is None:
        return op.run(arrays, values, out, device, schedule, stats, stream, progress)
    arrays = tuple(_with_axes(a) for a in arrays if a is not None)
    planes = Planes(op, layout, [type_and_shape(a) for a in arrays], values)
    result = dense = None
    if out is not None:
        result = _with_axes(out)
        if tuple(result.shape) != planes.shape:
            raise ArgumentError(f"{name}: out: must have the shape {planes.shape}, not {tuple(result.shape)}")
        result = permuted(result, planes.order_of_output)
        dense = _dense(result)
    images = tuple(_dense(permuted(a, planes.order)) for a in arrays)
    made = op.run(
        images, values, dense, device, schedule, stats, stream, progress, planes.batch + planes.image
    )
    if stats is not None:
        stats["planes"] = math.prod(planes.counts)
    if out is None:
        return permuted(made, planes.order_back())
    if dense is not result:
        result[...] = dense
    return out
