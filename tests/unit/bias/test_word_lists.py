"""BiasLists of words as their authors publish them."""

import json

import pytest

from firth.bias import word_lists
from firth.errors import DataError, FormatError, OptionError


def written(tmp_path, content):
    path = tmp_path / "lists.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_sets_pairs_and_words(tmp_path):
    assert word_lists.read_sets(written(tmp_path, {"arts": ["art", "dance"]})) == {"arts": ["art", "dance"]}
    assert word_lists.read_pairs(written(tmp_path, [["she", "he"]])) == [("she", "he")]
    assert word_lists.read_pairs(written(tmp_path, "she he\nwoman man\n")) == [("she", "he"), ("woman", "man")]
    assert word_lists.read_words(written(tmp_path, [["nurse", -0.1, 0.9], "doctor"])) == ["nurse", "doctor"]
    assert word_lists.read_words(written(tmp_path, "nurse\n\ndoctor\n")) == ["nurse", "doctor"]


@pytest.mark.parametrize(
    ("read", "content", "message"),
    [
        ("sets", "no JSON", "not valid JSON"),
        ("sets", ["art"], "expected a JSON object of word lists by name"),
        ("sets", {}, "expected a JSON object of word lists by name"),
        ("sets", {"arts": []}, "'arts' has"),
        ("sets", {"arts": "art"}, "expected a list of words"),
        ("pairs", [["she"]], "expected a JSON list of pairs"),
        ("pairs", {"she": "he"}, "expected a JSON list of pairs"),
        ("pairs", [], "no pair of words"),
        ("pairs", "she\n", "no line of two words"),
        ("words", [], "no words"),
        ("words", "", "no words"),
        ("words", {"a": 1}, "expected a JSON list of words"),
        ("words", [1], "expected a word, or a list that begins with one"),
    ],
)
def test_what_is_none(tmp_path, read, content, message):
    with pytest.raises(FormatError, match=message):
        getattr(word_lists, f"read_{read}")(written(tmp_path, content))


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "words.txt").write_bytes(b"nurse\n\xff\n")
    with pytest.raises(FormatError, match="not UTF-8 text at byte 6"):
        word_lists.read_words(tmp_path / "words.txt")


def test_the_published_lists(shared_data):
    """The ten tests have the sizes of Caliskan et al. 2017, table 1; the lists about gender those of their paper."""
    queries = word_lists.weat_queries(data=shared_data)
    sizes = [(len(next(iter(one.targets.values()))), len(next(iter(one.attributes.values())))) for one in queries]
    assert sizes == [(25, 25), (25, 25), (32, 25), (18, 25), (18, 8), (8, 8), (8, 8), (8, 8), (6, 7), (8, 8)]
    assert [one.name for one in word_lists.weat_queries(["weat-7"], shared_data)] == ["weat-7"]
    assert len(word_lists.definitional_pairs(shared_data)) == 10
    assert len(word_lists.equalise_pairs(shared_data)) == 52
    assert len(word_lists.gender_specific(shared_data)) == 1441
    assert len(word_lists.professions(shared_data)) == 320


def test_names_that_are_none(shared_data, tmp_path):
    with pytest.raises(OptionError, match="test 'weat-11': expected one of weat-1"):
        word_lists.weat_queries(["weat-11"], shared_data)
    with pytest.raises(OptionError, match="no word set 'maths': expected one of arts"):
        word_lists.query_of({"arts": ["art"]}, ["maths"], ["arts"])
    with pytest.raises(DataError, match=r"holds no weat/WEAT\.json"):
        word_lists.weat_queries(data=tmp_path)
