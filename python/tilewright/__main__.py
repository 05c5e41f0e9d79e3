"""`python -m tilewright`: the command line."""

import os
import signal
import sys

from ._tilewright import __version__, program


def full_program():
    """The program of the package tilewright-generators of this version, or None: it builds variants too."""
    try:
        import tilewright_generators
    except ImportError:
        return None
    return tilewright_generators.program() if tilewright_generators.__version__ == __version__ else None


def main():
    full = full_program()
    if full:
        os.execv(full, ["tilewright", *sys.argv[1:]])
    if sys.argv[1:2] == ["explore"]:
        sys.exit(
            "tilewright: error: explore: this package has no generators; install those of its version: "
            f"pip install tilewright-generators=={__version__}"
        )
    # Python's handler of SIGINT would run only when the program has ended; the program has its own.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # As bytes, because the name of a file need not be UTF-8.
    sys.exit(program([os.fsencode(word) for word in ("tilewright", *sys.argv[1:])]))


if __name__ == "__main__":
    main()
