"""Sentence classification with averaged word vectors, beside a TF-IDF baseline.

What: a sentence is the average of its words' vectors, plain or weighted by smooth inverse frequency
(`firth.sentences.averages`), and standardised. A logistic regression with an L2 penalty predicts its label; the
vectors are not fine-tuned. The baseline is the same classifier on TF-IDF of words and word pairs.

A set with a published split is trained on one part and tested on the other; all other sets use ten-fold
cross-validation. Everything that is learned, including the direction that SIF removes (unless one is saved with the
vectors), the scale of the columns and the penalty, is learned without the test sentences.

Source: Conneau and Kiela 2018, SentEval, for the protocol; Arora, Liang and Ma 2017 for SIF; Wang and Manning 2012 for
the strength of the baseline.

Departures: the penalty is chosen on a tenth of the training sentences, not by ten inner folds, which takes a tenth of
the time; on CR and TREC the accuracy differs by up to a point, in either direction. Sentences that occur twice in a
set, as many of MPQA do, are never in two folds. The development part of SST-2 is not used.

Cost: 10 folds of 10,000 sentences at D = 100 take half a second per weighting, with the baseline cached.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from firth.evaluation.linear import Curvature, Ints, Scale, fit_chosen, logistic_path, stratified_folds
from firth.evaluation.suite import EvaluationOptions, Score, Space, as_suite
from firth.evaluation.tfidf import baseline_correct
from firth.readers.labelled_sentences import LabelledSentences, read_labelled_sentences
from firth.resampling import Mean, Sample
from firth.sentences.averages import WEIGHTINGS, SentenceAverages, Weighting, shared_direction
from firth.vectors.averages import SMOOTHING, along, smooth_weights, weighted_averages, word_bags
from firth.vectors.cosine import Matrix

FOLDS = 10
MIN_TRAIN = 10  # training sentences; with fewer, the majority label is predicted


def classify(
    rows: Matrix,
    labels: Ints,
    fold: Ints,
    *,
    known: npt.NDArray[np.bool_] | None = None,
    remove_common: bool = False,
    seed: int = 0,
) -> Ints:
    """Return the label that a classifier trained on the other folds predicts for each row.

    Args:
        rows: (n, D) vectors.
        labels: (n,) whole numbers.
        fold: (n,) fold of each row; -1 for training rows that are never tested.
        known: (n,) rows with a known word; others are not trained on and are classified as the mean row. None: all.
        remove_common: whether the common direction of the training rows is first removed from all rows, as in SIF; with
            too few rows it is kept, with a warning.
        seed: random seed of the choice of the penalty.

    Returns:
        (n,) labels; -1 for rows that are never tested.
    """
    known = np.ones(len(rows), dtype=bool) if known is None else known
    predicted = np.full(len(rows), -1, dtype=np.int64)
    curvature = None  # of the first fold, for all: it preconditions the solver and does not change the minimum
    for held_out in np.unique(fold[fold >= 0]):
        train, test = (fold != held_out) & known, fold == held_out
        if train.sum() < MIN_TRAIN:
            predicted[test] = np.bincount(labels[fold != held_out]).argmax() if (fold != held_out).any() else -1
            continue
        vectors = _remove_shared(rows, train) if remove_common else rows
        scale = Scale.of(vectors[train])
        train_rows = scale(vectors[train])
        curvature = curvature or Curvature.of(train_rows)
        model = fit_chosen(partial(logistic_path, curvature=curvature), train_rows, labels[train], seed=seed)
        predicted[test] = model.predict(np.where(known[test, None], scale(vectors[test]), 0))
    return predicted


def _remove_shared(rows: Matrix, train: npt.NDArray[np.bool_]) -> Matrix:
    direction = shared_direction([rows[train]])
    return rows if direction is None else rows - along(rows, direction)


def folds(gold: LabelledSentences, *, seed: int = 0) -> Ints:
    """Return the fold of each sentence, (n,): one of ten; with a published split, 0 for test and -1 for training.

    Args:
        gold: the sentences; equal ones are in one fold.
        seed: random seed of the shuffle.
    """
    if not gold.test.all():
        return np.where(gold.test, 0, -1)
    return stratified_folds(gold.labels, FOLDS, seed=seed, keys=[tuple(text) for text in gold.texts])


@as_suite("sentences", ("mr", "subj", "trec", "sst-2"), read_labelled_sentences)
def suite(space: Space, gold: LabelledSentences, options: EvaluationOptions) -> list[Score]:
    """Sentence classification with averaged word vectors: accuracy, beside TF-IDF."""
    fold = folds(gold, seed=options.seed)
    words, bags = word_bags(gold.texts)
    matrix, known_words = space.lookup(words, normalize=False)
    known = bags @ known_words.astype(np.float32) > 0
    covered = known[gold.test]
    mask = options.counted(covered)
    baseline = baseline_correct(gold.texts, gold.labels, fold, seed=options.seed, fingerprint=gold.fingerprint)[
        gold.test
    ]
    scores = []
    saved = SentenceAverages.from_metadata(space.vectors)
    for weighting in WEIGHTINGS:
        sif = weighting == "sif"
        weights = _weights(space, words, known_words, weighting, SMOOTHING if saved is None else saved.smoothing)
        rows = weighted_averages(bags, matrix, weights, known_words)
        if sif and saved is not None and saved.direction is not None:
            rows, sif = rows - along(rows, saved.direction), False
        predicted = classify(rows, gold.labels, fold, known=known, remove_common=sif, seed=options.seed)
        correct = (predicted == gold.labels)[gold.test][mask].astype(np.float64)
        scores.append(
            Score(
                metric=f"accuracy, {weighting}",
                sample=Sample(mask, Mean(correct)),
                covered=int(covered.sum()),
                total=len(covered),
                baseline=float(baseline[mask].mean()) if mask.any() else None,
                baseline_name="TF-IDF",
                share=True,
            )
        )
    return scores


def _weights(
    space: Space, words: Sequence[str], known: npt.NDArray[np.bool_], weighting: Weighting, smoothing: float
) -> npt.NDArray[np.float64]:
    weights = known.astype(np.float64)
    return weights * smooth_weights(space.vectors, space.rows(words), smoothing) if weighting == "sif" else weights
