"""The protocol "senteval" against frozen results of scikit-learn, which SentEval's classes use."""

import json
from functools import partial

import numpy as np
import pytest

from firth.evaluation.linear import Scale, logistic_path
from firth.evaluation.selection import INVERSE_PENALTIES, fit_classifier
from firth.evaluation.sentences import classify
from tests.golden.senteval_small import FILE, data

CASES = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['classes']} classes, seed {case['seed']}")
def test_accuracies_choice_and_predictions(case):
    rows, labels = data(case["seed"], case["classes"])
    scale = Scale.of(rows[:160], standardise=False)
    path = partial(logistic_path, tolerance=1e-7)
    models = path(scale(rows[:160]), labels[:160], [1 / (160 * c) for c in INVERSE_PENALTIES])
    accuracies = [float((model.predict(scale(rows[160:210])) == labels[160:210]).mean()) for model in models]
    assert accuracies == pytest.approx(case["accuracies"])
    chosen = fit_classifier(
        path, scale(rows[:160]), labels[:160], development=(scale(rows[160:210]), labels[160:210]), protocol="senteval"
    )
    assert chosen.predict(scale(rows[210:])).tolist() == case["predicted"]
    part = np.arange(260)
    predicted = classify(
        rows, labels, np.where(part >= 210, 0, -1), development=(part >= 160) & (part < 210), protocol="senteval"
    )
    assert predicted[210:].tolist() == case["predicted"]
