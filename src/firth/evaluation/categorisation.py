"""Concept categorisation: words are clustered, and the clusters compared with gold categories.

What: words are clustered; the number of clusters is that of the categories. The metrics are

    purity     1/n sum_k max_c n_ck
    V-measure  2 h c / (h + c),   h = 1 - H(C|K) / H(C),   c = 1 - H(C|K) / H(K) with K and C exchanged

where n_ck of n words of category c are in cluster k. Both increase with the number of clusters. The baseline therefore
scores clusters of the same sizes with the words shuffled, which is at least the score of one cluster of all words.

Objective: that of spherical k-means: maximise sum_k |sum_{i in k} x_i| = sum_i cos(x_i, m_k(i)) for unit vectors x and
the mean direction m_k of each cluster. The initial clusters are Ward's tree, cut at K clusters. Then one word at a time
moves to another cluster, the greatest gain first, until no move improves the objective.

Source: Almuhareb and Poesio 2005 for the task with purity; Rosenberg and Hirschberg 2007 for the V-measure; Ward 1963
for the tree; Dhillon, Guan and Kogan 2002, Iterative clustering of high dimensional text data augmented by local
search, for the objective and the moves; Baroni, Dinu and Kruszewski 2014 for the evaluation of word vectors.

Departures: Baroni et al. use CLUTO's repeated bisections. Ward's tree with these moves reached a greater objective than
the best of fifty random starts of k-means on every set and model tried, and is deterministic. Of the gold categories
only their number is used for clustering. Intervals resample the words and keep the clusters.

Cost: n^2 D for the tree, n (D + K) a move; n^2 / 2 distances of memory.
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.randomness import generator
from firth.readers.categories import Categories, read_categories
from firth.resampling import Linear, Mean, Sample, Statistic
from firth.vectors.cosine import unit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_GAIN = 1e-9  # smaller gains, of a sum of n, are rounding errors
_SHUFFLES = 500  # shuffles of the random baseline


def cluster(vectors: npt.NDArray[np.floating], count: int) -> Ints:
    """Cluster vectors by direction; deterministic.

    Args:
        vectors: (n, D), of any length; only their directions matter.
        count: K, the number of clusters; at most the number of vectors.

    Returns:
        (n,) cluster numbers, below K.

    Source:
        Ward 1963; Dhillon, Guan and Kogan 2002, section 3.2 (first variations).
    """
    points = np.asarray(unit(vectors.astype(np.float64)), dtype=np.float64)
    if min(count, len(points)) < 2:
        return np.zeros(len(points), dtype=np.int64)
    # imported here, because it takes a while to load
    from scipy.cluster.hierarchy import fcluster, linkage

    labels = fcluster(linkage(points, "ward"), count, "maxclust").astype(np.int64) - 1
    return _local_search(points, labels, count)


def _local_search(points: Floats, labels: Ints, count: int) -> Ints:
    """Repeat the move with the greatest gain; ends, because the objective increases each time."""
    everyone, squares = np.arange(len(points)), (points**2).sum(axis=1)
    sums = (np.arange(count)[:, None] == labels) @ points
    products = points @ sums.T
    while True:
        of_sum = (sums**2).sum(axis=1)
        lengths = np.sqrt(of_sum)
        gains = np.sqrt(np.maximum(of_sum + 2 * products + squares[:, None], 0)) - lengths
        own = of_sum[labels] - 2 * products[everyone, labels] + squares
        losses = lengths[labels] - np.sqrt(np.maximum(own, 0))
        gains[everyone, labels] = losses
        net = gains - losses[:, None]
        point, new = divmod(int(net.argmax()), count)
        if net[point, new] < _GAIN:
            return labels
        changed = [labels[point], new]
        sums[changed] += np.array([[-1], [1]]) * points[point]
        products[:, changed] = points @ sums[changed].T
        labels[point] = new


def purity(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> float:
    """Return the share of items that belong to the most frequent category of their cluster.

    Args:
        gold: (n,) categories, of any type.
        clusters: (n,) clusters.

    Returns:
        At least the share of the largest category, at most 1; NaN for no items.
    """
    table = _table(gold, clusters)
    return float(table.max(axis=0).sum() / table.sum()) if table.size else float("nan")


def v_measure(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> float:
    """Return the harmonic mean of homogeneity and completeness.

    Args:
        gold: (n,) categories, of any type.
        clusters: (n,) clusters.

    Returns:
        From 0 to 1; 1 for one category and one cluster, NaN for no items.

    Source:
        Rosenberg and Hirschberg 2007, V-measure: a conditional entropy-based external cluster evaluation measure,
        section 2, with beta = 1.
    """
    return _agreement(_table(gold, clusters))[0]


def _table(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> Ints:
    rows, columns = (np.unique(np.asarray(labels), return_inverse=True)[1] for labels in (gold, clusters))
    return _counts(rows, columns, (rows.max(initial=-1) + 1, columns.max(initial=-1) + 1))


def _counts(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Ints:
    """Contingency table of categories and clusters, (C, K)."""
    return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)


def _agreement(table: Ints) -> tuple[float, Floats]:
    """The V-measure of a contingency table (C, K), and the jackknife influence of an item of each cell.

    The influence is (n - 1) times the decrease when the item is left out. With few items per cell the derivative of V
    is too small, by a fifth for the named sets; the jackknife is not.
    """
    n = int(table.sum())
    if n == 0:
        return float("nan"), np.zeros(table.shape)
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    parts = rows, columns, table
    sums = [_x_log_x(part).sum() for part in parts]
    less = [total - _x_log_x(part) + _x_log_x(part - 1) for total, part in zip(sums, parts, strict=True)]
    value = float(_v_of(n, *(np.array(total) for total in sums)))
    return value, (n - 1) * (value - _v_of(n - 1, *less))


def _x_log_x(counts: Ints) -> Floats:
    """X log x of counts; 0 for 0."""
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


def _v_of(n: int, rows: Floats, columns: Floats, cells: Floats) -> Floats:
    """The V-measure of n items from sums of x log x: 2 I / (H(C) + H(K)), I = H(C) + H(K) - H(C, K)."""
    apart = 2 * n * math.log(max(n, 1)) - rows - columns  # n (H(C) + H(K))
    together = n * math.log(max(n, 1)) - cells  # n H(C, K)
    same = apart <= _GAIN  # one category, one cluster
    return np.where(same, 1.0, 2 - 2 * together / np.where(same, 1.0, apart))


def _purity_sample(gold: Ints, clusters: Ints) -> Mean:
    """Purity as a mean over words; each cluster keeps its majority category in resamples."""
    table = _counts(gold, clusters, (gold.max(initial=-1) + 1, clusters.max(initial=-1) + 1))
    own = table.argmax(axis=0) if table.size else clusters
    return Mean((own[clusters] == gold).astype(np.float64))


def _agreement_sample(gold: Ints, clusters: Ints) -> Linear:
    value, influences = _agreement(_counts(gold, clusters, (gold.max(initial=-1) + 1, clusters.max(initial=-1) + 1)))
    of_word = influences[gold, clusters]
    return Linear(value, of_word - of_word.mean() if len(of_word) else of_word)


Make = Callable[[Ints, Ints], Statistic]
MEASURES: tuple[tuple[str, Make], ...] = (("purity", _purity_sample), ("v-measure", _agreement_sample))


def _by_chance(gold: Ints, clusters: Ints, seed: int) -> tuple[float, float]:
    """Mean purity and V-measure of these clusters with their words shuffled."""
    random = generator(seed, "shuffled clusters")
    shape = gold.max() + 1, clusters.max() + 1
    tables = [_counts(gold, random.permutation(clusters), shape) for _ in range(_SHUFFLES)]
    pure = np.mean([table.max(axis=0).sum() for table in tables]) / len(gold)
    return float(pure), float(np.mean([_agreement(table)[0] for table in tables]))


@as_suite("categorisation", ("ap", "bless", "esslli-2008"), read_categories)
def suite(space: Space, gold: Categories, options: EvaluationOptions) -> list[Score]:
    """Concept categorisation, clusters of words against categories: purity and V-measure."""
    vectors, covered_mask = space.lookup(gold.words)
    mask = options.counted(covered_mask)
    categories = np.unique(np.array(gold.categories), return_inverse=True)[1]
    clusters = _clusters(vectors, covered_mask, categories, options.seed)[mask]
    categories = categories[mask]
    chance = _by_chance(categories, clusters, options.seed) if mask.any() else (None, None)
    return [
        Score(
            metric=metric,
            sample=_sample(make, mask, categories, clusters),
            covered=int(covered_mask.sum()),
            total=len(covered_mask),
            baseline=baseline,
            baseline_name="random",
        )
        for (metric, make), baseline in zip(MEASURES, chance, strict=True)
    ]


def _sample(make: Make, mask: npt.NDArray[np.bool_], categories: Ints, clusters: Ints) -> Sample:
    return Sample(mask, make(categories, clusters), lambda subset: make(categories[subset], clusters[subset]))


def _clusters(vectors: npt.NDArray[np.floating], covered: npt.NDArray[np.bool_], categories: Ints, seed: int) -> Ints:
    """A cluster for every word; words without a vector get a random one, as from a model that knows nothing."""
    count = len(np.unique(categories[covered]))
    clusters = generator(seed, "unknown words").integers(0, max(count, 1), size=len(covered))
    clusters[covered] = cluster(vectors[covered], count)
    return clusters
