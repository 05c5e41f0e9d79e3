"""The example notebook runs from top to bottom."""

import os
import pathlib
import subprocess
import sys

TOUR = pathlib.Path(__file__).parents[2] / "examples/python/tour.py"


def test_tour():
    done = subprocess.run([sys.executable, TOUR], capture_output=True, text=True, timeout=300, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "gaussian_blur/" in done.stdout and "sigma" in done.stdout
