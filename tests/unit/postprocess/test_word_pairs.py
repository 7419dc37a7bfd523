"""Lists of word pairs, as they are published."""

import numpy as np
import pytest

from firth import postprocess
from firth.errors import FormatError, OptionError
from firth.vectors.word_vectors import WordVectors

VECTORS = WordVectors(["hot", "cold", "warm", "cool", "London"], np.eye(5))


def read(tmp_path, text):
    path = tmp_path / "pairs.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return postprocess.read_word_pairs(path)


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("hot cold \nwarm cool\n", [("hot", "cold"), ("warm", "cool")]),
        ("hot\tvery cold\r\n\n# a remark\nwarm\tcool\n", [("hot", "very cold"), ("warm", "cool")]),
        ("hot warm heated\nalone\n", [("hot", "warm"), ("hot", "heated")]),
        ("en_hot en_cold\nen_warm en_cool\n", [("hot", "cold"), ("warm", "cool")]),
        ("en_hot de_kalt\n", [("en_hot", "de_kalt")]),
        ("en_hot cold\n", [("en_hot", "cold")]),
        ("\ufeffhot cold", [("hot", "cold")]),
    ],
    ids=["spaces", "tabs", "lexicon", "language", "two languages", "no language", "mark of order"],
)
def test_what_is_read(text, pairs, tmp_path):
    assert read(tmp_path, text) == pairs


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "no line of two words"), ("hot\ncold\n", "no line of two words"), (b"a b\nh\xff t\n", "line 2: not UTF-8")],
)  # fmt: skip
def test_what_is_no_list_of_pairs(text, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, text)


def test_rows_of_pairs_by_hand():
    """Given six: one repeats the other way round, one is a word beside itself, one has an unknown word."""
    pairs = [("cold", "hot"), ("hot", "cold"), ("warm", "warm"), ("hot", "lava"), ("WARM", "cool"), ("London", "hot")]
    result = postprocess.WordPairs.of(VECTORS, pairs)
    assert result.rows.tolist() == [[0, 1], [0, 4], [2, 3]]
    assert result.facts == {"given": 6, "used": 3, "with_unknown_words": 1, "unknown_words": 1}


def test_pairs_without_others():
    some = postprocess.WordPairs.of(VECTORS, [("hot", "cold"), ("warm", "hot")])
    assert some.without(postprocess.WordPairs.of(VECTORS, [("cold", "hot")])).rows.tolist() == [[0, 2]]


def test_not_one_pair_is_known():
    with pytest.raises(OptionError, match=r"none of 2 synonyms has two words with vectors \('heiss' has none\)"):
        postprocess.WordPairs.of(VECTORS, [("heiss", "hot"), ("warm", "lau")], "synonyms")


@pytest.mark.parametrize("pair", ["hot", "ab", ("hot",), ("hot", 3)])
def test_what_is_no_pair(pair):
    with pytest.raises(OptionError, match="expected two words"):
        postprocess.WordPairs.of(VECTORS, [pair])


def test_published_lists(shared_data):
    folder = shared_data / "relations" / "counter-fitting"
    synonyms = postprocess.read_word_pairs(folder / "ppdb_synonyms.txt")
    assert len(synonyms) == 53_809
    assert synonyms[0] == ("mediaeval", "medieval")
    assert len(postprocess.read_word_pairs(folder / "wordnet_antonyms.txt")) == 12_574
