"""Operators on Dask arrays, chunk by chunk; images larger than memory, from zarr to zarr.

    import dask.array as da, tilewright.dask
    soft = tilewright.dask.gaussian_blur(da.from_zarr("slide.zarr"), sigma=3)
    soft.to_zarr("soft.zarr")

Every operator that says how far its result looks (Operator.halo) is here: each chunk is computed with so many
pixels of its neighbours. Besides, transposes, sums and products of matrices are put together from those of
chunks. Operators of class E give the bytes that one call on the whole array gives.

Chunks may have any size. A worker holds about 20 chunks at a time: choose chunks of a few MiB, and at most a
twentieth of a worker's memory. Each worker uses one thread per CPU by itself; start workers that share a
machine with HL_NUM_THREADS=1 in their environment. On several GPUs start one worker per GPU with
CUDA_VISIBLE_DEVICES set (dask-cuda does that), and take device="cuda".
"""

import inspect
import numbers
from typing import TYPE_CHECKING

import dask.array as da
import numpy as np

import tilewright

from ._operators import __all__ as _names
from ._tilewright import operators

if TYPE_CHECKING:
    from ._operators import *  # noqa: F403: the result has the type of the first array

__all__ = []

# What an operator may lose with chunks, where its pixels depend on the whole image: less than half of the
# step between two values of an integer type; for f32 the error that the operator may have itself.
_ERRORS = {"uint8": 2.0**-9, "uint16": 2.0**-17, "float32": 2e-6, "float64": 1e-14}
_PER_CHUNK = (
    "out",
    "stats",
    "stream",
    "progress",
    "layout",
    "dtype",
)  # parameters of a call that a graph of calls has not


def _meta(dimensions, dtype):
    return np.empty((0,) * dimensions, dtype)


def _array(image, name, dimensions):
    if not isinstance(image, da.Array):
        raise TypeError(
            f"{name}: takes a dask array, not {type(image).__name__}; dask.array.from_array makes one"
        )
    if image.ndim not in dimensions:
        raise ValueError(f"{name}: takes {' or '.join(map(str, dimensions))} dimensions, not {image.ndim}")
    return image.rechunk({2: -1}) if image.ndim == 3 else image  # the channels of a pixel stay together


def _check(op, images, options, schedule):
    """The type and shape of the result. Refuses, when the graph is made, what calls on chunks refuse."""
    # An extent that is not known is NaN.
    shapes = [[int(n) if n == n else 1 for n in image.shape] for image in images]
    op.check_schedule(schedule)
    return op.output_of([(image.dtype.name, shape) for image, shape in zip(images, shapes)], options)


def _refuse_unknown_shape(name, image):
    if any(extent != extent for extent in image.shape):
        raise ValueError(f"{name}: the shape is not known; call compute_chunk_sizes() of the array before")


def _options(op, arguments):
    return tuple(arguments.arguments.get(option.name) for option in op.options)


def _halo_of(op):
    """Whether chunks of the operator's input can be computed: "exact", "near" (with an error), or not."""
    if len(op.inputs) != 1 or any(option.is_needed for option in op.options):
        return None
    return "exact" if op.halo() is not None else "near" if op.halo((), 1e-3) is not None else None


def _tiled(name, exact):
    """The function of an operator on chunks with a halo. Its signature is the operator's."""
    op, call = operators[name], getattr(tilewright, name)
    signature = inspect.signature(call)
    kept = [p for p in signature.parameters.values() if p.name not in _PER_CHUNK]
    if not exact:
        kept.append(inspect.Parameter("error", inspect.Parameter.KEYWORD_ONLY, default=None))
    signature = signature.replace(parameters=kept)

    def function(*args, **kwargs):
        arguments = signature.bind(*args, **kwargs)
        arguments.apply_defaults()
        given = dict(arguments.arguments)
        error = given.pop("error", None)
        image = _array(given.pop(op.inputs[0]), name, (2, 3))
        if error is None:
            error = 0.0 if exact else _ERRORS.get(image.dtype.name, 2e-6)
        elif not isinstance(error, numbers.Real) or not error > 0:
            raise ValueError(f"{name}: error = {error}: takes a number above 0")
        options = _options(op, arguments)
        _check(op, [image], options, given["schedule"])
        _refuse_unknown_shape(name, image)
        halo = op.halo(options, error)
        if halo is None:
            why = "takes pixels from the opposite side of the image, which is in another chunk"
            raise ValueError(f"{name}: border = {given['border']}: it {why}; take another border")
        # Chunks along an axis that the halo spans would be the whole axis anyway.
        image = image.rechunk({axis: -1 for axis in (0, 1) if halo >= image.shape[axis]})
        depth = {axis: halo if image.numblocks[axis] > 1 else 0 for axis in (0, 1)}
        # boundary "none": the outer chunks end where the image does, and the operator continues it there.
        return da.map_overlap(
            call,
            image,
            depth=depth,
            boundary="none",
            dtype=image.dtype,
            meta=_meta(image.ndim, image.dtype),
            **given,
        )

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__signature__ = signature
    words = f"tilewright.{name} on a dask array."
    if not exact:
        words += (
            "\n\nIts pixels depend on the whole image. Each chunk is computed with so many pixels of its "
            "neighbours\nthat what lies beyond them weighs at most `error`: the result differs from that of "
            "one call by at most\n`error` times the largest value of the image, and the rounding of "
            "integers. "
            "Without it, 2^-9 for u8 and\n2^-17 for u16 (half a step of the values), and 2e-6 for f32."
        )
    function.__doc__ = words
    return function


for _name in _names:
    _kind = _halo_of(operators[_name])
    if _kind is not None:
        globals()[_name] = _tiled(_name, _kind == "exact")
        __all__.append(_name)


def transpose(image, *, device="auto", schedule="tuned"):
    """tilewright.transpose on a dask array: each chunk is transposed, and takes its new place."""
    image = _array(image, "transpose", (2, 3))
    _check(operators["transpose"], [image], (), schedule)
    index = "ijk"[: image.ndim]
    return da.blockwise(
        tilewright.transpose,
        "ji" + index[2:],
        image,
        index,
        dtype=image.dtype,
        meta=_meta(image.ndim, image.dtype),
        device=device,
        schedule=schedule,
    )


def _sum(name, axis, image, output_type, device, schedule):
    image = _array(image, name, (2,))
    _refuse_unknown_shape(name, image)
    # What one call on the whole image would refuse is refused here.
    dtype = np.dtype(_check(operators[name], [image], (output_type,), schedule)[0])
    part, added = ("u64", np.dtype(np.uint64)) if image.dtype.kind in "ui" else (None, dtype)
    call = getattr(tilewright, name)

    # Integers are added in u64, which holds every sum, and converted once, at the end; floats in the type of
    # their sums.
    def chunk(block, axis, keepdims):
        return np.expand_dims(call(block, part, device=device, schedule=schedule), axis)

    def combine(parts, axis, keepdims):
        return np.sum(parts, axis=axis, keepdims=keepdims, dtype=added)

    def aggregate(parts, axis, keepdims):
        return combine(parts, axis, keepdims).astype(dtype)

    return da.reduction(
        image,
        chunk=chunk,
        combine=combine,
        aggregate=aggregate,
        axis=axis,
        dtype=dtype,
        concatenate=True,
        meta=_meta(1, dtype),
    )


def column_sum(image, output_type=None, *, device="auto", schedule="tuned"):
    """tilewright.column_sum on a dask array. The sums of chunks are added as a tree."""
    return _sum("column_sum", 0, image, output_type, device, schedule)


def row_sum(image, output_type=None, *, device="auto", schedule="tuned"):
    """tilewright.row_sum on a dask array. The sums of chunks are added as a tree."""
    return _sum("row_sum", 1, image, output_type, device, schedule)


def matmul(a, b, *, device="auto", schedule="tuned"):
    """tilewright.matmul on dask arrays. The products of chunks are added as a tree, in the result's type."""
    a, b = _array(a, "a", (2,)), _array(b, "b", (2,))
    if a.shape[1] != b.shape[0]:
        raise ValueError(
            f"matmul: a, b = {a.shape}, {b.shape}: the first matrix must have as many columns as the second "
            "has rows"
        )
    _check(operators["matmul"], [a, b], (), schedule)
    if a.chunks[1] != b.chunks[0]:
        a = a.rechunk({1: b.chunks[0]})

    def product(x, y):
        return tilewright.matmul(x, y, device=device, schedule=schedule)[:, None, :]

    dtype = np.float64 if a.dtype == np.float64 else np.float32
    parts = da.blockwise(
        product, "ikj", a, "ik", b, "kj", adjust_chunks={"k": 1}, dtype=dtype, meta=_meta(3, dtype)
    )
    return parts.sum(axis=1, dtype=dtype)


__all__ += ["transpose", "column_sum", "row_sum", "matmul"]

_SECTIONS = """

Returns
-------
dask.array.Array
    What is computed when it is asked for.

Raises
------
TypeError, ValueError
    When the graph is made, what a call on the whole array refuses; when it is computed, what calls on chunks
    raise.

Examples
--------
>>> import dask.array as da, tilewright.dask
>>> image = da.zeros((512, 512), dtype="{dtype}", chunks=256)
>>> tilewright.dask.{name}({arrays}).shape
{shape}
"""
for _name in __all__:
    _op = operators[_name]
    _dtype = "uint8" if len(_op.inputs) == 1 else "float32"
    _shape = _op.output_of([(_dtype, [512, 512])] * len(_op.inputs))[1]
    globals()[_name].__doc__ += _SECTIONS.format(
        name=_name, dtype=_dtype, arrays=", ".join(["image"] * len(_op.inputs)), shape=_shape
    )
