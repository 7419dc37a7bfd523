"""Mixtures of copying and generating: sums, repeated words, gradients; coverage by hand."""

import numpy as np
import pytest
import torch

from firth.neural.layers.copying import (
    CopyGate,
    copied_log_prob,
    copied_log_prob_of,
    coverage_losses,
    selected_attention,
)

V, E = 4, 2
SOURCES = torch.tensor([[1, 4, 1, 3, 3], [5, 5, 4, 2, 2], [0, 1, 2, 2, 2]])  # with repeated words and unknown ones


def made(seed=0):
    generator = torch.Generator().manual_seed(seed)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.float64)  # noqa: E731
    return draw(3, V).log_softmax(1), draw(3), draw(3, 5).softmax(1)


def test_the_mixture_sums_to_one_with_repeated_words():
    generated, gate, attention = made()
    P = copied_log_prob(generated, gate, attention, SOURCES, E).exp()
    assert P.shape == (3, V + E)
    assert P.sum(1).tolist() == pytest.approx([1, 1, 1], abs=1e-12)
    share = gate.sigmoid()
    for row in range(3):  # equation 9, word by word
        for word in range(V + E):
            own = share[row] * generated[row, word].exp() if word < V else 0.0
            copied = sum(attention[row, s] for s in range(5) if SOURCES[row, s] == word)
            assert P[row, word].item() == pytest.approx(float(own + (1 - share[row]) * copied), abs=1e-12)


def test_targets_have_the_probabilities_of_the_whole_mixture():
    generated, gate, attention = made(1)
    whole = copied_log_prob(generated, gate, attention, SOURCES, E)
    for word in range(V + E):
        targets = torch.full((3,), word)
        some = generated[:, min(word, V - 1)]
        found = copied_log_prob_of(some, gate, attention, SOURCES, targets, V)
        possible = torch.isfinite(whole[:, word])
        assert torch.allclose(found[possible], whole[possible, word], atol=1e-12)
        assert (found[~possible] < -60).all()


def test_the_gradient_equals_differences():
    generated, gate, attention = (each.requires_grad_() for each in made(2))
    targets = torch.tensor([1, 5, 3])  # copied or generated, only copied, only generated

    def loss(generated, gate, attention):
        return copied_log_prob_of(generated[:, 3], gate, attention, SOURCES, targets, V)

    assert torch.autograd.gradcheck(loss, (generated, gate, attention))
    scores = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: coverage_losses(x.softmax(2)), (scores,))


def test_the_gate_reads_state_and_word():
    gate = CopyGate(3, 2)
    with torch.no_grad():
        gate.linear.weight.copy_(torch.tensor([[1.0, 0, 0, 0, 2]]))
        gate.linear.bias.fill_(0.5)
    logit = gate(torch.tensor([[1.0, 9, 9]]), torch.tensor([[9.0, -2]]))
    assert logit.tolist() == [1.0 - 4.0 + 0.5]


def test_coverage_counts_what_was_attended_to_before():
    attention = torch.tensor([[[1.0, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]]])
    assert coverage_losses(attention).tolist() == [[0.0, 0.5, 0.5]]


def test_selection_masks_and_keeps_everything_where_nothing_is_masked():
    attention = torch.tensor([[0.2, 0.3, 0.5], [0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.1, 0.2, 0.7]])
    selected = torch.tensor([[True, True, False], [False] * 3, [False, True, True], [True] * 3])
    found = selected_attention(attention, selected)
    assert np.allclose(found[0], [0.4, 0.6, 0.0])
    assert torch.equal(found[1:], attention[1:])  # nothing left, nothing attended to, nothing masked
