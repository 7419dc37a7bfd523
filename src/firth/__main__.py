"""`python -m firth`: the command line."""

import sys
from pathlib import Path

if not sys.flags.safe_path and sys.path and Path(sys.path[0]) == Path.cwd() != Path(__file__).resolve().parents[1]:
    del sys.path[0]  # `-m` looks for modules in the current folder first, whose files are data and no code

from firth.cli.app import main

if __name__ == "__main__":
    main()
