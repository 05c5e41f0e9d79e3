"""Writes the operators' functions as Python source, from the registry in the compiled module.

python generate.py MODULE.so OUTPUT.py
"""

import importlib.util
import os
import sys
import textwrap

HOW = """\
out : array, optional
    Where the result goes: an array of its type and shape that shares no memory with an input. It is returned.
device : str
    "auto", "cpu", "cuda", "cuda:1", "opencl" ...: see tilewright.devices(). "auto" is the device that an
    input is on, and for arrays on the host the best one of the machine.
schedule : str
    A schedule of tilewright.variants("{name}"), or a family of them.
stats : dict, optional
    Receives the variant that ran, its time, what drivers were asked to do,
        and under "copied" the names of the
    arrays whose elements had to be copied because of their strides.
stream : int
    The address of a CUDA stream: the call comes after what the stream was given, and before what it is
    given next. 0: the current stream of the arrays' library.
progress : callable, optional
    Is called about 20 times a second with the part of the work that is done, from 0 to 1. Where it returns
    False, the call ends with a tilewright.Error; what it raises leaves the call. On a GPU the call then waits
    for each library. Ctrl-C interrupts calls on the CPU without it."""


def load(path):
    spec = importlib.util.spec_from_file_location("tilewright._tilewright", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def annotation(option):
    if option.kind != "str":
        return option.kind
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
        lines.append(f"One of {', '.join(option.choices)}.")
    elif option.is_number:
        lines.append(option.range[0].upper() + option.range[1:] + ".")
    return [f"{option.name} : {option.kind}{unit}"] + ["    " + line for line in lines]


def taken(declared):
    """What an operator takes as one of its inputs."""
    sentences = [declared.help] if declared.help else []
    text = ". ".join([*sentences, f"Takes {declared.says}"]) + "."
    return ["    " + line for line in textwrap.wrap(text, 100)]


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
    lines += HOW.format(name=op.name).splitlines()
    return "\n".join(("    " + line).rstrip() for line in lines).strip()


def function(op):
    # In Python a parameter without a default comes before those that have one.
    options = sorted(op.options, key=lambda option: not option.is_needed)
    more = op.optional_input
    parameters = [f"{name}: ArrayLike" for name in op.inputs] + [parameter(o) for o in options] + ["*"]
    parameters += [f"{more.name}: ArrayLike | None = None"] if more else []
    parameters += [
        "out: ArrayLike | None = None",
        'device: str = "auto"',
        'schedule: str = "tuned"',
        "stats: dict | None = None",
        "stream: int = 0",
        "progress: Callable[[float], bool | None] | None = None",
    ]
    arrays = "".join(name + ", " for name in op.inputs + ([more.name] if more else []))
    values = "".join(option.name + ", " for option in op.options)
    signature = "".join(f"    {parameter},\n" for parameter in parameters)
    return (
        f"_run_{op.name} = operators[{op.name!r}].run\n\n\n"
        f"def {op.name}(\n{signature}) -> Any:\n"
        f'    """{documentation(op, options)}\n    """\n'
        f"    return _run_{op.name}(({arrays}), ({values}), out, device, schedule, stats, stream, progress)\n"
    )


def source(module):
    head = (
        '"""The functions of the operators. Made by generate.py from the registry."""\n'
        "from collections.abc import Callable\nfrom typing import Any, Literal\n\n"
        "from ._tilewright import operators\n\n"
        "# NumPy's, tilewright.Array, and what has __dlpack__ or __cuda_array_interface__\n"
        "ArrayLike = Any\n\n"
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
