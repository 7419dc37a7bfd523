"""Double-hard debiasing: remove a component of word frequency, then hard debiasing.

What: word frequency is a component of the vectors and distorts the bias direction. One of the top principal components
is removed: the one after which hard debiasing leaves the biased words hardest to cluster by their side.

Objective: with mean mu, principal components u_1 .. u_k of the centred vectors, and the most biased words W_b,

    w_i     = (w - mu) - (u_i . w) u_i                                       for i = 1 .. k
    i*      = argmin_i  accuracy of two clusters of { w_i - (w_i . g) g : w in W_b } against their side
    result    hard debiasing of w_{i*} along g

Source: Wang, Lin, Rajani, McCann, Ordonez and Xiong 2020, "Double-hard debias: tailoring word embeddings for gender
bias mitigation", algorithm 1.

Departures: g is computed from the original vectors, as in wefe. The component and the mean are removed from all words;
wefe changes only the most biased words, which puts them into another space than the rest. Clusters are those of
`evaluation.categorisation` and deterministic.

Cost: one eigendecomposition of (D, D), k clusterings of 2n words, and hard debiasing.
"""

from collections.abc import Iterable

import numpy as np

from firth.bias.direction import bias_direction, biased_words
from firth.bias.hard_debiasing import Pairs, debias_along
from firth.bias.recovery import clusters_agree
from firth.directions.axis import Axis
from firth.errors import OptionError
from firth.postprocess.linear import PrincipalComponents, principal_components
from firth.postprocess.transforms import Floats, checked_matrix, map_rows, with_matrix
from firth.vectors.word_vectors import WordVectors

COMPONENTS = 4
COUNT = 500  # most biased words per side


def double_hard_debias(
    vectors: WordVectors,
    pairs: Pairs,
    *,
    equalise_pairs: Pairs | None = None,
    specific: Iterable[str] = (),
    components: int = COMPONENTS,
    count: int = COUNT,
) -> WordVectors:
    """Return normalised vectors without a frequency component and without the bias direction.

    Args:
        vectors: V words, the most frequent first.
        pairs: definitional pairs, such as ("she", "he").
        equalise_pairs: pairs that should differ in the direction alone; None is the definitional ones.
        specific: words that keep the direction.
        components: number of principal components to try.
        count: most biased words per side, which select the component.

    Raises:
        OptionError: `components` is not from 1 to D, or as in `hard_debias`.
        FormatError: a vector is not finite.
    """
    defining, protected = list(pairs), set(specific)
    matrix = checked_matrix(vectors)
    if not 1 <= components <= vectors.dim:
        raise OptionError(f"components={components}: expected from 1 to {vectors.dim}, the dimension of the vectors")
    along = bias_direction(vectors, defining)
    pca = principal_components(matrix)
    agreements = _agreements(vectors, along, pca, components, count, protected)
    component = int(np.argmin(agreements))

    def without(rows: Floats, _: slice) -> Floats:
        return _remove_component(rows, pca, component)

    facts = {"component": component + 1, "clusters_agree": agreements}
    freed = with_matrix(vectors, map_rows(matrix, vectors.dim, without), "remove-frequency", facts)
    return debias_along(freed, along, defining, list(defining if equalise_pairs is None else equalise_pairs), protected)


def _agreements(
    vectors: WordVectors, along: Axis, pca: PrincipalComponents, components: int, count: int, specific: set[str]
) -> list[float]:
    biased = biased_words(vectors, along, count, without=specific)
    rows, g = vectors.vectors[biased.rows].astype(np.float64), along.direction
    freed = (_remove_component(rows, pca, i) for i in range(components))
    return [clusters_agree(rows - np.outer(rows @ g, g), biased.labels) for rows in freed]


def _remove_component(rows: Floats, pca: PrincipalComponents, component: int) -> Floats:
    u = pca.directions[:, component]
    return np.asarray(rows - pca.mean - np.outer(rows @ u, u))
