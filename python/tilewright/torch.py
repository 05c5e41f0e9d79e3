"""The operators as custom operators of PyTorch, which torch.compile keeps in its graph.

    import tilewright.torch
    soft = tilewright.torch.gaussian_blur(images, sigma=3.0)     # or torch.ops.tilewright.gaussian_blur

The work is done where the tensors are, on the CPU or on a CUDA device in the current stream. There are no
gradients.
"""

import torch

from ._operators import __all__ as _names
from ._tilewright import operators

__all__ = []


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
    parameters.append('str schedule="tuned"')
    return f"({', '.join(parameters)}) -> Tensor"


def _register(op):
    options = sorted(op.options, key=lambda option: not option.is_needed)
    names = op.inputs + [option.name for option in options]
    names += [op.optional_input.name] if op.optional_input else []
    defaults = {option.name: option.default_value for option in op.options}

    def read(args, kwargs):
        given = {**defaults, **dict(zip(names + ["schedule"], args)), **kwargs}
        arrays = tuple(given[name] for name in op.inputs)
        if op.optional_input:
            arrays += (given.get(op.optional_input.name),)
        return arrays, tuple(given[option.name] for option in op.options), given.get("schedule", "tuned")

    def kernel(*args, **kwargs):
        arrays, values, schedule = read(args, kwargs)
        arrays = tuple(a if a is None else a.detach().contiguous() for a in arrays)
        return op.run(
            arrays, values, None, "cpu" if arrays[0].device.type == "cpu" else "auto", schedule, None
        )

    def fake(*args, **kwargs):
        arrays, values, _ = read(args, kwargs)
        shapes = [
            (str(a.dtype).removeprefix("torch."), [int(n) for n in a.shape]) for a in arrays if a is not None
        ]
        dtype, shape = op.output_of(shapes, values)
        return torch.empty(shape, dtype=getattr(torch, dtype), device=arrays[0].device)

    made = torch.library.custom_op(f"tilewright::{op.name}", kernel, mutates_args=(), schema=_schema(op))
    made.register_fake(fake)
    made.__doc__ = op.summary
    return made


for _name in _names:
    globals()[_name] = _register(operators[_name])
    __all__.append(_name)
