"""Mean average cosine (MAC): how far target words are from sets of attribute words, on average.

What: for groups that are more than two, such as religions. Every target word has a mean cosine distance to every
attribute set; the figure is the mean of all.

Objective: for target words t of all sets T and attribute sets A_j,

    mac = mean over t and j of  1/|A_j| sum_{a in A_j} (1 - cos(t, a))

1 is what words without any relation have; below 1, targets and attributes are alike on average. It does not say which
group is tied to which attribute.

Source: Manzini, Lim, Tsvetkov and Black 2019, "Black is to criminal as Caucasian is to police", section 3.

Departures: none.

Cost: a cosine for each target and attribute word.
"""

import numpy as np

from firth.bias.query import Measured, Query, Vectors, cosines, find


def mac(vectors: Vectors, query: Query) -> Measured:
    """Return the mean cosine distance of target words from attribute sets.

    Args:
        vectors: of words.
        query: one or more target sets, and one or more attribute sets.

    Returns:
        The mean; `by_word` has each target word's.

    Raises:
        OptionError: the query has no sets, or one has no word with a vector.
        FormatError: the vector of a word is not finite.
    """
    found = find(vectors, query, "mac", None, None)
    targets = np.concatenate(found.targets)
    away = np.stack([1 - cosines(targets, rows).mean(axis=1) for rows in found.attributes]).mean(axis=0)
    words = [word for words in found.target_words for word in words]
    return found.measured("mac", float(away.mean()), by_word=dict(zip(words, away.tolist(), strict=True)))
