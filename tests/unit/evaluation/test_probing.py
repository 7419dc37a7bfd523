import string

import numpy as np
import pytest

import firth
from firth.errors import OptionError, ShapeError
from firth.evaluation.probing import CONTROLS, pair_offsets, probe, probe_numbers
from firth.readers.word_properties import read_word_property


def labelled(n=300, dim=8, seed=0):
    """Vectors whose first column has the label's sign, and the labels."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, n)
    rows = random.normal(size=(n, dim))
    rows[:, 0] = (2 * labels - 1) * (0.5 + np.abs(rows[:, 0]))
    return rows, np.array(["no", "yes"])[labels]


def test_a_property_with_a_direction():
    rows, labels = labelled()
    found = probe(rows, labels)
    assert found.accuracy > 0.97
    assert found.majority == max((labels == "no").mean(), (labels == "yes").mean())
    # Random labels are told as often as a coin tells them: 300 words, 3 control tasks.
    assert abs(found.control.mean() - 0.5) < 3 * np.sqrt(0.25 / (300 * CONTROLS))
    assert found.selectivity == found.accuracy - found.control.mean()
    assert probe(rows, labels).correct.tolist() == found.correct.tolist()


def test_words_are_judged_by_probes_of_others():
    """Every word has a column of its own: learnt by heart it would be told, and from others it cannot be."""
    labels = np.random.default_rng(1).integers(0, 2, 200)
    found = probe(np.eye(200), labels)
    assert abs(found.accuracy - 0.5) < 3 * np.sqrt(0.25 / 200)


def test_a_frequent_label_is_no_direction():
    """Nine words of ten have one label, and the vectors say nothing: high accuracy, no selectivity."""
    random = np.random.default_rng(2)
    labels = np.arange(400) % 10 == 0
    found = probe(random.normal(size=(400, 5)), labels)
    assert found.accuracy == found.majority == 0.9
    assert abs(found.selectivity) < 3 * np.sqrt(0.09 / 400)


def test_three_classes_and_their_order():
    random = np.random.default_rng(3)
    labels = np.arange(300) % 3
    rows = random.normal(size=(300, 4)) / 8 + np.eye(4)[labels]
    assert probe(rows, labels).accuracy == 1.0
    assert probe(rows.astype(np.float32), labels.astype(str)).accuracy == 1.0


def test_a_scale():
    """The numbers are the second column with as much noise: a correlation of 1 / sqrt(2) = 0.71."""
    random = np.random.default_rng(4)
    rows = random.normal(size=(1000, 6))
    found = probe_numbers(rows, 3 * rows[:, 1] + 3 * random.normal(size=1000) + 100)
    assert found.correlation == pytest.approx(0.69, abs=0.04)  # Spearman's of normal pairs with 0.71
    assert abs(found.control) < 3 / np.sqrt(1000)
    assert found.selectivity == found.correlation - found.control
    assert found.predicted.mean() == pytest.approx(100, abs=0.5)


def test_differences_by_hand():
    """Three pairs differ by (1, 0), (1, 0) and (0, 1).

    The others of the first sum to (1, 1), so its cosine is 1 / sqrt(2), and the second's too; the third's others sum to
    (2, 0): 0, which is no right order. All three sum to (2, 1).
    """
    first = np.array([[0, 0], [5, 5], [2, 7]])
    found = pair_offsets(first, first + np.array([[1, 0], [1, 0], [0, 1]]))
    assert found.cosines == pytest.approx([0.5**0.5, 0.5**0.5, 0])
    assert found.order == pytest.approx(2 / 3)
    assert found.direction == pytest.approx(np.array([2, 1]) / 5**0.5)


def test_pairs_that_share_a_word_do_not_judge_each_other():
    """Pairs differ by (1, 0), (1, 0), (0, 1) and (-1, 1). The first two share the word "b".

    Without the sharing one the others of the first sum to (-1, 2): cosine -1 / sqrt(5), where all would give (0, 2).
    """
    offsets = np.array([[1.0, 0], [1, 0], [0, 1], [-1, 1]])
    pairs = [("a", "b"), ("c", "b"), ("d", "e"), ("f", "g")]
    found = pair_offsets(np.zeros((4, 2)), offsets, words=pairs)
    assert found.cosines[0] == pytest.approx(-1 / 5**0.5)
    assert pair_offsets(np.zeros((4, 2)), offsets).cosines[0] == pytest.approx(0)
    # Where every pair shares a word with every other, none can judge.
    star = [("a", "b"), ("a", "c"), ("a", "d")]
    assert pair_offsets(np.full((3, 2), 0.1), [[0.3, 0.7], [0.1, 0.9], [0.2, 0.3]], words=star).cosines.tolist() == [
        0,
        0,
        0,
    ]


def test_cosines_are_those_of_a_plain_loop():
    random = np.random.default_rng(5)
    vectors = random.normal(size=(30, 7))
    pairs = random.integers(0, 30, (25, 2))
    offsets = vectors[pairs[:, 1]] - vectors[pairs[:, 0]]
    wanted = []
    for i in range(25):
        others = [offsets[j] for j in range(25) if not set(pairs[i]) & set(pairs[j])]
        total = np.sum(others, axis=0)
        length = np.linalg.norm(offsets[i]) * np.linalg.norm(total)
        wanted.append(offsets[i] @ total / length if length else 0)
    found = pair_offsets(vectors[pairs[:, 0]], vectors[pairs[:, 1]], words=pairs.tolist())
    assert found.cosines == pytest.approx(wanted)


def test_controls_of_pairs():
    """Second words are first words, moved by 2 along one column; the rest of each pair is its own.

    True pairs differ by that alone: cosine 1. Shuffled ones differ by 2 there and by sqrt(2) in each of 6 others, which
    have variance 2: about 2 / sqrt(4 + 12) = 0.5. Random pairs of all words have no order.
    """
    random = np.random.default_rng(6)
    first = random.normal(size=(400, 7))
    first[:, 0] = 0
    second = first.copy()
    second[:, 0] = 2
    found = pair_offsets(first, second)
    assert found.cosines == pytest.approx(np.ones(400))
    assert found.shuffled.mean() == pytest.approx(0.5, abs=0.03)
    assert found.pairing == pytest.approx(0.5, abs=0.03)
    assert found.random == pytest.approx(0.5, abs=0.03)
    assert found.order == 1


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (
            lambda: probe(np.eye(9), ["a"] * 9),
            OptionError,
            "every word has the label 'a', expected at least two labels",
        ),
        (lambda: probe(np.eye(0), []), OptionError, "there are no words"),
        (lambda: probe(np.eye(9), [0] * 7 + [1] * 2), OptionError, "2 words have the label 1, expected at least 5"),
        (lambda: probe(np.eye(9), [0, 1] * 4 + [0], folds=1), OptionError, "folds=1: expected at least 2"),
        (lambda: probe(np.eye(9), [0, 1] * 4), ShapeError, "shapes (9, 9) and (8,)"),
        (lambda: probe(np.full((20, 2), np.nan), [0, 1] * 10), OptionError, "row 0 is not finite"),
        (lambda: probe_numbers(np.eye(9), np.arange(9)), OptionError, "9 different numbers for 9 words"),
        (lambda: probe_numbers(np.eye(20), np.ones(20)), OptionError, "1 different numbers for 20 words"),
        (lambda: probe_numbers(np.eye(20), [*range(19), np.inf]), OptionError, "row 19 is not finite"),
        (lambda: probe_numbers(np.eye(20), range(20), folds=0), OptionError, "folds=0"),
        (lambda: pair_offsets(np.eye(2), np.eye(2)), OptionError, "2 pairs, expected at least 3"),
        (lambda: pair_offsets(np.eye(3), np.eye(4)), ShapeError, "shapes (3, 3) and (4, 4)"),
    ],
)
def test_bad_input(call, error, said):
    with pytest.raises(error) as caught:
        call()
    assert said in str(caught.value)


# As a suite.


def spelt(words):
    """Vectors of words that hold the last letter and the length of each, whatever its case."""
    letters = np.array([[word.lower()[-1] == letter for letter in string.ascii_lowercase] for word in words], float)
    return firth.WordVectors(words, np.column_stack([letters, [0.01 * len(word) for word in words]]))


def rows_of(report):
    return {(row.set, row.metric): row for row in report.rows}


def test_names_by_their_last_letter(shared_data):
    """The last letter tells the gender of 79 % of the names that have one: 76 % of all (Bird et al. 2009, chapter 6).

    What can be told of it at best, the commoner gender of each letter, is counted here.
    """
    gold = read_word_property(shared_data / "lexicons" / "names" / "names.zip")
    found = rows_of(firth.evaluate(spelt(list(gold.words)), suites={"probing": "first-names"}, data=shared_data))
    accuracy, selectivity = found["first-names", "accuracy"], found["first-names", "selectivity"]
    last = np.array([ord(word.lower()[-1]) for word in gold.words])
    best = sum(np.bincount(gold.labels[last == letter]).max() for letter in np.unique(last)) / len(last)
    assert best == pytest.approx(0.79, abs=0.005)
    assert best - 0.005 < accuracy.value < best + 0.005  # the length of a name tells a little
    assert accuracy.baseline == pytest.approx(np.bincount(gold.labels).max() / len(gold.labels))
    assert accuracy.low < accuracy.value < accuracy.high
    assert 0.1 < selectivity.value < 0.3
    assert (accuracy.covered, accuracy.total) == (7210, 7210)


def test_plurals_by_their_last_letter(shared_data):
    """Of the 37 plurals all end in s, but for men, mice and children, which so have another difference: 34 of 37."""
    gold = read_word_property(shared_data / "analogy" / "questions-words.txt")
    words = list(dict.fromkeys(word for pair in gold.pairs for word in pair))
    report = firth.evaluate(spelt(words), suites={"probing": "google-analogies"}, data=shared_data)
    found = rows_of(report)
    plural = found["google-analogies/gram8-plural", "order"]
    assert plural.total == plural.covered == 37
    assert plural.value == 34 / 37
    assert plural.baseline == pytest.approx(0.5, abs=0.1)
    whole, pairing = found["google-analogies", "cosine"], found["google-analogies", "pairing"]
    assert (whole.total, whole.baseline) == (573, None)
    assert 0 < pairing.low < pairing.value < whole.value


def test_numbers_as_a_suite(tmp_path):
    """Lengths of four values are told, but for rounding, which puts equal ones in some order.

    Spearman's correlation of k equal groups with an order that keeps their own is sqrt(1 - 1 / k^2) = 0.968.
    """
    random = np.random.default_rng(7)
    words = ["".join(random.choice(list("abcdef"), size=n)) + f"{i:03}a" for i, n in enumerate([3, 9, 5, 7] * 50)]
    (tmp_path / "length.tsv").write_text("".join(f"{word}\t{len(word) / 2}\n" for word in words))
    found = rows_of(firth.evaluate(spelt(words), suites={"probing": tmp_path / "length.tsv"}))
    assert found["length", "spearman"].value == pytest.approx(0.968, abs=0.003)
    assert found["length", "selectivity"].value == pytest.approx(0.97, abs=0.2)
    assert found["length", "selectivity"].low < found["length", "selectivity"].value


def written(tmp_path, rows, labels):
    words = [f"w{i}" for i in range(len(labels))]
    path = tmp_path / "gold.tsv"
    path.write_text("".join(f"{word}\t{label}\n" for word, label in zip(words, labels, strict=True)))
    return path, firth.WordVectors(words, rows)


def test_unknown_words(tmp_path):
    """60 of 300 words are unknown: left out, or told to have the commonest label of the known."""
    rows, labels = labelled()
    path, vectors = written(tmp_path, rows, labels)
    part = firth.WordVectors(vectors.words[:240], vectors.vectors[:240])
    skipped = rows_of(firth.evaluate(part, suites={"probing": path}))["gold", "accuracy"]
    counted = rows_of(firth.evaluate(part, suites={"probing": path}, unknown="count"))
    assert (skipped.covered, skipped.total) == (240, 300)
    names, counts = np.unique(labels[:240], return_counts=True)
    guessed = (labels[240:] == names[counts.argmax()]).sum()
    assert counted["gold", "accuracy"].value * 300 == pytest.approx(skipped.value * 240 + guessed)
    # A guess is no selectivity: what is unknown adds nothing to it.
    alone = rows_of(firth.evaluate(part, suites={"probing": path}))["gold", "selectivity"]
    assert counted["gold", "selectivity"].value * 300 == pytest.approx(alone.value * 240)


@pytest.mark.filterwarnings("ignore:.*no item has all its words")
@pytest.mark.parametrize("known", [0, 1, 9])
@pytest.mark.parametrize("unknown", ["skip", "count"])
@pytest.mark.parametrize("kind", ["labels", "numbers", "pairs"])
def test_too_few_known_words(tmp_path, known, unknown, kind):
    texts = {
        "labels": "".join(f"w{i}\t{'ab'[i % 2]}\n" for i in range(40)),
        "numbers": "".join(f"w{i}\t{i / 2}\n" for i in range(40)),
        "pairs": "".join(f"w{i}\tv{i}\n" for i in range(40)),
    }
    (tmp_path / "gold.tsv").write_text(texts[kind])
    words = [*(f"w{i}" for i in range(known)), *(f"v{i}" for i in range(min(known, 2))), "other"]
    vectors = firth.WordVectors(words, np.random.default_rng(0).normal(size=(len(words), 3)))
    report = firth.evaluate(vectors, suites={"probing": tmp_path / "gold.tsv"}, unknown=unknown)
    assert all(np.isnan(row.value) for row in report.rows)
    assert len(report.rows) == 3 if kind == "pairs" else 2
    assert {row.covered for row in report.rows} == {min(known, 1) + (known == 9) if kind == "pairs" else known}
    assert str(report).count(" - ") >= 2


def test_the_control_has_the_labels_of_the_words_that_are_known(tmp_path):
    """Of 1,000 words half are "yes", of the 300 known ones 270: luck gets 0.9 of these, and nothing is selected."""
    random = np.random.default_rng(10)
    labels = ["yes"] * 270 + ["no"] * 30 + ["yes"] * 230 + ["no"] * 470
    path, vectors = written(tmp_path, random.normal(size=(1000, 3)), labels)
    known = firth.WordVectors(vectors.words[:300], vectors.vectors[:300])
    found = rows_of(firth.evaluate(known, suites={"probing": path}))
    assert found["gold", "accuracy"].value == found["gold", "accuracy"].baseline == 0.9
    assert abs(found["gold", "selectivity"].value) < 0.03
    counted = rows_of(firth.evaluate(known, suites={"probing": path}, unknown="count"))["gold", "accuracy"]
    assert counted.baseline == 0.5
    assert counted.value == 0.5  # 270 of the known and 230 of the others


def test_models_are_set_against_each_other(tmp_path):
    rows, labels = labelled()
    path, vectors = written(tmp_path, rows, labels)
    noise = firth.WordVectors(vectors.words, np.random.default_rng(9).normal(size=(300, 8)))
    report = firth.evaluate({"good": vectors, "noise": noise}, suites={"probing": path})
    assert {(one.metric, one.best, one.other) for one in report.contrasts} == {
        ("accuracy", "good", "noise"),
        ("selectivity", "good", "noise"),
    }
    assert all(one.corrected < 0.01 for one in report.contrasts)
