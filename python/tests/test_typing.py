"""What type checkers and editors know of the package: mypy reads a program that calls all of it."""

import os
import pathlib
import subprocess
import sys

import pytest

import tilewright

pytest.importorskip("mypy", reason="mypy is not installed")

PROGRAM = """
from typing import Any, assert_type

import numpy as np

import tilewright
from tilewright import ndimage

image = np.zeros((4, 6), np.uint8)
own = tilewright.Array.view(image)
Results = np.ndarray[tuple[Any, ...], np.dtype[Any]]

# Results are of the kind of the first array.
assert_type(tilewright.gaussian_blur(image, 3, border="mirror"), Results)
assert_type(tilewright.matmul([[1, 2]], [[3], [4]], dtype="float32"), Results)
assert_type(tilewright.gaussian_blur(own, 3), tilewright.Array)
assert_type(ndimage.gaussian_filter(image, 3, axes=(0, 1)), Results)
assert_type(tilewright.Pipeline("invert | transpose")(image), Results)
assert_type(tilewright.Pipeline("invert")(own), tilewright.Array)
again = tilewright.prepare(tilewright.gaussian_blur, image, 3)
assert_type(again(image), Results)
assert_type(again.is_one_launch, bool)
assert_type(own.shape, tuple[int, ...])
assert_type(own.numpy(), Results)
assert_type(tilewright.devices()[0].id, str)
assert_type(tilewright.operators["invert"].variants()[0].tunables, dict[str, int])
assert_type(tilewright.variants("invert"), list[tilewright.Variant])
assert_type(tilewright.column_sum(image, np.uint64, device=tilewright.devices()[0]), Results)
assert_type(tilewright.row_sum(image, "uint64"), Results)
assert_type(tilewright.ndimage.gaussian_filter1d(image, 3), Results)
assert_type(tilewright.verify("invert"), dict[str, Any])
tilewright.irfft2(tilewright.rfft2(np.zeros((4, 6))), s=(4, 6))

# What is wrong is seen: each of these lines needs its comment.
tilewright.gaussian_blur(image, 3, border="edge")  # type: ignore[call-overload]
tilewright.gaussian_blur(image, 3, bordr="zero")  # type: ignore[call-overload]
tilewright.row_sum(image, "int8")  # type: ignore[call-overload]
tilewright.fresnel(image)  # type: ignore[call-overload]
tilewright.Pipeline(3)  # type: ignore[arg-type]
tilewright.set_num_threads("2")  # type: ignore[arg-type]
"""


def test_a_typed_program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    # As an installed package, whose own lines are not checked.
    folder = pathlib.Path(tilewright.__file__).parents[1]
    words = ["--strict", "--follow-imports=silent", f"--cache-dir={tmp_path}", "program.py"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(folder)},
    )
    assert [line for line in done.stdout.splitlines() if line.startswith("program.py")] == [], done.stdout
    assert "1 source file" in done.stdout, done.stdout + done.stderr
