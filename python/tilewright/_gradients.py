"""The gradients of the operators, of arrays of JAX and of tensors of PyTorch alike.

Each is a function of a call and of the gradient of its result, and gives those of its arrays. A call has

    again(*arrays, **changed)         the same call on other arrays, or with other options
    library                           that of its arrays
    pad(array, widths)                an array with so many zeros before and behind each axis
    converted(array, dtype)           an array as another type
    op, given, values, axes           the operator, its options, and the axes of rows and columns
    shapes, types                     of its arrays
    arrays                            these themselves, for the operators of NEEDS_ARRAYS
"""

import math

NEEDS_ARRAYS = ("matmul",)


def _part(array, axis, begin, end):
    return array[(slice(None),) * axis + (slice(begin, end),)]


def _with_ends(call, array, axis, change):
    """The array with `change(end, number)` in place of the first and the last element along an axis."""
    n = array.shape[axis]
    if n == 1:
        return change(change(array, 0), 1)
    first, last = _part(array, axis, 0, 1), _part(array, axis, n - 1, n)
    parts = [change(first, 0), _part(array, axis, 1, n - 1), change(last, 1)]
    return call.library.concatenate(parts, axis=axis)


def _ends_scaled(call, array, factor):
    for axis in call.axes:
        if array.shape[axis] > 1:
            array = _with_ends(call, array, axis, lambda end, number: end * factor)
    return array


def _with_folded_border(call, grad, radius, **changed):
    """The adjoint of a blur that repeats the outermost pixels: these get what was beyond them."""
    soft = call.pad(grad, [(radius if axis in call.axes else 0,) * 2 for axis in range(grad.ndim)])
    soft = call.again(soft, **changed)
    for axis in call.axes:
        end = radius + grad.shape[axis]
        beyond = (_part(soft, axis, 0, radius), _part(soft, axis, end, end + radius))
        sums = [part.sum(axis=axis, keepdims=True) for part in beyond]
        inside = _part(soft, axis, radius, end)
        soft = _with_ends(call, inside, axis, lambda pixel, number, sums=sums: pixel + sums[number])
    return soft


def _of_gaussian_blur(call, grad):
    border = call.given["border"]
    if border == "nearest":
        return [_with_folded_border(call, grad, call.op.halo(call.values), border="zero")]
    if border == "mirror":  # the outermost pixels have no image of their own beyond the border
        return [_ends_scaled(call, call.again(_ends_scaled(call, grad, 2)), 0.5)]
    # With "reflect", "zero" and "wrap" the matrix of a blur is symmetric. A constant has no gradient.
    return [call.again(grad, border="zero" if border == "constant" else border, value=0.0)]


def _of_recursive_gaussian(call, grad):
    return [_with_folded_border(call, grad, call.op.halo(call.values, 1e-6))]


def _of_transpose(call, grad):
    return [call.again(grad)]


def _of_column_sum(call, grad):
    rows, _ = call.axes
    return [call.library.broadcast_to(grad[(slice(None),) * rows + (None,)], call.shapes[0])]


def _of_row_sum(call, grad):
    _, columns = call.axes
    return [call.library.broadcast_to(grad[(slice(None),) * columns + (None,)], call.shapes[0])]


def _of_matmul(call, grad):
    a, b = (call.converted(array, grad.dtype).swapaxes(*call.axes) for array in call.arrays)
    return [call.again(grad, b), call.again(a, grad)]


def _of_half(call, grad):
    """The other direction of halves. A column that stands for two counts twice."""
    rows, columns = call.axes
    forward = call.given["direction"] == "forward"
    width = (call.shapes[0] if forward else grad.shape)[columns]
    count = grad.shape[rows] * width
    inner = 0.5 if forward else 2

    def scaled(spectrum, scale):
        def end(column, number):  # the last column of an odd width is an inner one
            return column if number and width % 2 else column / inner

        return _with_ends(call, spectrum * (inner * scale), columns, end)

    if forward:
        return [call.again(scaled(grad, count), direction="inverse", width=width)]
    return [scaled(call.again(grad, direction="forward", width=0), 1 / count)]


def _of_fft2d(call, grad):
    if call.given["half"]:
        return _of_half(call, grad)
    forward = call.given["direction"] == "forward"
    count = math.prod(grad.shape[axis] for axis in call.axes)
    back = call.again(grad, direction="inverse" if forward else "forward") * (count if forward else 1 / count)
    for axis in call.axes:
        back = _part(back, axis, 0, call.shapes[0][axis])
    return [back if "complex" in str(call.types[0]) else back.real]


def _of_fresnel(call, grad):
    return [call.again(grad, distance=-call.given["distance"])]


GRADIENTS = {
    "gaussian_blur": _of_gaussian_blur,
    "recursive_gaussian": _of_recursive_gaussian,
    "transpose": _of_transpose,
    "column_sum": _of_column_sum,
    "row_sum": _of_row_sum,
    "matmul": _of_matmul,
    "fft2d": _of_fft2d,
    "fresnel": _of_fresnel,
}
