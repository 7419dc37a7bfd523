import numpy as np
import pytest
from scipy.sparse import csr_array

from firth.evaluation import tfidf
from firth.evaluation.selection import stratified_folds
from firth.evaluation.tfidf import baseline_correct, terms, tfidf_rows
from firth.vectors.averages import word_bags


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))
    return tmp_path / "baselines"


def test_terms_are_words_and_pairs():
    assert terms(["Not", "so", "BAD"]) == ["not", "so", "bad", "not so", "so bad"]
    assert terms(["Fine"]) == ["fine"]
    assert terms([]) == []


def test_weights_by_hand():
    """Three training sentences: "a b", "a c", "a b b". "a" is in 3 of them, "b" in 2, "c" in 1, which leaves it out.

    idf(a) = 1 + ln(4/4) = 1, idf(b) = 1 + ln(4/3) = 1.28768. "a b" is (1, 1.28768) / 1.63037; "a b b" is
    (1, 2.57536) / 2.76270. In the test sentence "b c d" only "b" is known: (0, 1).
    """
    words, bags = word_bags([["a", "b"], ["a", "c"], ["a", "b", "b"], ["b", "c", "d"]])
    assert words == ["a", "b", "c", "d"]
    train, test = tfidf_rows(csr_array(bags[:3]), csr_array(bags[3:]))
    assert train.toarray() == pytest.approx(
        np.array([[1 / 1.63037, 1.28768 / 1.63037], [1, 0], [1 / 2.76270, 2.57536 / 2.76270]]), abs=1e-5
    )
    assert test.toarray() == pytest.approx(np.array([[0, 1]]))


def told(n=200):
    """Sentences in which one of two words tells the label, and the others say nothing."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, n)
    noise = random.choice(list("abcdefghij"), size=(n, 4))
    return [[*row, "good" if label else "bad"] for row, label in zip(noise.tolist(), labels, strict=True)], labels


def test_a_telling_word_is_learnt():
    texts, labels = told()
    assert baseline_correct(texts, labels, stratified_folds(labels, 5, seed=0)).all()


def test_development_sentences_are_not_trained_on():
    """Most sentences are development sentences, and say the contrary of the training sentences."""
    texts, labels = told()
    fold, development = np.where(np.arange(200) < 170, -1, 0), np.arange(200) < 120
    labels[development] = 1 - labels[development]
    assert baseline_correct(texts, labels, fold, development=development)[170:].all()


def test_random_labels_are_not_learnt():
    texts, _ = told(400)
    labels = np.random.default_rng(1).integers(0, 2, 400)
    share = baseline_correct(texts, labels, stratified_folds(labels, 5, seed=0)).mean()
    assert abs(share - 0.5) < 3 * np.sqrt(0.25 / 400)


def test_no_term_twice():
    """Without any term that two sentences share there is nothing to learn but the commoner label."""
    texts, labels = [[word] for word in "abcdefghij"], np.array([1] * 7 + [0] * 3)
    assert (
        baseline_correct(texts, labels, np.where(np.arange(10) < 9, -1, 0)).tolist() == [False] * 10
    )  # the last is a 0


def test_answers_are_kept(cache, monkeypatch):
    texts, labels = told(60)
    fold = stratified_folds(labels, 3, seed=0)
    first = baseline_correct(texts, labels, fold, fingerprint="x")
    assert len(list(cache.glob("*.npy"))) == 1
    monkeypatch.setattr(tfidf, "fit_classifier", None)
    assert baseline_correct(texts, labels, fold, fingerprint="x").tolist() == first.tolist()
    for others in ({"seed": 1, "fingerprint": "x"}, {"fingerprint": "y"}, {}):
        with pytest.raises(TypeError, match="NoneType"):
            baseline_correct(texts, labels, fold, **others)


def test_damaged_or_foreign_answers_are_made_anew(cache):
    texts, labels = told(60)
    fold = stratified_folds(labels, 3, seed=0)
    first = baseline_correct(texts, labels, fold, fingerprint="x")
    place = next(cache.glob("*.npy"))
    whole = place.read_bytes()
    for damaged in (b"", whole[:40], whole[:-7], b"nothing of the kind"):
        place.write_bytes(damaged)
        assert baseline_correct(texts, labels, fold, fingerprint="x").tolist() == first.tolist()
        assert place.read_bytes() == whole


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "file"))
    texts, labels = told(60)
    assert baseline_correct(texts, labels, stratified_folds(labels, 3, seed=0), fingerprint="x").all()
