"""Counter-fitting: synonyms are drawn together and antonyms driven apart, while neighbours stay neighbours.

What: words that stand in the same places are near in a space that was learned from text, and antonyms stand in the same
places. Lists of synonyms and antonyms put that right.

Objective: with d(u, w) = 1 - cos(u, w), tau(x) = max(0, x), x the old and q the new vectors, make small

    k_a sum_{(u,w) antonyms} tau(delta - d(q_u, q_w))                 antonym repel
  + k_s sum_{(u,w) synonyms} tau(d(q_u, q_w) - gamma)                 synonym attract
  + k_v sum_{(u,w) in N} tau(d(q_u, q_w) - d(x_u, x_w))               vector space preservation

over the pairs N that lay at most rho apart.

Source: Mrksic et al. 2016, "Counter-fitting word vectors to linguistic constraints", section 2, equations 1 to 4;
delta = 1, gamma = 0, rho = 0.2, all k = 0.1 and 20 epochs are theirs.

Departures: an epoch is one step of all words together, and the step of a word is the mean, not the sum, of the
gradients of those of its terms that are not satisfied, whereafter it is brought to length 1: as the authors' program
does, and not in the paper. The gradient of a neighbouring pair moves both of its words (in the program, only one). N
holds the pairs of which one word at least stands in the lists, and of each such word only the `neighbours` nearest:
rare words of a small text have thousands of neighbours at a cosine above 0.8, and theirs have others, so that nearly
all words would be reached for no gain (benchmarks/LOG.md). A pair that is both synonym and antonym counts as antonym,
and no antonyms are kept as neighbours.

Cost: 2 D V flops a listed word for its neighbours; then 6 D flops a pair and epoch, on one thread. In memory, the words
that move in double precision, twice.
"""

from collections.abc import Iterable
from dataclasses import asdict

import numpy as np
import numpy.typing as npt

from firth import options
from firth.errors import OptionError
from firth.options import option, options_class
from firth.postprocess.linear import normalise
from firth.postprocess.recorded import Floats, Matrix, matrix_of, remade
from firth.postprocess.word_pairs import Pair, WordPairs
from firth.vectors import cosine, neighbours
from firth.vectors.word_vectors import WordVectors

Ids = npt.NDArray[np.int64]

TOGETHER = 2**14  # pairs whose distances are computed at once


@options_class
class CounterFitting:
    """How words are drawn together and driven apart.

    Raises:
        OptionError: a value is out of its range.
    """

    delta: float = option(1.0, "distance that antonyms should have at least", minimum=0, maximum=2)
    gamma: float = option(0.0, "distance that synonyms should have at most", minimum=0, maximum=2)
    rho: float = option(0.2, "greatest old distance that is kept from growing", minimum=0, maximum=2)
    k_antonyms: float = option(0.1, "weight of antonyms, and length of their step", minimum=0, maximum=1)
    k_synonyms: float = option(0.1, "weight of synonyms, and length of their step", minimum=0, maximum=1)
    k_neighbours: float = option(0.1, "weight of old neighbours; 0 lets them go", minimum=0, maximum=1)
    neighbours: int = option(10, "old neighbours of a word that are kept at most", minimum=1)
    epochs: int = option(20, "steps of all words", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)


def counter_fit(
    vectors: WordVectors,
    synonyms: Iterable[Pair] = (),
    antonyms: Iterable[Pair] = (),
    how: CounterFitting | None = None,
) -> WordVectors:
    """Return vectors of length 1 in which synonyms are near and antonyms are not.

    Args:
        vectors: V words.
        synonyms: pairs of words, such as `read_word_pairs` reads; those with unknown words are counted.
        antonyms: the same of opposites.
        how: margins, weights and epochs.

    Raises:
        OptionError: there are no pairs, none has two words with vectors, or the vectors are made of n-grams.
        FormatError: a vector is not finite.
    """
    how = how or CounterFitting()
    matrix_of(vectors)
    apart = WordPairs.of(vectors, antonyms, "pairs of antonyms")
    near = WordPairs.of(vectors, synonyms, "pairs of synonyms").without(apart)
    if not len(near.rows) + len(apart.rows):
        raise OptionError("no pairs to counter-fit to: expected synonyms, antonyms, or both")
    unit = normalise(vectors).vectors
    kept = _kept_neighbours(unit, near.rows, apart.rows, how)
    new, rows, losses = _moved(unit, (apart.rows, near.rows, kept), how)
    unit[rows] = new
    facts = {
        **asdict(how),
        "antonyms": apart.facts,
        "synonyms": near.facts,
        "neighbour_pairs": len(kept),
        "words_moved": len(rows),
        "objective": [losses[0], losses[-1]],
    }
    return remade(vectors, unit, "counter-fit", facts)


def _moved(unit: Matrix, pairs: tuple[Ids, Ids, Ids], how: CounterFitting) -> tuple[Floats, Ids, list[float]]:
    """Return the words that stand in a pair, moved; their rows; and the objective before each epoch and at the end.

    Args:
        unit: (V, D) of length 1.
        pairs: antonyms, synonyms and neighbours.
        how: margins, weights and epochs.
    """
    from firth.postprocess.attraction import descended  # which waits for a compiler

    rows, places = np.unique(np.concatenate(pairs), return_inverse=True)
    places = places.reshape(-1, 2)
    old = np.asarray(cosine.unit(unit[rows].astype(np.float64)), dtype=np.float64)
    antonyms, synonyms, kept = (len(each) for each in pairs)
    one, other = places[antonyms + synonyms :].T
    signs = np.repeat([-how.k_antonyms, how.k_synonyms, how.k_neighbours], [antonyms, synonyms, kept])
    margins = np.repeat([how.delta, how.gamma, 0.0], [antonyms, synonyms, kept])
    margins[antonyms + synonyms :] = _distances(old, one, other)
    new, losses = descended(old, places, signs, margins, how.epochs)
    return new, rows, losses


def _distances(rows: Floats, one: Ids, other: Ids) -> Floats:
    found = np.empty(len(one))
    for start in range(0, len(one), TOGETHER):
        some = slice(start, start + TOGETHER)
        found[some] = 1 - np.einsum("pd,pd->p", rows[one[some]], rows[other[some]])
    return found


def _kept_neighbours(unit: Matrix, synonyms: Ids, antonyms: Ids, how: CounterFitting) -> Ids:
    """Return the pairs of near neighbours of which one word at least stands in the lists."""
    if how.k_neighbours == 0 or how.rho == 0:
        return np.empty((0, 2), dtype=np.int64)
    listed = np.unique(np.concatenate([synonyms, antonyms]))
    near, scores = neighbours.nearest(unit, cosine.row_norms(unit), unit[listed], how.neighbours + 1)
    pairs = np.stack([np.repeat(listed, near.shape[1]), near.ravel()], axis=1)
    pairs = pairs[(scores.ravel() >= 1 - how.rho) & (pairs[:, 0] != pairs[:, 1])]
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    codes = antonyms @ np.array([len(unit), 1])
    return np.asarray(pairs[~np.isin(pairs @ np.array([len(unit), 1]), codes)])
