"""The program `tilewright` with its generators. The package `tilewright` runs it as its command line."""

import importlib.metadata
import os

__version__ = importlib.metadata.version("tilewright-generators")


def program():
    """The path of the program."""
    return os.path.join(os.path.dirname(__file__), "bin", "tilewright")
