"""Candidate pairs and their features, against loops over mentions."""

import itertools

import numpy as np
import pytest

from firth.coreference.mention_features import CLASSES, mention_arrays
from firth.coreference.pairs import candidate_pairs, feature_count, read_pairs
from firth.documents.document import Document
from firth.randomness import generator
from firth.readers.conllu import DependencySentence

WORDS = ["Ann", "Bob", "she", "he", "the", "man", "house", "of", "“", "”", "said", "I", "you", ",", "was", "they"]


def made(seed, tokens=60, mentions=25):
    random = generator(seed, "coreference pairs")
    words = [WORDS[number] for number in random.integers(0, len(WORDS), tokens)]
    cuts = [0, *sorted(random.choice(np.arange(1, tokens), 6, replace=False).tolist()), tokens]
    sentences = tuple(DependencySentence.of(words[a:b]) for a, b in itertools.pairwise(cuts))
    starts = random.integers(0, tokens, mentions).tolist()
    widths = random.integers(1, 4, mentions).tolist()
    spans = {(start, min(start + width, tokens)) for start, width in zip(starts, widths, strict=True)}
    return Document(sentences), sorted(spans)


@pytest.mark.parametrize("seed", range(4))
def test_candidates_are_the_nearest_and_the_nearest_matching(seed):
    document, spans = made(seed)
    arrays = mention_arrays(document, spans)
    later, earlier = candidate_pairs(arrays, nearest=3, matching=2)
    expected = []
    for number, mention in enumerate(arrays.mentions):
        near = list(range(max(0, number - 3), number))
        matching = [
            other for other in range(number - 4, -1, -1)
            if "pronoun" not in (mention.kind, arrays.mentions[other].kind) and _match(mention, arrays.mentions[other])
        ]  # fmt: skip
        expected += [(number, other) for other in sorted({*near, *matching[:2]})]
    assert list(zip(later.tolist(), earlier.tolist(), strict=True)) == expected


def _match(one, other):
    small = {"the", "of", ",", "I"}
    return one.head in set(other.words) - small or other.head in set(one.words) - small


@pytest.mark.parametrize("seed", range(4))
def test_features_are_those_of_a_loop(seed):
    """Words in common, agreement, distance in sentences and mentions between that are equal."""
    document, spans = made(seed)
    arrays = mention_arrays(document, spans)
    pairs = read_pairs(document, arrays, nearest=40, matching=2)
    assert pairs.bits.shape == (len(pairs), feature_count())
    assert set(np.unique(pairs.bits)) <= {0, 1}
    mentions = arrays.mentions
    for row, (i, j) in enumerate(zip(pairs.anaphors.tolist(), pairs.antecedents.tolist(), strict=True)):
        one, other = mentions[i], mentions[j]
        assert pairs.bits[row, 0] == (one.words == other.words)
        assert pairs.bits[row, 1] == (one.head == other.head)
        number = {one.number, other.number}
        expected = 0 if "" in number else 1 if len(number) == 1 else 2
        assert pairs.bits[row, 11:14].tolist() == [expected == state for state in range(3)]
        between = sum(mention.words == one.words for mention in mentions[j + 1 : i])
        column = feature_count() - 4 - 15
        assert pairs.bits[row, column : column + 5].sum() == sum(between >= least for least in (1, 2, 3, 5, 9))
        assert pairs.classes[row] == CLASSES.index(one.group or one.kind) * len(CLASSES) + CLASSES.index(
            other.group or other.kind
        )


@pytest.mark.parametrize("spans", [[], [(0, 1)]])
def test_documents_without_pairs(spans):
    document = Document((DependencySentence.of(["She", "sings"]),))
    pairs = read_pairs(document, mention_arrays(document, spans), nearest=5, matching=5)
    assert len(pairs) == 0
    assert pairs.bits.shape == (0, feature_count())
