"""Groups of texts that mean the same: files, pairs with labels, Python."""

import json

import pytest

from firth.errors import FormatError, OptionError
from firth.readers.text_groups import TextGroup, as_text_groups, read_text_groups


def write(path, *items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return path


def test_groups_of_a_file(tmp_path):
    path = write(
        tmp_path / "groups.jsonl", {"texts": ["a b", "c", "c"]}, {"texts": ["d", "e"], "negatives": ["f", "f", " "]}
    )
    expected = [TextGroup(("a b", "c")), TextGroup(("d", "e"), ("f",))]
    assert read_text_groups(path) == expected
    assert as_text_groups(path) == expected
    assert as_text_groups([["a b", "c"], {"texts": ["d", "e"], "negatives": ["f"]}]) == expected
    assert as_text_groups(expected) == expected


def test_groups_of_pairs_with_labels(tmp_path):
    labels = [("p", "x", "entailment"), ("p", "y", "neutral"), ("p", "z", "contradiction"), ("q", "r", "contradiction")]
    path = write(
        tmp_path / "snli.jsonl", *({"sentence1": a, "sentence2": b, "gold_label": label} for a, b, label in labels)
    )
    assert read_text_groups(path) == [TextGroup(("p", "x"), ("z",))]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"texts": ["a", "b"]}', '{"texts": ["a"]}'], "line 2: 1 different text; expected"),
        (['{"texts": ["a", 3]}'], "line 1: .*; expected"),
        (['{"texts": ["a", "b"]}', "x"], "line 2: not JSON"),
        (['{"texts": ["a", "b"], "negatives": "c"}'], "line 1"),
        (["a\tb\tneutral", "c\td\tneutral"], "none of 2 pairs has the label 'entailment'"),
    ],
)
def test_what_is_no_group_is_named_by_its_line(tmp_path, lines, message):
    path = tmp_path / "groups.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_text_groups(path)


def test_what_is_no_group_in_python():
    with pytest.raises(OptionError, match="group 1: 1 different text"):
        as_text_groups([["a", "b"], ["a", "a"]])
    with pytest.raises(OptionError, match="group 0: 'ab'"):
        as_text_groups(["ab", "cd"])
    with pytest.raises(OptionError, match="groups: found 3"):
        as_text_groups(3)
