import itertools
import math

import numpy as np
import pytest

from firth.errors import FormatError
from firth.evaluation.evaluate import evaluate
from firth.evaluation.outliers import compactness, outlier_position, suite
from firth.readers.categories import read_outlier_groups
from firth.vectors.word_vectors import WordVectors

HEADING = "category,outliers,words\n"


def written(folder, text):
    path = folder / "gold.csv"
    path.write_text(text, encoding="utf-8")
    return path


def judged(folder, vectors, text, **how):
    report = evaluate(vectors, suites={"outliers": written(folder, HEADING + text)}, **how)
    return {row.metric: row for row in report.rows}


def test_compactness_by_hand():
    """Two words along x, one at 60 degrees, the outlier along y, so that cosines are 1, 1/2, 1/2, 0, 0, sqrt(3)/2.

    Without each word three pairs are left. Without x: 1/2, 0, sqrt(3)/2 -> .4553; twice so. Without the third: 1, 0, 0
    -> 1/3. Without the outlier: 1, 1/2, 1/2 -> 2/3, the most compact: it is found, at position 3.
    """
    points = np.array([[2, 0], [1, 0], [0.5, math.sqrt(3) / 2], [0, 3]])
    third = (0.5 + math.sqrt(3) / 2) / 3
    assert compactness(points) == pytest.approx([third, third, 1 / 3, 2 / 3], abs=1e-12)
    assert outlier_position(points) == 3
    assert outlier_position(points[[3, 2, 1, 0]]) == 1  # above the third word alone; the other along x ties
    assert outlier_position(points[[3, 1, 0, 2]]) == 0


@pytest.mark.parametrize("seed", range(5))
def test_compactness_is_the_mean_over_pairs(seed):
    points = np.random.default_rng(seed).normal(size=(9, 4)).astype(np.float32)

    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    slow = [np.mean([cosine(a, b) for a, b in itertools.permutations(np.delete(points, i, 0), 2)]) for i in range(9)]
    assert compactness(points) == pytest.approx(slow, abs=1e-6)


def test_words_that_tie_stand_above_the_outlier():
    """Vectors that tell nothing apart find nothing, neither all alike nor all zero."""
    assert outlier_position(np.ones((4, 2))) == 0
    assert outlier_position(np.zeros((4, 2))) == 0


@pytest.fixture
def animals():
    rows = {"tiger": [1, 0], "lion": [1, 0.1], "lynx": [0.9, 0.2], "car": [-1, 1], "dog": [1, 0.05], "new": [0, 1]}
    return WordVectors(list(rows), np.array(list(rows.values()), dtype=np.float32))


def test_figures_by_hand(animals, tmp_path):
    """Of three cats the car is told apart: position 3 of 3. The dog is not.

    Tiger, dog, lion and lynx lie at 0, 2.9, 5.7 and 12.5 degrees; 1 - cos is near half the square of the angle. The
    squares of the angles to the others sum to 197 for tiger, 108 for dog, 86 for lion, 295 for lynx: without lion the
    rest is least compact, then without dog, whose position is therefore 1. Accuracy is 1/2 and OPP (3/3 + 1/3) / 2.
    """
    rows = judged(tmp_path, animals, """cats,"['car', 'dog', '']","['tiger', 'lion', 'lynx']"\n""")
    assert (rows["accuracy"].value, rows["opp"].value) == (0.5, pytest.approx(2 / 3))
    assert (rows["accuracy"].baseline, rows["opp"].baseline) == (0.25, 0.5)
    assert (rows["accuracy"].covered, rows["accuracy"].total) == (2, 2)


def test_a_test_with_an_unknown_word_is_left_out_or_wrong(animals, tmp_path):
    """Group one: the outlier `cat` is unknown. Group two: `puma` is, so that both of its tests are."""
    text = (
        """cats,"['car', 'cat']","['tiger', 'lion', 'lynx']"\n"""
        """more,"['car', 'dog']","['tiger', 'lion', 'puma']"\n"""
    )
    skipped, counted = (judged(tmp_path, animals, text, unknown=policy) for policy in ("skip", "count"))
    assert (skipped["accuracy"].value, skipped["opp"].value) == (1, 1)
    assert (counted["accuracy"].value, counted["opp"].value) == (0.25, 0.25)
    for rows in (skipped, counted):
        assert (rows["opp"].covered, rows["opp"].total) == (1, 4)


def test_a_name_has_the_mean_of_its_words(animals, tmp_path):
    """`New_Car` is new + car, far from the cats; `New_Moon` has an unknown part; `tiger_lion` stands as it is."""
    words = [*animals.words, "tiger_lion"]
    vectors = WordVectors(words, np.vstack([animals.vectors, [[-1, -1]]]).astype(np.float32))
    text = """cats,"['New_Car', 'New_Moon', 'tiger_lion']","['tiger', 'lion', 'lynx']"\n"""
    rows = judged(tmp_path, vectors, text)
    assert (rows["accuracy"].value, rows["accuracy"].covered, rows["accuracy"].total) == (1, 2, 3)


def test_random_vectors_reach_the_baseline(tmp_path):
    """400 tests of eight words and one outlier, none meaning anything: 1/9 found, OPP 1/2 (5 standard errors)."""
    words = [f"w{i}" for i in range(9 * 400)]
    vectors = WordVectors(words, np.random.default_rng(0).normal(size=(len(words), 20)).astype(np.float32))
    groups = [words[i : i + 9] for i in range(0, len(words), 9)]
    rows = judged(tmp_path, vectors, "".join(f'x,"{group[8:]}","{group[:8]}"\n' for group in groups))
    assert rows["accuracy"].baseline == pytest.approx(1 / 9)
    assert rows["accuracy"].value == pytest.approx(1 / 9, abs=5 * math.sqrt(8 / 81 / 400))
    assert rows["opp"].value == pytest.approx(0.5, abs=5 * math.sqrt(60 / 9 / 64 / 400))


def test_intervals_are_over_groups(tmp_path):
    """Ten groups of eight tests, five found throughout and five not at all: the standard error of 1/2 is .5 / sqrt(10)
    = .158, and the interval that of ten tosses, .2 to .8; of 80 tests it would be .39 to .61.
    """
    random = np.random.default_rng(0)
    words, rows, text = [], [], ""
    for group in range(10):
        near, far = random.normal(size=(2, 30))
        names = [f"g{group}w{i}" for i in range(16)]
        # In a group that fails, the outliers are as the middle of the group, and its own words about it.
        middle = far if group % 2 else near
        rows += [near + 0.2 * random.normal(size=30) for _ in range(8)] + [middle + 0 * far for _ in range(8)]
        words += names
        text += f'x,"{names[8:]}","{names[:8]}"\n'
    row = judged(tmp_path, WordVectors(words, np.array(rows, dtype=np.float32)), text)["accuracy"]
    assert (row.value, row.covered, row.total) == (0.5, 80, 80)
    assert (row.low, row.high) == (pytest.approx(0.2), pytest.approx(0.8))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty; expected a table with the columns category, words, outliers"),
        ("category,words\n", "line 1: no column 'outliers'"),
        (HEADING, "no groups, only a header"),
        (HEADING + "cats,car,\"['tiger', 'lion']\"\n", r"line 2: 'car', expected a list of words"),
        (HEADING + "cats,\"['car'\",\"['tiger', 'lion']\"\n", r"line 2: \"\['car'\", expected a list of words"),
        (HEADING + "cats,[1],\"['tiger', 'lion']\"\n", r"line 2: '\[1\]', expected a list of words"),
        (HEADING + "cats,\"['car']\",\"['tiger']\"\n", "line 2: 1 words and 1 outliers, expected at least two"),
        (HEADING + "cats,\"['']\",\"['tiger', 'lion']\"\n", "line 2: 2 words and 0 outliers"),
        (HEADING + "cats,__import__('os'),\"['tiger', 'lion']\"\n", "expected a list of words"),
    ],
)
def test_what_is_not_the_format(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read_outlier_groups(written(tmp_path, text))


def test_the_named_set_is_eight_by_eight_by_eight(shared_data):
    from firth.data import path_of

    groups = suite.read(path_of("8-8-8", shared_data))
    assert [(len(group.words), len(group.outliers)) for group in groups] == [(8, 8)] * 8
