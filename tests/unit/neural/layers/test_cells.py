"""One recurrent layer: torch's kernels and our own loop give the same; dropout and zoneout do what they say."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.dropout import Dropouts, sampling
from firth.neural.layers.recurrence import CELL_STEPS
from firth.neural.layers.torch_kernels import run_torch

each_kind = pytest.mark.parametrize("kind", sorted(CELL_STEPS))
LENGTHS = torch.tensor([4, 7, 1])


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(7)


def by_torch(layer, x, lengths=None):
    weights = [layer.weight_ih, layer.weight_hh, layer.bias_ih, layer.bias_hh]
    start = tuple(torch.zeros(len(x), layer.width) for _ in range(CELL_STEPS[layer.kind].tensors))
    return run_torch(layer.kind, x, weights, start, lengths)


@each_kind
def test_our_loop_equals_torchs_kernels_with_the_same_weights(kind):
    """A rate of zoneout too small to matter sends the layer to our loop, as padding does below."""
    layer = RecurrentLayer(kind, 3, 5, dropout=Dropouts(zoneout=1e-12)).eval()
    x = torch.randn(2, 6, 3)
    torch.testing.assert_close(layer(x), by_torch(layer, x), atol=1e-6, rtol=0)


@each_kind
def test_padding_is_skipped_as_torchs_packed_sequences_skip_it(kind):
    layer = RecurrentLayer(kind, 3, 5)
    x = torch.randn(3, 7, 3)
    ours, theirs = layer(x, None, LENGTHS), by_torch(layer, x, LENGTHS)
    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=0)
    assert (ours[0][2, 1:] == 0).all()


@each_kind
def test_padding_and_neighbours_change_nothing(kind):
    layer = RecurrentLayer(kind, 3, 5)
    x = torch.randn(3, 7, 3)
    alone, end = layer(x[:1, :4])
    x[0, 4:] = 1e6
    among, ends = layer(x, None, LENGTHS)
    torch.testing.assert_close(among[:1, :4], alone, atol=1e-6, rtol=0)
    torch.testing.assert_close(ends[-1][:1], end[-1], atol=1e-6, rtol=0)


@each_kind
def test_padding_gives_no_gradient(kind):
    layer = RecurrentLayer(kind, 3, 5)
    x = torch.randn(3, 7, 3, requires_grad=True)
    y, ends = layer(x, None, LENGTHS)
    (y.sin().sum() + ends[-1].sum()).backward()
    within = torch.arange(7) < LENGTHS.unsqueeze(1)
    assert (x.grad[~within] == 0).all()
    assert (x.grad[within].abs().sum(-1) > 0).all()


@each_kind
def test_the_state_is_masked_by_one_mask_a_sequence(kind):
    """The output's own columns are whole: the mask is on the product. With the weights to one unit set apart, that
    unit's past reaches the others where the mask keeps it and never where it drops it, at every step alike."""
    layer = RecurrentLayer(kind, 3, 8, dropout=Dropouts(recurrent=0.5))
    seen = []
    layer.state_mask.register_forward_hook(lambda module, args, mask: seen.append(mask))
    layer(torch.randn(16, 5, 3))
    (mask,) = seen  # drawn once for all five steps
    assert mask.shape == (16, 8)
    assert set(mask.unique().tolist()) == {0.0, 2.0}
    assert len(mask.unique(dim=0)) > 8  # sequences differ


@each_kind
def test_dropped_units_of_the_state_reach_no_later_step(kind):
    layer = RecurrentLayer(kind, 3, 6, dropout=Dropouts(recurrent=0.5))
    masks = []
    layer.state_mask.register_forward_hook(lambda module, args, mask: masks.append(mask))
    x, start = torch.randn(4, 5, 3), tuple(torch.randn(4, 6) for _ in layer.zoneouts)
    y, _ = layer(x, start)
    y.sum().backward()
    dropped_everywhere = (masks[0] == 0).all(dim=0)
    reached = layer.weight_hh.grad.abs().sum(dim=0) > 0
    assert torch.equal(reached, ~dropped_everywhere)


@each_kind
def test_dropped_weights_are_the_same_for_all_steps_and_new_each_call(kind):
    layer = RecurrentLayer(kind, 3, 6, dropout=Dropouts(weights=0.5))
    layer(torch.randn(4, 5, 3))[0].sum().backward()
    first = layer.weight_hh.grad == 0
    assert 0.3 < first.float().mean() < 0.7
    layer.zero_grad()
    layer(torch.randn(4, 5, 3))[0].sum().backward()
    assert not torch.equal(first, layer.weight_hh.grad == 0)


@each_kind
def test_zoneout_keeps_or_takes_each_number(kind):
    layer = RecurrentLayer(kind, 3, 50, dropout=Dropouts(zoneout=0.3, zoneout_output=0.3))
    start = tuple(torch.full((20, 50), 7.0) for _ in layer.zoneouts)
    _, ends = layer(torch.randn(20, 1, 3), start)
    for end in ends:
        assert (end == 7.0).float().mean().item() == pytest.approx(0.3, abs=0.05)


@each_kind
def test_zoneout_in_use_is_its_expectation(kind):
    """Over a single step the mean of many noisy states is the state in use: s' + 0.4 (s - s'), here to 3 sigma."""
    layer = RecurrentLayer(kind, 3, 4, dropout=Dropouts(zoneout=0.4, zoneout_output=0.4))
    x, start = torch.randn(1, 1, 3), tuple(torch.randn(1, 4) for _ in layer.zoneouts)
    many = 20_000
    noisy = layer(x.expand(many, 1, 3), tuple(part.expand(many, 4) for part in start))[1]
    exact = layer.eval()(x, start)[1]
    for sample, mean in zip(noisy, exact, strict=True):
        error = sample.std(0) / many**0.5
        assert ((sample.mean(0) - mean[0]).abs() < 3 * error + 1e-6).all()


def test_dropout_in_use_is_drawn_on_demand_and_its_mean_is_near():
    """Mean of 2,000 draws against the layer without dropout: masks change the answer, their mean hardly does."""
    layer = RecurrentLayer("lstm", 3, 8, dropout=Dropouts(recurrent=0.2)).eval()
    x = torch.randn(1, 4, 3)
    plain = layer(x)[0]
    with sampling(layer):
        assert not torch.equal(layer(x)[0], layer(x)[0])
        mean = layer(x.expand(2000, 4, 3))[0].mean(0)
    assert torch.equal(layer(x)[0], plain)
    assert (mean - plain[0]).abs().max() < 0.02


def test_unknown_kinds_and_sizes_are_refused():
    with pytest.raises(OptionError, match="cell='peephole': expected one of"):
        RecurrentLayer("peephole", 3, 4)
    with pytest.raises(OptionError, match="3 x 0: expected at least 1 x 1"):
        RecurrentLayer("lstm", 3, 0)
