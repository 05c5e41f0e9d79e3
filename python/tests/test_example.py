"""Every cell of the example notebook runs, from top to bottom, and its pictures are those that it shows."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
TOUR = ROOT / "examples/python/tour.ipynb"


def test_tour():
    done = subprocess.run(
        [sys.executable, "-B", ROOT / "docs/site/notebook.py", TOUR, "--check"],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 pictures are as they should be" in done.stdout
    assert TOUR.stat().st_size < 300_000
