import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

import firth
from firth.errors import ArgumentTypeError
from tests.unit.evaluation.text_models import BagOfWords

WORDS = list("abcdefghij")


def scored(n, seed, level=0.0):
    """Pairs whose score is the number of words in common, with noise."""
    random = np.random.default_rng(seed)
    lines = []
    for shared in random.integers(0, 5, n).tolist():
        words = random.permutation(WORDS)
        score = shared + random.normal() / 2 + level
        lines.append(f"{score:.3f}\t{' '.join(words[:4])}\t{' '.join([*words[:shared], *words[4 : 8 - shared]])}\n")
    return "".join(lines)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "one.test.tsv").write_text(scored(80, 0))
    (tmp_path / "two.test.tsv").write_text(scored(60, 1, level=3))
    return tmp_path


def cosines(model, folder, name):
    lines = [line.split("\t") for line in (folder / name).read_text().splitlines()]
    first, second = (model.encode([line[i] for line in lines]).astype(np.float64) for i in (1, 2))
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return ((first * second).sum(axis=1) / lengths).round(12), np.array([float(line[0]) for line in lines])


class Random:
    """Encodes each text as a random vector: only equal texts have equal cosines."""

    dim = 3

    def encode(self, texts, *, batch_size=None, progress=None):
        return np.array([np.random.default_rng([*text.encode()]).normal(size=3) for text in texts], dtype=np.float32)


def test_correlations_are_those_of_scipy(folder):
    """The settings: all pairs together, and the mean of the parts."""
    model = Random()
    report = firth.evaluate(model, suites={"sts": folder})
    found = {(row.set.partition("/")[2], row.metric): row.value for row in report.rows}
    parts = [cosines(model, folder, f"{name}.test.tsv") for name in ("one", "two")]
    together = np.concatenate([one[0] for one in parts]), np.concatenate([one[1] for one in parts])
    assert found["", "spearman"] == pytest.approx(spearmanr(*together)[0], abs=1e-12)
    assert found["", "pearson"] == pytest.approx(pearsonr(*together)[0], abs=1e-12)
    each = [spearmanr(*one)[0] for one in parts]
    assert found["", "spearman of parts"] == pytest.approx(np.mean(each), abs=1e-12)
    assert [found["one", "spearman"], found["two", "spearman"]] == pytest.approx(each, abs=1e-12)


def test_parts_are_sections_without_tests(folder):
    report = firth.evaluate({"a": BagOfWords(), "b": BagOfWords(dim=2, seed=3)}, suites={"sts": folder})
    assert {row.set for row in report.rows if row.is_section} == {f"{folder.name}/one", f"{folder.name}/two"}
    assert {one.set for one in report.contrasts} == {folder.name}
    all_pairs, of_parts = (
        next(row.value for row in report.rows if row.metric == metric) for metric in ("spearman", "spearman of parts")
    )
    assert all_pairs < of_parts  # the parts differ in level
    whole = next(row for row in report.rows if row.metric == "spearman of parts")
    assert whole.low < whole.value < whole.high
    assert whole.baseline_p is not None
    assert [row.baseline_p for row in report.rows if row.is_section] == [None] * 4


def test_a_single_file_has_no_parts(folder):
    report = firth.evaluate(BagOfWords(), suites={"sts": folder / "one.test.tsv"})
    assert [(row.set, row.metric, row.total) for row in report.rows] == [
        ("one.test", "spearman", 80),
        ("one.test", "pearson", 80),
    ]


@pytest.mark.filterwarnings("ignore:no common direction is removed:UserWarning")
def test_texts_without_a_vector_are_left_out_or_count_as_unlike(folder):
    vectors = firth.WordVectors(WORDS[:2], [[1.0, 0.1], [0.1, 1.0]])
    skipped = firth.evaluate(vectors, suites={"sts": folder}).rows[0]
    counted = firth.evaluate(vectors, suites={"sts": folder}, unknown="count").rows[0]
    assert skipped.covered == counted.covered < skipped.total == 140
    assert skipped.value != counted.value
    lines = [line.split("\t") for path in folder.iterdir() for line in path.read_text().splitlines()]
    assert skipped.covered == sum(all({"a", "b"} & set(text.split()) for text in line[1:]) for line in lines)


def test_averages_are_without_the_direction_that_all_sentences_share(folder):
    vectors = firth.WordVectors(WORDS, np.random.default_rng(0).normal(size=(10, 6)) + 1)
    found = {row.metric: row.value for row in firth.evaluate(vectors, suites={"sts": folder / "one.test.tsv"}).rows}
    lines = [line.split("\t") for line in (folder / "one.test.tsv").read_text().splitlines()]
    rows = firth.sentence_vectors(vectors, [line[i] for i in (1, 2) for line in lines], weighting="sif").astype(
        np.float64
    )
    first, second = (part / np.linalg.norm(part, axis=1, keepdims=True) for part in np.split(rows, 2))
    expected = spearmanr((first * second).sum(axis=1).round(12), [float(line[0]) for line in lines])[0]
    assert found["spearman, sif"] == pytest.approx(expected, abs=1e-4)


def test_word_vectors_beside_an_encoder_are_encoders(folder):
    vectors = firth.WordVectors(WORDS, np.random.default_rng(0).normal(size=(10, 6)))
    report = firth.evaluate({"words": vectors, "bag": BagOfWords()}, suites={"sts": folder})
    assert [row.metric for row in report.rows if row.vectors == "words" and not row.is_section] == [
        "spearman",
        "pearson",
        "spearman of parts",
    ]
    alone = firth.evaluate(firth.SentenceAverages(vectors, "mean"), suites={"sts": folder})
    assert alone.rows[0].value == report.rows[0].value


def test_suites_of_words_need_word_vectors(folder):
    pairs = folder / "pairs.txt"
    pairs.write_text("a b 1\nc d 2\n")
    with pytest.raises(
        ArgumentTypeError, match="suite 'similarity' evaluates word vectors, and bag is an encoder of texts"
    ):
        firth.evaluate({"bag": BagOfWords()}, suites={"similarity": pairs})
    with pytest.raises(ArgumentTypeError, match="expected word vectors, or a model with encode"):
        firth.evaluate(3, suites={"sts": folder})


def test_public_sets(shared_data):
    """A random projection of word counts, which every word has: between nothing and TF-IDF."""
    report = firth.evaluate(BagOfWords(dim=8), suites={"sts": "sts-2013"}, data=shared_data, resamples=10)
    row = report.rows[0]
    assert (row.covered, row.total) == (1500, 1500)
    assert 0.1 < row.value < row.baseline
    assert row.baseline == pytest.approx(0.693, abs=0.01)
    assert [one.set for one in report.rows if one.is_section] == [
        f"sts-2013/{part}" for part in ("FNWN", "OnWN", "headlines")
    ]
