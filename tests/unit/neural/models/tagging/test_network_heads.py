"""Heads: the CRF against all sequences and against pytorch-crf, softmax against its formula."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.tagging.network import CrfHead, SoftmaxHead
from firth.neural.models.tagging.tag_set import TagSet, learn_tag_set
from firth.neural.structs.chains import best_tags

SPANS = learn_tag_set([["B-A", "I-A"]], "bioes")  # O, B, I, E, S
PLAIN = learn_tag_set([list("abc")], "bioes")


@pytest.mark.parametrize("known", [SPANS, PLAIN])
def test_the_crf_sums_over_the_allowed_sequences(known):
    torch.manual_seed(1)
    head = CrfHead(4, known).double().requires_grad_(False)
    h, lengths = torch.randn(2, 4, 4, dtype=torch.float64), torch.tensor([4, 2])
    scores = head.linear(h).detach()
    tags = torch.zeros(2, 4, dtype=torch.int64)
    losses = head.loss(scores, tags, lengths).detach()

    pairs, first, last = known.allowed
    for row, length in enumerate(lengths.tolist()):
        totals = {}
        for path in itertools.product(range(len(known)), repeat=length):
            if not (first[path[0]] and last[path[-1]] and all(pairs[a, b] for a, b in itertools.pairwise(path))):
                continue
            total = head.first[path[0]] + head.last[path[-1]] + sum(scores[row, t, k] for t, k in enumerate(path))
            totals[path] = float(total + sum(head.transitions[a, b] for a, b in itertools.pairwise(path)))
        assert float(losses[row]) == pytest.approx(np.logaddexp.reduce(list(totals.values())) - totals[(0,) * length])
        assert tuple(best_tags(head.chain(scores, lengths))[row]) == max(totals, key=totals.get)


@pytest.mark.peer
def test_the_loss_of_the_crf_is_that_of_pytorch_crf():
    peer = pytest.importorskip("torchcrf", reason="pytorch-crf is not installed: pip install pytorch-crf").CRF(
        3, batch_first=True
    )
    torch.manual_seed(2)
    head = CrfHead(4, PLAIN)
    with torch.no_grad():
        for ours, theirs in (
            (head.transitions, peer.transitions),
            (head.first, peer.start_transitions),
            (head.last, peer.end_transitions),
        ):
            theirs.copy_(ours)
    scores, lengths = torch.randn(3, 5, 3), torch.tensor([5, 1, 3])
    tags, mask = torch.randint(3, (3, 5)), torch.arange(5) < lengths.unsqueeze(1)
    expected = -peer(scores, tags, mask=mask, reduction="none")
    torch.testing.assert_close(head.loss(scores, tags, lengths).float(), expected, atol=1e-5, rtol=0)
    assert best_tags(head.chain(scores, lengths)) == peer.decode(scores, mask=mask)


def test_tags_that_show_alike_are_joined():
    """B with S, I with E: by softmax their probabilities are summed, of a margin the larger score counts."""
    logits = torch.tensor([0.0, 1.0, 0.0, 0.0, 0.9]).view(1, 1, 5)  # O, B, I, E, S
    lengths = torch.tensor([1])
    chain, shown = SoftmaxHead(4, SPANS).sequences(logits, lengths, SPANS)
    assert shown.names == ["O", "B-A", "I-A"]
    assert chain.tags.flatten().exp().tolist() == pytest.approx([1, np.e + np.exp(0.9), 2], rel=1e-6)
    chain, _ = SoftmaxHead(4, SPANS, probabilities=False).sequences(logits, lengths, SPANS)
    assert chain.tags.flatten().tolist() == [0, 1, 0]
    plain = torch.rand(1, 1, 3)
    assert SoftmaxHead(4, PLAIN).sequences(plain, lengths, PLAIN)[0].tags is plain


def test_softmax_decides_each_tag_by_itself():
    torch.manual_seed(3)
    head = SoftmaxHead(4, SPANS)
    scores, lengths = head(torch.randn(2, 3, 4)), torch.tensor([3, 1])
    tags = torch.tensor([[1, 2, 3], [4, 0, 0]])
    logs = scores.log_softmax(2)
    expected = [-(logs[0, 0, 1] + logs[0, 1, 2] + logs[0, 2, 3]), -logs[1, 0, 4]]
    torch.testing.assert_close(head.loss(scores, tags, lengths), torch.stack(expected), atol=1e-6, rtol=0)
    assert best_tags(head.chain(scores, lengths)) == [scores[0].argmax(1).tolist(), scores[1, :1].argmax(1).tolist()]


def test_tags_of_attributes_share_their_weights():
    tags = TagSet(["_", "A=1", "A=1|B=2", "A=2|B=2"], attributed=True)
    head, h = SoftmaxHead(3, tags), torch.randn(2, 5, 3)
    by_part = dict(zip(["_", "A=1", "B=2", "A=2"], head.attributes.weight, strict=True))
    for number, name in enumerate(tags.names):
        weight = head.linear.weight[number] + sum(by_part[part] for part in name.split("|"))
        expected = h @ weight + head.linear.bias[number]
        torch.testing.assert_close(head(h)[..., number], expected)
    assert SoftmaxHead(3, TagSet(tags.names)).attributes is None  # of an older tagger
