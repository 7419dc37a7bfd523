"""Merging clusters, against partitions that are computed anew."""

import numpy as np
import pytest

from firth.evaluation.coreference import score_coreference
from firth.neural.models.coreference.merging import Clustering, Partition, Scored, run
from firth.randomness import generator


def made(seed, count=12, dim=3):
    random = generator(seed, "merging")
    later, earlier = np.tril_indices(count, -1)
    kept = random.random(len(later)) < 0.7
    later, earlier = later[kept], earlier[kept]
    vectors = random.normal(size=(len(later), dim)).astype(np.float32)
    chains = random.integers(0, 4, count)
    return Scored(later, earlier, vectors, vectors[:, 0], count), np.unique(chains, return_inverse=True)[1], random


def clusters_of(partition):
    return [np.flatnonzero(partition == number).tolist() for number in np.unique(partition)]


@pytest.mark.parametrize("seed", range(4))
def test_features_and_costs_after_merges_are_those_of_the_partition(seed):
    scored, chains, random = made(seed)
    clustering, gold = Clustering(scored), Partition(chains)
    gold_clusters = clusters_of(chains)
    for _ in range(8):
        one = int(random.choice(np.unique(clustering.of)))
        for other in set(np.unique(clustering.of).tolist()) - {one}:
            between = [
                row
                for row, pair in enumerate(zip(scored.anaphors, scored.antecedents, strict=True))
                if sorted(clustering.of[mention] for mention in pair) == sorted((one, other))
            ]
            merged = np.where(clustering.of == other, one, clustering.of)
            recall, precision = gold.after(one, other)
            score = score_coreference([gold_clusters], [clusters_of(merged)]).b_cubed
            assert (recall / 12, precision / 12) == pytest.approx((score.recall, score.precision), abs=1e-9)
            assert gold.f1(recall, precision) == pytest.approx(12 * score.f1, abs=1e-9)
            if between:
                vectors = scored.vectors[between]
                sizes = np.log([(clustering.of == one).sum(), (clustering.of == other).sum(), len(between)])
                expected = np.concatenate([vectors.mean(0), vectors.max(0), sizes])
                np.testing.assert_allclose(clustering.features(one, [other])[0], expected, atol=1e-5)
        near = [other for other in clustering._rows[one] if other != one]
        if near:
            clustering.merge(one, near[0])
            kept = one if clustering.members[one] else near[0]
            gold.merge(kept, near[0] if kept == one else one)
    assert sorted(mention for members in clustering.members for mention in members) == list(range(12))


def test_mentions_come_in_the_order_of_their_best_antecedents_and_the_best_action_is_taken():
    """2 links to 0 first, since it is surest; then 1, whose best antecedent is 0, stays, and 3 joins 1."""
    scored = Scored(
        np.array([1, 2, 2, 3, 3]), np.array([0, 0, 1, 1, 2]),
        np.zeros((5, 1), np.float32), np.array([-1.0, 3.0, 0.5, 1.0, 0.2], np.float32), 4,
    )  # fmt: skip
    seen = []

    def policy(merges, stay):
        seen.append(float(stay[0]))
        return np.array([0.0, -1.0, -2.0][: 1 + len(merges)] if stay[0] < 0 else [0.0, 1.0, -1.0][: 1 + len(merges)])

    clusters, decisions = run(scored, policy, merge_candidates=1)
    assert seen == [3.0, 1.0, -1.0]
    assert clusters == [[0, 2], [1, 3]]
    assert [decision.costs.tolist() for decision in decisions] == [[0, 0], [0, 0], [0, 0]]


def test_a_policy_that_knows_the_chains_finds_them_at_no_cost_but_that_of_the_order():
    _, chains, _ = made(1, count=10)
    later, earlier = np.tril_indices(10, -1)
    same = (chains[later] == chains[earlier]).astype(np.float32)

    def policy(merges, stay):
        return np.array([0.5, *merges[:, 0]])  # the share of pairs between two clusters that are in one chain

    clusters, decisions = run(
        Scored(later, earlier, same[:, None], same, 10), policy, merge_candidates=9, chains=chains
    )
    assert clusters == sorted(clusters_of(chains))
    for decision in decisions:
        right = decision.merges[:, 0] == 1
        assert (decision.costs[1:][~right] >= decision.costs[0]).all()  # a wrong merge is never better than none
        assert (decision.costs[1:][right] < decision.costs[0]).all()


def test_no_mentions():
    empty = np.zeros(0, np.int64)
    scored = Scored(empty, empty, np.zeros((0, 2), np.float32), np.zeros(0), 0)
    assert run(scored, lambda *_: None, merge_candidates=3) == ([], [])
