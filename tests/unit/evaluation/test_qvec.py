import json
import math

import numpy as np
import pytest

from firth.errors import FormatError
from firth.evaluation.evaluate import evaluate
from firth.evaluation.qvec import CCA, QVEC, align, qvec, qvec_cca, suite
from firth.readers.qvec import read_qvec
from firth.vectors.word_vectors import WordVectors


def written(folder, text):
    path = folder / "gold.features"
    path.write_text(text, encoding="utf-8")
    return path


def both(n=200, dim=6, features=4, *, seed=0, signal=1.0):
    """Vectors that mix features with noise, about a mean of one."""
    random = np.random.default_rng(seed)
    oracle = random.random((n, features)) * (random.random((n, features)) < 0.6)
    vectors = 1 + signal * oracle @ random.normal(size=(features, dim)) + random.normal(size=(n, dim))
    return vectors, oracle


def test_alignment_by_hand():
    """Features: f = 1 1 0 0 and g = 1 0 1 0. Column x = 3 3 1 1 is f, y = 2 1 1 0 goes half with each.

    r(x, f) = 1, r(x, g) = 0. About its mean 1, y is 1 0 0 -1; f and g are +-1/2, so that r(y, f) = (1/2 + 1/2) /
    sqrt(2 * 1) = .7071 = r(y, g): among equals the first. Two columns may have one feature: QVec = 1.7071.
    """
    x, oracle = np.array([[3, 2], [3, 1], [1, 1], [1, 0]]), np.array([[1, 1], [1, 0], [0, 1], [0, 0]])
    columns, correlations = align(x, oracle)
    assert columns.tolist() == [0, 0]
    assert correlations == pytest.approx([1, math.sqrt(0.5)], abs=1e-12)
    assert qvec(x, oracle) == pytest.approx(1 + math.sqrt(0.5), abs=1e-12)


def test_canonical_correlation_by_hand():
    """Rows of length 1: x = (+-1, 0) and (0, +-1), one feature z.

    Centred, x has the columns 1 -1 0 0 and 0 0 1 -1; z of one feature is 1 wherever there is any, 1 0 1 0, and centred
    +-1/2. Its projection on the two columns is (1/2, -1/2, 1/2, -1/2): all of it, so that the correlation is 1. With
    z = 1 0 0 1 it is all of it too. With z = 1 1 0 0 it is nothing.
    """
    x = np.array([[2, 0], [-1, 0], [0, 5], [0, -1]])
    assert qvec_cca(x, np.array([[3], [0], [0.2], [0]])) == pytest.approx(1, abs=1e-12)
    assert qvec_cca(x, np.array([[1], [1], [0], [0]])) == pytest.approx(0, abs=1e-12)


def test_agrees_with_numpys_correlations():
    vectors, oracle = both()
    slow = np.corrcoef(vectors.T, oracle.T)[:6, 6:]
    assert qvec(vectors, oracle) == pytest.approx(slow.max(axis=1).sum(), abs=1e-12)


def test_agrees_with_the_definition_of_cca():
    """Square roots of the eigenvalues of Sxx^-1 Sxy Syy^-1 Syx, of rows of length 1."""
    x, y = both()
    x, y = (
        x / np.linalg.norm(x, axis=1, keepdims=True),
        y / np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-300),
    )
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    product = np.linalg.solve(x.T @ x, x.T @ y) @ np.linalg.solve(y.T @ y, y.T @ x)
    squares = np.sort(np.linalg.eigvals(product).real)[-4:]
    assert qvec_cca(*both()) == pytest.approx(np.sqrt(squares).mean(), abs=1e-10)


def test_a_rotation_changes_qvec_alone():
    vectors, oracle = both()
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(6, 6)))[0]
    assert qvec_cca(vectors @ turn, oracle) == pytest.approx(qvec_cca(vectors, oracle), abs=1e-12)
    assert abs(qvec(vectors @ turn, oracle) - qvec(vectors, oracle)) > 0.05


def test_lengths_matter_to_qvec_alone():
    vectors, oracle = both()
    lengths = np.geomspace(0.1, 10, 200)[:, None]
    assert qvec_cca(vectors * lengths, oracle) == pytest.approx(qvec_cca(vectors, oracle), abs=1e-12)
    assert abs(qvec(vectors * lengths, oracle) - qvec(vectors, oracle)) > 0.05


def test_columns_that_say_nothing_change_nothing():
    """A constant column and a copy of another, of vectors or oracle: CCA as before, QVec without NaN."""
    vectors, oracle = both()
    wider = np.hstack([vectors, vectors[:, :1]])
    assert qvec_cca(wider, np.hstack([oracle, oracle[:, 1:2] * 0])) == pytest.approx(
        qvec_cca(np.hstack([vectors, vectors[:, :1]]), oracle), abs=1e-10
    )
    assert qvec(np.hstack([vectors, np.full((200, 1), 0.1)]), oracle) == pytest.approx(qvec(vectors, oracle), abs=1e-12)
    turned = np.hstack([vectors, vectors[:, :1] + vectors[:, 1:2]])  # rank 6 in 7 columns
    assert CCA.prepare(turned).shape == (200, 6)


@pytest.mark.parametrize("n", [0, 1])
def test_no_words_no_figure(n):
    assert math.isnan(qvec(np.ones((n, 3)), np.ones((n, 2))))
    assert math.isnan(qvec_cca(np.ones((n, 3)), np.ones((n, 2))))


def test_vectors_that_are_all_alike_match_nothing():
    _, oracle = both()
    for vectors in (np.ones((200, 3)), np.zeros((200, 3)), np.full((200, 3), 1 / 3, dtype=np.float32)):
        assert qvec(vectors, oracle) == 0
        assert qvec_cca(vectors, oracle) == 0


@pytest.mark.parametrize("measure", [QVEC, CCA])
def test_influences_are_the_derivatives(measure):
    """Each word's influence, against counting it a little more in weighted means and products."""
    vectors, oracle = both(60, seed=3)

    def weighted(weights):
        parts = []
        for part in (vectors, oracle):
            if measure is CCA:
                lengths = np.linalg.norm(part, axis=1, keepdims=True)
                part = part / np.where(lengths > 0, lengths, 1)
            parts.append(np.sqrt(weights)[:, None] * (part - weights @ part / weights.sum()))
        x, s = parts
        if measure is CCA:
            product = np.linalg.solve(x.T @ x, x.T @ s) @ np.linalg.solve(s.T @ s, s.T @ x)
            return np.sqrt(np.sort(np.linalg.eigvals(product).real)[-4:]).mean()
        return ((x / np.linalg.norm(x, axis=0)).T @ (s / np.linalg.norm(s, axis=0))).max(axis=1).sum()

    linear = measure.linear(measure.prepare(vectors), measure.prepare(oracle))
    assert linear.value == pytest.approx(weighted(np.ones(60)), abs=1e-10)
    assert linear.influences.mean() == pytest.approx(0, abs=1e-10)
    for i in range(60):
        more, less = (weighted(np.ones(60) + step * (np.arange(60) == i)) for step in (1e-4, -1e-4))
        assert linear.influences[i] == pytest.approx((more - less) / 2e-4 * 60, abs=1e-4)


def judged(folder, vectors, oracle, words, **how):
    rows = [json.dumps({f"f{j}": value for j, value in enumerate(row) if value}) for row in np.asarray(oracle).tolist()]
    path = written(folder, "".join(f"{word}\t{row}\n" for word, row in zip(words, rows, strict=True)))
    return {row.metric: row for row in evaluate(vectors, suites={"qvec": path}, **how).rows}


def test_unknown_words_are_left_out_or_zero(tmp_path):
    vectors, oracle = both()
    vectors = vectors.astype(np.float32)
    words = [f"w{i}" for i in range(200)]
    some = WordVectors(words[:150], vectors[:150])
    skipped, counted = (judged(tmp_path, some, oracle, words, unknown=policy) for policy in ("skip", "count"))
    assert skipped["qvec"].value == pytest.approx(qvec(vectors[:150], oracle[:150]), abs=1e-9)
    assert skipped["qvec-cca"].value == pytest.approx(qvec_cca(vectors[:150], oracle[:150]), abs=1e-9)
    zeros = np.vstack([vectors[:150], np.zeros((50, 6))])
    assert counted["qvec"].value == pytest.approx(qvec(zeros, oracle), abs=1e-9)
    assert {(row.covered, row.total) for row in (*skipped.values(), *counted.values())} == {(150, 200)}


def test_noise_reaches_the_baseline_and_no_more(tmp_path):
    """Vectors that know nothing, 20 columns against 4: both figures are what words dealt out anew reach."""
    vectors, oracle = both(2000, 20, signal=0)
    words = [f"w{i}" for i in range(2000)]
    rows = judged(tmp_path, WordVectors(words, vectors.astype(np.float32)), oracle, words)
    assert rows["qvec"].value == pytest.approx(rows["qvec"].baseline, abs=0.15)
    assert rows["qvec-cca"].value == pytest.approx(rows["qvec-cca"].baseline, abs=0.015)
    assert rows["qvec"].baseline > 0.3
    assert rows["qvec-cca"].baseline > 0.05


def test_words_in_other_order_give_the_same(tmp_path):
    vectors, oracle = both()
    words = [f"w{i}" for i in range(200)]
    rows = judged(tmp_path, WordVectors(words, vectors.astype(np.float32)), oracle, words)
    turned = judged(tmp_path, WordVectors(words[::-1], vectors[::-1].astype(np.float32)), oracle, words)
    assert {name: row.value for name, row in rows.items()} == {name: row.value for name, row in turned.items()}


def test_a_number_sign_is_a_word(tmp_path):
    oracle = read_qvec(written(tmp_path, '#\t{"sign": 1}\n\na\t{"letter": 0.5, "word": 2}\n'))
    assert (oracle.words, oracle.features) == (["#", "a"], ["sign", "letter", "word"])
    assert oracle.matrix.tolist() == [[1, 0, 0], [0, 0.5, 2]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("crow {}\n", r"line 1: '', expected a word, a tab and features"),
        ("crow\t{}\noak\t[1]\n", r"line 2: '\[1\]', expected a word, a tab and features"),
        ('crow\t{"a": 1\n', "line 1: .* expected a word, a tab and features"),
        ('crow\t{"a": "1"}\n', "line 1: feature 'a' is '1', expected a finite number"),
        ('crow\t{"a": true}\n', "line 1: feature 'a' is True, expected a finite number"),
        ('crow\t{"a": NaN}\n', "line 1: feature 'a' is nan, expected a finite number"),
        ('crow\t{"a": 1}\ncrow\t{"a": 1}\n', "line 2: 'crow' is also on an earlier line"),
        ("crow\t" + "[" * 100_000 + "\n", "line 1: .* expected a word, a tab and features"),
    ],
)
def test_what_is_not_the_format(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read_qvec(written(tmp_path, text))


@pytest.mark.parametrize(("name", "words", "features"), [("supersenses", 4199, 41), ("ptb-tags", 10865, 45)])
def test_the_named_sets_are_those_of_the_authors(shared_data, name, words, features):
    from firth.data import path_of

    assert suite.read(path_of(name, shared_data)).matrix.shape == (words, features)
