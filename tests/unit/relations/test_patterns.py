"""Patterns: counted by hand, and as regular expressions find them in plain text."""

import itertools
import math
import re
import tarfile

import numpy as np
import pytest

import firth
from firth.errors import CorpusError, OptionError
from firth.relations.patterns import PATTERNS, count_patterns

LINES = [
    "from hot to cold and from cold to hot",
    "either hot or cold",
    "either hot or warm",
    "from day to day",
    "hot or",
    "cold",
]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpora")
    return lambda lines: firth.Corpus.build([line.split() for line in lines], min_count=1, cache=folder)


@pytest.fixture(scope="module")
def counts(built):
    return count_patterns(built(LINES), ["from X to Y", "either X or Y", "X or Y"])


def test_counts_by_hand(counts):
    """Hot and cold stand in "from X to Y" in both orders, once each: 2. "From day to day" is no pair. Hot is followed
    by "or" in line five too, but the line ends there, and "cold" begins another."""
    found = counts.of_pairs([("hot", "cold"), ("cold", "hot"), ("hot", "warm"), ("day", "day"), ("hot", "snow")])
    assert found.tolist() == [[2, 1, 1], [2, 1, 1], [0, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert counts.totals.tolist() == [2, 2, 2]
    assert len(counts) == 5


def test_association_by_hand(counts):
    """Of "either X or Y" N = 2, hot stands in 2 and cold in 1: log(2 * 2 * 1 / (2 * 1)) = log 2, held down by 1/2 for a
    pair seen once and by 1/2 for a word seen once. Of "from X to Y" all is hot and cold: log(2 * 2 * 2 / (2 * 2)) =
    log 2, held down by 2/3 twice."""
    found = counts.association([("hot", "cold"), ("warm", "cold")])
    assert found[0].tolist() == pytest.approx([math.log(2) * 4 / 9, math.log(2) / 4, math.log(2) / 4])
    assert found[1].tolist() == [0, 0, 0]


def test_partners(counts):
    words, found = counts.partners("hot")
    assert sorted(words) == ["cold", "warm"]
    assert found == pytest.approx(counts.association([("hot", word) for word in words]))
    assert counts.partners("snow")[0] == []


def test_margins_are_sums_of_pairs(counts):
    words = counts.vocabulary.words
    by_pair = {pair: counts.of_pairs([pair])[0] for pair in itertools.combinations(words, 2)}
    for i, word in enumerate(words):
        expected = sum(row for pair, row in by_pair.items() if word in pair)
        assert counts.of_words[:, i].tolist() == expected.tolist()


def as_expressions(patterns, lines):
    """Each pattern's pairs by a regular expression that may overlap itself, over lines of words."""
    found = []
    for pattern in patterns:
        places = {"X": r"(?P<x>\S+)", "Y": r"(?P<y>\S+)"}
        expression = re.compile(rf"(?<!\S)(?={' '.join(places.get(word, word) for word in pattern.split())}(?!\S))")
        pairs = [(match["x"], match["y"]) for line in lines for match in expression.finditer(line)]
        found.append([frozenset(pair) for pair in pairs if pair[0] != pair[1]])
    return found


def test_counts_are_those_of_regular_expressions(built):
    """Patterns filled with four words and with their own, which overlap, nest, and break off at ends of lines."""
    random = np.random.default_rng(3)
    own = {word for pattern in PATTERNS for word in pattern.split()} - {"X", "Y"}
    words = sorted(own | {"hot", "cold", "big", "small"})
    patterns = [*PATTERNS, "X or or Y", "Y from X", "hot X Y"]

    def filled(pattern):
        return [str(random.choice(words)) if word in ("X", "Y") else word for word in pattern.split()]

    runs = [[word for pattern in random.choice(patterns, 3) for word in filled(pattern)] for _ in range(2000)]
    lines = [" ".join(run[random.integers(3) : len(run) - random.integers(3)]) for run in runs]
    counts = count_patterns(built(lines), patterns)
    expected = as_expressions(patterns, lines)
    assert counts.totals.tolist() == [len(pairs) for pairs in expected]
    assert min(map(len, expected)) > 50
    asked = list(itertools.combinations(sorted(words), 2))
    for column, pairs in zip(counts.of_pairs(asked).T, expected, strict=True):
        assert column.tolist() == [pairs.count(frozenset(pair)) for pair in asked]


def test_a_pattern_of_unknown_words_fills_nothing(built):
    counts = count_patterns(built(LINES), ["either X or Y", "X versus Y"])
    assert counts.totals.tolist() == [2, 0]


@pytest.mark.parametrize("pattern", ["X", "X Y", "from X to", "from X to X", "X or Y or Y", ""])
def test_what_is_no_pattern(built, pattern):
    with pytest.raises(OptionError, match="X and Y once each"):
        count_patterns(built(LINES), [pattern])


def test_no_patterns_at_all(built):
    with pytest.raises(OptionError, match="no patterns: expected"):
        count_patterns(built(LINES), [])


def test_a_corpus_without_any(built):
    with pytest.raises(CorpusError, match="2 tokens contain none of 26 patterns"):
        count_patterns(built(["hot cold"]))


def test_real_text_gives_opposites(shared_data, tmp_path):
    """Of all words that fill patterns with these, in six million words of novels, an opposite comes first."""
    with tarfile.open(shared_data / "books" / "litbank-novels.tar.gz") as archive:
        files = [member for member in itertools.islice(archive, 60) if member.isfile()]
        texts = [archive.extractfile(member).read().decode() for member in files]
    corpus = firth.Corpus.build(texts, sentences="paragraph", min_count=5, cache=tmp_path, progress=False)
    counts = count_patterns(corpus)

    def strongest(word):
        words, found = counts.partners(word)
        return words[int(found.sum(axis=1).argmax())]

    opposites = {"good": "bad", "right": "left", "dead": "living", "young": "old", "life": "death", "men": "women"}
    assert {word: strongest(word) for word in opposites} == opposites
