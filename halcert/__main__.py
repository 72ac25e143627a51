"""Run the command line as ``python -m halcert``."""

from halcert.cli import main

if __name__ == "__main__":
    main()
