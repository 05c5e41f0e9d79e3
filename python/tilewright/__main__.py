"""`python -m tilewright`: the command line."""

import os
import signal
import sys

from ._tilewright import program


def main():
    # Python's handler of SIGINT would run only when the program has ended; the program has its own.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # As bytes, because the name of a file need not be UTF-8.
    sys.exit(program([os.fsencode(word) for word in ("tilewright", *sys.argv[1:])]))


if __name__ == "__main__":
    main()
