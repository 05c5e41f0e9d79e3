"""What the command line can say of operators, as Python values.

bench(), verify() and explain() run `python -m tilewright` in a process of its own and return its JSON, whose
fields docs/JSON.md of the project describes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _tilewright
from ._tilewright import ArgumentError, DeviceError, Error, OutOfMemoryError, Variant, operators
from ._words import one_line

_ERRORS = {2: ArgumentError, 3: ArgumentError, 4: DeviceError, 5: OutOfMemoryError}
_WRONG_RESULTS = (1, 6)  # exit codes of `verify` that come with results


def variants(
    operator: str | None = None,
    *,
    schedule: str | None = None,
    type: str | None = None,
    backend: str | None = None,
) -> list[Variant]:
    """The variants of the tables: libraries that are linked in, one per schedule, type of data and backend.

    Parameters
    ----------
    operator : str, optional
        Those of one operator.
    schedule : str, optional
        The name of a schedule, a family of them, or a library.
    type : str, optional
        As the tables name types: "u8", "rgb8".
    backend : str, optional
        "cpu", "cuda" or "opencl".

    Returns
    -------
    list of Variant
        Those that all given words are true of, in the order of the tables.

    Raises
    ------
    ArgumentError
        For an operator that does not exist.

    Examples
    --------
    >>> import tilewright
    >>> [each.schedule for each in tilewright.variants("invert", type="u8", backend="cpu")][:2]
    ['reference', 'tuned']
    """
    if operator is not None and operator not in operators:
        known = ", ".join(operators)
        raise ArgumentError(f"operator = {one_line(operator)}: no such operator; known: {known}")
    chosen = [op for name, op in operators.items() if operator in (None, name)]
    found = [variant for op in chosen for variant in op.variants()]
    return [
        variant
        for variant in found
        if schedule in (None, variant.schedule, variant.family, variant.library)
        and type in (None, variant.type)
        and backend in (None, variant.backend)
    ]


def _words(options):
    words = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            several = isinstance(value, (list, tuple))
            words.append(",".join(map(str, value)) if several else str(value))
    return words


def _run(words, accept=(), names=None):
    """The JSON of a command. `names`: what its texts call a file, by the file's path."""
    # Here, because they take longer to import than all of this package.
    import json
    import subprocess
    import sys

    for word in words:
        if word in ("-h", "--help"):
            raise ArgumentError(
                f"{words[0]}: takes no option help; tilewright.{words[0]}.__doc__ says what it takes"
            )
    done = subprocess.run([sys.executable, "-m", "tilewright", *words], capture_output=True, text=True)
    output, errors = done.stdout.strip(), done.stderr.strip()
    for path, name in (names or {}).items():
        output, errors = output.replace(path, name), errors.replace(path, name)
    if done.returncode not in (0, *accept) or not output:
        lines = errors.splitlines() or [f"ended with exit code {done.returncode}"]
        raise _ERRORS.get(done.returncode, Error)(
            _tilewright.in_words_of_python(lines[-1].removeprefix("tilewright: ").removeprefix("error: "))
        )
    return json.loads(output)


def bench(*operators: str, **options: Any) -> dict[str, Any]:
    """Times variants, as `tilewright bench` does, in a process of its own.

    Parameters
    ----------
    operators : str
        Which ones; all without them.
    options
        Those of the command, with _ for -: device, schedule, type, size, limit, peers ...

    Returns
    -------
    dict
        What `tilewright bench --json` writes: docs/JSON.md describes it.

    Raises
    ------
    ArgumentError, DeviceError, OutOfMemoryError, Error
        With the words of the command.

    Examples
    --------
    >>> import tilewright
    >>> times = tilewright.bench("invert", schedule="tuned", type="u8", device="cpu", size="64x64")
    >>> times["runs"][0]["variant"], times["runs"][0]["real_time"] > 0
    ('invert/tuned/u8/cpu', True)
    """
    return _run(["bench", *operators, *_words(options), "--json", "-"])


def verify(*operators: str, **options: Any) -> dict[str, Any]:
    """Runs variants and compares their results with the definition, as `tilewright verify` does.

    Parameters
    ----------
    operators : str
        Which ones; all without them.
    options
        Those of the command, with _ for -: device, schedule, type ...

    Returns
    -------
    dict
        What `tilewright verify --json` writes: docs/JSON.md describes it.

    Raises
    ------
    ArgumentError, DeviceError, OutOfMemoryError, Error
        With the words of the command. Wrong results are no exception: they are in what it returns.

    Examples
    --------
    >>> import tilewright
    >>> tilewright.verify("invert", schedule="tuned", type="u8", device="cpu")["variants"][0]["verdict"]
    'ok'
    """
    return _run(["verify", *operators, *_words(options), "--json"], accept=_WRONG_RESULTS)


def explain(operator: str | Callable[..., Any], *arrays: Any, **options: Any) -> dict[str, Any]:
    """Runs a call, and says which variant it takes and why, and what its kernels do.

    Parameters
    ----------
    operator : str or function
        The operator's name, or its function.
    arrays : array_like
        Its inputs. Without them the call is the sample that bench() times.
    options
        Those of the operator, and of `tilewright explain`: device, schedule ...

    Returns
    -------
    dict
        What `tilewright explain --json` writes: docs/JSON.md describes it.

    Raises
    ------
    TypeError
        For arrays of other things than numbers.
    ArgumentError, DeviceError, OutOfMemoryError, Error
        With the words of the command.

    Examples
    --------
    >>> import numpy as np, tilewright
    >>> tilewright.explain("invert", np.zeros((48, 64), np.uint8), device="cpu")["chosen"]
    'invert/tuned/u8/cpu'
    """
    import os
    import tempfile

    import numpy as np

    if not isinstance(operator, str):
        operator = getattr(operator, "__name__", repr(operator))
    with tempfile.TemporaryDirectory() as folder:
        # The files are gone when this returns, so that the arrays have the names of the operator's inputs.
        op = operators.get(operator)
        inputs = [*op.inputs, *([op.optional_input.name] if op.optional_input else [])] if op else []
        if op and len(arrays) > len(inputs):
            raise TypeError(f"explain: {operator} takes {', '.join(inputs)}, and options by their names")
        names = {}
        for i, array in enumerate(arrays):
            elements = np.asarray(array)
            if elements.dtype.kind not in "uifc":
                given = f"{type(array).__name__} of {elements.dtype}"
                raise TypeError(f"explain: takes arrays of numbers, not {given}")
            file = os.path.join(folder, f"{i}.npy")
            names[file] = inputs[i] if i < len(inputs) else f"array {i + 1}"
            np.save(file, elements)
        return _run(["explain", operator, *names, *_words(options), "--json"], names=names)
