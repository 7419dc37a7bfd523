"""Masks: their share, their constancy, their switch."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.dropout import Dropout, Dropouts, PartDropout, sampling
from firth.neural.layers.recurrent import RecurrentStack


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(37)


@pytest.mark.parametrize("locked", [False, True])
def test_what_is_left_is_scaled_up(locked):
    """Rate 0.2: numbers are 0 or 1 / 0.8 = 1.25; of 40,000, 20 % are 0 (locked: of 4,000 masks' numbers)."""
    y = Dropout(0.2, locked=locked)(torch.ones(40, 10, 100))
    assert sorted(y.unique().tolist()) == [0.0, 1.25]
    assert (y == 0).float().mean().item() == pytest.approx(0.2, abs=0.02)


def test_a_locked_mask_strikes_the_same_columns_at_every_step_and_others_in_other_sequences():
    zero = Dropout(0.5, locked=True)(torch.randn(16, 12, 20)) == 0
    assert torch.equal(zero, zero[:, :1].expand_as(zero))
    assert len(zero[:, 0].unique(dim=0)) == 16


def test_a_plain_mask_does_not():
    zero = Dropout(0.5)(torch.randn(16, 12, 20)) == 0
    assert not torch.equal(zero, zero[:, :1].expand_as(zero))


def test_in_use_nothing_is_dropped():
    x = torch.randn(2, 3, 4)
    assert Dropout(0.5).eval()(x) is x


@pytest.mark.parametrize("locked", [False, True])
def test_a_stack_drops_before_between_and_behind_its_layers(locked):
    rates = Dropouts(inputs=0.5, layers=0.5, outputs=0.5, locked=locked)
    stack = RecurrentStack(20, 20, 2, dropout=rates)
    seen = []
    for part in [*stack.before, stack.after]:
        part.register_forward_hook(lambda module, args, output: seen.append(output == 0))
    y, _ = stack(torch.randn(8, 6, 20))
    assert torch.equal(y == 0, seen[-1])
    assert len(seen) == 3
    for zero in seen:
        assert zero.float().mean().item() == pytest.approx(0.5, abs=0.1)
        assert torch.equal(zero, zero[:, :1].expand_as(zero)) == locked


def test_sampling_turns_masks_on_and_back():
    module = torch.nn.Sequential(Dropout(0.5), torch.nn.Dropout(0.5), torch.nn.BatchNorm1d(4)).eval()
    with sampling(module):
        assert module[0].mask.training
        assert module[1].training
        assert not module[2].training
    assert not module[0].mask.training
    assert not module[1].training


def test_the_mean_of_sampled_predictions_is_near_the_plain_one():
    stack = RecurrentStack(6, 8, 2, dropout=Dropouts.variational(0.1)).eval()
    x = torch.randn(1, 4, 6)
    plain, _ = stack(x)
    with sampling(stack):
        one, other = stack(x)[0], stack(x)[0]
        mean = stack(x.expand(3000, 4, 6))[0].mean(0)
    assert not torch.equal(one, other)
    assert torch.equal(stack(x)[0], plain)
    assert (mean - plain[0]).abs().max() < 0.02
    assert (one - plain).abs().max() > 0.02


@pytest.mark.parametrize("rate", [-0.1, 1.0, float("nan")])
def test_rates_out_of_range_are_refused(rate):
    with pytest.raises(OptionError, match="expected a rate from 0 to below 1"):
        Dropout(rate)
    with pytest.raises(OptionError, match="recurrent="):
        Dropouts(recurrent=rate)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.95])
def test_masks_have_their_rate_and_neighbours_are_independent(rate):
    """1,000,003 numbers, four out of each draw of 64 bits: mean 1, the share dropped within five standard errors.

    Two neighbours, and two that are four apart, are both dropped with a chance of rate^2.
    """
    mask = Dropout(rate)(torch.ones(1_000_003))
    zero = (mask == 0).double()
    assert zero.mean().item() == pytest.approx(rate, abs=5 * (rate * (1 - rate) / 1e6) ** 0.5 + 1 / 65536)
    assert mask.max().item() == pytest.approx(1 / (1 - rate), rel=1e-3)
    for step in (1, 2, 3, 4):
        both = (zero[step:] * zero[:-step]).mean().item()
        assert both == pytest.approx(rate**2, abs=6 * (rate**2 * (1 - rate**2) / 1e6) ** 0.5 + 1e-4)


def test_gradients_go_where_numbers_went():
    x = torch.randn(50, 40, requires_grad=True)
    y = Dropout(0.3)(x)
    y.sum().backward()
    assert ((x.grad == 0) == (y == 0)).all()
    assert torch.allclose(x.grad * x, y)


def test_parts_that_stay_count_for_those_that_are_dropped():
    """Of three parts of ones: none, one, two or three stay, and their sum is 3 times the width unless all are gone."""
    parts = [torch.ones(200, 50, width) for width in (1, 2, 2)]
    dropped = PartDropout(0.5)(parts)
    form, tag, other = dropped[..., 0], dropped[..., 1:3], dropped[..., 3:]
    assert (tag == tag[..., :1]).all()
    assert (other == other[..., :1]).all()
    total = form + tag[..., 0] + other[..., 0]
    assert sorted(total.round(decimals=4).unique().tolist()) == [0.0, 3.0]
    assert (total == 0).float().mean().item() == pytest.approx(1 / 8, abs=0.02)
    assert set(form.unique().tolist()) == {0.0, 1.0, 1.5, 3.0}
    layer = PartDropout(0.5).eval()
    assert torch.equal(layer(parts), torch.cat(parts, 2))
