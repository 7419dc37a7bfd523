import numpy as np
import pytest

from firth.evaluation import analogy
from firth.evaluation.analogy import solve


def brute_force(vectors, questions, method):
    """The formulas, one word at a time, in float64."""
    rows = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    answers = []
    for a, b, c in questions:
        cosines = rows @ rows[[a, b, c]].T
        if method == "3cosadd":
            scores = cosines[:, 1] - cosines[:, 0] + cosines[:, 2]
        else:
            shares = (1 + cosines) / 2
            scores = shares[:, 1] * shares[:, 2] / (shares[:, 0] + 1e-6)
        scores[[a, b, c]] = -np.inf
        answers.append(scores.argmax())
    return np.array(answers)


def test_a_square_by_hand():
    """man (1, 0), king (1, 1), woman (-1, 0), queen (-1, 1), and apple (0, -1), out of the way.

    king - man + woman, of unit vectors: (.71, .71) - (1, 0) + (-1, 0) = (-1.29, .71); queen's cosine with it is the
    greatest but for woman's, which is in the question.
    """
    vectors = np.array([[1, 0], [1, 1], [-1, 0], [-1, 1], [0, -1]], dtype=np.float32)
    assert solve(vectors, np.array([[0, 1, 2]]), method="3cosadd") == [3]
    assert solve(vectors, np.array([[0, 1, 2]]), method="3cosmul") == [3]


@pytest.mark.parametrize("method", analogy.METHODS)
@pytest.mark.parametrize("cells", [1, 20_000, 1 << 22])
def test_agrees_with_brute_force_however_blocked(monkeypatch, method, cells):
    monkeypatch.setattr(analogy, "_CELLS", cells)
    random = np.random.default_rng(0)
    vectors = random.normal(size=(1500, 12)) * random.uniform(0.1, 10, size=(1500, 1))
    questions = random.integers(0, 1500, size=(400, 3))
    questions[:300, :2] = questions[0, :2]  # more than one group holds
    np.testing.assert_array_equal(solve(vectors, questions, method=method), brute_force(vectors, questions, method))


@pytest.mark.parametrize("method", analogy.METHODS)
def test_its_own_words_never_answer(method):
    random = np.random.default_rng(0)
    vectors = random.normal(size=(5, 3))
    questions = np.array([[a, b, c] for a in range(5) for b in range(5) for c in range(5)])
    answers = solve(vectors, questions, method=method)
    assert not (questions == answers[:, None]).any()


def test_opposite_words_and_zero_rows_have_an_answer():
    vectors = np.array([[1, 0], [-1, 0], [0, 0], [0, 1], [1, 1]], dtype=np.float32)
    assert solve(vectors, np.array([[0, 1, 3]]), method="3cosmul") == [2]


def test_no_questions():
    assert solve(np.ones((4, 2)), np.empty((0, 3), dtype=int)).shape == (0,)


def test_ties_go_to_the_first():
    vectors = np.array([[1, 0], [0, 1], [1, 0], [5, 5], [2, 2]], dtype=np.float32)
    assert solve(vectors, np.array([[0, 1, 2]]))[0] == 3


def test_half_precision_and_read_only_rows():
    random = np.random.default_rng(0)
    vectors = random.normal(size=(50, 8)).astype(np.float16)
    vectors.flags.writeable = False
    questions = random.integers(0, 50, size=(20, 3))
    np.testing.assert_array_equal(solve(vectors, questions), brute_force(vectors.astype(float), questions, "3cosadd"))
