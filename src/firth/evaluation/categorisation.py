"""Do near vectors fall into people's categories? Words are clustered, and the clusters set against gold categories.

What: words are parted into as many clusters as there are categories, and the clusters judged by

    purity     1/n sum_k max_c n_ck
    V-measure  2 h c / (h + c),   h = 1 - H(C|K) / H(C),   c = 1 - H(C|K) / H(K) with K and C exchanged

where n_ck of n words of category c stand in cluster k. Both rise with the number of clusters, so that each stands
beside what the same clusters reach with their words exchanged at random: never less than one cluster of all words does.

Objective: spherical k-means', sum_k |sum_{i in k} x_i| = sum_i cos(x_i, m_k(i)) for unit vectors x and the mean
direction m_k of each cluster, to be made as large as possible. Ward's tree, cut at K clusters, is where it starts; then
one word at a time moves to another cluster, the greatest gain first, until no move gains.

Source: Almuhareb and Poesio 2005 for the task and purity's use in it; Rosenberg and Hirschberg 2007, V-measure, for the
second figure; Ward 1963 for the tree; Dhillon, Guan and Kogan 2002, Iterative clustering of high dimensional text data
augmented by local search, for the objective and the moves; Baroni, Dinu and Kruszewski 2014 for words clustered so.

Departures: Baroni et al. take CLUTO's repeated bisections. This start and these moves reached a greater objective than
the best of fifty random starts of k-means on every set and model tried, and have no seed: random starts moved purity
by .02 to .04 from one seed to the next. Nothing looks at the gold but for the number of clusters. Intervals are of the
words, for the clusters found.

Cost: n^2 D for the tree, n (D + K) a move; n^2 / 2 distances of memory.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.evaluation.files import PathLike, named_columns
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.randomness import generator
from firth.resampling import Linear, Mean, Sample, Statistic
from firth.vectors.neighbours import unit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_GAIN = 1e-9  # of a sum of n, below which it is rounding error
_SHUFFLES = 500  # of the random baseline, whose error is then some hundredth of the spread of one shuffle


@dataclass(frozen=True)
class Categories:
    """Words and the category that each belongs to.

    Attributes:
        words: n words.
        categories: n names.
    """

    words: Sequence[str]
    categories: Sequence[str]


def read_categories(path: PathLike) -> Categories:
    """Read words with their categories: a table with the columns `word` and `category`.

    Rows without a word are passed over: some published tables end each category with one.

    Args:
        path: comma- or tab-separated, UTF-8.

    Raises:
        FormatError: a column is missing, a word has no category, or fewer than two categories are left.
        OSError: the file cannot be read.
    """
    rows = [(number, word, category) for number, (word, category) in named_columns(path, ("word", "category")) if word]
    for number, word, category in rows:
        if not category:
            raise FormatError(f"{path} line {number}: no category of {word!r}; expected one, or the row left out")
    categories = [category for _, _, category in rows]
    if len(set(categories)) < 2:
        raise FormatError(f"{path}: {len(set(categories))} categories, expected two or more to tell apart")
    return Categories([word for _, word, _ in rows], categories)


def cluster(vectors: npt.NDArray[np.floating], count: int) -> Ints:
    """Part vectors into clusters of like directions; the same vectors always give the same clusters.

    Args:
        vectors: (n, D), of any length; only their directions matter.
        count: K, how many clusters; no more are made than there are vectors.

    Returns:
        (n,) cluster numbers, below K.

    Source:
        Ward 1963; Dhillon, Guan and Kogan 2002, section 3.2 (first variations).
    """
    points = np.asarray(unit(vectors.astype(np.float64)), dtype=np.float64)
    if min(count, len(points)) < 2:
        return np.zeros(len(points), dtype=np.int64)
    # Only this function needs the part of scipy, which takes a while to load.
    from scipy.cluster.hierarchy import fcluster, linkage

    labels = fcluster(linkage(points, "ward"), count, "maxclust").astype(np.int64) - 1
    return _moved(points, labels, count)


def _moved(points: Floats, labels: Ints, count: int) -> Ints:
    """Move the point whose move gains most, again and again; the objective grows each time, so that this ends."""
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
        From the share of the largest category to 1; NaN for no items.
    """
    table = _table(gold, clusters)
    return float(table.max(axis=0).sum() / table.sum()) if table.size else float("nan")


def v_measure(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> float:
    """Return the harmonic mean of homogeneity and completeness.

    Args:
        gold: (n,) categories, of any type.
        clusters: (n,) clusters.

    Returns:
        From 0 to 1; 1 where there is one category and one cluster, NaN for no items.

    Source:
        Rosenberg and Hirschberg 2007, V-measure: a conditional entropy-based external cluster evaluation measure,
        section 2, with beta = 1.
    """
    return _agreement(_table(gold, clusters))[0]


def _table(gold: npt.ArrayLike, clusters: npt.ArrayLike) -> Ints:
    rows, columns = (np.unique(np.asarray(labels), return_inverse=True)[1] for labels in (gold, clusters))
    return _counts(rows, columns, (rows.max(initial=-1) + 1, columns.max(initial=-1) + 1))


def _counts(rows: Ints, columns: Ints, shape: tuple[int, int]) -> Ints:
    """How many items of each category stand in each cluster (C, K)."""
    return np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)


def _agreement(table: Ints) -> tuple[float, Floats]:
    """The V-measure of a table of counts (C, K), and what leaving out an item of each cell takes from it, n - 1 times.

    Of tables with few items a cell the derivative of V is too small, by a fifth for the named sets: what an item takes
    along when it is gone is not.
    """
    n = int(table.sum())
    if n == 0:
        return float("nan"), np.zeros(table.shape)
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    parts = rows, columns, table
    sums = [_weighed(part).sum() for part in parts]
    less = [total - _weighed(part) + _weighed(part - 1) for total, part in zip(sums, parts, strict=True)]
    value = float(_v_of(n, *(np.array(total) for total in sums)))
    return value, (n - 1) * (value - _v_of(n - 1, *less))


def _weighed(counts: Ints) -> Floats:
    """Each count times its logarithm; nothing for counts of nothing."""
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


def _v_of(n: int, rows: Floats, columns: Floats, cells: Floats) -> Floats:
    """The V-measure of n items from sums of x log x: 2 I / (H(C) + H(K)), I = H(C) + H(K) - H(C, K)."""
    apart = 2 * n * math.log(max(n, 1)) - rows - columns  # n (H(C) + H(K))
    together = n * math.log(max(n, 1)) - cells  # n H(C, K)
    same = apart <= _GAIN  # one category, one cluster
    return np.where(same, 1.0, 2 - 2 * together / np.where(same, 1.0, apart))


def _purity_sample(gold: Ints, clusters: Ints) -> Mean:
    """Purity as the share of words in their cluster's own category, which each cluster keeps."""
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
    """Mean purity and V-measure of these clusters with their words exchanged."""
    random = generator(seed, "shuffled clusters")
    shape = gold.max() + 1, clusters.max() + 1
    tables = [_counts(gold, random.permutation(clusters), shape) for _ in range(_SHUFFLES)]
    pure = np.mean([table.max(axis=0).sum() for table in tables]) / len(gold)
    return float(pure), float(np.mean([_agreement(table)[0] for table in tables]))


def _judge(space: Space, gold: Categories, setting: Setting) -> list[Figure]:
    vectors, known = space.take(gold.words)
    counted = np.ones(len(known), dtype=bool) if setting.unknown == "count" else known
    categories = np.unique(np.array(gold.categories), return_inverse=True)[1]
    clusters = _clusters(vectors, known, categories, setting.seed)[counted]
    categories = categories[counted]
    chance = _by_chance(categories, clusters, setting.seed) if counted.any() else (None, None)
    return [
        Figure(
            metric=metric,
            sample=_sample(make, counted, categories, clusters),
            covered=int(known.sum()),
            total=len(known),
            baseline=baseline,
            baseline_name="random",
        )
        for (metric, make), baseline in zip(MEASURES, chance, strict=True)
    ]


def _sample(make: Make, counted: npt.NDArray[np.bool_], categories: Ints, clusters: Ints) -> Sample:
    return Sample(counted, make(categories, clusters), lambda kept: make(categories[kept], clusters[kept]))


def _clusters(vectors: npt.NDArray[np.floating], known: npt.NDArray[np.bool_], categories: Ints, seed: int) -> Ints:
    """A cluster for every word; words without a vector are dealt out, as by a model that knows nothing."""
    count = len(np.unique(categories[known]))
    clusters = generator(seed, "unknown words").integers(0, max(count, 1), size=len(known))
    clusters[known] = cluster(vectors[known], count)
    return clusters


SUITE = Suite(
    name="categorisation",
    help="words clustered into categories: purity and V-measure",
    sets=("ap", "bless", "esslli-2008"),
    read=read_categories,
    judge=_judge,
)
