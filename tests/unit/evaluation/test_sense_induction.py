from itertools import combinations

import numpy as np
import pytest

from firth.errors import FormatError, OptionError
from firth.evaluation.sense_induction import (
    BASELINES,
    WordMean,
    adjusted_rand,
    paired_f,
    score_sense_induction,
    supervised_recall,
)
from firth.readers.words_in_context import read_sense_key

KEY = "wsi-semeval2010/semeval-2010/key.txt"


def partitions(trials=60):
    random = np.random.default_rng(7)
    for _ in range(trials):
        n, senses, clusters = random.integers(2, 40), random.integers(1, 6), random.integers(1, 9)
        yield random.integers(0, senses, n), random.integers(0, clusters, n)


def test_pairs_by_hand():
    """Senses a a a b b, clusters 1 1 2 2 2: pairs of one sense 3 + 1, of one cluster 1 + 3, of both 1 + 1.

    P = R = 2 / 4, F = .5. Of 10 pairs E = 4 * 4 / 10 = 1.6: ARI = (2 - 1.6) / (4 - 1.6) = 1/6.
    """
    assert paired_f(list("aaabb"), [1, 1, 2, 2, 2]) == pytest.approx(0.5)
    assert adjusted_rand(list("aaabb"), [1, 1, 2, 2, 2]) == pytest.approx(1 / 6)


def test_pairs_agree_with_a_loop():
    for gold, clusters in partitions():
        pairs = list(combinations(range(len(gold)), 2))
        sense, group = (np.array([some[i] == some[j] for i, j in pairs]) for some in (gold, clusters))
        both = (sense & group).sum()
        assert paired_f(gold, clusters) == pytest.approx(2 * both / max(sense.sum() + group.sum(), 1), abs=1e-12)
        expected = sense.sum() * group.sum() / len(pairs)
        most = (sense.sum() + group.sum()) / 2
        by_hand = 1.0 if most == expected else (both - expected) / (most - expected)
        assert adjusted_rand(gold, clusters) == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.peer
def test_adjusted_rand_is_scikit_learns():
    metrics = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn: pip install scikit-learn")
    for gold, clusters in partitions(300):
        assert adjusted_rand(gold, clusters) == pytest.approx(metrics.adjusted_rand_score(gold, clusters), abs=1e-12)


def test_names_of_clusters_do_not_matter():
    for gold, clusters in partitions(10):
        renamed = np.array([f"cluster {9 - one}" for one in clusters])
        for measure in (paired_f, adjusted_rand, supervised_recall):
            assert measure(gold, renamed) == pytest.approx(measure(gold, clusters), abs=1e-12)


def test_supervised_recall_by_hand():
    """Clusters that are the senses get everything right; one cluster gets the share of the commonest sense."""
    gold = ["a"] * 60 + ["b"] * 40
    assert supervised_recall(gold, [{"a": 1, "b": 0}[one] for one in gold]) == 1
    assert supervised_recall(gold, [0] * 100, splits=400) == pytest.approx(0.6, abs=0.02)
    assert supervised_recall(gold, range(100)) == 0  # no cluster of the fifth was in the mapping
    assert np.isnan(supervised_recall(["a"], ["x"]))


def test_the_mapping_takes_the_commonest_sense_of_a_cluster():
    """Agreed with by a loop over the splits' own drawing: four fifths map, one is judged."""
    from firth.randomness import generator

    for gold, clusters in partitions(20):
        n, random, found = len(gold), generator(3, "splits of occurrences"), []
        cut = round(0.8 * n)
        if cut == n:
            continue
        for order in [random.permutation(n) for _ in range(5)]:
            right = 0
            for i in order[cut:]:
                seen = [gold[j] for j in order[:cut] if clusters[j] == clusters[i]]
                all_ = list(gold[order[:cut]])
                answer = max(sorted(set(seen)), key=lambda one: (seen.count(one), all_.count(one)), default=None)
                right += answer == gold[i]
            found.append(right / (n - cut))
        assert supervised_recall(gold, clusters, seed=3) == pytest.approx(np.mean(found), abs=1e-12)


def test_reads_a_key(tmp_path):
    path = tmp_path / "key"
    path.write_text("bank.n bank.n.1 money\nbank.n bank.n.2 river/0.3 money/0.7 x/0.7\nbank.v bank.v.1 plane/1\n")
    assert read_sense_key(path) == {
        "bank.n": {"bank.n.1": "money", "bank.n.2": "money"},
        "bank.v": {"bank.v.1": "plane"},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("bank.n bank.n.1\n", r"line 1: 2 fields, expected 'word occurrence sense'"),
        ("b 1 x\nb 1 y\n", r"line 2: 1 is listed twice"),
        ("b 1 x/much\n", r"line 1: weight 'much' of 'x/much'"),
    ],
)
def test_what_is_no_key_is_refused(tmp_path, text, message):
    (tmp_path / "key").write_text(text)
    with pytest.raises(FormatError, match=message):
        read_sense_key(tmp_path / "key")


GOLD = {"bank.n": {"1": "money", "2": "money", "3": "river", "4": "river"}, "run.v": {"5": "move", "6": "move"}}


def only(report, **wanted):
    (row,) = [row for row in report.rows if all(getattr(row, name) == value for name, value in wanted.items())]
    return row


def test_words_weigh_by_their_occurrences():
    """bank.n perfect (1, four occurrences), run.v in two clusters (paired F 0, two occurrences): 4 / 6.

    Three has no answer: with the others that have none it is a cluster of its own, so that bank.n stays perfect only as
    long as four has none either.
    """
    mine = {"bank.n": {"1": "a", "2": "a", "3": "b", "4": "b"}, "run.v": {"5": "a", "6": "b"}}
    report = score_sense_induction(GOLD, mine, baselines=False)
    row = only(report, set="senses", metric="paired-f")
    assert (row.vectors, row.suite) == ("clusters", "sense-induction")
    assert (row.value, row.covered, row.total) == (pytest.approx(4 / 6), 6, 6)
    assert only(report, set="senses/nouns", metric="paired-f").value == 1
    assert only(report, set="senses/verbs", metric="paired-f").value == 0
    assert only(report, set="senses", metric="clusters").value == 2
    for left_out in (("3", "4"), ("3",)):
        less = {"bank.n": {i: c for i, c in mine["bank.n"].items() if i not in left_out}}
        row = only(score_sense_induction(GOLD, less, baselines=False), set="senses/nouns", metric="paired-f")
        assert row.covered == 4 - len(left_out)
        assert (row.value == 1) == (left_out == ("3", "4"))


def test_a_word_drawn_twice_counts_as_two():
    """Words of .2 (3 occurrences), .8 (1) and none (5): (2 * 3 * .2 + .8) / 7, and (.8) / 1."""
    mean = WordMean(np.array([0.2, 0.8, np.nan]), np.array([3, 1, 5]))
    assert mean(np.array([[2, 1, 7], [0, 1, 0]])) == pytest.approx([2.0 / 7, 0.8])
    assert np.isnan(mean(np.array([[0, 0, 1]]))).all()


def test_several_models_and_baselines_side_by_side(tmp_path):
    (tmp_path / "mine.key").write_text("bank.n 1 a\nbank.n 2 a\nbank.n 3 b\nbank.n 4 b\nrun.v 5 a\nrun.v 6 a\n")
    one = {word: dict.fromkeys(all_, "x") for word, all_ in GOLD.items()}
    report = score_sense_induction(GOLD, {"good": GOLD, "one": one})
    assert report.names == ["good", "one", *BASELINES]
    assert only(report, vectors="good", set="senses", metric="v-measure").value == pytest.approx(1, abs=1e-12)
    assert only(report, vectors="one", set="senses", metric="ari").value == pytest.approx(
        only(report, vectors="one cluster", set="senses", metric="ari").value
    )
    assert {one.metric for one in report.contrasts} == {"v-measure", "paired-f", "ari", "recall-80/20"}
    assert "a cluster each" in str(report)
    assert score_sense_induction(GOLD, tmp_path / "mine.key").names == ["mine", *BASELINES]
    assert (
        only(score_sense_induction(GOLD, [tmp_path / "mine.key"], baselines=False), metric="ari", set="senses").value
        == 1
    )
    with pytest.raises(OptionError, match="gold has no words"):
        score_sense_induction({}, GOLD)


def test_the_baselines_of_the_task(shared_data):
    """Manandhar et al. 2010, tables 3 to 5, in %: all, nouns, verbs.

    V-measure: MFS 0; a cluster each 31.7, 35.8, 25.6; random 4.4, 4.2, 4.6. Paired F: MFS 63.5, 57.0, 72.7; random
    31.9, 30.4, 34.1. Recall, 80 % mapped: MFS 58.67, 53.22, 66.63; random 57.25, 51.45, 65.69, by splits of their own.
    MFS is one cluster; a cluster each has 89.15 a word.
    """
    report = score_sense_induction(shared_data / KEY, shared_data / KEY)
    table = {
        ("v-measure", "one cluster"): ((0, 0, 0), 1e-9),
        ("v-measure", "a cluster each"): ((31.7, 35.8, 25.6), 0.06),
        ("v-measure", "random"): ((4.4, 4.2, 4.6), 0.3),
        ("paired-f", "one cluster"): ((63.5, 57.0, 72.7), 0.1),
        ("paired-f", "random"): ((31.9, 30.4, 34.1), 0.2),
        ("recall-80/20", "one cluster"): ((58.67, 53.22, 66.63), 1.2),
        ("recall-80/20", "random"): ((57.25, 51.45, 65.69), 1.3),
        ("clusters", "a cluster each"): ((8915, 10570, 7260), 0.5),
    }
    for (metric, name), (published, tolerance) in table.items():
        for part, figure in zip(("senses", "senses/nouns", "senses/verbs"), published, strict=True):
            row = only(report, vectors=name, set=part, metric=metric)
            assert 100 * row.value == pytest.approx(figure, abs=tolerance), (metric, name, part)
    perfect = [row.value for row in report.rows if row.vectors == "key" and row.set == "senses"][:3]
    assert perfect == pytest.approx([1, 1, 1])
