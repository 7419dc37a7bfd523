"""Search, near-duplicates and clusters of texts, against brute force."""

import itertools

import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError, CorpusError, FormatError, OptionError, ShapeError
from firth.sentences import duplicates
from firth.sentences.search import TextMatch
from firth.text.batches import TextsWarning

WORDS = ["sea", "ship", "crew", "sails", "bread", "oven", "flour", "baker"]
TOPICS = np.repeat([0, 1], 4)
VECTORS = firth.WordVectors(
    WORDS, (np.eye(2, 6)[TOPICS] + 0.3 * np.random.default_rng(0).normal(size=(8, 6))).astype(np.float32)
)
TEXTS = [
    "The ship sails.", "unheard of", "A baker, flour, an oven", "sails ship the", "", "the crew of the ship", "bread",
    "oven and flour, baker",
]  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore:.*have no known word")


def cosines(texts):
    rows = firth.sentence_vectors(VECTORS, texts, weighting="mean").astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    return (rows @ rows.T) / np.maximum(np.outer(lengths, lengths), 1e-12)


class TestSearch:
    def test_the_nearest_texts(self):
        index = firth.TextIndex(VECTORS, TEXTS)
        assert len(index) == 8
        assert repr(index) == "<TextIndex: 8 texts x 6, exact>"
        found = index.search("crew of ships: the crew", topn=10)
        expected = cosines([*TEXTS, "crew crew"])[-1][:-1]
        assert sorted(match.row for match in found) == [0, 2, 3, 5, 6, 7]
        assert [match.score for match in found] == pytest.approx(np.sort(expected[[0, 2, 3, 5, 6, 7]])[::-1], abs=1e-5)
        assert found[0] == TextMatch(5, found[0].score, "the crew of the ship")

    def test_several_queries_and_given_vectors(self):
        rows = firth.sentence_vectors(VECTORS, TEXTS, weighting="mean")
        index = firth.TextIndex(VECTORS, TEXTS, vectors=rows)
        first, nothing, tokens = index.search(["bread", "unheard", ["oven"]], topn=2)
        assert first == firth.TextIndex(VECTORS, TEXTS).search("bread", 2)
        assert nothing == []
        assert len(tokens) == 2

    def test_other_indexes(self):
        found = firth.TextIndex(VECTORS, TEXTS, kind="lsh", tables=8, bits=2, probes=4).search("bread", 3)
        assert found[0].text == "bread"

    def test_bad_input(self):
        with (
            pytest.warns(TextsWarning),
            pytest.raises(CorpusError, match=r"none of 2 texts has a vector.*tokenisation"),
        ):
            firth.TextIndex(VECTORS, ["völlig andere", "Wörter"])
        with pytest.raises(ShapeError, match=r"vectors of shape \(8, 3\); expected \(8, 6\)"):
            firth.TextIndex(VECTORS, TEXTS, vectors=np.ones((8, 3)))
        with pytest.raises(FormatError, match="text 2 is not finite"):
            firth.TextIndex(VECTORS, TEXTS, vectors=np.where(np.arange(8)[:, None] == 2, np.nan, np.ones((8, 6))))
        with pytest.raises(OptionError, match="kind='tree'"):
            firth.TextIndex(VECTORS, TEXTS, kind="tree")
        index = firth.TextIndex(VECTORS, TEXTS)
        with pytest.raises(OptionError, match="topn=0"):
            index.search("bread", 0)
        with pytest.raises(ArgumentTypeError):
            index.search(5)


class TestNearDuplicates:
    def test_word_order_does_not_count(self):
        (found, second) = firth.near_duplicates(VECTORS, TEXTS, 0.999)
        assert {(found.first, found.second), (second.first, second.second)} == {(0, 3), (2, 7)}
        assert found.score == pytest.approx(1, abs=1e-6)
        assert found.score <= 1

    @pytest.mark.parametrize("block", [1, 3, 1024])
    @pytest.mark.parametrize("threshold", [0.2, 0.9, 1.0])
    @pytest.mark.parametrize("kind", ["exact", "lsh"])
    def test_all_pairs(self, block, threshold, kind, monkeypatch):
        monkeypatch.setattr(duplicates, "BLOCK", block)
        monkeypatch.setattr(duplicates, "FIRST", 2)
        texts = [" ".join(pair) for pair in itertools.product(WORDS[:4], WORDS)]
        expected = cosines(texts)
        wanted = {(i, j) for i in range(32) for j in range(i + 1, 32) if expected[i, j] >= threshold - 1e-6}
        found = firth.near_duplicates(VECTORS, texts, threshold, kind=kind)
        pairs = [(pair.first, pair.second) for pair in found]
        assert len(pairs) == len(set(pairs))
        if kind == "exact":
            assert set(pairs) == wanted
        else:
            assert set(pairs) <= wanted
            assert len(pairs) >= 0.7 * len(wanted)
        assert [pair.score for pair in found] == sorted((pair.score for pair in found), reverse=True)
        assert all(pair.score == pytest.approx(min(expected[pair.first, pair.second], 1), abs=1e-5) for pair in found)

    def test_groups_are_what_pairs_connect(self):
        pairs = [duplicates.Duplicate(first, second, 1.0) for first, second in [(7, 9), (2, 5), (1, 7), (1, 9)]]
        assert firth.duplicate_groups(pairs) == [[1, 7, 9], [2, 5]]
        assert firth.duplicate_groups([]) == []

    @pytest.mark.parametrize("threshold", [0, -0.5, 1.01, float("nan"), "high"])
    def test_thresholds(self, threshold):
        with pytest.raises(OptionError, match="expected a cosine above 0 and at most 1"):
            firth.near_duplicates(VECTORS, TEXTS, threshold)
        assert firth.near_duplicates(VECTORS, ["bread", "sea"], 0.99) == []

    def test_a_threshold_that_nearly_all_pairs_pass_is_refused(self, monkeypatch):
        monkeypatch.setattr(duplicates, "MAX_PAIRS", 1)
        with pytest.raises(
            OptionError, match=r"threshold=0.1: \d+ pairs, and more to come, among 8 texts; use a higher"
        ):
            firth.near_duplicates(VECTORS, TEXTS, 0.1)


class TestClusters:
    def test_topics(self):
        found = firth.cluster_texts(VECTORS, TEXTS, 2, seed=1)
        assert repr(found) == "<TextClusters: 8 texts in 2 clusters>"
        assert found.labels[[1, 4]].tolist() == [-1, -1]
        groups = {tuple(sorted(found.rows(cluster).tolist())) for cluster in range(2)}
        assert groups == {(0, 3, 5), (2, 6, 7)}
        for cluster in range(2):
            rows = found.rows(cluster)
            assert found.cosines[rows].tolist() == sorted(found.cosines[rows], reverse=True)
            assert found.cohesion(cluster) == pytest.approx(found.cosines[rows].mean())
        assert found.labels.tolist() == firth.cluster_texts(VECTORS, TEXTS, 2, seed=1).labels.tolist()

    def test_keywords_are_those_of_class_based_tf_idf(self):
        """Seven words in two clusters, so that A = 3.5; b is twice in the texts, a and c in one cluster alone."""
        found = firth.TextClusters(
            ["A a b", "c c", ["c", "b"], "zzz"], np.array([0, 1, 1, -1]), np.ones(4, np.float32), np.eye(2)
        )
        assert found.keywords(0) == [("a", pytest.approx(2 * np.log(1 + 3.5 / 2))), ("b", pytest.approx(np.log(2.75)))]
        assert found.keywords(1, 1) == [("c", pytest.approx(3 * np.log(1 + 3.5 / 3)))]
        assert found.examples(1) == ["c c", ["c", "b"]]
        assert '<td style="text-align:left">a, b</td>' in found._repr_html_()
        with pytest.raises(OptionError, match="cluster=2: expected a number from 0 to 1"):
            found.keywords(2)

    def test_stop_words_are_no_keywords(self):
        others = [f"w{i}" for i in range(2000)]
        texts = [" ".join(["the the", *others[:1000]]), " ".join(["the", *others[1000:]])]
        found = firth.TextClusters(texts, np.array([0, 1]), np.ones(2, np.float32), np.eye(2))
        assert "the" not in dict(found.keywords(0, 2000))

    def test_bad_input(self):
        with pytest.raises(OptionError, match="k=7: 6 of 8 texts have a vector; expected at most as many clusters"):
            firth.cluster_texts(VECTORS, TEXTS, 7)
        for wrong in (0, True, 2.0):
            with pytest.raises(OptionError, match="expected a whole number of at least 1"):
                firth.cluster_texts(VECTORS, TEXTS, wrong)
        with pytest.raises(OptionError, match="cluster=2: expected a number from 0 to 1"):
            firth.cluster_texts(VECTORS, TEXTS, 2).rows(2)
