"""The flag that commands get which read texts of the user."""

import inspect

import pytest

from firth.cli.flags import with_reading
from firth.errors import FormatError, OptionError
from firth.loading import load
from firth.storage.encodings import named_encoding


def command(texts: str, number: int = 3) -> None:
    """Do something with texts."""
    assert (texts, number) == ("a.txt", 4)
    seen.append(named_encoding())


seen = []


def test_a_command_that_reads_texts_reads_them_in_the_encoding_that_is_named():
    run = with_reading(command)
    assert list(inspect.signature(run).parameters) == ["texts", "number", "encoding"]
    for given in ("cp1252", None):
        run(texts="a.txt", number=4, encoding=given)
    assert seen == ["cp1252", None]
    with pytest.raises(OptionError, match="expected the name of an encoding"):
        run(texts="a.txt", number=4, encoding="nonsense")


def test_a_command_that_reads_no_texts_has_no_such_flag():
    def quantise(model, output):
        pass

    assert with_reading(quantise) is quantise


SPACED = "new york\t1 2 3\nnew york\t4 5 6\ncaf\xe9\t1 1 1\n"


@pytest.mark.parametrize(("header", "dim"), [("", 3), ("3 3\n", None)])
def test_remedies_of_messages_about_vectors_are_flags(tmp_path, header, dim):
    """Each message names what the next call gives."""
    (tmp_path / "v.txt").write_bytes((header + SPACED).encode("latin-1"))
    loaded = []
    run = with_reading(lambda vectors: loaded.append(load(vectors).words))
    how = {**dict.fromkeys(("encoding", "errors", "duplicates", "separator")), "dim": dim}
    for name, value in (("separator", "\\t"), ("duplicates", "first"), ("errors", "replace")):
        with pytest.raises(FormatError, match=f"{name}="):
            run(vectors=tmp_path / "v.txt", **how)
        how[name] = value
        if name == "separator":  # the word that is no UTF-8 is met first
            how["errors"] = "ignore"
        elif name == "duplicates":
            how["errors"] = None
    run(vectors=tmp_path / "v.txt", **how)
    run(vectors=tmp_path / "v.txt", **{**how, "encoding": "cp1252"})
    assert loaded == [["new york", "caf\ufffd"], ["new york", "café"]]


def test_numbers_may_be_separated_by_the_separator_too(tmp_path):
    for header in ("", "2 3\n"):
        (tmp_path / "v.txt").write_text(f"{header}new york,1,2,3\na b,4,5,6\n", encoding="utf-8")
        vectors = load(tmp_path / "v.txt", separator=",")
        assert (vectors.words, vectors.vectors.tolist()) == (["new york", "a b"], [[1, 2, 3], [4, 5, 6]])
