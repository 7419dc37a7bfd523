"""Labelled pairs: files, each once, and parts that share no word."""

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.relations.labelled import LabelledPairs, lexical_split, read_labelled_pairs

PAIRS = LabelledPairs(
    [("hot", "cold"), ("cold", "hot"), ("hot", "warm"), ("up", "down"), ("down", "up")],
    np.array([True, True, False, True, False]),
)


def test_a_file(tmp_path):
    (tmp_path / "a").write_text("hot\tcold\t1\n\nhot\twarm\t0\n", encoding="utf-8")
    (tmp_path / "b").write_text("up down 1\n", encoding="utf-8")
    found = read_labelled_pairs(tmp_path / "a", tmp_path / "b")
    assert found.pairs == [("hot", "cold"), ("hot", "warm"), ("up", "down")]
    assert found.antonyms.tolist() == [True, False, True]
    assert found.words == {"hot", "cold", "warm", "up", "down"}


@pytest.mark.parametrize("line", ["hot cold", "hot cold 2", "hot cold antonym", "1", "hot\t\t1"])
def test_a_line_that_is_no_pair(tmp_path, line):
    (tmp_path / "a").write_text(f"up down 1\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"a line 2: .*expected two words and 1"):
        read_labelled_pairs(tmp_path / "a")


def test_a_file_of_nothing(tmp_path):
    (tmp_path / "a").write_bytes(b"\n")
    with pytest.raises(FormatError, match="no pairs"):
        read_labelled_pairs(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"caf\xff x 1\n")
    with pytest.raises(FormatError, match="not UTF-8"):
        read_labelled_pairs(tmp_path / "a")


def test_each_pair_once():
    """Hot and cold stand in both orders; up and down have both labels, and say nothing."""
    assert PAIRS.once().pairs == [("hot", "cold"), ("hot", "warm")]
    assert PAIRS.without(PAIRS.among([1])).pairs == [("hot", "warm"), ("up", "down"), ("down", "up")]


def test_of_what_nothing_is_learned():
    with pytest.raises(OptionError, match="'up' and 'down' have both labels"):
        PAIRS.checked()
    with pytest.raises(OptionError, match="2 pairs of antonyms alone"):
        PAIRS.among([0, 1]).checked()
    with pytest.raises(OptionError, match="1 pairs of synonyms alone"):
        PAIRS.among([2]).checked()
    with pytest.raises(OptionError, match="no pairs alone"):
        PAIRS.among(np.zeros(5, dtype=bool)).checked()
    with pytest.raises(OptionError, match="1 labels for 5 pairs"):
        LabelledPairs(PAIRS.pairs, np.array([True]))


@pytest.mark.parametrize("seed", range(5))
def test_the_two_sides_share_no_word(seed):
    random = np.random.default_rng(seed)
    pairs = [(f"w{i}", f"w{j}") for i, j in random.integers(0, 150, size=(2000, 2)) if i != j]
    whole = LabelledPairs(pairs, random.random(len(pairs)) < 0.5)
    first, second = lexical_split(whole, 0.6, seed=seed)
    assert not first.words & second.words
    assert set(first.sets) | set(second.sets) <= set(whole.sets)
    assert len(first) > 300
    assert len(second) > 100
    assert lexical_split(whole, 0.6, seed=seed)[0].pairs == first.pairs


@pytest.mark.parametrize("share", [0, 1, -0.5, 2])
def test_a_share_that_is_none(share):
    with pytest.raises(OptionError, match="share="):
        lexical_split(PAIRS, share)


def test_real_pairs_of_the_test_stand_in_training_too(shared_data):
    """A quarter of the published test's pairs stand in its training, most of them the other way round."""
    train, test = (read_labelled_pairs(shared_data / f"relations/antsyn/adjective-pairs.{part}")
                   for part in ("train", "test"))  # fmt: skip
    assert (len(train), len(test)) == (5562, 1986)
    assert len(test) - len(test.without(train)) == 522
    first, second = lexical_split(train + test)
    assert not first.words & second.words
    assert not set(first.sets) & set(second.sets)
