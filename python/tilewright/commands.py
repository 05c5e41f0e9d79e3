"""What the command line can say of operators, as Python values.

bench(), verify() and explain() run `python -m tilewright` in a process of its own and return its JSON, whose
fields docs/JSON.md of the project describes.
"""

from . import _tilewright
from ._tilewright import ArgumentError, DeviceError, Error, OutOfMemoryError, operators

_ERRORS = {2: ArgumentError, 3: ArgumentError, 4: DeviceError, 5: OutOfMemoryError}
_WRONG_RESULTS = (1, 6)  # exit codes of `verify` that come with results


def variants(operator=None, *, schedule=None, type=None, backend=None):
    """The variants of the tables: libraries that are linked in, one per schedule, type of data and backend.

    `schedule` is the name of a schedule, a family of them, or a library.
    """
    if operator is not None and operator not in operators:
        raise ArgumentError(f"operator '{operator}': there is none; known: {', '.join(operators)}")
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


def bench(*operators, **options):
    """Times variants. `options` are those of `tilewright bench`: device, schedule, type, size, limit,
    peers ...

    tilewright.bench("gaussian_blur", schedule="tuned", device="cpu", size="4096x4096")["runs"]
    """
    return _run(["bench", *operators, *_words(options), "--json", "-"])


def verify(*operators, **options):
    """Runs variants and compares them with the definition. `options` are those of `tilewright verify`."""
    return _run(["verify", *operators, *_words(options), "--json"], accept=_WRONG_RESULTS)


def explain(operator, *arrays, **options):
    """Runs a call, and says which variant it takes and why, and what its kernels do.

    Without arrays the call is the sample that bench() times. `options` are those of `tilewright explain` and
    of the operator.
    """
    import os
    import tempfile

    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        # The files are gone when this returns, so that the arrays have the names of the operator's inputs.
        inputs = operators[operator].inputs if operator in operators else []
        names = {}
        for i, array in enumerate(arrays):
            elements = np.asarray(array)
            if elements.dtype.kind not in "uifc":
                raise TypeError(f"explain: takes arrays of numbers, not {type(array).__name__}")
            file = os.path.join(folder, f"{i}.npy")
            names[file] = inputs[i] if i < len(inputs) else f"array {i + 1}"
            np.save(file, elements)
        return _run(["explain", operator, *names, *_words(options), "--json"], names=names)
