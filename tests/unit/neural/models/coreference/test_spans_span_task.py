"""The losses of mentions and antecedents, and the chains that scores make."""

import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.coreference.span_module import Candidates, Links, decode, spans_of
from firth.neural.models.coreference.spans import antecedent_loss

INF = float("inf")


def links(*rows):
    """Rows of {antecedent: score}, each padded to the longest."""
    most = max(map(len, rows))
    antecedents = [[*row, *[0] * (most - len(row))] for row in rows]
    scores = [[*row.values(), *[-INF] * (most - len(row))] for row in rows]
    return Links(torch.tensor(antecedents), torch.tensor(scores))


def test_one_gold_antecedent_is_a_cross_entropy():
    made = links({}, {0: 0.5}, {0: 2.0, 1: -1.0})
    target = torch.tensor([0, 0, 1])  # of the dummy and the antecedents
    logits = torch.cat([torch.zeros(3, 1), made.scores], 1)
    expected = torch.nn.functional.cross_entropy(logits, target, reduction="sum")
    torch.testing.assert_close(antecedent_loss(made, torch.tensor([5, 7, 5])), expected)


def test_several_gold_antecedents_are_summed():
    """Spans 0, 1 and 3 are a chain: -log (e^1 + e^3) / (1 + e^1 + e^2 + e^3) of the last; 2 has the dummy alone."""
    made = links({}, {0: 0.0}, {0: 0.0, 1: 0.0}, {0: 1.0, 1: 3.0, 2: 2.0})
    last = math.log(1 + math.e + math.e**2 + math.e**3) - math.log(math.e + math.e**3)
    expected = math.log(2) + math.log(3) + last
    assert antecedent_loss(made, torch.tensor([4, 4, -1, 4])).item() == pytest.approx(expected, abs=1e-5)


def test_gold_antecedents_that_were_not_kept_leave_the_dummy():
    made = Links(torch.tensor([[0], [0], [1]]), torch.tensor([[-INF], [0.0], [0.0]]))
    assert antecedent_loss(made, torch.tensor([3, 9, 3])).item() == pytest.approx(2 * math.log(2), abs=1e-6)


def test_chains_of_mentions_alone():
    """Span 1 is no mention: nothing links to it or from it. 3 links with 2 and 2 with 0; 4 prefers the dummy."""
    candidates = Candidates(
        torch.tensor([0, 1, 2, 3, 4]),
        torch.tensor([0, 1, 0, 0, 2]),
        torch.tensor([1.0, -1.0, 1, 1, 1]),
        torch.zeros(5, 1),
    )
    made = links({}, {0: 9.0}, {0: 1.0, 1: 5.0}, {1: 9.0, 2: 0.5}, {0: -1.0, 3: -2.0})
    assert decode(candidates, made, singletons=True) == [[0, 2, 3], [4]]
    assert decode(candidates, made, singletons=False) == [[0, 2, 3]]
    assert decode(candidates, made, singletons=True, every=True) == [[0, 1, 2, 3], [4]]
    assert spans_of(candidates) == [(0, 1), (1, 3), (2, 3), (3, 4), (4, 7)]
