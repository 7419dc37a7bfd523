"""The flag that commands get which read texts of the user."""

import inspect

import pytest

from firth.cli.flags import _with_encoding
from firth.errors import OptionError
from firth.storage.encodings import named_encoding


def command(texts: str, number: int = 3) -> None:
    """Do something with texts."""
    assert (texts, number) == ("a.txt", 4)
    seen.append(named_encoding())


seen = []


def test_a_command_that_reads_texts_reads_them_in_the_encoding_that_is_named():
    run = _with_encoding(command)
    assert list(inspect.signature(run).parameters) == ["texts", "number", "encoding"]
    for given in ("cp1252", None):
        run(texts="a.txt", number=4, encoding=given)
    assert seen == ["cp1252", None]
    with pytest.raises(OptionError, match="expected the name of an encoding"):
        run(texts="a.txt", number=4, encoding="nonsense")


def test_a_command_that_reads_no_texts_has_no_such_flag():
    def quantise(vectors, output):
        pass

    assert _with_encoding(quantise) is quantise
