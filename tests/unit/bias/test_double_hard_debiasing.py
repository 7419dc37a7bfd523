"""Double-hard debiasing step by step, written out anew."""

import numpy as np
import pytest

from firth.bias.direction import bias_direction
from firth.bias.double_hard_debiasing import double_hard_debias
from firth.bias.recovery import clusters_agree
from firth.errors import OptionError
from tests.unit.bias.planted import PAIR_LIST, WORDS, planted


def test_the_component_that_hides_the_sides_best_is_taken():
    """The hidden direction is strong enough to be the second component; without it two clusters see nothing."""
    vectors, *_ = planted(second=0.9)
    found = double_hard_debias(vectors, PAIR_LIST, components=3, count=100)
    step = found.metadata["postprocessing"][0]
    x = vectors.vectors.astype(np.float64)
    _, _, components = np.linalg.svd(x - x.mean(axis=0), full_matrices=False)
    g = bias_direction(vectors, PAIR_LIST).direction
    leaning = x @ g / np.linalg.norm(x, axis=1)
    leaning[: 2 * len(PAIR_LIST)] = 0
    most = np.concatenate([np.argsort(leaning)[:100], np.argsort(-leaning)[:100]])
    agreed = []
    for u in components[:3]:
        rows = x - x.mean(axis=0) - np.outer(x @ u, u)
        agreed.append(clusters_agree((rows - np.outer(rows @ g, g))[most], np.repeat([0, 1], 100)))
    assert step["clusters_agree"] == pytest.approx(agreed)
    assert step["component"] == np.argmin(agreed) + 1
    chosen = components[np.argmin(agreed)]
    expected = x - x.mean(axis=0) - np.outer(x @ chosen, chosen)
    expected -= np.outer(expected @ g, g)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert found.vectors[-WORDS:] == pytest.approx(expected[-WORDS:], abs=1e-5)
    assert max(agreed) - min(agreed) > 0.2  # the choice matters here


@pytest.mark.parametrize("components", [0, 25])
def test_options(components):
    with pytest.raises(OptionError, match=f"components={components}: expected from 1 to 24"):
        double_hard_debias(planted()[0], PAIR_LIST, components=components)
