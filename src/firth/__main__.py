"""`python -m firth`: the command line."""

from firth.cli.app import main

if __name__ == "__main__":
    main()
