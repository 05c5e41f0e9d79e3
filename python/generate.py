"""Writes the operators' functions as Python source, from the registry in the compiled module.

python generate.py MODULE.so OUTPUT.py
"""

import importlib.util
import os
import re
import sys
import textwrap

HOW = """\
out : array, optional
    Where the result goes: an array of its type and shape that shares no memory with an input. It is returned.
device : str or Device
    "auto", "cpu", "cuda", "cuda:1", "opencl" ...: see tilewright.devices(). "auto" is the device that an
    input is on, and for arrays on the host the best one of the machine.
schedule : str
    A schedule of tilewright.variants("{name}"), or a family of them.
stats : dict, optional
    Receives the variant that ran, its time, what drivers were asked to do,
    and under "copied" the names of the arrays whose elements had to be copied because of their strides.
stream : int
    The address of a CUDA stream: the call comes after what the stream was given, and before what it is
    given next. 0: the current stream of the arrays' library.
layout : str, optional
    A letter for each axis of the arrays, as "nhwc" or "nchw". h and w are the axes of an image, and c
    directly behind w is the axis of its channels. Every other axis counts images, and so does c where the
    operator takes no channels. Each image is computed by itself, with its own borders, and the result has
    the same layout, without the axis that a sum has added up. `stats` is then of all images together, and
    "planes" in it says how many there are. Without a layout the arrays are (h, w) or (h, w, c); nothing is
    guessed.
dtype : str, optional
    The inputs are converted to this type first, by numpy.asarray and astype, so that lists are taken too.
    Without it nothing is converted.
progress : callable, optional
    Is called about 20 times a second with the part of the work that is done, from 0 to 1. Where it returns
    False, the call ends with a tilewright.Error; where it raises an exception, the call ends with that. On a
    GPU the call then waits for each library. Ctrl-C interrupts calls on the CPU without it."""

# The program's names of types, and NumPy's.
TYPES = {"u": "uint", "i": "int", "f": "float", "bf": "bfloat", "c": "complex"}


RETURNS = """
Returns
-------
array
    A new one of the library of the first array, on its device (of NumPy for lists and buffers), or `out`.

Raises
------
TypeError
    For an argument that is no array, and for an array of another type. dtype="float32" converts it.
ArgumentError
    A ValueError: for values out of range, and arrays that do not fit the operator.
DeviceError
    Where the device is not there, or cannot run the call.
OutOfMemoryError
    A MemoryError: where the host or the device has no memory.
"""

# Arrays for examples, the first that an operator takes, and needed options.
EXAMPLES = (("uint8", [480, 640]), ("float32", [512, 512]), ("float32", [1000]))
NEEDED = {"wavelength": 532e-9, "distance": 0.01, "pitch": 8e-6}


def load(path):
    spec = importlib.util.spec_from_file_location("tilewright._tilewright", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def of_numpy(text):
    """The types in a text by NumPy's names, in which "u8" is uint64."""
    return re.sub(r"\b([uifc]|bf)(8|16|32|64|128)\b", lambda m: TYPES[m[1]] + m[2], text)


def is_type(option):
    return bool(option.choices) and all(of_numpy(choice) != choice for choice in option.choices)


def annotation(option):
    if option.kind != "str":
        return option.kind
    if is_type(option):
        return f"Literal[{', '.join(map(repr, map(of_numpy, option.choices)))}] | type[Any] | np.dtype[Any]"
    return f"Literal[{', '.join(map(repr, option.choices))}]" if option.choices else "str | float"


def parameter(option):
    if option.is_needed:
        return f"{option.name}: {annotation(option)}"
    optional = "" if option.default or option.is_flag else " | None"
    return f"{option.name}: {annotation(option)}{optional} = {option.default_value!r}"


def described(option):
    unit = ", in metres" if option.unit == "m" else ""
    lines = textwrap.wrap(option.help.rstrip(".") + ".", 100)
    if option.choices and not option.is_flag:
        end = ", or NumPy's type." if is_type(option) else "."
        lines.append(f"One of {', '.join(option.choices)}{end}")
    elif option.is_number:
        lines.append(option.range[0].upper() + option.range[1:] + ".")
    kind = "str or type" if is_type(option) else option.kind
    return [f"{option.name} : {kind}{unit}"] + ["    " + of_numpy(line) for line in lines]


def taken(declared):
    """What an operator takes as one of its inputs."""
    sentences = [declared.help] if declared.help else []
    text = ". ".join([*sentences, f"Takes {declared.says}"]) + "."
    return ["    " + line for line in textwrap.wrap(of_numpy(text), 100)]


def takes_images(op):
    return "(n)" not in op.declared_inputs[0].says


def how_of(op):
    text = HOW.format(name=op.name)
    return text if takes_images(op) else re.sub(r"(?s)layout : .*?(?=dtype : )", "", text)


def example(op):
    """A call, and the type and shape of its result."""
    values = tuple(NEEDED.get(option.name) for option in op.options)
    for dtype, shape in EXAMPLES:
        try:
            made, of = op.output_of([(dtype, shape)] * len(op.inputs), values)
        except (TypeError, ValueError):
            continue
        arrays = [f"np.zeros({tuple(shape)}, np.{dtype})"] * len(op.inputs)
        needed = [f"{o.name}={NEEDED[o.name]}" for o in op.options if o.is_needed]
        return [
            "",
            "Examples",
            "--------",
            ">>> import numpy as np, tilewright",
            f">>> result = tilewright.{op.name}({', '.join(arrays + needed)})",
            ">>> result.dtype.name, result.shape",
            f"({made!r}, {of!r})",
        ]
    raise ValueError(f"{op.name} takes none of the arrays for examples")


def documentation(op, options):
    lines = [
        op.summary[:1].upper() + op.summary[1:] + ".",
        "",
        "Parameters",
        "----------",
    ]
    for declared in op.declared_inputs:
        lines += [f"{declared.name} : array", *taken(declared)]
    for option in options:
        lines += described(option)
    more = op.optional_input
    if more:
        lines += [f"{more.name} : array, optional", *taken(more)]
    lines += how_of(op).splitlines()
    lines += RETURNS.splitlines()
    lines += example(op)
    return "\n".join(("    " + line).rstrip() for line in lines).strip()


def function(op):
    # In Python a parameter without a default comes before those that have one.
    options = sorted(op.options, key=lambda option: not option.is_needed)
    more = op.optional_input
    parameters = [parameter(o) for o in options] + ["*"]
    parameters += [f"{more.name}: ArrayLike | None = None"] if more else []
    parameters += [
        "out: ArrayLike | None = None",
        'device: str | Device = "auto"',
        'schedule: str = "tuned"',
        "stats: dict | None = None",
        "stream: int = 0",
        *(["layout: str | None = None"] if takes_images(op) else []),
        "dtype: Any = None",
        "progress: Callable[[float], bool | None] | None = None",
    ]
    arrays = "".join(name + ", " for name in op.inputs + ([more.name] if more else []))
    values = "".join(option.name + ", " for option in op.options)
    how = "out, device, schedule, stats, stream, progress"
    layout = "layout" if takes_images(op) else "None"
    heads = [
        f"@overload\n{head(op, kind, parameters)} -> {result}: ...\n"
        for kind, result in (("NumPyLike", "np.ndarray"), ("_Array", "_Array"))
    ]
    return (
        f"_run_{op.name} = operators[{op.name!r}].run\n\n\n"
        + "".join(heads)
        + f"{head(op, 'Any', parameters)} -> Any:\n"
        f'    """{documentation(op, options)}\n    """\n'
        f"    if dtype is not None{' or layout is not None' if takes_images(op) else ''}:\n"
        f"        from .planes import call\n\n"
        f"        return call({op.name!r}, ({arrays}), ({values}), {how}, {layout}, dtype)\n"
        f"    return _run_{op.name}(({arrays}), ({values}), {how})\n"
    )


def head(op, kind, parameters):
    arrays = [f"{name}: {kind if not number else 'ArrayLike'}" for number, name in enumerate(op.inputs)]
    return f"def {op.name}(\n" + "".join(f"    {each},\n" for each in arrays + parameters) + ")"


def source(module):
    head = (
        '"""The functions of the operators. Made by generate.py from the registry."""\n'
        "from __future__ import annotations\n\n"
        "from collections.abc import Callable, Sequence\n"
        "from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload\n\n"
        "from ._tilewright import Device, operators\n\n"
        "# NumPy's, tilewright.Array, and what has __dlpack__ or __cuda_array_interface__\n"
        "ArrayLike = Any\n\n"
        "# Results are of the kind of the first array: NumPy's for NumPy's, for lists and for buffers.\n"
        "if TYPE_CHECKING:\n    import numpy as np\n\n"
        "    NumPyLike = np.ndarray | Sequence[Any] | memoryview\n"
        '_Array = TypeVar("_Array")\n\n'
        f"__all__ = {sorted(module.operators)!r}\n"
    )
    return "\n\n".join([head] + [function(op) for op in module.operators.values()])


def main():
    text = source(load(sys.argv[1]))
    compile(text, sys.argv[2], "exec")
    with open(sys.argv[2] + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(sys.argv[2] + ".part", sys.argv[2])


if __name__ == "__main__":
    main()
