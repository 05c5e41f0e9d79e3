"""Every cell of the example notebook runs, from top to bottom."""

import os
import pathlib
import subprocess
import sys

TOUR = pathlib.Path(__file__).parents[2] / "examples/python/tour.ipynb"

# A notebook is JSON; its code needs no Jupyter to run.
RUN = """
import json, sys
names = {"__name__": "__main__"}
for number, cell in enumerate(json.load(open(sys.argv[1], encoding="utf-8"))["cells"], 1):
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), f"cell {number} of {sys.argv[1]}", "exec"), names)
"""


def test_tour():
    done = subprocess.run(
        [sys.executable, "-c", RUN, TOUR], capture_output=True, text=True, timeout=300, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    assert "gaussian_blur/" in done.stdout and "sigma" in done.stdout
