"""Positions: sinusoids, and what acts by distance alone."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.positions import (
    LearnedPositions,
    RelativePositions,
    RotaryPositions,
    SinusoidalPositions,
    sinusoids,
)

WIDTH, HEADS = 8, 2


def test_sinusoids_by_hand():
    """Width 4 has rates 10000^0 = 1 and 10000^(-2/4) = 0.01; place 3 is sin 3, cos 3, sin 0.03, cos 0.03."""
    expected = [math.sin(3), math.cos(3), math.sin(0.03), math.cos(0.03)]
    assert sinusoids(torch.tensor([3]), 4)[0].tolist() == pytest.approx(expected, abs=1e-6)


def test_sinusoids_come_in_pairs():
    with pytest.raises(OptionError, match="width 5: sinusoids come in pairs"):
        sinusoids(torch.arange(3), 5)


@pytest.mark.parametrize("kind", [LearnedPositions, SinusoidalPositions])
def test_added_positions_start_where_they_are_refused(kind):
    positions, x = kind(WIDTH, 10), torch.randn(2, 7, WIDTH)
    assert torch.equal(positions(x)[:, 4:], positions(x[:, 4:], 4))


def heads(steps):
    return torch.randn(2, HEADS, steps, WIDTH // HEADS, dtype=torch.float64)


def test_relative_scores_are_their_formula_pair_by_pair():
    torch.manual_seed(0)
    positions, q, k = RelativePositions(WIDTH, HEADS).double(), heads(3), heads(5)
    with torch.no_grad():
        positions.content_bias.normal_()
        positions.distance_bias.normal_()
    queries, keys, bias = positions(q, k)
    scores = queries @ keys.transpose(-2, -1) + bias
    for b, h, t, s in ((0, 0, 0, 0), (1, 1, 2, 4), (0, 1, 0, 4), (1, 0, 2, 0)):
        distance = 2 + t - s  # query t stands at place 5 - 3 + t
        row = positions.distance(sinusoids(torch.tensor([distance]), WIDTH).double())[0].reshape(HEADS, -1)[h]
        u, v = positions.content_bias[h, 0], positions.distance_bias[h, 0]
        expected = (q[b, h, t] + u) @ k[b, h, s] + (q[b, h, t] + v) @ row
        assert scores[b, h, t, s].item() == pytest.approx(expected.item(), abs=1e-12)


def test_rotary_by_hand():
    """Two numbers are one pair of rate 1: at place 1, (1, 0) is turned by one radian to (cos 1, sin 1)."""
    q = k = torch.tensor([[[[1.0, 0.0], [1.0, 0.0]]]])
    turned, _, bias = RotaryPositions()(q, k)
    assert turned[0, 0, 0].tolist() == [1.0, 0.0]
    assert turned[0, 0, 1].tolist() == pytest.approx([math.cos(1), math.sin(1)], abs=1e-6)
    assert bias is None


def test_rotary_scores_depend_on_the_distance_alone():
    """The same query and key at every place: equal scores along each diagonal, other ones beside it."""
    torch.manual_seed(0)
    q, k = heads(1).expand(2, HEADS, 6, -1), heads(1).expand(2, HEADS, 6, -1)
    queries, keys, _ = RotaryPositions()(q, k)
    scores = queries @ keys.transpose(-2, -1)
    for distance in range(-5, 6):
        diagonal = scores.diagonal(distance, -2, -1)
        torch.testing.assert_close(diagonal, diagonal[..., :1].expand_as(diagonal), atol=1e-12, rtol=0)
    assert (scores[..., 0, 0] - scores[..., 1, 0]).abs().min() > 1e-3


def test_rotary_keeps_lengths():
    torch.manual_seed(0)
    q = heads(6)
    turned, _, _ = RotaryPositions()(q, q)
    torch.testing.assert_close(turned.norm(dim=-1), q.norm(dim=-1), atol=1e-12, rtol=0)
