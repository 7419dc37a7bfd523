"""Before any training, every output layer predicts words as often as they stand in the text."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.layers.output.adaptive import AdaptiveSoftmax
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.codes import join_trees, named_codes
from firth.neural.layers.output.learned_codes import learned_codes
from firth.neural.layers.output.registry import make_output
from firth.neural.layers.output.sampled import ContrastiveSoftmax, NegativeSampling

V, D = 60, 16
COUNTS = np.random.default_rng(0).permutation((3000 / np.arange(1, V + 1)).astype(np.int64))
COUNTS[7] = 0  # never met, which counts as met once
SHARES = np.maximum(COUNTS, 1) / np.maximum(COUNTS, 1).sum()


def learned():
    """A tree in which some words have several codes."""
    means = np.random.default_rng(1).normal(size=(V, 4))
    several = join_trees([named_codes("random", V, counts=COUNTS, seed=seed) for seed in (1, 2)])
    return {"learned": learned_codes(means, seed=0), "several": several}


KINDS = {
    "full": {},
    "adaptive": {},
    "adaptive, one tail": {"cutoffs": 5},
    "adaptive, three tails": {"cutoffs": [4, 10, 30]},
    "classes": {},
    "classes, given": {"classes": np.arange(V) % 7},
    "importance": {"samples": 9},
    "nce": {"samples": 9},
    "nce, a constant Z": {"log_z": 4.0},
    "nce, Z learned": {"log_z": 2.0, "learn_z": True},
    "tree": {},
    "tree, balanced": {"tree": "balanced"},
    "tree, random": {"tree": "random", "codes": 3},
    "tree, learned": {"tree": "learned"},
    "tree, joined": {"tree": "several"},
}


@pytest.mark.parametrize("name", KINDS)
def test_the_first_distribution_is_the_unigram_distribution(name):
    """Where the hidden vector is zero; what training sets out from is that times exp(h . u_w)."""
    options = dict(KINDS[name])
    if options.get("tree") in ("learned", "several"):
        options["tree"] = learned()[options["tree"]]
    torch.manual_seed(0)
    layer = make_output(name.partition(",")[0], OutputConfig(D, V, counts=COUNTS), **options).double()
    found = layer.log_prob(torch.zeros(1, D, dtype=torch.float64))[0].exp()
    assert found.sum().item() == pytest.approx(1, abs=1e-9)
    assert found.tolist() == pytest.approx(SHARES.tolist(), rel=2e-6)  # biases are drawn up in single precision
    each = layer.log_prob_of(torch.zeros(V, D, dtype=torch.float64), torch.arange(V)).exp()
    assert each.tolist() == pytest.approx(SHARES.tolist(), rel=2e-6)


@pytest.mark.parametrize("options", [{}, {"log_z": 5.0}, {"log_z": 5.0, "learn_z": True}])
def test_scores_of_nce_sum_to_one_at_the_start(options):
    layer = ContrastiveSoftmax(OutputConfig(D, V, counts=COUNTS), **options)
    assert layer.log_scores(torch.zeros(1, D))[0].exp().tolist() == pytest.approx(SHARES.tolist(), rel=1e-5)
    even = ContrastiveSoftmax(OutputConfig(D, V), **options)
    assert even.log_scores(torch.zeros(1, D))[0].exp().sum().item() == pytest.approx(1, rel=1e-5)


def test_scores_of_negative_sampling_are_those_that_tell_words_from_noise_without_contexts():
    """sigma(s) is then p / (p + k q): k times a word's share of the noise against its share of the text."""
    layer = NegativeSampling(OutputConfig(D, V, counts=COUNTS), negative=5)
    odds = layer.scores(torch.zeros(1, D))[0].exp()
    noise = np.maximum(COUNTS, 1) ** 0.75
    assert odds.tolist() == pytest.approx((SHARES / (5 * noise / noise.sum())).tolist(), rel=1e-5)


def test_without_counts_all_words_of_a_part_are_alike():
    layer = AdaptiveSoftmax(OutputConfig(D, V), cutoffs=[4, 10])
    assert not any(bias.any() for bias in (layer.head_bias, *layer.biases))
