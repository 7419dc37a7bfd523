"""Scores of coreference by hand and by the papers' examples."""

import itertools

import numpy as np
import pytest

from firth.errors import ShapeError
from firth.evaluation.coreference import coreference_intervals, score_coreference
from firth.evaluation.spans import Score
from firth.resampling import draws

# Luo 2005, figure 1: truth, and four responses.
TRUTH = [[1, 2, 3, 4, 5], [6, 7], [8, 9, "A", "B", "C"]]
RESPONSES = {
    "a": [[1, 2, 3, 4, 5], [6, 7, 8, 9, "A", "B", "C"]],
    "b": [[1, 2, 3, 4, 5, 8, 9, "A", "B", "C"], [6, 7]],
    "c": [[1, 2, 3, 4, 5, 6, 7, 8, 9, "A", "B", "C"]],
    "d": [[each] for each in [1, 2, 3, 4, 5, 6, 7, 8, 9, "A", "B", "C"]],
}
# F1 of MUC, B-cubed, CEAF-m and CEAF-e in table 1 of that paper.
TABLE_1 = {"a": (0.947, 0.865, 0.833, 0.733), "b": (0.947, 0.737, 0.583, 0.667), "c": (0.900, 0.545, 0.417, 0.294)}


@pytest.mark.parametrize("name", TABLE_1)
def test_the_table_of_luo(name):
    scores = score_coreference([TRUTH], [RESPONSES[name]])
    found = (scores.muc.f1, scores.b_cubed.f1, scores.ceaf_m.f1, scores.ceaf_e.f1)
    np.testing.assert_allclose(found, TABLE_1[name], atol=6e-4)


def test_the_example_of_lea():
    """Moosavi and Strube 2016, section 3: recall (3/6 * ... ) of two gold clusters of 3 and 4 mentions."""
    gold = [["a", "b", "c"], ["d", "e", "f", "g"]]
    found = [["a", "b"], ["c", "d"], ["f", "g", "h", "i"]]
    scores = score_coreference([gold], [found])
    assert scores.lea.recall == pytest.approx((3 * 1 / 3 + 4 * 1 / 6) / 7)
    assert scores.lea.precision == pytest.approx((2 * 1 + 2 * 0 + 4 * 1 / 6) / 8)


def random_clusters(random, mentions):
    labels = random.integers(0, max(1, mentions // 2), mentions)
    kept = random.random(mentions) < 0.8
    return [np.flatnonzero(kept & (labels == label)).tolist() for label in np.unique(labels[kept])]


def by_hand(gold, found):
    """The formulas, pair by pair and alignment by alignment."""
    in_gold = {mention: set(cluster) for cluster in gold for mention in cluster}
    in_found = {mention: set(cluster) for cluster in found for mention in cluster}

    def links(cluster):
        return {frozenset(pair) for pair in itertools.combinations(cluster, 2)} or {frozenset(cluster)}

    def divided(a, b):
        return a / b if b else 0.0

    def recalls(gold, found, of_gold, of_found):
        every = sum(map(len, gold))
        parts = [len({frozenset(of_found.get(m, ())) & set(k) or m for m in k}) for k in gold]
        small, large = sorted((gold, found), key=len)
        alignments = [list(zip(small, chosen, strict=True)) for chosen in itertools.permutations(large, len(small))]
        shared = [[(len({*a} & {*b}), len(a) + len(b)) for a, b in pairs] for pairs in alignments]
        resolved = [sum(len(links(k) & links(r)) for r in found) / len(links(k)) for k in gold]
        return {
            "muc": divided(sum(len(k) - p for k, p in zip(gold, parts, strict=True)), sum(len(k) - 1 for k in gold)),
            "b_cubed": divided(sum(len(of_gold[m] & of_found.get(m, set())) / len(of_gold[m]) for m in of_gold), every),
            "ceaf_e": divided(max(sum(2 * n / size for n, size in one) for one in shared), len(gold)),
            "ceaf_m": divided(max(sum(n for n, _ in one) for one in shared), every),
            "lea": divided(sum(len(k) * r for k, r in zip(gold, resolved, strict=True)), every),
            "mentions": divided(len(of_gold.keys() & of_found.keys()), every),
        }

    return recalls(gold, found, in_gold, in_found), recalls(found, gold, in_found, in_gold)


def test_random_clusters_by_hand():
    random = np.random.default_rng(0)
    for _ in range(40):
        gold, found = (random_clusters(random, int(random.integers(1, 11))) for _ in range(2))
        scores = score_coreference([gold], [found])
        recalls, precisions = by_hand(gold, found)
        for name, recall in recalls.items():
            assert getattr(scores, name).recall == pytest.approx(recall, abs=1e-12), (name, gold, found)
            assert getattr(scores, name).precision == pytest.approx(precisions[name], abs=1e-12), (name, gold, found)


def test_documents_add_up():
    """Two documents are one of both, but for pairs across documents."""
    random = np.random.default_rng(1)
    documents = [(random_clusters(random, 12), random_clusters(random, 12)) for _ in range(3)]
    apart = score_coreference([gold for gold, _ in documents], [found for _, found in documents])
    named = [[[(i, m) for m in k] for k in clusters] for i, both in enumerate(documents) for clusters in both]
    together = score_coreference(*([list(itertools.chain(*named[kind::2]))] for kind in (0, 1)))
    for name in ("muc", "b_cubed", "ceaf_e", "ceaf_m", "lea", "mentions"):
        assert getattr(apart, name) == getattr(together, name)
    assert apart.documents == 3
    assert apart.conll == (apart.muc.f1 + apart.b_cubed.f1 + apart.ceaf_e.f1) / 3


def test_perfect_and_nothing():
    scores = score_coreference([TRUTH], [TRUTH])
    assert {scores.muc, scores.b_cubed, scores.ceaf_e, scores.ceaf_m, scores.lea, scores.blanc} == {Score(1, 1, 1)}
    nothing = score_coreference([TRUTH], [[]])
    assert {nothing.muc, nothing.b_cubed, nothing.blanc, nothing.mentions} == {Score(0, 0, 0)}
    assert score_coreference([[]], [[]]).conll == 0


def test_blanc_without_pairs_of_one_kind():
    singletons, one = [[1], [2], [3]], [[1, 2, 3]]
    score = score_coreference([singletons], [[[1], [2], [3, 4]]]).blanc
    assert (score.recall, score.precision, score.f1) == pytest.approx((1.0, 3 / 5, 0.75))
    score = score_coreference([one], [[[1, 2], [3]]]).blanc
    assert (score.recall, score.precision, score.f1) == pytest.approx((1 / 3, 1.0, 0.5))


@pytest.mark.parametrize(
    ("gold", "found", "message"),
    [([TRUTH], [], "1 document of gold"), ([[[1, 2], [2, 3]]], [TRUTH], "mention 2 is in two clusters")],
)
def test_what_is_refused(gold, found, message):
    with pytest.raises(ShapeError, match=message):
        score_coreference(gold, found)


@pytest.mark.peer
def test_scorch():
    scorch = pytest.importorskip("scorch.scores", reason="scorch is not installed: pip install scorch")
    random = np.random.default_rng(2)
    for _ in range(50):
        gold, found = (random_clusters(random, int(random.integers(12, 60))) for _ in range(2))
        ours = score_coreference([gold], [found])
        theirs = [[set(cluster) for cluster in clusters] for clusters in (gold, found)]
        for name in ("muc", "b_cubed", "ceaf_e", "ceaf_m", "blanc"):  # it has no LEA
            measure = getattr(scorch, name)
            expected = measure(*theirs, fast=False) if name == "blanc" else measure(*theirs)
            score = getattr(ours, name)
            np.testing.assert_allclose((score.recall, score.precision, score.f1), expected, atol=1e-9, err_msg=name)


def test_intervals_are_those_of_a_loop_over_resamples():
    gold = [[[1, 2, 3], [4]], [[1, 2], [3, 4]], [[1], [2, 3]], [[1, 2, 3, 4]]]
    found = [[[1, 2], [3, 4]], [[1, 2], [3, 4]], [[1, 2], [3]], [[1, 2], [3, 4, 5]]]
    intervals = coreference_intervals(gold, found, resamples=200, seed=3)
    rows = [weights for block in draws(len(gold), resamples=200, seed=3) for weights in block]
    for name, figure in (("b_cubed", lambda scores: scores.b_cubed.f1), ("conll", lambda scores: scores.conll)):
        repeated = [[number for number, times in enumerate(row.tolist()) for _ in range(times)] for row in rows]
        figures = [figure(score_coreference([gold[i] for i in row], [found[i] for i in row])) for row in repeated]
        np.testing.assert_allclose(intervals[name], np.quantile(figures, [0.025, 0.975]), atol=1e-12)
