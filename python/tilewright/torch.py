"""The operators as custom operators of PyTorch, which torch.compile keeps in its graph.

    import tilewright.torch
    soft = tilewright.torch.gaussian_blur(images, sigma=3.0, layout="nchw")
    soft = torch.ops.tilewright.gaussian_blur(image, 3.0)

The work is done where the tensors are, on the CPU or on a CUDA device in the current stream. Without `layout`
a tensor is an image (h, w) or (h, w, c); with it, each letter names an axis, as in the functions of
`tilewright`. GaussianBlur is a module.

Gradients: of gaussian_blur, recursive_gaussian, transpose, column_sum, row_sum, matmul and fft2d, and of
fresnel from a field to a field by "convolution" or "angular_spectrum". A blur's gradient is a blur of the
gradient, in which what the border continued is added to the pixels that it was taken from. That of
recursive_gaussian leaves out what weighs less than 10^-6.

Under autocast all operators but matmul compute in float32, to which float16 and bfloat16 are converted;
matmul takes those as they are, and its result is float32, or float64 of float64.
"""

from typing import TYPE_CHECKING

import torch

from . import planes
from ._gradients import GRADIENTS, NEEDS_ARRAYS
from ._operators import __all__ as _names
from ._tilewright import operators

if TYPE_CHECKING:
    from ._operators import *  # noqa: F403: the result has the type of the first tensor

__all__ = ["GaussianBlur"]


def _default(option):
    value = option.default_value
    return f'"{value}"' if isinstance(value, str) else str(value)


def _schema(op):
    """The operator's signature, as PyTorch writes it."""
    parameters = [f"Tensor {name}" for name in op.inputs]
    for option in sorted(op.options, key=lambda option: not option.is_needed):
        if option.is_needed:
            parameters.append(f"{option.kind} {option.name}")
        else:
            optional = "" if option.default or option.is_flag else "?"
            parameters.append(f"{option.kind}{optional} {option.name}={_default(option)}")
    if op.optional_input:
        parameters.append(f"Tensor? {op.optional_input.name}=None")
    parameters += ['str schedule="tuned"', "str? layout=None"]
    return f"({', '.join(parameters)}) -> Tensor"


class _Call:
    """The arguments of a call of a custom operator, by their names, as _gradients.py has them too."""

    library = torch

    def __init__(self, op, names, given):
        self.op, self.names, self.given = op, names, given
        self.schedule, self.layout = given.get("schedule", "tuned"), given.get("layout")
        self.arrays = [given[name] for name in op.inputs]
        if op.optional_input:
            self.arrays.append(given.get(op.optional_input.name))
        self.values = tuple(given[option.name] for option in op.options)
        self.axes = (self.layout.index("h"), self.layout.index("w")) if self.layout else (0, 1)

    def pad(self, tensor, widths):
        return torch.nn.functional.pad(tensor, [n for ends in reversed(widths) for n in ends])

    def converted(self, tensor, dtype):
        return tensor.to(dtype)

    def again(self, *arrays, **changed):
        """The same call on other tensors."""
        given = {**self.given, **dict(zip(self.op.inputs, arrays)), **changed}
        return getattr(torch.ops.tilewright, self.op.name)(**given)


def _refuse_gradient(call):
    if call.op.name == "fresnel" and (
        call.arrays[1] is not None
        or not call.arrays[0].is_complex()
        or call.given["output_type"] not in (None, "c64")
        or call.given["method"] not in ("convolution", "angular_spectrum")
    ):
        raise RuntimeError(
            'fresnel: has a gradient from a complex64 field to a field, with method="convolution" or '
            '"angular_spectrum"; detach() the input where none is needed'
        )


def _register(op):
    options = sorted(op.options, key=lambda option: not option.is_needed)
    names = op.inputs + [option.name for option in options]
    names += [op.optional_input.name] if op.optional_input else []
    names += ["schedule", "layout"]
    defaults = {option.name: option.default_value for option in op.options}

    def read(args, kwargs):
        return _Call(op, names, {**defaults, **dict(zip(names, args)), **kwargs})

    def kernel(*args, **kwargs):
        call = read(args, kwargs)
        arrays = tuple(a if a is None else a.detach().contiguous() for a in call.arrays)
        device = "cpu" if arrays[0].device.type == "cpu" else "auto"
        how = (None, device, call.schedule, None, 0, None)
        if call.layout is None:
            return op.run(arrays, call.values, *how)
        return planes.call(op.name, arrays, call.values, *how, call.layout, None)

    def fake(*args, **kwargs):
        call = read(args, kwargs)
        given = [planes.type_and_shape(a) for a in call.arrays if a is not None]
        shapes = [(dtype, [int(n) for n in shape]) for dtype, shape in given]
        if call.layout is not None:
            return planes.Planes(op, call.layout, shapes, call.values).result(call.arrays[0])
        dtype, shape = op.output_of(shapes, call.values)
        return torch.empty(shape, dtype=getattr(torch, dtype), device=call.arrays[0].device)

    def setup(ctx, inputs, output):
        call = read(inputs, {})
        _refuse_gradient(call)
        arrays = [a for a in call.arrays if a is not None]
        ctx.shapes, ctx.types = [a.shape for a in arrays], [a.dtype for a in arrays]
        ctx.options = [None if isinstance(a, torch.Tensor) else a for a in inputs]
        if op.name in NEEDS_ARRAYS:
            ctx.save_for_backward(*arrays)

    def backward(ctx, grad):
        call = read([*ctx.saved_tensors, *ctx.options[len(ctx.saved_tensors) :]], {})
        call.shapes, call.types = ctx.shapes, ctx.types
        made = [g.to(dtype) for g, dtype in zip(GRADIENTS[op.name](call, grad), ctx.types)]
        return (*made, *[None] * (len(ctx.options) - len(made)))

    made = torch.library.custom_op(f"tilewright::{op.name}", kernel, mutates_args=(), schema=_schema(op))
    made.register_fake(fake)
    if op.name in GRADIENTS:
        made.register_autograd(backward, setup_context=setup)
    if op.name != "matmul" and hasattr(made, "register_autocast"):
        for device in ("cpu", "cuda"):
            made.register_autocast(device, torch.float32)
    made.__doc__ = op.summary
    return made


for _name in _names:
    globals()[_name] = _register(operators[_name])
    __all__.append(_name)


class GaussianBlur(torch.nn.Module):
    """A Gaussian blur of the last two axes (..., h, w), as torchvision.transforms.v2.GaussianBlur.

    Parameters
    ----------
    sigma : float or (float, float)
        Standard deviation in pixels. Of two, each call draws one between them, for all images of its tensor.
    border : str
        That of tilewright.gaussian_blur; "mirror" is torchvision's.

    The window has floor(4 sigma + .5) pixels on each side: there is no kernel_size. Tensors are uint8, uint16
    or float32; float16 and bfloat16 are computed in float32 and converted back.

    >>> import torch
    >>> from tilewright.torch import GaussianBlur
    >>> GaussianBlur(3.0)(torch.zeros(2, 3, 48, 64, dtype=torch.uint8)).shape
    torch.Size([2, 3, 48, 64])
    """

    _LETTERS = "abdefgijklmnopqrstuvxyz"  # of axes that count images

    def __init__(self, sigma=(0.1, 2.0), border="mirror"):
        super().__init__()
        self.sigma = (sigma, sigma) if isinstance(sigma, (int, float)) else tuple(sigma)
        if len(self.sigma) != 2 or not 0 < self.sigma[0] <= self.sigma[1]:
            raise ValueError(f"sigma = {sigma}: takes a number above 0, or two in their order")
        self.border = border

    def forward(self, images):
        least, most = self.sigma
        sigma = float(least) if least == most else torch.empty(()).uniform_(least, most).item()
        layout = self._LETTERS[: images.ndim - 2] + "hw"
        is_half = images.dtype in (torch.float16, torch.bfloat16)
        blurred = torch.ops.tilewright.gaussian_blur(
            images.float() if is_half else images, sigma, self.border, layout=layout
        )
        return blurred.to(images.dtype)

    def extra_repr(self):
        return f"sigma={self.sigma}, border={self.border!r}"
