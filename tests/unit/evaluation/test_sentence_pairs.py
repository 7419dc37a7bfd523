import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError, FormatError
from firth.evaluation import sentence_pairs
from firth.evaluation.overlap import overlap_features
from firth.evaluation.sentence_pairs import _folds, _overlap, read_scored_pairs
from firth.readers.sentence_pairs import read_split_pairs
from tests.unit.evaluation.text_models import BagOfWords

WORDS = ["red", "green", "blue", "one", "two", "three", "dog", "cat", "house", "tree"]


def paraphrases(n, seed):
    """Pairs of the same words in another order, or of other words."""
    random = np.random.default_rng(seed)
    lines = []
    for label in random.integers(0, 2, n).tolist():
        words = random.permutation(WORDS)
        other = random.permutation(words[:4]) if label else random.permutation(WORDS)[:4]
        lines.append(f"{label}\t{' '.join(words[:4])}\t{' '.join(other)}\n")
    return "".join(lines)


@pytest.fixture
def files(tmp_path):
    for part, n in (("train", 150), ("dev", 40), ("test", 60)):
        (tmp_path / f"pairs.{part}.tsv").write_text(paraphrases(n, len(part)), encoding="utf-8")
    return tmp_path / "pairs.test.tsv"


def rows(model, path, **how):
    return {row.metric: row for row in firth.evaluate(model, suites={"sentence-pairs": path}, **how).rows}


def test_paraphrases_are_told_from_other_pairs(files):
    found = rows(BagOfWords(), files)
    assert list(found) == ["accuracy", "F1", "accuracy with overlap", "F1 with overlap"]
    accuracy = found["accuracy with overlap"]
    assert (accuracy.vectors, accuracy.covered, accuracy.total, accuracy.baseline_name) == (
        "encoder",
        60,
        60,
        "overlap",
    )
    assert accuracy.value > 0.95
    assert accuracy.baseline > 0.95
    assert accuracy.baseline_low < accuracy.baseline
    assert accuracy.baseline_p > 0.05
    assert found["accuracy"].value > 0.8


def test_the_protocol_of_senteval_trains_on_development_pairs(files):
    found = rows(BagOfWords(), files, protocol="senteval")
    assert found["accuracy"].value > 0.8


def test_what_models_of_labels_are_given_and_what_is_made_of_their_answers(files, monkeypatch):
    """Development pairs are trained on under "senteval"; a pair needs both vectors; F1 is of the label 1."""
    text = files.read_text()
    files.write_text(text + "1\tnothing\tred green\n0\tred\tgreen\n")
    gold, seen = read_scored_pairs(files), []

    def all_ones(features, labels, fold, **how):
        seen.append((features.shape[1], how))
        return np.ones(len(labels), dtype=np.int64)

    class Blind(BagOfWords):
        def _vector(self, word):
            return super()._vector(word) * (word != "nothing")

    monkeypatch.setattr(sentence_pairs, "classify", all_ones)
    share = np.mean(np.array(gold.labels)[gold.test] == "1")
    for protocol, development in (("firth", gold.development), ("senteval", None)):
        seen.clear()
        found = rows(Blind(), files, protocol=protocol, unknown="count")
        assert found["accuracy"].value == pytest.approx(share)
        assert found["F1"].value == pytest.approx(2 * share / (1 + share))
        assert (found["F1"].covered, found["F1"].total) == (61, 62)
        (nine, overlap), (many, plain), (all_, joined) = seen
        assert (nine, many, all_) == (9, 32, 43)
        assert overlap["encoded"] is None
        assert plain["weights"] is None
        assert joined["weights"] == pytest.approx([1.0] * 32 + [32**0.5] * 11)
        for how in (plain, joined):
            assert np.flatnonzero(~how["encoded"]).tolist() == [len(gold) - 2]
            assert (how["development"] is None) == (development is None)
    np.testing.assert_allclose(_overlap(gold), overlap_features(gold.first, gold.second, ~gold.test), atol=1e-6)


def test_exchanged_pairs_are_in_one_fold(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{i % 2}\ta{i // 2}\tb\n{i % 2}\tb\ta{i // 2}\n" for i in range(60)), encoding="utf-8")
    gold = read_scored_pairs(path)
    folds = _folds(gold, np.arange(120) % 2, 0)
    assert (folds[::2] == folds[1::2]).all()
    assert set(folds.tolist()) == set(range(10))


def test_exchanged_sentences_change_nothing(files):
    before = rows(BagOfWords(), files)
    for path in files.parent.iterdir():
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        path.write_text("".join(f"{label}\t{b}\t{a}\n" for label, a, b in lines))
    after = rows(BagOfWords(), files)
    assert [(row.value, row.baseline) for row in after.values()] == [
        (row.value, row.baseline) for row in before.values()
    ]


def test_scores_and_labels_of_one_set(tmp_path):
    """The score tells how many words the sentences have in common."""
    random = np.random.default_rng(0)
    for part, n in (("train", 120), ("trial", 40), ("test", 60)):
        lines = ["sentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"]
        for shared in random.integers(0, 5, n).tolist():
            words = random.permutation(WORDS)
            first, second = " ".join(words[:4]), " ".join([*words[:shared], *words[4 : 8 - shared]])
            lines.append(f"{first}\t{second}\t{1 + shared}\t{'YES' if shared > 2 else 'NO'}\n")
        (tmp_path / f"SICK_{part}.txt").write_text("".join(lines))
    found = rows(BagOfWords(), tmp_path / "SICK_test.txt")
    assert list(found) == [
        f"{metric}{more}" for more in ("", " with overlap") for metric in ("accuracy", "F1", "pearson", "spearman")
    ]
    assert found["pearson with overlap"].value > 0.95
    assert found["pearson"].value > 0.5
    assert found["pearson"].low < found["pearson"].value < found["pearson"].high


def test_word_vectors_are_averaged_in_two_ways(files):
    vectors = firth.WordVectors(WORDS[:8], np.random.default_rng(1).normal(size=(8, 5)))
    found = rows(vectors, files)
    assert list(found)[::4] == ["accuracy, mean", "accuracy, sif"]
    assert found["accuracy, mean"].value > 0.7


def test_a_set_without_training_pairs_is_cut_into_folds(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(paraphrases(60, 4), encoding="utf-8")
    found = rows(BagOfWords(dim=4), path)["accuracy with overlap"]
    assert (found.total, found.baseline) == (60, pytest.approx(1, abs=0.1))
    assert found.value > 0.8


def test_one_line_says_what_is_wrong(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("sentence1\tsentence2\tlabel\na\tb\tx\nc\td\tx\n")
    with pytest.raises(FormatError, match="every pair has the label 'x', expected at least two labels"):
        read_scored_pairs(path)
    path.write_text("1\ta\tb\n5.5\tc\td\n3\te\tf\n")
    with pytest.raises(FormatError, match=r"line 2: score 5.5, expected 1 to 5; rescale the scores.*suite sts"):
        read_scored_pairs(path)


def test_a_text_is_encoded_once(files):
    model = BagOfWords()
    firth.evaluate(model, suites={"sentence-pairs": [files, files]})
    assert set(model.asked.values()) == {1}


def test_an_encoder_that_gives_something_else(files):
    class Wrong(BagOfWords):
        def encode(self, texts, *, batch_size=None, progress=None):
            return np.full((len(texts), self.dim), np.nan, dtype=np.float32)

    with pytest.raises(
        ArgumentTypeError, match=r"Wrong.encode of \d+ texts: found an array of shape .* finite numbers"
    ):
        rows(Wrong(), files)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:no common direction is removed:UserWarning")
def test_msrp_and_sick(shared_data):
    """Overlap alone, as measured for this machine: MSRP 76.0 / 82.9, SICK r .714 and 70.4 % entailment."""
    vectors = firth.WordVectors(["a"], [[1.0]])
    report = firth.evaluate(vectors, suites="sentence-pairs", data=shared_data, unknown="count", resamples=2)
    baseline = {(row.set, row.metric): row.baseline for row in report.rows}
    assert baseline["msrp", "accuracy, mean"] == pytest.approx(0.759, abs=0.01)
    assert baseline["msrp", "F1, mean"] == pytest.approx(0.829, abs=0.01)
    assert baseline["sick", "accuracy, mean"] == pytest.approx(0.704, abs=0.01)
    assert baseline["sick", "pearson, mean"] == pytest.approx(0.714, abs=0.01)
    assert {row.total for row in report.rows} == {1725, 4927}
    msrp = read_split_pairs(shared_data / "sentence" / "msrp" / "msr-para-test.tsv")
    assert int((~msrp.test).sum()) == 4076
