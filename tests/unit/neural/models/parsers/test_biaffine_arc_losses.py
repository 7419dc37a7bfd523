"""Losses of arcs against their alternatives, one by one."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.parsers.biaffine import arc_loss
from tests.unit.neural.structs.arcs import LENGTHS, every, random_arcs
from tests.unit.neural.structs.brute_force import log_sum

HEADS = ((2, 0, 2, 5, 3), (0,), (2, 0), (3, 1, 0, 3))  # projective, of 5, 1, 2 and 4 words
N = 5


def padded(trees=HEADS, filler=0):
    return torch.tensor([[*heads, *[filler] * (N - len(heads))] for heads in trees])


@pytest.mark.parametrize(("kind", "projective"), [("matrix-tree", False), ("projective", True)])
def test_trees_are_the_alternatives(kind, projective):
    arcs = random_arcs(1)
    found = [dict(structures) for structures in every(arcs, LENGTHS, projective=projective)]
    expected = sum(log_sum(each.values()) - each[heads] for each, heads in zip(found, HEADS, strict=True))
    assert arc_loss(kind, arcs, padded(), LENGTHS).item() == pytest.approx(expected, abs=1e-9)


def test_heads_are_the_alternatives():
    """The other words of the sentence and the root; not the word itself, not the padding."""
    arcs = random_arcs(2)
    expected = 0.0
    for scores, heads in zip(arcs.tolist(), HEADS, strict=True):
        n = len(heads)
        for word, head in enumerate(heads, 1):
            expected += log_sum(scores[h][word] for h in range(n + 1) if h != word) - scores[head][word]
    assert arc_loss("cross-entropy", arcs, padded(), LENGTHS).item() == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("kind", ["cross-entropy", "matrix-tree", "projective"])
def test_padding_does_not_matter(kind):
    arcs = random_arcs(3).requires_grad_()
    loss = arc_loss(kind, arcs, padded(), LENGTHS)
    loss.backward()
    noisy = arcs.detach().clone()
    for row, n in enumerate(LENGTHS.tolist()):
        noisy[row, n + 1 :] = noisy[row, :, n + 1 :] = 1e4
        assert not arcs.grad[row, n + 1 :].any()
        assert not arcs.grad[row, :, n + 1 :].any()
    assert torch.isfinite(arcs.grad).all()
    assert arc_loss(kind, noisy, padded(filler=1), LENGTHS).item() == pytest.approx(loss.item(), abs=1e-9)


def test_one_word_has_no_alternative():
    for kind in ("cross-entropy", "matrix-tree", "projective"):
        loss = arc_loss(kind, random_arcs(4, n=1, batch=1), torch.tensor([[0]]), torch.tensor([1]))
        assert loss.item() == pytest.approx(0.0, abs=1e-12)
    two = torch.zeros(1, 3, 3, dtype=torch.float64)
    for kind, alternatives in (("cross-entropy", 4), ("matrix-tree", 2), ("projective", 2)):
        loss = arc_loss(kind, two, torch.tensor([[0, 1]]), torch.tensor([2]))
        assert loss.item() == pytest.approx(math.log(alternatives))
