import itertools
import math

import numpy as np
import pytest

from firth.errors import FormatError
from firth.evaluation.categorisation import MEASURES, cluster, purity, suite, v_measure
from firth.evaluation.evaluate import evaluate
from firth.readers.categories import read_categories
from firth.vectors.word_vectors import WordVectors

# Six words of two categories; the second cluster holds one stranger.
GOLD = ["a", "a", "a", "b", "b", "b"]
FOUND = [0, 0, 1, 1, 1, 1]


def written(folder, text):
    path = folder / "gold.csv"
    path.write_text(text, encoding="utf-8")
    return path


def scattered(names, *, spread, seed=0, dim=5):
    """Vectors about a direction for each category."""
    random = np.random.default_rng(seed)
    centres = {name: random.normal(size=dim) for name in sorted(set(names))}
    return np.array([centres[name] + spread * random.normal(size=dim) for name in names], dtype=np.float32)


def test_purity_by_hand():
    """Cluster 0 holds a a, its own two; cluster 1 holds a b b b, its own three: (2 + 3) / 6."""
    assert purity(GOLD, FOUND) == pytest.approx(5 / 6, abs=1e-15)


def test_v_measure_by_hand():
    """H(C) = log 2. H(C|K): cluster 0 is pure; cluster 1, 4 of 6, has 1/4 and 3/4.

    H(C|K) = 4/6 (1/4 log 4 + 3/4 log 4/3) = .3749, h = 1 - .3749 / .6931 = .4591.
    H(K) = 1/3 log 3 + 2/3 log 3/2 = .6365. H(K|C): a is 2/3 and 1/3, b pure: 1/2 .6365 = .3183, c = .5.
    """
    h = 1 - 4 / 6 * (math.log(4) / 4 + 3 / 4 * math.log(4 / 3)) / math.log(2)
    assert h == pytest.approx(0.4591, abs=5e-5)
    assert v_measure(GOLD, FOUND) == pytest.approx(2 * h * 0.5 / (h + 0.5), abs=1e-12)


def test_ends_of_the_scales():
    assert (purity(GOLD, GOLD), v_measure(GOLD, GOLD)) == (1, pytest.approx(1, abs=1e-12))
    assert (purity(GOLD, [0] * 6), v_measure(GOLD, [0] * 6)) == (0.5, pytest.approx(0, abs=1e-12))
    assert (purity(GOLD, range(6)), v_measure(GOLD, range(6))) == (1, pytest.approx(2 * math.log(2) / math.log(12)))
    assert (purity(["a", "a"], [0, 0]), v_measure(["a", "a"], [0, 0])) == (1, 1)
    assert math.isnan(purity([], []))
    assert math.isnan(v_measure([], []))


@pytest.mark.peer
@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_sklearn(seed):
    metrics = pytest.importorskip("sklearn.metrics", reason="compares with scikit-learn: pip install scikit-learn")
    random = np.random.default_rng(seed)
    n, categories, clusters = random.integers(2, 400), random.integers(1, 25), random.integers(1, 25)
    gold, found = random.integers(0, categories, n), random.integers(0, clusters, n)
    table = metrics.cluster.contingency_matrix(gold, found)
    assert purity(gold, found) == pytest.approx(table.max(axis=0).sum() / n, abs=1e-12)
    assert v_measure(gold, found) == pytest.approx(metrics.v_measure_score(gold, found), abs=1e-12)


def objective(points, labels):
    points = points / np.linalg.norm(points, axis=1, keepdims=True)
    return sum(np.linalg.norm(points[np.array(labels) == k].sum(axis=0)) for k in set(np.array(labels).tolist()))


@pytest.mark.parametrize("seed", range(5))
def test_clusters_have_the_best_objective_of_all(seed):
    """Eight points in three clusters, against every way of parting them: 3^7."""
    points = scattered("aaabbbcc", spread=0.8, dim=3, seed=seed)
    best = max(objective(points, (0, *rest)) for rest in itertools.product(range(3), repeat=7))
    assert objective(points, cluster(points, 3)) == pytest.approx(best, abs=1e-6)


def test_no_move_of_one_word_makes_clusters_better():
    points = scattered("abcde" * 12, spread=1.5)
    found = cluster(points, 5)
    best = objective(points, found)
    for i, k in itertools.product(range(60), range(5)):
        assert objective(points, np.where(np.arange(60) == i, k, found)) <= best + 1e-6


@pytest.mark.peer
def test_clusters_are_better_than_those_of_many_starts():
    """Ten loose clusters of twenty: at least as tight as the best of fifty starts of scikit-learn's k-means."""
    models = pytest.importorskip("sklearn.cluster", reason="compares with scikit-learn: pip install scikit-learn")
    points = scattered("abcdefghij" * 20, spread=1.2, dim=30)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    theirs = models.KMeans(10, n_init=50, random_state=0).fit_predict(points)
    assert objective(points, cluster(points, 10)) > objective(points, theirs) - 1e-6


def test_clusters_look_at_directions_alone():
    points = scattered("aaaabbbbccc", spread=0.1)
    lengths = np.geomspace(0.01, 100, 11)[:, None]
    assert cluster(points * lengths, 3).tolist() == cluster(points, 3).tolist()


@pytest.mark.parametrize(("n", "count"), [(0, 3), (1, 3), (2, 3), (3, 3)])
def test_no_more_clusters_than_vectors(n, count):
    found = cluster(np.eye(3)[:n], count)
    assert len(set(found.tolist())) == n


def test_equal_and_zero_vectors_can_be_clustered():
    found = cluster(np.array([[1.0, 0]] * 3 + [[0, 0]] * 2), 3)
    assert found.shape == (5,)
    assert len(set(found[:3].tolist())) == 1


def test_the_published_form_and_others(tmp_path):
    gold = read_categories(written(tmp_path, ",category,word\n0,bird,crow\n1,bird,\n2,tree,oak\n"))
    assert (gold.words, gold.categories) == (["crow", "oak"], ["bird", "tree"])
    gold = read_categories(written(tmp_path, 'word\tcategory\n"New York"\tcity\nSeine\triver\n'))
    assert gold.words == ["New York", "Seine"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty; expected a table with the columns word, category"),
        ("crow,bird\noak,tree\n", "line 1: no column 'word'"),
        (
            "word,category\ncrow,bird\noak\n",
            "line 3: 1 cell, expected 2 as in the first row; add empty cells, or close the quotation mark before$",
        ),
        ("word,category\ncrow,bird\noak,\n", "line 3: no category for 'oak'"),
        ("word,category\ncrow,bird\ncrane,bird\n", "1 categories, expected at least two"),
        ('word,category\ncrow,"bird\n', "line 2: the quotation mark that opens a cell here is not closed"),
    ],
)
def test_what_is_not_the_format(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read_categories(written(tmp_path, text))


def judged(folder, vectors, words, categories, **how):
    gold = "".join(f"{word},{category}\n" for word, category in zip(words, categories, strict=True))
    path = written(folder, "word,category\n" + gold)
    return {row.metric: row for row in evaluate(vectors, suites={"categorisation": path}, **how).rows}


def test_categories_found_beside_chance(tmp_path):
    """Ten words in two far categories come out pure. Exchanged at random, 5 of 10 in each cluster: the more frequent
    of two categories among five drawn without replacement is 3.40 of them on average, from the hypergeometric
    shares 2/252 of five, 50/252 of four, 200/252 of three.
    """
    words = [f"w{i}" for i in range(10)]
    rows = judged(tmp_path, WordVectors(words, scattered("a" * 5 + "b" * 5, spread=0.01)), words, "a" * 5 + "b" * 5)
    assert (rows["purity"].value, rows["v-measure"].value) == (1, pytest.approx(1))
    expected = (2 * 5 + 50 * 4 + 200 * 3) / 252 / 5
    assert rows["purity"].baseline == pytest.approx(expected, abs=0.02)
    assert 0 < rows["v-measure"].baseline < 0.2
    assert rows["purity"].baseline_name == "random"


def test_unknown_words_are_left_out_or_dealt_out(tmp_path):
    """Of twelve words two are unknown: ten count, or all twelve, and dealt out they cannot make clusters purer."""
    words, names = [f"w{i}" for i in range(12)], "a" * 6 + "b" * 6
    vectors = WordVectors([*words[1:6], *words[7:]], scattered("a" * 5 + "b" * 5, spread=0.01))
    skipped = judged(tmp_path, vectors, words, names)["purity"]
    counted = [judged(tmp_path, vectors, words, names, unknown="count", seed=seed)["purity"] for seed in range(6)]
    assert (skipped.value, skipped.covered, skipped.total) == (1, 10, 12)
    assert {row.covered for row in counted} == {10}
    assert {round(row.value * 12) for row in counted} <= {10, 11, 12}
    assert min(row.value for row in counted) < 1


def test_the_interval_holds_the_value_and_a_seed_repeats_it(tmp_path):
    words, names = [f"w{i}" for i in range(60)], "abc" * 20
    vectors = WordVectors(words, scattered(names, spread=1.0))
    one, again = (judged(tmp_path, vectors, words, names) for _ in range(2))
    assert one == again
    for row in one.values():
        assert row.low < row.value < row.high
        assert row.high - row.low < 0.4


def test_influences_are_what_each_word_takes_along():
    """n - 1 times the V-measure less that of the other words, about their mean."""
    random = np.random.default_rng(0)
    gold, found = random.integers(0, 4, 30), random.integers(0, 3, 30)
    sample = dict(MEASURES)["v-measure"](gold, found)
    others = np.array([v_measure(np.delete(gold, i), np.delete(found, i)) for i in range(30)])
    assert sample.value == pytest.approx(v_measure(gold, found), abs=1e-12)
    assert sample.influences == pytest.approx(29 * (others.mean() - others), abs=1e-10)


@pytest.mark.parametrize(("name", "words", "categories"), [("ap", 402, 21), ("bless", 200, 17), ("esslli-2008", 45, 9)])
def test_the_named_sets_are_those_of_the_papers(shared_data, name, words, categories):
    """Baroni, Dinu and Kruszewski 2014: AP has 402 nouns in 21 classes; BLESS 200 in 17; the verbs 45 in 9."""
    from firth.data import path_of

    gold = suite.read(path_of(name, shared_data))
    assert (len(gold.words), len(set(gold.words)), len(set(gold.categories))) == (words, words, categories)
