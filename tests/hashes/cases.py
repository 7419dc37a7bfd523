"""All files of cases."""

import importlib

FILES = ("corpora", "vectors", "classifier", "language", "neural", "senses", "queries", "instruments", "evaluation")


def load() -> None:
    """Import every file of cases, each of which fills the table."""
    for name in FILES:
        importlib.import_module(f"tests.hashes.{name}")
