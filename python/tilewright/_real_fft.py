"""Fourier transforms of real values, by the names of numpy.fft."""

from __future__ import annotations

import operator
from typing import Any

from ._operators import fft2d
from ._tilewright import ArgumentError
from ._words import one_line


def rfft2(values: Any, **how: Any) -> Any:
    """The transform of real values along both axes: the columns 0 to w // 2 of their spectrum.

    It takes about half of the work of `fft2d`.

    Parameters
    ----------
    values
        float32 or float64 of shape (h, w), sides from 1 to 16384, or many of them with `layout`.
    how
        The keywords of `fft2d` besides its options, such as `device`.

    Returns
    -------
    complex64 or complex128 of shape (h, w // 2 + 1), as that of numpy.fft.rfft2. The bounds are those of
    `fft2d`.

    Raises
    ------
    The errors of `fft2d`.

    Examples
    --------
    >>> import numpy as np, tilewright
    >>> tilewright.rfft2(np.zeros((480, 640), np.float32)).shape
    (480, 321)
    """
    return fft2d(values, half=True, **how)


def irfft2(spectrum: Any, s: tuple[int, int] | None = None, **how: Any) -> Any:
    """What undoes `rfft2`, with the factor 1 / (w h): real values from columns 0 to w // 2 of their spectrum.

    Parameters
    ----------
    spectrum
        complex64 or complex128 of shape (h, n), or many of them with `layout`.
    s
        The shape (h, w) of the result, where w is 2 n - 2, the default, or 2 n - 1. Unlike numpy.fft.irfft2,
        it cuts nothing and adds no zeros.
    how
        The keywords of `fft2d` besides its options, such as `device`.

    Returns
    -------
    float32 or float64 of shape (h, w).

    Raises
    ------
    ArgumentError
        For another `s`; other errors are those of `fft2d`.

    Examples
    --------
    >>> import numpy as np, tilewright
    >>> tilewright.irfft2(np.zeros((480, 321), np.complex64)).shape
    (480, 640)
    """
    width = 0
    if s is not None:
        import numpy as np  # pip makes the manual of the package before it has NumPy

        try:
            height, width = map(operator.index, s)
        except (TypeError, ValueError):
            raise ArgumentError(f"s: takes two whole numbers, (h, w), not {one_line(repr(s))}") from None
        layout = how.get("layout")
        axis = layout.find("h") if isinstance(layout, str) else 0  # fft2d refuses a layout without h
        rows = np.shape(spectrum)[axis : axis + 1] or (height,)
        if width < 1 or (axis >= 0 and height != rows[0]):
            raise ArgumentError(f"s: takes ({rows[0]}, w), not {tuple(s)}")
    return fft2d(spectrum, direction="inverse", half=True, width=width, **how)
