"""Do the numbers of a vector mean what linguists mean? Vectors beside a table of linguistic features of the same words.

What: X (n, D) holds the vectors of n words, S (n, M) how often each word bears each of M linguistic features, such as
supersenses or parts of speech. Two figures:

    qvec      sum_i max_j r(X_i, S_j): each column of X aligned with the column of S that it correlates with most
    qvec-cca  the mean of the canonical correlations of X and S, rows brought to length 1 and columns centred

A column of X has one feature, a feature may have many columns. qvec is of the columns as they stand: it grows with D, a
rotation changes it, and figures of different widths do not compare. qvec-cca is the same for every rotation, but rises
with D / n as chance finds more: compare it with its baseline, the same vectors dealt out to other words.

Source: Tsvetkov, Faruqui, Ling, Lample and Dyer 2015, Evaluation of word vector representations by subspace alignment,
section 2; Tsvetkov, Faruqui and Dyer 2016, Correlation-based intrinsic evaluation of word vector representations,
section 3. Influences of a correlation by Devlin, Gnanadesikan and Kettenring 1975, of canonical ones by Romanazzi 1992.

Departures: as in the authors' programs, every column is aligned, even one whose best correlation is negative, and
qvec-cca is the mean of all canonical correlations where the paper has one. A feature or a number that is the same for
all words correlates with nothing (their program has NaN). Canonical correlations are as many as the lower of the two
ranks; their program takes the number of columns, so that a column that repeats others adds a direction of rounding
errors. Intervals are to first order: resamples with repeated words correlate more than any sample of new ones would.

Cost: n D M for qvec, n (D^2 + M^2) for qvec-cca.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.evaluation.files import PathLike, lines
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.randomness import generator
from firth.resampling import Linear, Sample
from firth.storage.untrusted import parse_json
from firth.vectors.neighbours import unit

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_SHUFFLES = 10  # of the baseline; each is a mean over all columns, so that few are enough
_ROUNDING = 1e-7  # of a vector's length: directions in which words differ less are what float32 left of none


@dataclass(frozen=True)
class Oracle:
    """Words and their linguistic features.

    Attributes:
        words: n words.
        features: M names.
        matrix: (n, M) float64, 0 where a word lacks the feature.
    """

    words: Sequence[str]
    features: Sequence[str]
    matrix: Floats


def read_oracle(path: PathLike) -> Oracle:
    """Read an oracle of QVec: a word, a tab and a JSON object of the word's features, one word a line.

    Args:
        path: the file, UTF-8, such as `semcor_noun_verb.supersenses.en`.

    Raises:
        FormatError: a line is something else, a feature is no finite number, or a word stands twice.
        OSError: the file cannot be read.
    """
    of: dict[str, dict[str, float]] = {}
    for number, line in lines(path, comments=False):
        word, _, text = line.partition("\t")
        if word in of:
            raise FormatError(f"{path} line {number}: {word!r} stands on an earlier line too, expected each word once")
        of[word] = _features(text, f"{path} line {number}")
    columns = {name: place for place, name in enumerate(dict.fromkeys(name for some in of.values() for name in some))}
    matrix = np.zeros((len(of), len(columns)))
    for row, some in enumerate(of.values()):
        matrix[row, [columns[name] for name in some]] = list(some.values())
    return Oracle(list(of), list(columns), matrix)


def _features(text: str, where: str) -> dict[str, float]:
    try:
        found = parse_json(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise FormatError(f'{where}: {text[:40]!r}, expected a word, a tab and features such as {{"noun.animal": 0.5}}')
    for name, value in found.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise FormatError(f"{where}: feature {name!r} is {value!r}, expected a finite number")
    return found


def align(vectors: npt.NDArray[np.floating], oracle: npt.NDArray[np.floating]) -> tuple[npt.NDArray[np.intp], Floats]:
    """Align each number of the vectors with the linguistic feature that it correlates with most.

    Args:
        vectors: (n, D), of words as they are, not brought to length 1.
        oracle: (n, M), features of the same words.

    Returns:
        (D,) columns of the oracle, among equals the first, and (D,) the correlations; 0 with what is constant.
    """
    products = _standard(vectors).T @ _standard(oracle)
    return products.argmax(axis=1), products.max(axis=1)


def qvec(vectors: npt.NDArray[np.floating], oracle: npt.NDArray[np.floating]) -> float:
    """Return QVec: the sum of the correlations of aligned columns.

    Args:
        vectors: (n, D), of words as they are, not brought to length 1.
        oracle: (n, M), features of the same words.

    Returns:
        From -D to D; NaN for fewer than two words.

    Source:
        Tsvetkov et al. 2015, section 2.
    """
    return _linear(QVEC, vectors, oracle).value


def qvec_cca(vectors: npt.NDArray[np.floating], oracle: npt.NDArray[np.floating]) -> float:
    """Return QVec-CCA: the mean of the canonical correlations of vectors and features.

    Args:
        vectors: (n, D), of any length; they are brought to length 1.
        oracle: (n, M), features of the same words.

    Returns:
        From 0 to 1; NaN for fewer than two words. With fewer words than columns it is 1 whatever the vectors.

    Source:
        Tsvetkov et al. 2016, section 3.
    """
    return _linear(CCA, vectors, oracle).value


def _standard(matrix: npt.NDArray[np.floating]) -> Floats:
    """Columns centred and brought to length 1, so that products are correlations; constant ones are zero."""
    centred = matrix - matrix.mean(axis=0, dtype=np.float64)
    lengths = np.linalg.norm(centred, axis=0)
    # What is left of a constant column is rounding error.
    same = lengths <= 1e-12 * np.abs(matrix).max(axis=0, initial=0) * math.sqrt(len(matrix))
    return np.asarray(np.where(same, 0, centred / np.where(same, 1, lengths)))


def _directions(matrix: npt.NDArray[np.floating]) -> Floats:
    """An orthonormal basis of what the columns span, rows brought to length 1 and columns centred (n, rank)."""
    rows = unit(matrix.astype(np.float64))
    columns = rows - rows.mean(axis=0)
    for _ in range(2):  # once leaves the square of the rounding error of the shortest direction, twice leaves none
        squares, turned = np.linalg.eigh(columns.T @ columns)
        kept = squares > _ROUNDING**2 * len(rows)
        columns = columns @ (turned[:, kept] / np.sqrt(squares[kept]))
    return np.asarray(columns)


Pairs = tuple[Floats, Floats, Floats]  # (d,) correlations, and the columns that have them: (D, d) and (M, d) weights


def _aligned(products: Floats) -> Pairs:
    best = products.argmax(axis=1)
    return products.max(axis=1), np.eye(len(products)), np.eye(products.shape[1])[:, best]


def _canonical(products: Floats) -> Pairs:
    left, correlations, right = np.linalg.svd(products, full_matrices=False)
    return np.minimum(correlations, 1), left, right.T  # rounding errors end above 1


@dataclass(frozen=True)
class _Measure:
    """A figure of this file.

    Attributes:
        metric: its name.
        ready: columns, of words in rows, to columns of mean 0 and length 1.
        match: the products of the vectors' columns with the oracle's, to pairs that are correlated.
        mean: whether the correlations of the pairs are averaged, and not added.
    """

    metric: str
    ready: Callable[[npt.NDArray[np.floating]], Floats]
    match: Callable[[Floats], Pairs]
    mean: bool

    def figure(self, x: Floats, s: Floats) -> float:
        """The figure of columns made ready."""
        correlations = self.match(x.T @ s)[0]
        return float(correlations.mean() if self.mean and len(correlations) else correlations.sum())

    def linear(self, x: Floats, s: Floats) -> Linear:
        """The figure and the influence of each word; a pair stays as it is matched, as what is greatest moves first."""
        correlations, left, right = self.match(x.T @ s)
        one, other = x @ left, s @ right
        moved = len(x) * (one * other - correlations / 2 * (one**2 + other**2)).sum(axis=1)
        total, share = correlations.sum(), 1 / max(len(correlations), 1) if self.mean else 1
        return Linear(float(total * share), moved * share)


QVEC = _Measure("qvec", _standard, _aligned, mean=False)
CCA = _Measure("qvec-cca", _directions, _canonical, mean=True)


def _linear(measure: _Measure, vectors: npt.NDArray[np.floating], oracle: npt.NDArray[np.floating]) -> Linear:
    if len(vectors) < 2:
        return Linear(math.nan, np.zeros(len(vectors)))
    return measure.linear(measure.ready(vectors), measure.ready(oracle))


def _judge(space: Space, gold: Oracle, setting: Setting) -> list[Figure]:
    vectors, known = space.take(gold.words, lengths=True)
    counted = np.ones(len(known), dtype=bool) if setting.unknown == "count" else known
    return [_judged(measure, vectors, gold.matrix, known, counted, setting.seed) for measure in (QVEC, CCA)]


def _judged(
    measure: _Measure, vectors: npt.NDArray[np.floating], oracle: Floats, known: Mask, counted: Mask, seed: int
) -> Figure:
    vectors, oracle = vectors[counted], oracle[counted]
    if len(vectors) < 2:
        linear, chance = Linear(math.nan, np.zeros(len(vectors))), None
    else:
        x, s = measure.ready(vectors), measure.ready(oracle)
        linear, chance = measure.linear(x, s), _by_chance(measure, x, s, seed)
    return Figure(
        metric=measure.metric,
        sample=Sample(counted, linear, lambda kept: _linear(measure, vectors[kept], oracle[kept])),
        covered=int(known.sum()),
        total=len(known),
        baseline=chance,
        baseline_name="random",
    )


def _by_chance(measure: _Measure, x: Floats, s: Floats, seed: int) -> float:
    """The figure of columns made ready, when words are dealt out anew."""
    random = generator(seed, "shuffled words")
    return float(np.mean([measure.figure(x, random.permutation(s)) for _ in range(_SHUFFLES)]))


SUITE = Suite(
    name="qvec",
    help="vectors against linguistic features: QVec and QVec-CCA",
    sets=("supersenses", "ptb-tags"),
    read=read_oracle,
    judge=_judge,
)
