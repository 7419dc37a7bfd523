"""Output layers by name: what holds for every kind."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError, ShapeError
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.registry import OUTPUTS, make_output

COUNTS = [50, 30, 20, 11, 7, 5, 3, 2, 1, 1, 0]
D, V = 6, len(COUNTS)
PROBABILISTIC = [kind for kind in OUTPUTS if kind != "negative"]


def layer_of(kind, **options):
    torch.manual_seed(3)
    return make_output(kind, OutputConfig(D, V, counts=COUNTS, seed=1), **options).double()


@pytest.mark.parametrize("kind", PROBABILISTIC)
def test_probabilities_sum_to_one_and_agree(kind):
    layer, hidden = layer_of(kind), 3 * torch.randn(V, D, dtype=torch.float64)
    log_prob = layer.log_prob(hidden)
    torch.testing.assert_close(log_prob.exp().sum(1), torch.ones(V, dtype=torch.float64), atol=1e-9, rtol=0)
    targets = torch.arange(V)
    torch.testing.assert_close(layer.log_prob_of(hidden, targets), log_prob.diagonal(), atol=1e-9, rtol=0)


@pytest.mark.parametrize("kind", OUTPUTS)
def test_same_seed_same_layer_and_loss(kind):
    hidden, targets = torch.randn(4, D, dtype=torch.float64), torch.tensor([0, 3, 10, 5])
    losses = [layer_of(kind).loss(hidden, targets) for _ in range(2)]
    assert torch.equal(*losses)
    assert losses[0].shape == (4,)
    assert torch.isfinite(losses[0]).all()


def test_a_random_tree_is_its_seeds():
    """Whatever torch's generator gives, which draws weights."""
    one, same, other = (
        make_output("tree", OutputConfig(D, V, seed=seed), tree="random").codes.children.tolist() for seed in (1, 1, 2)
    )
    assert one == same != other


@pytest.mark.parametrize("kind", OUTPUTS)
def test_weights_come_back_through_a_state(kind):
    layer = layer_of(kind)
    torch.manual_seed(4)
    other = make_output(kind, OutputConfig(D, V, counts=COUNTS, seed=2)).double()
    other.load_state_dict(layer.state_dict())
    hidden, targets = torch.randn(3, D, dtype=torch.float64), torch.tensor([9, 0, 2])
    losses = []
    for each in (layer, other):
        torch.manual_seed(5)
        losses.append(each.loss(hidden, targets))
    assert torch.equal(*losses)


@pytest.mark.parametrize("kind", OUTPUTS)
def test_no_tokens_give_no_loss(kind):
    nothing = torch.zeros(0, D, dtype=torch.float64)
    assert layer_of(kind).loss(nothing, torch.zeros(0, dtype=torch.int64)).shape == (0,)


def test_an_unknown_kind_is_refused():
    with pytest.raises(OptionError, match="expected one of full"):
        make_output("sofmax", OutputConfig(D, V))


@pytest.mark.parametrize("counts", [[1, 2], [-1] * V, [0.5] * V])
@pytest.mark.parametrize("kind", OUTPUTS)
def test_wrong_counts_are_refused(kind, counts):
    with pytest.raises(ShapeError, match=f"expected {V} whole numbers"):
        make_output(kind, OutputConfig(D, V, counts=counts))


WRONG = [
    ("full", "bias", 3),
    ("adaptive", "tails", 0),
    ("adaptive", "tails", 1.5),
    ("adaptive", "shrink", 0.5),
    ("adaptive", "shrink", "much"),
    ("tree", "tree", 3),
    ("tree", "codes", "two"),
    ("tree", "codes", 0),
    ("classes", "classes", 2.5),
    ("classes", "classes", "verbs"),
    ("importance", "samples", 2.5),
    ("importance", "samples", 0),
    ("importance", "power", float("nan")),
    ("nce", "samples", "some"),
    ("nce", "samples", True),
    ("nce", "log_z", "nine"),
    ("nce", "learn_z", "maybe"),
    ("negative", "negative", "few"),
    ("negative", "power", float("inf")),
    ("full", "nonsense", 1),
]


@pytest.mark.parametrize(("kind", "name", "value"), WRONG)
def test_wrong_options_are_named(kind, name, value):
    with pytest.raises(OptionError, match=f"{name}.*expected"):
        make_output(kind, OutputConfig(D, V, counts=COUNTS), **{name: value})
