"""`python -m tilewright`: the command line."""

import sys

from ._tilewright import program


def main():
    sys.exit(program(["tilewright", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
