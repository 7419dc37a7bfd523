"""Do averages of word vectors tell sentences apart? Classification of sentences, beside a baseline that needs none.

What: a sentence is the average of its words' vectors, plain or weighted by smooth inverse frequency
(`firth.vectors.sentence_averages`), standardised; a logistic regression with an L2 penalty learns its label. The
vectors stay as they are. Beside every figure stands what the same classifier reaches on TF-IDF of words and word pairs.

A set that is published in two parts is trained on the one and judged on the other; all others are cut into ten parts,
each judged by a model of the other nine. Whatever is learnt, be it the direction that SIF takes out (unless one is kept
with the vectors), the scale of the columns, the penalty or the classifier, is learnt on sentences outside the part that
is judged.

Source: Conneau and Kiela 2018, SentEval, for the protocol; Arora, Liang and Ma 2017 for SIF; Wang and Manning 2012 for
the baseline's strength.

Departures: the penalty is chosen on a tenth of the training sentences, not by ten inner folds: on CR and TREC a point
more or less, without a lean, at a tenth of the time. Sentences that stand in a set twice, as many of MPQA do, are never
in two parts. The development part of SST-2 is not used.

Cost: 10 folds of 10,000 sentences at D = 100 take half a second a weighting, once the baseline is kept.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.errors import FormatError
from firth.evaluation.files import lines
from firth.evaluation.linear import Curvature, Ints, Scale, fit_chosen, logistic_path, stratified_folds
from firth.evaluation.suite import Figure, Setting, Space, Suite
from firth.evaluation.tfidf import right_answers
from firth.resampling import Mean, Sample
from firth.vectors.averages import SMOOTHING, along, smooth_weights, weighted_averages, word_bags
from firth.vectors.neighbours import Matrix
from firth.vectors.sentence_averages import WEIGHTINGS, SentenceAverages, Weighting, shared_direction

FOLDS = 10
FEWEST = 10  # sentences that a classifier is trained on; of fewer it learns nothing but the commonest label


@dataclass(frozen=True)
class LabelledSentences:
    """Sentences with labels.

    Attributes:
        texts: n lists of tokens.
        labels: (n,) the number of each sentence's label among the sorted ones.
        tested: (n,) which sentences are judged; where it is all of them, by folds.
        fingerprint: a checksum of texts, labels and parts.
    """

    texts: Sequence[Sequence[str]]
    labels: Ints
    tested: npt.NDArray[np.bool_]
    fingerprint: str


def read_sentences(path: Path) -> LabelledSentences:
    """Read labelled sentences: `label token token ...` a line, tokens between spaces.

    A file with `.test` in its name goes with the one that has `.train` in that place, where there is one: models are
    then trained on that and judged on this.

    Args:
        path: the file, UTF-8; what is not, as in some published ones, is read as U+FFFD.

    Raises:
        FormatError: there is one label only, or the lines do not begin with labels.
        OSError: the file cannot be read.
    """
    beside = path.with_name(path.name.replace(".test", ".train"))
    train = _read(beside) if beside != path and beside.is_file() else []
    test = _read(path)
    both = [*train, *test]
    labels = [label for label, _ in both]
    _check(labels, path)
    digest = hashlib.sha256(repr([len(train), both]).encode()).hexdigest()
    numbers = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    return LabelledSentences([tokens for _, tokens in both], numbers, np.arange(len(both)) >= len(train), digest)


def classify(
    rows: Matrix,
    labels: Ints,
    fold: Ints,
    *,
    known: npt.NDArray[np.bool_] | None = None,
    without_common: bool = False,
    seed: int = 0,
) -> Ints:
    """Return the label that each row gets from a classifier of the rows outside its part.

    Args:
        rows: (n, D) vectors.
        labels: (n,) whole numbers.
        fold: (n,) the part of each row; -1 for one that is only trained on.
        known: (n,) rows that say anything; others are not trained on, and get the label of the average one. None: all.
        without_common: whether the direction that the training rows share is taken out of all rows first, as SIF asks;
            where these are too few, a warning says that it is not.
        seed: of the choice of the penalty.

    Returns:
        (n,) labels; -1 for rows that are only trained on.
    """
    known = np.ones(len(rows), dtype=bool) if known is None else known
    found = np.full(len(rows), -1, dtype=np.int64)
    curvature = None  # the first part's steers the solver in all: it decides where it goes, not where it ends
    for part in np.unique(fold[fold >= 0]):
        train, test = (fold != part) & known, fold == part
        if train.sum() < FEWEST:
            found[test] = np.bincount(labels[fold != part]).argmax() if (fold != part).any() else -1
            continue
        some = _without_shared(rows, train) if without_common else rows
        scale = Scale.of(some[train])
        trained = scale(some[train])
        curvature = curvature or Curvature.of(trained)
        model = fit_chosen(partial(logistic_path, curvature=curvature), trained, labels[train], seed=seed)
        found[test] = model.predict(np.where(known[test, None], scale(some[test]), 0))
    return found


def _without_shared(rows: Matrix, train: npt.NDArray[np.bool_]) -> Matrix:
    direction = shared_direction([rows[train]])
    return rows if direction is None else rows - along(rows, direction)


def parts(gold: LabelledSentences, *, seed: int = 0) -> Ints:
    """Return the part of each sentence, (n,): -1 for what is only trained on, else one of ten, or 0 for a test set.

    Args:
        gold: the sentences; equal ones come into one part.
        seed: of the shuffle.
    """
    if not gold.tested.all():
        return np.where(gold.tested, 0, -1)
    return stratified_folds(gold.labels, FOLDS, seed=seed, keys=[tuple(text) for text in gold.texts])


def _judge(space: Space, gold: LabelledSentences, setting: Setting) -> list[Figure]:
    fold = parts(gold, seed=setting.seed)
    words, bags = word_bags(gold.texts)
    matrix, has = space.take(words, lengths=True)
    known = bags @ has.astype(np.float32) > 0
    tested, covered = gold.tested, known[gold.tested]
    counted = np.ones(len(covered), dtype=bool) if setting.unknown == "count" else covered
    plain = right_answers(gold.texts, gold.labels, fold, seed=setting.seed, fingerprint=gold.fingerprint)[tested]
    figures = []
    kept = SentenceAverages.kept_in(space.vectors)
    for weighting in WEIGHTINGS:
        sif = weighting == "sif"
        weights = _weights(space, words, has, weighting, SMOOTHING if kept is None else kept.smoothing)
        rows = weighted_averages(bags, matrix, weights, has)
        if sif and kept is not None and kept.direction is not None:
            rows, sif = rows - along(rows, kept.direction), False
        found = classify(rows, gold.labels, fold, known=known, without_common=sif, seed=setting.seed)
        right = (found == gold.labels)[tested][counted].astype(np.float64)
        figures.append(
            Figure(
                metric=f"accuracy, {weighting}",
                sample=Sample(counted, Mean(right)),
                covered=int(covered.sum()),
                total=len(covered),
                baseline=float(plain[counted].mean()) if counted.any() else None,
                baseline_name="TF-IDF",
                share=True,
            )
        )
    return figures


def _weights(
    space: Space, words: Sequence[str], has: npt.NDArray[np.bool_], weighting: Weighting, smoothing: float
) -> npt.NDArray[np.float64]:
    known = has.astype(np.float64)
    return known * smooth_weights(space.vectors, space.find(words), smoothing) if weighting == "sif" else known


def _read(path: Path) -> list[tuple[str, list[str]]]:
    split = [line.split() for _, line in lines(path, damaged="replace")]
    return [(fields[0], fields[1:]) for fields in split]


def _check(labels: Sequence[str], path: Path) -> None:
    kinds = sorted(set(labels))
    if len(kinds) < 2:
        raise FormatError(
            f"{path}: every sentence has the label {kinds[0]!r}, expected two labels or more: 'label token token ...'"
        )
    if len(kinds) > len(labels) / 2:
        raise FormatError(
            f"{path}: {len(kinds)} labels of {len(labels)} sentences, such as {kinds[0]!r}: expected lines that begin "
            "with a label, 'label token token ...', and several sentences of each"
        )


SUITE = Suite(
    name="sentences",
    help="sentences classified by the averages of their words' vectors, beside TF-IDF",
    sets=("mr", "subj", "trec", "sst-2"),
    read=read_sentences,
    judge=_judge,
)
