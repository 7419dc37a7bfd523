"""Relative norm distance (RND): which of two groups of words each attribute word is nearer to.

What: two groups, such as the words for women and for men, have a mean vector each. An attribute word's distance to the
one less that to the other says to which it is nearer; the figure is the mean over the attribute words.

Objective: with unit vectors, m_1 and m_2 the means of the target sets X and Y,

    rnd = 1/|A| sum_{a in A} ( |a - m_1| - |a - m_2| )

Negative: the attribute words are nearer to X; positive: nearer to Y.

Source: Garg, Schiebinger, Jurafsky and Zou 2018, "Word embeddings quantify 100 years of gender and ethnic stereotypes",
Materials and methods: "relative norm distance".

Departures: the mean over the words instead of the sum, so that lists of different lengths compare; wefe does likewise.
`unit=False` takes vectors in their own lengths, which is wefe's default and not the paper's.

Cost: |A| + |X| + |Y| vectors of D numbers.
"""

import numpy as np

from firth.bias.query import Measured, Query, Vectors, find, units


def rnd(vectors: Vectors, query: Query, *, unit: bool = True) -> Measured:
    """Return the relative norm distance of attribute words.

    Args:
        vectors: of words.
        query: two target sets and one attribute set.
        unit: whether vectors are brought to length 1 first.

    Returns:
        The mean; `by_word` has each attribute word's.

    Raises:
        OptionError: the query has other sets, or one has no word with a vector.
        FormatError: the vector of a word is not finite.
    """
    found = find(vectors, query, "rnd", 2, 1)
    first, second, words = (units(rows) if unit else rows for rows in (*found.targets, *found.attributes))
    away = [np.linalg.norm(words - group.mean(axis=0), axis=1) for group in (first, second)]
    nearer = away[0] - away[1]
    by_word = dict(zip(found.attribute_words[0], nearer.tolist(), strict=True))
    return found.measured("rnd", float(nearer.mean()), by_word=by_word, facts={"unit": unit})
