"""Counter-fitting: moves synonyms together and antonyms apart, and keeps neighbours near.

What: antonyms occur in the same contexts, so vectors learned from text place them near each other. Lists of synonyms
and antonyms correct this.

Objective: with d(u, w) = 1 - cos(u, w), tau(x) = max(0, x), x the old and q the new vectors, minimise

    k_a sum_{(u,w) antonyms} tau(delta - d(q_u, q_w))                 antonym repel
  + k_s sum_{(u,w) synonyms} tau(d(q_u, q_w) - gamma)                 synonym attract
  + k_v sum_{(u,w) in N} tau(d(q_u, q_w) - d(x_u, x_w))               vector space preservation

over the pairs N of old neighbours at a distance of at most rho.

Source: Mrksic et al. 2016, "Counter-fitting word vectors to linguistic constraints", section 2, equations 1 to 4;
delta = 1, gamma = 0, rho = 0.2, all k = 0.1 and 20 epochs are theirs.

Departures: an epoch is one step of all words together. A word's step is the mean, not the sum, of the gradients of its
violated terms, and its vector is then normalised to length 1. The authors' program does the same; the paper does not.
The gradient of a neighbouring pair moves both words (in the program, only one). N holds only pairs with at least one
listed word, and only the `neighbours` nearest of each listed word: rare words of a small text have thousands of
neighbours at a cosine above 0.8, which would move nearly all words for no gain (benchmarks/LOG.md). A pair that is both
synonym and antonym counts as antonym, and antonyms are never kept as neighbours.

Cost: 2 D V flops per listed word to find its neighbours; then 6 D flops per pair and epoch, on one thread. Memory: two
copies of the moving words in double precision.
"""

from collections.abc import Iterable
from dataclasses import asdict

import numpy as np
import numpy.typing as npt

from firth import options
from firth.arguments import explained
from firth.errors import OptionError
from firth.options import option, options_class
from firth.postprocess.linear import normalise
from firth.postprocess.transforms import Floats, Matrix, checked_matrix, with_matrix
from firth.postprocess.word_pairs import Pair, WordPairs
from firth.vectors import cosine, neighbours
from firth.vectors.word_vectors import WordVectors

Ids = npt.NDArray[np.int64]

BATCH = 2**14  # pairs per batch of distances


@options_class
class CounterFitting:
    """Options of counter-fitting.

    Raises:
        OptionError: a value is out of its range.
    """

    delta: float = option(1.0, "minimum cosine distance between antonyms", minimum=0, maximum=2)
    gamma: float = option(0.0, "maximum cosine distance between synonyms", minimum=0, maximum=2)
    rho: float = option(0.2, "maximum old cosine distance of neighbours that must not move apart", minimum=0, maximum=2)
    k_antonyms: float = option(0.1, "weight and step size of antonyms", minimum=0, maximum=1)
    k_synonyms: float = option(0.1, "weight and step size of synonyms", minimum=0, maximum=1)
    k_neighbours: float = option(0.1, "weight and step size of old neighbours; 0 ignores them", minimum=0, maximum=1)
    neighbours: int = option(10, "maximum number of old neighbours per listed word", minimum=1)
    epochs: int = option(20, "number of steps of all words", minimum=1)

    def __post_init__(self) -> None:
        options.check(self)


@explained
def counter_fit(
    vectors: WordVectors,
    synonyms: Iterable[Pair] = (),
    antonyms: Iterable[Pair] = (),
    options: CounterFitting | None = None,
) -> WordVectors:
    """Return vectors of length 1 in which synonyms are near each other and antonyms are not.

    Args:
        vectors: vectors of V words.
        synonyms: pairs of words, as returned by `read_word_pairs`; pairs with unknown words are only counted.
        antonyms: pairs of words with opposite meanings.
        options: margins, weights and epochs.

    Raises:
        OptionError: there are no pairs, no pair has two words with vectors, or the vectors are built from n-grams.
        FormatError: a vector is not finite.
    """
    options = options or CounterFitting()
    checked_matrix(vectors)
    apart = WordPairs.of(vectors, antonyms, "pairs of antonyms")
    near = WordPairs.of(vectors, synonyms, "pairs of synonyms").without(apart)
    if not len(near.rows) + len(apart.rows):
        raise OptionError("no pairs to counter-fit to: expected synonyms, antonyms, or both")
    unit = normalise(vectors).vectors
    near_pairs = _neighbour_pairs(unit, near.rows, apart.rows, options)
    new, rows, losses = _fit(unit, (apart.rows, near.rows, near_pairs), options)
    unit[rows] = new
    facts = {
        **asdict(options),
        "antonyms": apart.facts,
        "synonyms": near.facts,
        "neighbour_pairs": len(near_pairs),
        "words_moved": len(rows),
        "objective": [losses[0], losses[-1]],
    }
    return with_matrix(vectors, unit, "counter-fit", facts)


def _fit(unit: Matrix, pairs: tuple[Ids, Ids, Ids], options: CounterFitting) -> tuple[Floats, Ids, list[float]]:
    """Return the new vectors of all words in pairs, their rows, and the objective before each epoch and at the end.

    Args:
        unit: (V, D) of length 1.
    """
    from firth.postprocess.counter_fitting_steps import minimise  # imports the compiler, which is slow

    rows, indices = np.unique(np.concatenate(pairs), return_inverse=True)
    indices = indices.reshape(-1, 2)
    old = np.asarray(cosine.unit(unit[rows].astype(np.float64)), dtype=np.float64)
    antonyms, synonyms, neighbouring = (len(rows_of_pairs) for rows_of_pairs in pairs)
    left, right = indices[antonyms + synonyms :].T
    signs = np.repeat(
        [-options.k_antonyms, options.k_synonyms, options.k_neighbours], [antonyms, synonyms, neighbouring]
    )
    margins = np.repeat([options.delta, options.gamma, 0.0], [antonyms, synonyms, neighbouring])
    margins[antonyms + synonyms :] = _distances(old, left, right)
    new, losses = minimise(old, indices, signs, margins, options.epochs)
    return new, rows, losses


def _distances(rows: Floats, left: Ids, right: Ids) -> Floats:
    distances = np.empty(len(left))
    for start in range(0, len(left), BATCH):
        part = slice(start, start + BATCH)
        distances[part] = 1 - np.einsum("pd,pd->p", rows[left[part]], rows[right[part]])
    return distances


def _neighbour_pairs(unit: Matrix, synonyms: Ids, antonyms: Ids, options: CounterFitting) -> Ids:
    """Return the pairs of near neighbours with at least one listed word, antonyms excluded."""
    if options.k_neighbours == 0 or options.rho == 0:
        return np.empty((0, 2), dtype=np.int64)
    listed_words = np.unique(np.concatenate([synonyms, antonyms]))
    near, scores = neighbours.nearest(unit, cosine.row_norms(unit), unit[listed_words], options.neighbours + 1)
    pairs = np.stack([np.repeat(listed_words, near.shape[1]), near.ravel()], axis=1)
    pairs = pairs[(scores.ravel() >= 1 - options.rho) & (pairs[:, 0] != pairs[:, 1])]
    pairs = np.unique(np.sort(pairs, axis=1), axis=0)
    codes = antonyms @ np.array([len(unit), 1])
    return np.asarray(pairs[~np.isin(pairs @ np.array([len(unit), 1]), codes)])
