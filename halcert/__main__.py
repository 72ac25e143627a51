"""Run the command line as ``python -m halcert``."""

import sys

from halcert.cli import main

if __name__ == "__main__":
    sys.exit(main())
