"""Calls that are made again and again: frames of a video, tiles of an image, steps of an iteration."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from . import _operators
from ._tilewright import Pipeline, Prepared, operators
from ._words import one_line


def prepare(call: Callable[..., Any] | str | Pipeline, *arguments: Any, **named: Any) -> Prepared:
    """Makes a call, and returns it as one that runs again with less work of the host.

        blur = tilewright.prepare(tilewright.gaussian_blur, frame, 3, device="cuda")
        for frame in frames:
            show(blur(frame))

    Parameters
    ----------
    call : function, str or Pipeline
        A function of an operator, its name, or a pipeline.
    arguments, named
        The arguments of the call, the first arrays among them.

    Returns
    -------
    Prepared
        It takes the arrays of a call, of the types and shapes of the first ones, and `out` and `stream`.
        On CUDA all kernels of a call are one launch, where the host has nothing to do between them. It
        keeps the memory of what is computed on the way, and the last arrays on a device.

    Raises
    ------
    TypeError
        For what is no function of an operator, and for `progress`, `layout` and `dtype`. Besides, what the
        call raises; and the prepared call raises ArgumentError for arrays of other types and shapes.

    Examples
    --------
    >>> import numpy as np, tilewright
    >>> frame = np.zeros((480, 640), np.uint8)
    >>> blur = tilewright.prepare(tilewright.gaussian_blur, frame, 3, device="cpu")
    >>> blur(frame).shape
    (480, 640)
    """
    if isinstance(call, Pipeline):
        return call.prepare(*arguments, **named)
    name = call if isinstance(call, str) else getattr(call, "__name__", None)
    is_own = isinstance(call, str) or call is getattr(_operators, str(name), None)
    if name not in operators or not is_own:  # NumPy has a transpose, too, and so has tilewright.dask
        given = one_line(repr(call))
        raise TypeError(f"prepare() takes a function of an operator, its name, or a Pipeline, not {given}")
    op = operators[name]
    bound = inspect.signature(getattr(_operators, name)).bind(*arguments, **named)
    bound.apply_defaults()
    if bound.arguments["progress"] is not None:
        raise TypeError("prepare() takes no progress: prepared calls do not say how far they are")
    for word in ("layout", "dtype"):
        if bound.arguments.get(word) is not None:
            raise TypeError(
                f"prepare() takes no {word}: give it one image, of a type that the operator takes"
            )
    arrays = op.inputs + ([op.optional_input.name] if op.optional_input else [])
    how = ("out", "device", "schedule", "stats", "stream")
    return op.prepare(
        tuple(bound.arguments[array] for array in arrays),
        tuple(bound.arguments[option.name] for option in op.options),
        *(bound.arguments[word] for word in how),
    )
