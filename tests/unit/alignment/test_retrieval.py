"""Ranks of right translations: by hand, against a naive loop, and test pairs that are pivots."""

import numpy as np
import pytest

from firth.alignment.alignment import align_spaces
from firth.alignment.procrustes import Procrustes
from firth.alignment.retrieval import evaluate_retrieval
from firth.alignment.steps import Placement
from firth.errors import OptionError
from firth.vectors.cosine import unit
from firth.vectors.csls import csls
from firth.vectors.word_vectors import WordVectors
from tests.unit.alignment.spaces import translations, twins


def test_by_hand():
    """Cosines of x with p, q, r: 1, .8, 0; of y: 0, .6, 1.

    Right is q for x (rank 2), and p (rank 3) or q (rank 2) for y; z has no vector. P@1 0, P@2 1, MRR 1/2.
    """
    identity = Placement("none", np.zeros(2), np.eye(2))
    source = WordVectors(["x", "y"], [[1.0, 0.0], [0.0, 1.0]])
    target = WordVectors(["p", "q", "r"], [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0]])
    found = align_spaces((source, target), (identity, identity), (), {})
    pairs = [("x", "q"), ("y", "p"), ("y", "q"), ("z", "p")]
    (result,) = evaluate_retrieval(found, pairs, metrics=["cosine"], at=(1, 2))
    assert result.ranks.tolist() == [2, 2]
    assert (result.precision[1].value, result.precision[2].value, result.mrr.value) == (0, 1, 0.5)
    assert (result.given, result.asked) == (3, 2)
    assert result.facts["p@2"] == 1
    assert result.facts["mrr_interval"] == [0.5, 0.5]


def test_against_sorting():
    found = Procrustes().align(*twins(noise=0.6), translations(0, 60), progress=False)
    pairs = [*translations(60, 300), ("a70", "b71"), ("a90", "b12")]
    right = {i: {i} for i in range(60, 300)}
    right[70].add(71)
    right[90].add(12)
    x, z = unit(found.source.vectors), unit(found.target.vectors)
    for result, table in zip(evaluate_retrieval(found, pairs), (x @ z.T, csls(x, z)), strict=True):
        order = np.argsort(-table, axis=1)
        ranks = [1 + min(order[i].tolist().index(j) for j in js) for i, js in right.items()]
        assert result.ranks.tolist() == ranks
        assert result.precision[5].value == pytest.approx(np.mean(np.array(ranks) <= 5))
        assert result.precision[5].low <= result.precision[5].value <= result.precision[5].high
        assert result.mrr.value == pytest.approx(np.mean(1 / np.array(ranks)))


def test_equals_come_in_the_order_of_rows():
    identity = Placement("none", np.zeros(2), np.eye(2))
    target = WordVectors(["p", "q", "r"], [[1.0, 0.0]] * 3)
    found = align_spaces((WordVectors(["x"], [[1.0, 0.0]]), target), (identity, identity), (), {})
    assert evaluate_retrieval(found, [("x", "q")], metrics=["cosine"])[0].ranks.tolist() == [2]


def test_pairs_that_were_learned_from_are_refused():
    found = Procrustes().align(*twins(), translations(0, 60), progress=False)
    with pytest.raises(OptionError, match=r"10 of 30 test pairs are among the pivots \(a50 b50, a51 b51, a52 b52, "):
        evaluate_retrieval(found, translations(50, 80))


def test_no_usable_pair_and_no_metric():
    found = Procrustes().align(*twins(), translations(0, 60), progress=False)
    with pytest.raises(OptionError, match="none of 1 test pairs"):
        evaluate_retrieval(found, [("dog", "perro")])
    with pytest.raises(OptionError, match="metric='dot'"):
        evaluate_retrieval(found, translations(70, 80), metrics=["dot"])
