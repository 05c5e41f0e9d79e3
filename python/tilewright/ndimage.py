"""scipy.ndimage's names and signatures for what is here: gaussian_filter and gaussian_filter1d.

    from tilewright import ndimage
    soft = ndimage.gaussian_filter(volume, 3, axes=(1, 2))

Arguments are converted as NumPy does it, lists too, and results are NumPy arrays. The function
tilewright.gaussian_blur does the work where it can: two axes, each with its sigma, of order 0, with one mode
and one `truncate`, from uint8, uint16 or float32 to the same type, or to float32. Images along other axes
are blurred one after another. NumPy does the rest in float64, one axis after another, in about SciPy's time:
derivatives, one axis, a mode per axis, float64 and other types.

What differs from SciPy: integers are rounded once, at the end, and kept in the range of their type; SciPy
cuts off the fraction after each axis. Results of uint8 differ by at most 2 therefore. float64 results have
the accuracy of float64, float32 results that of tilewright.gaussian_blur or better. float16 is taken.
"""

import numbers
import operator

import numpy as np

from ._operators import gaussian_blur
from ._tilewright import ArgumentError, operators
from ._words import one_line

__all__ = ["gaussian_filter", "gaussian_filter1d"]

# SciPy's modes: how numpy.pad calls each, and the border of gaussian_blur that is the same.
_MODES = {
    "reflect": ("symmetric", "reflect"),
    "grid-mirror": ("symmetric", "reflect"),
    "mirror": ("reflect", "mirror"),
    "nearest": ("edge", "nearest"),
    "constant": ("constant", "constant"),
    "grid-constant": ("constant", "constant"),
    "wrap": ("wrap", "wrap"),
    "grid-wrap": ("wrap", "wrap"),
}
_LETTERS = "abdefgijklmnopqrstuvxyzABDEFGIJKLMNOPQRSTUVXYZ"  # of axes that a layout counts through


def _number(name, value):
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except OverflowError:
        return np.inf
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{name}: takes a number, not {type(value).__name__}")


class _Pass:
    """The filter of one axis."""

    def __init__(self, axis, sigma, order, mode, radius, truncate):
        if not 0 <= _number("sigma", sigma) < np.inf:
            raise ArgumentError(f"sigma = {sigma}: takes a number from 0 on")
        truncate = _number("truncate", truncate)
        if not 0 <= truncate < np.inf:
            raise ArgumentError(f"truncate = {truncate:g}: takes a number from 0 on")
        if not 0 <= _number("order", order) < np.inf or order != int(order):
            raise ArgumentError(f"order = {order}: takes a whole number from 0 on")
        if not isinstance(mode, str) or mode not in _MODES:
            raise ArgumentError(f"mode = {one_line(mode)}: takes {', '.join(_MODES)}")
        if radius is None:
            radius = int(truncate * float(sigma) + 0.5)
        if not 0 <= _number("radius", radius) < np.inf or radius != int(radius):
            raise ArgumentError(f"radius = {radius}: takes a whole number from 0 on")
        self.axis, self.sigma, self.order, self.radius = axis, float(sigma), int(order), int(radius)
        self.pad, self.border = _MODES[mode]
        self.truncate = radius / self.sigma if self.sigma else 0
        if radius == int(truncate * self.sigma + 0.5):
            self.truncate = truncate

    def weights(self):
        x = np.arange(-self.radius, self.radius + 1)
        bell = np.exp(-0.5 * (x / self.sigma) ** 2)
        factor, slope = np.polynomial.Polynomial([1.0]), np.polynomial.Polynomial([0, -1 / self.sigma**2])
        for _ in range(self.order):
            factor = factor.deriv() + factor * slope
        return (factor(x) * (bell / bell.sum()))[::-1]

    def __call__(self, image, cval):
        width = [(0, 0)] * image.ndim
        width[self.axis] = (self.radius, self.radius)
        how = {"constant_values": cval} if self.pad == "constant" else {}
        lines = np.moveaxis(np.pad(image, width, self.pad, **how), self.axis, -1)
        count = image.shape[self.axis]
        total = np.zeros(lines.shape[:-1] + (count,), lines.dtype)
        weights = self.weights()
        if np.isfinite(lines).all():
            # Products with a band matrix, so many outputs at a time: BLAS is faster than sums of arrays.
            block = min(count, max(64, 2 * self.radius))
            band = np.zeros((block + 2 * self.radius, block), lines.dtype)
            for k, weight in enumerate(weights):
                np.fill_diagonal(band[k:], weight)
            for at in range(0, count, block):
                n = min(block, count - at)
                reach = n + 2 * self.radius
                np.matmul(lines[..., at : at + reach], band[:reach, :n], out=total[..., at : at + n])
        else:  # in a product, 0 times NaN or infinity would reach further than the window
            for k, weight in enumerate(weights):
                total += weight * lines[..., k : k + count]
        return np.moveaxis(total, -1, self.axis)


def _is_many(values):
    return np.iterable(values) and not isinstance(values, (str, bytes))


def _per_axis(values, count, name):
    if not _is_many(values):
        return [values] * count
    values = list(values)
    if len(values) != count:
        takes = f"one value, or one for each of the {count} axes"
        raise ArgumentError(f"{name}: takes {takes}, not {len(values)}")
    return values


def _axes(name, axes, ndim):
    found = []
    for axis in range(ndim) if axes is None else axes if _is_many(axes) else [axes]:
        try:
            number = operator.index(axis)
        except TypeError:
            raise TypeError(f"{name}: takes whole numbers, not {type(axis).__name__}") from None
        if not -ndim <= number < ndim:
            raise ArgumentError(f"{name} = {number}: the array has {ndim} axes")
        found.append(number % ndim)
    return found


def _blurred(image, pair, cval, device):
    """The image with two axes blurred by tilewright.gaussian_blur; None where that does not take them."""
    first, second = pair
    if first.order or second.order or first.border != second.border:
        return None
    truncate, border = first.truncate, first.border
    if second.radius != int(truncate * second.sigma + 0.5):
        return None
    if border == "constant" and cval == 0:
        border = "zero"
    is_integer = border == "constant" and image.dtype.kind == "u"
    if is_integer and not (0 <= cval <= np.iinfo(image.dtype).max and cval.is_integer()):
        return None
    if first.sigma != second.sigma and image.dtype == np.float32 and not np.isfinite(image).all():
        return None  # where NaN would reach as far along one axis as along the other
    letters = list(_LETTERS[: image.ndim])
    letters[first.axis], letters[second.axis] = "hw"
    if second.axis == image.ndim - 2:
        letters[-1] = "c"
    how = {"sigma": second.sigma, "border": border, "sigma_y": first.sigma, "truncate": truncate}
    if border == "constant":
        how["value"] = float(cval)
    try:
        sides = [image.shape[each.axis] for each in pair]
        op = operators["gaussian_blur"]
        op.output_of([(image.dtype.name, sides)], tuple(how.get(each.name) for each in op.options))
    except ArgumentError:
        return None
    return gaussian_blur(image, **how, layout="".join(letters), device=device)


def _as(values, dtype):
    if dtype.kind in "iu" and values.dtype.kind == "f":
        limits = np.iinfo(dtype)
        # The largest float64 that the type holds: of 64 bits that is less than its largest value.
        most = np.nextafter(2.0**64, 0) if limits.max > 2**63 else float(limits.max >> 10 << 10)
        values = np.clip(np.rint(values), limits.min, most if limits.bits == 64 else limits.max)
    return values.astype(dtype, copy=False)


def _filtered(image, passes, output, cval, device):
    image = image.astype(image.dtype.newbyteorder("="), copy=False)
    given = output if isinstance(output, np.ndarray) else None
    try:
        dtype = given.dtype if given is not None else np.dtype(image.dtype if output is None else output)
    except TypeError:
        what = "an array, or a type as NumPy names it"
        raise TypeError(f"output: takes {what}, not {one_line(output)}") from None
    for name, each in (("input", image.dtype), ("output", dtype)):
        if each.kind not in "biufc":
            raise TypeError(f"{name}: takes numbers, not {each}")
    if image.dtype.kind == "c" and dtype.kind != "c":
        raise ArgumentError(f"output = {dtype}: the result of {image.dtype} is complex")
    if given is not None and given.shape != image.shape:
        raise ArgumentError(f"output: must have the shape {image.shape}, not {given.shape}")
    if image.dtype.kind != "c" or not isinstance(cval, numbers.Complex):
        cval = _number("cval", cval)
    if dtype.kind not in "fc" and not np.isfinite(cval):
        raise ArgumentError(f"cval = {cval}: takes a finite number for {dtype}")
    passes = [each for each in passes if each.sigma > 1e-15]
    pair = sorted(passes[:2], key=lambda each: each.axis)
    alone = len(passes) == 2  # integers are rounded once, at the end
    served = ("uint8", "uint16", "float32") if alone or dtype == np.float32 else ()
    result = image
    if image.size and len(pair) == 2 and image.dtype.name in served and dtype in (image.dtype, np.float32):
        result = _blurred(image.astype(dtype, copy=False), pair, cval, device)
        passes, result = (passes, image) if result is None else (passes[2:], result)
    if image.size and passes:
        result = result.astype(np.complex128 if image.dtype.kind == "c" else np.float64)
        for each in passes:
            result = each(result, cval)
    if given is not None:
        given[...] = _as(result, dtype)
        return given
    result = _as(result, dtype)
    return np.array(result) if result.base is not None or result is image else result


def gaussian_filter(
    input,
    sigma,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
    axes=None,
    channel_axis=None,
    device="auto",
) -> np.ndarray:
    """scipy.ndimage.gaussian_filter, with scikit-image's `channel_axis`.

    Parameters
    ----------
    input : array_like
        Of any number of axes. Each axis of `axes` is filtered.
    sigma : float or sequence of float
        Standard deviation in pixels, for all of the axes or for each. An axis with 0 stays as it is.
    order : int or sequence of int
        0: the Gaussian; n: its n-th derivative.
    output : array or dtype, optional
        Where the result goes, or its type. Without it the type is that of the input.
    mode : str or sequence of str
        How the array is continued: "reflect" (d c b a | a b c d | d c b a), "mirror" (d c b | a b c d |
        c b a), "nearest" (a a a | a b c d | d d d), "wrap" (b c d | a b c d | a b c) or "constant".
    cval : float
        The value beyond the border for "constant".
    truncate : float
        The radius of the window is int(truncate * sigma + .5).
    radius : int or sequence of int, optional
        The radius itself.
    axes : int or sequence of int, optional
        Which axes are filtered. Without it, all are; of a colour image too.
    channel_axis : int, optional
        The axis of channels, which is not filtered. Not together with `axes`.
    device : str
        Of tilewright.gaussian_blur, where it does the work.

    Returns
    -------
    numpy.ndarray
        A new array of the input's shape, or `output`.

    Raises
    ------
    ArgumentError (a ValueError) for values out of range, TypeError for what is no number.

    Examples
    --------
    >>> import numpy as np
    >>> from tilewright import ndimage
    >>> ndimage.gaussian_filter([[0, 0, 0], [0, 90, 0], [0, 0, 0]], 0.5)
    array([[ 1,  8,  1],
           [ 8, 56,  8],
           [ 1,  8,  1]])
    >>> ndimage.gaussian_filter(np.zeros((480, 640, 3), np.uint8), 3, channel_axis=-1).shape
    (480, 640, 3)
    """
    image = np.asarray(input)
    if channel_axis is not None:
        if axes is not None:
            raise ArgumentError("channel_axis: is not taken together with axes")
        kept = _axes("channel_axis", channel_axis, image.ndim)
        axes = [axis for axis in range(image.ndim) if axis not in kept]
    axes = _axes("axes", axes, image.ndim)
    if len(set(axes)) != len(axes):
        raise ArgumentError(f"axes = {one_line(axes)}: one is named twice")
    named = {"sigma": sigma, "order": order, "mode": mode, "radius": radius}
    values = [_per_axis(value, len(axes), name) for name, value in named.items()]
    passes = [_Pass(*of_axis, truncate) for of_axis in zip(axes, *values)]
    return _filtered(image, passes, output, cval, device)


def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
) -> np.ndarray:
    """scipy.ndimage.gaussian_filter1d, by NumPy: no kernel here blurs one axis alone.

    Parameters
    ----------
    input : array_like
        Of any number of axes.
    sigma : float
        Standard deviation in pixels.
    axis : int
        Which axis is filtered.
    order, output, mode, cval, truncate, radius
        As those of gaussian_filter, for one axis.

    Returns
    -------
    numpy.ndarray
        A new array of the input's shape, or `output`.

    Raises
    ------
    ArgumentError (a ValueError) for values out of range, TypeError for what is no number.

    Examples
    --------
    >>> from tilewright import ndimage
    >>> ndimage.gaussian_filter1d([1.0, 2, 3, 4, 5], 1).round(3)
    array([1.427, 2.068, 3.   , 3.932, 4.573])
    """
    image = np.asarray(input)
    (axis,) = _axes("axis", [axis], image.ndim)
    passes = [_Pass(axis, sigma, order, mode, radius, truncate)]
    return _filtered(image, passes, output, cval, "cpu")
