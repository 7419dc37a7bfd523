"""Relational inner product association (RIPA): how far words lie along the difference of pairs.

What: the part of a word's vector along the direction from one word of a pair to the other. It takes the length of the
word's vector along, which a cosine throws away, and of the pair only its direction.

Objective: for pairs (x_i, y_i) of the target sets X and Y and attribute words a,

    b_i = (x_i - y_i) / |x_i - y_i|,    ripa(a) = 1/n sum_i a . b_i,    ripa = 1/|A| sum_a ripa(a)

Positive: the attribute words lie towards X.

Source: Ethayarajh, Duvenaud and Hirst 2019, "Understanding undesirable word embedding associations", section 4.1.

Departures: the paper takes one pair, or the first principal component of many; the mean over pairs is wefe's, and the
same for one pair. The words of X and Y are pairs in their order: where one has no vector, its pair is left out, while
wefe drops the word alone and shifts the others against each other.

Cost: n |A| inner products.
"""

import numpy as np

from firth.bias.query import Measured, Query, Vectors, find, rows_of
from firth.bias.word_pairs import Pairing
from firth.errors import OptionError


def ripa(vectors: Vectors, query: Query) -> Measured:
    """Return the relational inner product association of attribute words.

    Args:
        vectors: of words, in their own lengths.
        query: two target sets, whose words are pairs in their order, and one attribute set.

    Returns:
        The mean; `by_word` has each attribute word's, `facts["sd_by_word"]` its standard deviation over the pairs.

    Raises:
        OptionError: the query has other sets, target sets of different sizes, or no pair or attribute with vectors.
        FormatError: the vector of a word is not finite.
    """
    found = find(vectors, query, "ripa", 2, 1)
    first, second = query.targets.values()
    if len(first) != len(second):
        raise OptionError(f"ripa of {query.name}: target sets of {len(first)} and {len(second)} words, expected pairs")
    pairing = Pairing.of(vectors, zip(first, second, strict=True), "target pairs")
    x, y = (rows_of(vectors, side) for side in zip(*pairing.used, strict=True))
    lengths = np.linalg.norm(x - y, axis=1, keepdims=True)
    along = found.attributes[0] @ ((x - y) / np.where(lengths > 0, lengths, 1)).T  # (A, pairs)
    words = found.attribute_words[0]
    return found.measured(
        "ripa",
        float(along.mean()),
        by_word=dict(zip(words, along.mean(axis=1).tolist(), strict=True)),
        facts={
            "pairs": len(pairing.used),
            "pairs_given": pairing.given,
            "sd_by_word": dict(zip(words, along.std(axis=1).tolist(), strict=True)),
        },
    )
