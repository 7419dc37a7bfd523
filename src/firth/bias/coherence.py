"""The embedding coherence test (ECT): are attribute words ranked alike by their nearness to two groups?

What: attribute words, such as occupations, are ranked by their cosine with the mean of one group, and with that of the
other. Where the vectors make no difference between the groups, the ranks agree.

Objective: with m_1 and m_2 the means of the target sets,

    ect = Spearman's rank correlation of cos(a, m_1) and cos(a, m_2) over the attribute words a

1 is no difference; the more bias, the lower.

Source: Dev and Phillips 2019, "Attenuating bias in word vectors", section 4.

Departures: none.

Cost: |A| + |X| + |Y| vectors of D numbers, and a sort.
"""

import numpy as np

from firth.bias.query import Measured, Query, Vectors, cosines, find
from firth.errors import OptionError
from firth.evaluation.similarity import spearman

FEWEST = 3  # words to rank


def ect(vectors: Vectors, query: Query) -> Measured:
    """Return the rank correlation of attribute words' nearness to two groups.

    Args:
        vectors: of words.
        query: two target sets and one attribute set.

    Returns:
        The correlation; `by_word` has each attribute word's cosine with the first group less that with the second.

    Raises:
        OptionError: the query has other sets, one has no word with a vector, or fewer than three attribute words have.
        FormatError: the vector of a word is not finite.
    """
    found = find(vectors, query, "ect", 2, 1)
    words = found.attribute_words[0]
    if len(words) < FEWEST:
        raise OptionError(f"ect of {query.name}: {len(words)} attribute words with vectors, expected {FEWEST} or more")
    means = np.stack([rows.mean(axis=0) for rows in found.targets])
    near = cosines(found.attributes[0], means)
    by_word = dict(zip(words, (near[:, 0] - near[:, 1]).tolist(), strict=True))
    return found.measured("ect", spearman(near[:, 0], near[:, 1]), by_word=by_word)
