"""Sentence classification with the vectors of an encoder, or averaged word vectors, beside a TF-IDF baseline.

What: a sentence is what `encode` of a model returns, or the average of its words' vectors, plain or weighted by smooth
inverse frequency (`firth.sentences.averages`). A logistic regression with an L2 penalty predicts its label; the
vectors are not fine-tuned. The baseline is the same classifier on TF-IDF of words and word pairs.

A set with a published split is trained on one part and tested on the other; all other sets use ten-fold
cross-validation. Everything that is learned, including the direction that SIF removes (unless one is saved with the
vectors), the scale of the columns and the penalty, is learned without the test sentences.

Source: Conneau and Kiela 2018, SentEval, for the protocol; Arora, Liang and Ma 2017 for SIF; Wang and Manning 2012 for
the strength of the baseline.

Departures: the penalty is chosen on the published development sentences, or on a tenth of the training sentences, not
by ten inner folds, which takes a tenth of the time, and columns are standardised. Sentences that occur twice in a set,
as many of MPQA do, are never in two folds. The protocol "senteval" has none of these departures.

Cost: 10 folds of 10,000 sentences at D = 100 take half a second per weighting, with the baseline cached.
"""

from collections.abc import Mapping
from functools import partial

import numpy as np
import numpy.typing as npt

from firth.errors import ShapeError
from firth.evaluation.linear import TOLERANCE, Curvature, Ints, Scale, logistic_path
from firth.evaluation.selection import ProtocolName, fit_classifier, stratified_folds
from firth.evaluation.suite import EvaluationOptions, Score, Space, TextSpace, as_suite
from firth.evaluation.text_rows import remove_shared, text_rows
from firth.evaluation.tfidf import baseline_correct
from firth.readers.labelled_sentences import LabelledSentences, read_labelled_sentences
from firth.resampling import Mean, Sample
from firth.vectors.cosine import Matrix

FOLDS = 10
MIN_TRAIN = 10  # training sentences; with fewer, the majority label is predicted
# Of the solver: SentEval's penalties are chosen by accuracy, which a looser minimum changes by tenths of a point.
TOLERANCES: Mapping[ProtocolName, float] = {"firth": TOLERANCE, "senteval": 1e-5}
SETS = ("mr", "cr", "subj", "mpqa", "trec", "sst-2", "sst-5")


def classify(
    rows: Matrix,
    labels: Ints,
    fold: Ints,
    *,
    development: npt.NDArray[np.bool_] | None = None,
    encoded: npt.NDArray[np.bool_] | None = None,
    remove_common: bool = False,
    weights: npt.NDArray[np.float64] | None = None,
    protocol: ProtocolName = "firth",
    seed: int = 0,
) -> Ints:
    """Return the label that a classifier trained on the other folds predicts for each row.

    Args:
        rows: (n, D) vectors.
        labels: (n,) whole numbers.
        fold: (n,) fold of each row; -1 for rows that are never tested.
        development: (n,) rows that choose the penalty and are not trained on. None: training rows choose it.
        encoded: (n,) rows with a known word; others are not trained on and are classified as the mean row. None: all.
        remove_common: whether the common direction of the training rows is first removed from all rows, as in SIF; with
            too few rows it is kept, with a warning.
        weights: (D,) factors of the scaled columns; the greater, the less the penalty bears on the column.
        protocol: how rows are scaled and the penalty is chosen; see `firth.evaluation.selection`.
        seed: random seed of the choice of the penalty.

    Returns:
        (n,) labels; -1 for rows that are never tested.
    """
    if not len(rows) == len(labels) == len(fold):
        raise ShapeError(f"{len(rows)} rows, {len(labels)} labels and {len(fold)} folds, expected equal numbers")
    encoded = np.ones(len(rows), dtype=bool) if encoded is None else encoded
    chooses = np.zeros(len(rows), dtype=bool) if development is None else development & encoded
    trained = encoded & ~(chooses if development is None else development)
    predicted = np.full(len(rows), -1, dtype=np.int64)
    curvature = None  # from the first fold, for all: it preconditions the solver and does not change the minimum
    for held_out in np.unique(fold[fold >= 0]):
        train, test = (fold != held_out) & trained, fold == held_out
        if train.sum() < MIN_TRAIN:
            predicted[test] = np.bincount(labels[fold != held_out]).argmax() if (fold != held_out).any() else -1
            continue
        vectors = remove_shared(rows, train) if remove_common else rows
        scale = Scale.of(vectors[train], standardise=protocol == "firth", weights=weights)
        train_rows = scale(vectors[train])
        curvature = curvature or Curvature.of(train_rows)
        model = fit_classifier(
            partial(logistic_path, curvature=curvature, tolerance=TOLERANCES[protocol]),
            train_rows,
            labels[train],
            development=(scale(vectors[chooses]), labels[chooses]) if chooses.any() else None,
            protocol=protocol,
            split=bool((fold < 0).any()),
            seed=seed,
        )
        predicted[test] = model.predict(np.where(encoded[test, None], scale(vectors[test]), 0))
    return predicted


def folds(gold: LabelledSentences, *, protocol: ProtocolName = "firth", seed: int = 0) -> Ints:
    """Return the fold of each sentence, (n,): one of ten; with a published split, 0 for test and -1 for the others.

    Args:
        gold: the sentences; equal ones are in one fold, except with the protocol of SentEval.
        protocol: see `firth.evaluation.selection`.
    """
    if not gold.test.all():
        return np.where(gold.test, 0, -1)
    keys = None if protocol == "senteval" else [tuple(text) for text in gold.texts]
    return stratified_folds(gold.labels, FOLDS, seed=seed, keys=keys)


@as_suite("sentences", SETS, read_labelled_sentences, of_texts=True)
def suite(space: Space | TextSpace, gold: LabelledSentences, options: EvaluationOptions) -> list[Score]:
    """Sentence classification: accuracy of a logistic regression on the vectors of sentences, beside TF-IDF."""
    fold = folds(gold, protocol=options.protocol, seed=options.seed)
    baseline = baseline_correct(
        gold.texts, gold.labels, fold, development=gold.development, seed=options.seed, fingerprint=gold.fingerprint
    )[gold.test]
    scores = []
    for vectors in text_rows(space, gold.texts):
        predicted = classify(
            vectors.rows,
            gold.labels,
            fold,
            development=gold.development,
            encoded=vectors.encoded,
            remove_common=vectors.shared,
            protocol=options.protocol,
            seed=options.seed,
        )
        covered = vectors.encoded[gold.test]
        mask = options.counted(covered)
        correct = (predicted == gold.labels)[gold.test][mask].astype(np.float64)
        scores.append(
            Score(
                metric=vectors.metric("accuracy"),
                sample=Sample(mask, Mean(correct)),
                covered=int(covered.sum()),
                total=len(covered),
                baseline_sample=Sample(mask, Mean(baseline[mask].astype(np.float64))),
                baseline_name="TF-IDF",
                share=True,
            )
        )
    return scores
