import numpy as np
import pytest

from firth.errors import ShapeError
from firth.inference.ensemble import Ensemble, mixed
from tests.unit.inference.toys import Table, random_table


def test_probabilities_are_mixed_and_not_scores():
    """A quarter of .2 and three quarters of .6 are .5; the mean of their logarithms would give .456."""
    found = mixed(np.log([[0.2, 0.8], [0.6, 0.4]]), np.array([0.25, 0.75]))
    assert np.exp(found) == pytest.approx([0.5, 0.5], abs=1e-15)


def test_what_one_model_cannot_say_another_may():
    """Minus infinity is a probability of zero, and a model without weight says nothing."""
    logs = np.array([[-np.inf, 0.0], [np.log(0.5), np.log(0.5)]])
    assert np.exp(mixed(logs, np.array([0.5, 0.5]))) == pytest.approx([0.25, 0.75])
    assert np.exp(mixed(logs, np.array([1.0, 0.0]))).tolist() == [0.0, 1.0]


def test_an_ensemble_of_a_model_with_itself_is_the_model():
    """To the bit, as the largest probability is taken out of the sum; very small probabilities stay."""
    logs = np.array([[-1000.0, -0.1, -2.3, -np.inf], [-np.inf, -1e-9, -700.0, -745.3]])
    assert (mixed(np.stack([logs, logs]), np.array([0.25, 0.75])) == logs).all()
    assert mixed(np.array([[-1000.0], [-1001.0]]), np.array([0.5, 0.5]))[0] == pytest.approx(
        -1000 + np.log(0.5 + 0.5 * np.exp(-1)), abs=1e-12
    )


def test_states_go_with_their_models():
    tables = random_table(4, 0), random_table(4, 1)
    both = Ensemble(tuple(map(Table, tables)), np.array([0.3, 0.7]))
    scores, state = both.start([[], [2]])
    scores, state = both.advance(both.reorder(state, np.array([1, 0, 1])), np.array([0, 1, 3]))
    assert np.exp(scores) == pytest.approx(0.3 * tables[0][[0, 1, 3]] + 0.7 * tables[1][[0, 1, 3]])
    assert np.exp(scores).sum(axis=1) == pytest.approx(np.ones(3), abs=1e-12)


def test_models_that_do_not_fit_are_refused():
    assert Ensemble.mean([Table(random_table(2, 0))] * 4).weights.tolist() == [0.25] * 4
    with pytest.raises(ShapeError, match="0 weights for 0 models"):
        Ensemble.mean([])
    with pytest.raises(ShapeError, match="1 weights for 2 models: expected one for each"):
        Ensemble((Table(random_table(2, 0)),) * 2, np.ones(1))
    with pytest.raises(ShapeError, match="models of 2, 3 words: expected the same words in all"):
        Ensemble.mean([Table(random_table(3, 0)), Table(random_table(2, 0))]).start([[]])
