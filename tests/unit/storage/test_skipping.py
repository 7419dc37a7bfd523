"""What becomes of damaged parts of files: one rule for tables, documents and treebanks."""

import json
import warnings

import pytest

import firth
from firth.errors import CorpusError, FormatError, OptionError
from firth.storage.skipping import Skipping

BAD_TABLE, BAD_LINES = "text,label\na\nb\n", "{\nx\n"


def test_the_first_stops_with_the_remedy_or_all_are_counted():
    with pytest.raises(FormatError, match=r"^a line 1,500: odd; mend it; to leave out such rows, on_error='skip'$"):
        Skipping("a").add(1500, "odd", "mend it")
    with pytest.raises(CorpusError, match=r"^a item 2: odd$"):
        Skipping("a", None, place="item", error=CorpusError).add(2, "odd", option="")
    skipping = Skipping("a", "skip", "sentence")
    for number in range(1, 6):
        skipping.add(number, f"odd {number}")
    skipping.read = 2
    with pytest.warns(
        UserWarning, match=r"^a: skipped 5 of 7 sentences: line 1: odd 1; line 2: .*; line 3: odd 3; \.\.\.$"
    ):
        skipping.tell()
    with pytest.raises(OptionError, match="expected 'skip' or 'stop'"):
        Skipping("a", "ignore")


def test_nothing_skipped_nothing_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Skipping("a").tell()
        Skipping("a", read=1).tell("something")
    with pytest.raises(FormatError, match=r"^a: no rows; expected something$"):
        Skipping("a").tell("something")


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("a.csv", BAD_TABLE, "line 2: 1 cell, expected 2"),
        ("a.jsonl", BAD_LINES, "line 1: not JSON"),
        ("a.conllu", "1\ta\n\n", "line 1: 2 columns, expected 10"),
    ],
)
def test_a_file_of_which_nothing_is_left_is_refused(tmp_path, name, content, found):
    """Whatever it holds: its first problem is the error, not that there are no words."""
    (tmp_path / name).write_text(content)
    with pytest.raises((CorpusError, FormatError), match=f"{found}.*; no other (row|sentence) could be read"):
        firth.Corpus.build(tmp_path / name, min_count=1, on_error="skip", cache=tmp_path / "cache")


def test_all_readers_count_alike(tmp_path):
    (tmp_path / "a.jsonl").write_text("{\n" + json.dumps({"text": "one two", "spans": []}) + "\n")
    (tmp_path / "a.csv").write_text("text,label\none two,1\nthree\n")
    for name in ("a.jsonl", "a.csv"):
        with pytest.warns(UserWarning, match=rf"{name}: skipped 1 of 2 rows: line \d: "):
            firth.Corpus.build(tmp_path / name, column="text", min_count=1, on_error="skip", cache=tmp_path / "cache")
    with pytest.warns(UserWarning, match=r"a\.jsonl: skipped 1 of 2 documents: line 1: "):
        list(firth.read_documents(tmp_path / "a.jsonl", on_error="skip"))
