"""Streams are stable for ever, and independent of each other."""

import subprocess
import sys

import numpy as np
import pytest

from firth.errors import OptionError
from firth.randomness import generator, kernel_states

# Frozen: a change here changes every result that was ever seeded.
FROZEN_NUMBERS = [0.802247373060424, 0.7702527286556394, 0.5806082399263377]
FROZEN_STATES = [12704720113053819519, 16835577311651117129, 11540137185533946476]


def test_frozen_values():
    assert generator(1, "init").random(3).tolist() == FROZEN_NUMBERS
    assert kernel_states(7, "shard", 3).tolist() == FROZEN_STATES


def test_no_process_draws_otherwise():
    """Python's own `hash` of a name differs from process to process."""
    script = "from firth.randomness import kernel_states; print(kernel_states(7, 'shard', 3).tolist())"
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)}
        out = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
        )
        assert out.stdout.strip() == str(FROZEN_STATES)


def test_a_seed_and_a_name_make_a_stream():
    draws = {(seed, name): generator(seed, name).random() for seed in range(5) for name in ("a", "b", "a 1")}
    assert len(set(draws.values())) == 15
    assert generator(3, "a").random() == draws[3, "a"]


@pytest.mark.parametrize("seed", [0, 2**64, 10**30, np.int64(3)])
def test_any_whole_number_from_0_on_is_a_seed(seed):
    assert 0 <= generator(seed, "a").random() < 1
    assert kernel_states(seed, "a", 1)[0] != 0


@pytest.mark.parametrize("seed", ["x", 1.5, None, True, -1])
def test_nothing_else_is_a_seed(seed):
    with pytest.raises(OptionError, match=r"seed=.*: expected a whole number of at least 0"):
        generator(seed, "a")


def test_a_stream_does_not_hang_on_how_many_there_are():
    few, many = kernel_states(0, "shard", 2), kernel_states(0, "shard", 100)
    assert few.tolist() == many[:2].tolist()
    assert len(set(many.tolist())) == 100
    assert many.dtype == np.uint64


def test_streams_are_not_correlated():
    """200 pairs of streams of 2,000 numbers: correlations have a standard deviation of 1 / sqrt(2000) = 0.022."""
    one, other = (np.array([generator(seed, name).random(2000) for seed in range(200)]) for name in ("a", "b"))
    correlations = [np.corrcoef(x, y)[0, 1] for x, y in zip(one, other, strict=True)]
    assert np.std(correlations) == pytest.approx(0.0224, rel=0.2)
    assert np.abs(correlations).max() < 0.1
