"""InfoNCE against loops over anchors and keys; the queue; the momentum encoder; alignment and uniformity."""

import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError, ShapeError
from firth.neural.layers import contrastive
from firth.neural.layers.contrastive import InfoNCE, MomentumEncoder, NegativeQueue, alignment, group_masks, uniformity


def rows(count, width=5, *, seed=0, grad=False):
    random = torch.Generator().manual_seed(seed)
    return torch.randn(count, width, dtype=torch.float64, generator=random).requires_grad_(grad)


def cosine(x, y):
    x, y = x.detach().numpy(), y.detach().numpy()
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


def by_hand(anchors, keys, positives, candidates, temperature):
    """The loss of each anchor, term by term; positives and candidates are lists of key numbers."""
    losses = []
    for anchor, own, others in zip(anchors, positives, candidates, strict=True):
        weights = {key: math.exp(cosine(anchor, keys[key]) / temperature) for key in others}
        losses.append(-sum(math.log(weights[key] / sum(weights.values())) for key in own) / len(own))
    return losses


def test_in_batch_negatives_equal_a_loop():
    anchors, keys = rows(4), rows(4, seed=1)
    expected = by_hand(anchors, keys, [[i] for i in range(4)], [range(4)] * 4, 0.1)
    assert InfoNCE(0.1)(anchors, keys).tolist() == pytest.approx(expected, rel=1e-12)


def test_hard_negatives_and_a_queue_are_further_keys():
    anchors, keys, queue = rows(3), rows(5, seed=1), rows(4, seed=2)
    expected = by_hand(anchors, torch.cat((keys, queue)), [[i] for i in range(3)], [range(9)] * 3, 0.2)
    assert InfoNCE(0.2)(anchors, keys, negatives=queue).tolist() == pytest.approx(expected, rel=1e-12)


def test_several_positives_in_groups_equal_a_loop():
    """Groups 0 0 0 1 1 and one hard negative: no text is compared with itself, and the negative is nobody's."""
    texts, hard = rows(5), rows(1, seed=1)
    keys = torch.cat((texts, hard))
    positive, compared = group_masks(torch.tensor([0, 0, 0, 1, 1]), torch.tensor([0, 0, 0, 1, 1, -1]))
    own = [[1, 2], [0, 2], [0, 1], [4], [3]]
    expected = by_hand(texts, keys, own, [[k for k in range(6) if k != i] for i in range(5)], 0.5)
    found = InfoNCE(0.5)(texts, keys, positive=positive, compared=compared)
    assert found.tolist() == pytest.approx(expected, rel=1e-6)


def test_gradients_equal_finite_differences():
    anchors, keys, queue = rows(3, grad=True), rows(4, seed=1, grad=True), rows(2, seed=2, grad=True)
    positive = torch.tensor([[1, 0, 1, 0], [0, 1, 0, 0], [1, 1, 0, 0]], dtype=torch.bool)
    loss = InfoNCE(0.3)
    assert torch.autograd.gradcheck(
        lambda a, k, q: loss(a, k, positive=positive, negatives=q), (anchors, keys, queue), atol=1e-7
    )
    assert torch.autograd.gradcheck(alignment, (rows(3, grad=True), rows(3, seed=1, grad=True)), atol=1e-7)
    assert torch.autograd.gradcheck(uniformity, (rows(4, grad=True),), atol=1e-7)


def test_a_high_temperature_gives_the_uniform_gradient():
    """d loss / d (s / tau) = p - y; for tau to infinity, p is 1 / M."""
    unit = torch.eye(4, dtype=torch.float64)  # the cosine of an anchor with key k is its own number k, over its length
    anchors = rows(2, 4, grad=True)
    temperature = 1e6
    InfoNCE(temperature)(anchors, unit).sum().backward()
    length = anchors.detach().norm(dim=1, keepdim=True)
    with_respect_to_cosines = torch.full((2, 4), 0.25, dtype=torch.float64) - torch.eye(2, 4, dtype=torch.float64)
    direction = anchors.detach() / length
    along = (with_respect_to_cosines * direction).sum(1, keepdim=True) * direction
    expected = (with_respect_to_cosines - along) / length / temperature
    torch.testing.assert_close(anchors.grad, expected, rtol=1e-5, atol=1e-14)


def test_identical_views_at_a_low_temperature_cost_nothing():
    x = torch.eye(4)
    assert InfoNCE(0.01)(x, x).abs().max().item() < 1e-6
    assert InfoNCE(0.01)(torch.ones(4, 3), torch.ones(4, 3))[0].item() == pytest.approx(math.log(4), rel=1e-6)


def test_errors():
    with pytest.raises(OptionError, match=r"temperature=0.0: expected a number above 0"):
        InfoNCE(0.0)
    with pytest.raises(ShapeError, match=r"2 keys for 3 anchors"):
        InfoNCE()(rows(3), rows(2))
    with pytest.raises(ShapeError, match=r"anchor 1 has no positive"):
        InfoNCE()(rows(2), rows(2), positive=torch.tensor([[True, False], [False, False]]))
    with pytest.raises(OptionError, match=r"queue=3: smaller than a batch of 4 keys.*expected at least 4"):
        NegativeQueue(3, 5).push(rows(4))
    with pytest.raises(OptionError, match=r"queue=0"):
        NegativeQueue(0, 5)
    with pytest.raises(OptionError, match=r"momentum=1.5: expected a number from 0 to 1"):
        MomentumEncoder(torch.nn.Linear(2, 2), 1.5)
    with pytest.raises(ShapeError, match=r"uniformity of 1 vectors"):
        uniformity(rows(1))
    with pytest.raises(ShapeError, match=r"expected the same"):
        alignment(rows(1), rows(2))


def test_the_queue_forgets_the_oldest_first():
    queue = NegativeQueue(5, 1)
    assert len(queue()) == 0
    pushed = torch.arange(12.0, requires_grad=True)[:, None]
    for first, held in ((0, {0, 1, 2}), (3, {1, 2, 3, 4, 5}), (6, {4, 5, 6, 7, 8}), (9, {7, 8, 9, 10, 11})):
        before = queue()
        queue.push(pushed[first : first + 3])
        assert set(queue().flatten().tolist()) == held
        assert len(before) < 5 or set(before.flatten().tolist()) != held  # what was read is a copy
    assert not queue().requires_grad
    again = NegativeQueue(5, 1)
    again.load_state_dict(queue.state_dict())
    again.push(torch.tensor([[99.0]]))
    assert set(again().flatten().tolist()) == {8, 9, 10, 11, 99}


def test_no_gradient_reaches_the_keys_and_the_average_is_exact():
    torch.manual_seed(0)
    encoder = torch.nn.Linear(3, 2).double()
    average = MomentumEncoder(encoder, 0.9)
    expected = [parameter.detach().clone() for parameter in encoder.parameters()]
    optimiser = torch.optim.SGD(encoder.parameters(), lr=0.5)
    x = torch.randn(4, 3, dtype=torch.float64)
    for _ in range(3):
        keys = average(x)
        assert not keys.requires_grad
        optimiser.zero_grad()
        InfoNCE()(encoder(x), keys).mean().backward()
        optimiser.step()
        average.update(encoder)
        expected = [0.9 * old + 0.1 * new for old, new in zip(expected, encoder.parameters(), strict=True)]
    for found, wanted in zip(average.parameters(), expected, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-12, atol=0)
        assert found.grad is None
        assert not found.requires_grad


def test_alignment_and_uniformity_by_hand():
    """Right angles: |x - y|^2 = 2. Three unit vectors at 0, 90 and 180 degrees: squared distances 2, 2 and 4."""
    x, y = torch.tensor([[2.0, 0.0], [0.0, 3.0]]), torch.tensor([[0.0, 1.0], [0.0, 1.0]])
    assert alignment(x, y).item() == pytest.approx(1.0)
    assert alignment(x, y, power=1).item() == pytest.approx(math.sqrt(2) / 2)
    three = torch.tensor([[1.0, 0.0], [0.0, 2.0], [-3.0, 0.0]])
    expected = math.log((2 * math.exp(-4) + math.exp(-8)) / 3)
    assert uniformity(three).item() == pytest.approx(expected, rel=1e-6)


def test_uniformity_equals_all_distances_over_several_blocks(monkeypatch):
    """As `pdist`, the form in the code of Wang and Isola."""
    x = rows(23)
    unit = x / x.norm(dim=1, keepdim=True)
    expected = torch.pdist(unit).pow(2).mul(-2).exp().mean().log().item()
    for block in (1024, 7, 22, 1):
        monkeypatch.setattr(contrastive, "BLOCK", block)
        assert uniformity(x).item() == pytest.approx(expected, rel=1e-10)
