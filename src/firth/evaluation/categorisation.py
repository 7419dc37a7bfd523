"""Do near vectors fall into people's categories? Words are clustered, and the clusters set against gold categories.

What: words are parted into as many clusters as there are categories by spherical k-means, and the clusters judged by

    purity     1/n sum_k max_c n_ck
    V-measure  2 h c / (h + c),   h = 1 - H(C|K) / H(C),   c = 1 - H(C|K) / H(K) with K and C exchanged

where n_ck of n words of category c stand in cluster k. Both rise with the number of clusters, so that each stands
beside what the same clusters reach with their words exchanged at random: never less than one cluster of all words does.

Objective: sum_i cos(x_i, m_k(i)), m_k the mean direction of cluster k, to be made as large as possible.

Source: Almuhareb and Poesio 2005 for the task and purity's use in it; Rosenberg and Hirschberg 2007, V-measure, for the
second figure; Dhillon and Modha 2001, Concept decompositions for large sparse text data, for spherical k-means; Arthur
and Vassilvitskii 2007 for its starts; Baroni, Dinu and Kruszewski 2014 for words as clustered here.

Departures: Baroni et al. take CLUTO's repeated bisections; spherical k-means has the same objective over all clusters
at once, and of many starts the one with the greatest objective is kept, never the one that agrees with the gold.
Intervals are of the words, for the clusters found: they do not say how another start would come out.

Cost: n D K a pass for n words and K clusters, some 15 passes a start.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.evaluation.files import PathLike, named_columns
from firth.evaluation.resampling import Linear, Mean, Sample, Statistic
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.randomness import generator
from firth.vectors.neighbours import unit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

STARTS = 50
_PASSES = 100
_CELLS = 1 << 22  # cosines of points with centres held at once
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


def cluster(vectors: npt.NDArray[np.floating], count: int, *, starts: int = STARTS, seed: int = 0) -> Ints:
    """Part vectors into clusters by spherical k-means.

    Args:
        vectors: (n, D), of any length; only their directions matter.
        count: K, how many clusters; no more are made than there are vectors.
        starts: how often to begin anew; the result with the greatest objective is kept.
        seed: one seed gives one result.

    Returns:
        (n,) cluster numbers, below K.

    Source:
        Dhillon and Modha 2001, algorithm in section 3; starts by Arthur and Vassilvitskii 2007, with 1 - cos for the
        squared distance.
    """
    points = _unit(vectors)
    count = min(count, len(points))
    if count == 0:
        return np.zeros(0, dtype=np.int64)
    random = generator(seed, "k-means")
    at_once = max(1, _CELLS // (len(points) * count))
    found = [
        _settled(points, _spread(points, min(at_once, starts - start), count, random))
        for start in range(0, starts, at_once)
    ]
    labels, objectives = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return np.asarray(labels[objectives.argmax()])


def _unit(rows: npt.NDArray[np.floating]) -> Floats:
    return np.asarray(unit(rows.astype(np.float64)), dtype=np.float64)


def _spread(points: Floats, starts: int, count: int, random: np.random.Generator) -> Floats:
    """Centres to start from (S, K, D): points drawn one by one, those far from all drawn before more often."""
    drawn = random.integers(len(points), size=(starts, 1))
    far = np.full((starts, len(points)), 2.0)
    while drawn.shape[1] < count:
        far = np.minimum(far, np.maximum(1 - points[drawn[:, -1]] @ points.T, 0))
        np.put_along_axis(far, drawn, 0, axis=1)
        far[far.sum(axis=1) == 0] = 1
        steps = np.cumsum(far, axis=1)
        thrown = random.random((starts, 1)) * steps[:, -1:]
        drawn = np.hstack([drawn, (steps <= thrown).sum(axis=1, keepdims=True).clip(max=len(points) - 1)])
    return points[drawn]


def _settled(points: Floats, centres: Floats) -> tuple[Ints, Floats]:
    """Clusters (S, n) that no pass changes any more, and the sums of cosines with their centres (S,)."""
    starts, count, dim = centres.shape
    labels = np.full((starts, len(points)), -1)
    for _ in range(_PASSES):
        cosines = (points @ centres.reshape(-1, dim).T).reshape(len(points), starts, count)
        new = cosines.argmax(axis=2).T
        if (new == labels).all():
            break
        labels = new
        members = (labels[:, None, :] == np.arange(count)[:, None]).astype(np.float64)  # (S, K, n)
        centres = _unit((members.reshape(-1, len(points)) @ points).reshape(centres.shape))
        _refill(points, centres, members, cosines.max(axis=2).T)
    return labels, cosines.max(axis=2).sum(axis=0)


def _refill(points: Floats, centres: Floats, members: Floats, fit: Floats) -> None:
    """Clusters that lost all their points begin again at those that fit their own clusters least."""
    empty = members.sum(axis=2) == 0
    for start in np.flatnonzero(empty.any(axis=1)):
        own = np.flatnonzero(empty[start])
        centres[start, own] = points[fit[start].argsort(kind="stable")[: len(own)]]


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
    """The V-measure of a table of counts, and the influence of an item of each cell.

    With I the mutual information, V = 2 I / (H(C) + H(K)); an item of a cell with the shares p of the cell, a of its
    row and b of its column moves I by log(p / ab) - I, H(C) by -log a - H(C), H(K) by -log b - H(K).
    """
    if not table.size:
        return float("nan"), np.zeros(table.shape)
    shares = table / table.sum()
    rows, columns = shares.sum(axis=1, keepdims=True), shares.sum(axis=0, keepdims=True)
    pointwise = _log(shares) - np.where(shares > 0, _log(rows) + _log(columns), 0)
    information = float((shares * pointwise).sum())
    entropy = -float((rows * _log(rows)).sum() + (columns * _log(columns)).sum())
    if entropy == 0:
        return 1.0, np.zeros(table.shape)
    value = 2 * information / entropy
    moved = pointwise - information, -_log(rows) - _log(columns) - entropy
    return value, (2 * moved[0] - value * moved[1]) / entropy


def _log(shares: Floats) -> Floats:
    """Logarithms; 0 for shares of nothing, which weigh nothing."""
    return np.asarray(np.log(np.where(shares > 0, shares, 1)))


def _purity_sample(gold: Ints, clusters: Ints) -> Mean:
    """Purity as the share of words in their cluster's own category, which each cluster keeps."""
    table = _counts(gold, clusters, (gold.max(initial=-1) + 1, clusters.max(initial=-1) + 1))
    own = table.argmax(axis=0) if table.size else clusters
    return Mean((own[clusters] == gold).astype(np.float64))


def _agreement_sample(gold: Ints, clusters: Ints) -> Linear:
    value, influences = _agreement(_counts(gold, clusters, (gold.max(initial=-1) + 1, clusters.max(initial=-1) + 1)))
    return Linear(value, influences[gold, clusters])


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
    clusters[known] = cluster(vectors[known], count, seed=seed)
    return clusters


SUITE = Suite(
    name="categorisation",
    help="words clustered into categories: purity and V-measure",
    sets=("ap", "bless", "esslli-2008"),
    read=read_categories,
    judge=_judge,
)
