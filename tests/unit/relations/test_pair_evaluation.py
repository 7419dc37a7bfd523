"""Figures of answers and of rankings: by hand, and as slow loops have them."""

import numpy as np
import pytest

from firth.errors import OptionError
from firth.evaluation.substitution import generalised_average_precision
from firth.relations.pair_evaluation import AveragePrecision, evaluate_pairs


def test_figures_by_hand():
    """Scores 3, 2, 1, -1, -2 of antonym, synonym, antonym, antonym, synonym. Answered: three, of which two are true;
    of three antonyms two are found: precision 2/3, recall 2/3, F1 2/3, right 3 of 5. Ranked, antonyms stand first,
    third and fourth: (1 + 2/3 + 3/4) / 3."""
    found = evaluate_pairs([3, 2, 1, -1, -2], [True, False, True, True, False], resamples=50)
    figures = {name: figure for name, (figure, _, _) in found.items()}
    assert figures == pytest.approx(
        {"f1": 2 / 3, "precision": 2 / 3, "recall": 2 / 3, "accuracy": 3 / 5, "average_precision": 29 / 36}
    )
    assert all(low <= figure <= high for figure, low, high in found.values())


def test_antonyms_to_everything():
    """Of as many antonyms as synonyms all are answered: F1 2/3 and accuracy 1/2."""
    found = evaluate_pairs(np.ones(40), np.arange(40) < 20, resamples=50)
    assert found["f1"][0] == pytest.approx(2 / 3)
    assert found["accuracy"][0] == 0.5
    assert found["average_precision"][0] == 0.5


def test_resamples_are_the_figure_of_repeated_pairs():
    random = np.random.default_rng(2)
    scores, true = np.round(random.normal(size=30), 1), random.random(30) < 0.4
    weights = random.multinomial(30, np.full(30, 1 / 30), size=20)
    found = AveragePrecision(scores, true)(weights)
    for row, figure in zip(weights, found, strict=True):
        again = np.repeat(np.arange(30), row)
        assert figure == pytest.approx(AveragePrecision(scores[again], true[again])(np.ones((1, 30), int))[0])


def test_without_ties_it_is_that_of_rankings():
    random = np.random.default_rng(3)
    scores, true = random.normal(size=(20, 50)), random.random((20, 50)) < 0.3
    expected = generalised_average_precision(scores, true)
    found = [AveragePrecision(*row)(np.ones((1, 50), int))[0] for row in zip(scores, true, strict=True)]
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(("scores", "labels"), [([], []), ([1.0], [True, False])])
def test_what_cannot_be_judged(scores, labels):
    with pytest.raises(OptionError, match="expected one per pair"):
        evaluate_pairs(scores, labels)
