import dataclasses
import json
import math

import numpy as np
import pytest

import firth
from firth.errors import DataError, FormatError, OptionError
from firth.evaluation.evaluate import evaluate
from firth.evaluation.report import Contrast, EvaluationReport, ScoreRow
from firth.vectors.character_ngrams import Hashing, NgramRows
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors


@pytest.fixture
def vectors():
    """A plane: the first number is size, the second royalty; an outsider answers no question by chance."""
    words = ["man", "woman", "king", "queen", "boy", "girl", "Paris", "france"]
    rows = [[1, 0], [-1, 0], [1, 1], [-1, 1], [1, -1], [-1, -1], [0, 1], [0, -1]]
    return WordVectors(words, np.array(rows, dtype=np.float32), metadata={"name": "plane"})


def written(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def only(report: EvaluationReport, **wanted: str) -> ScoreRow:
    (row,) = [row for row in report.rows if all(getattr(row, name) == value for name, value in wanted.items())]
    return row


def test_similarity_by_hand(vectors, tmp_path):
    """Cosines: man-king .71, man-woman -1, man-Man 1, king-queen 0, none for man-dog.

    Gold 5, 1, 9, 3 orders them alike, so rho = 1; four of five pairs are covered. "Man" is found as "man".
    """
    gold = written(tmp_path, "toy.txt", "man king 5\nman woman 1\nman Man 9\nking queen 3\nman dog 4\n")
    row = only(evaluate(vectors, similarity=gold))
    assert (row.vectors, row.set, row.metric) == ("plane", "toy", "spearman")
    assert row.value == pytest.approx(1.0)
    assert (row.covered, row.total) == (4, 5)
    assert row.low <= row.value <= row.high


def test_case_as_written_comes_first(vectors, tmp_path):
    words = [*vectors.words, "paris"]
    cased = WordVectors(words, np.vstack([vectors.vectors, [[1, 0]]]).astype(np.float32))
    gold = written(tmp_path, "toy.txt", "Paris queen 3\nparis man 9\nFRANCE king 1\n")
    row = only(evaluate(cased, similarity=gold))
    assert (row.covered, row.total) == (3, 3)
    assert row.value == pytest.approx(1.0)  # .71, 1, -.71


def test_analogies_by_section_and_half(vectors, tmp_path):
    gold = written(
        tmp_path,
        "toy.txt",
        ": family\nman woman king queen\nman woman boy girl\nman woman boy dog\n: gram1-royal\nman king woman king\n",
    )
    report = evaluate(vectors, analogies=gold)
    assert {row.set for row in report.rows} == {"toy", "toy/semantic", "toy/syntactic", "toy/family", "toy/gram1-royal"}
    for method in ("3cosadd", "3cosmul"):
        family = only(report, set="toy/family", metric=method)
        assert (family.value, family.covered, family.total) == (1.0, 2, 3)
        assert (
            only(report, set="toy/gram1-royal", metric=method).value == 0.0
        )  # king is in the question: never an answer
        whole = only(report, set="toy", metric=method)
        assert (whole.value, whole.covered, whole.total) == (pytest.approx(2 / 3), 3, 4)
        assert 0 <= whole.low < whole.value < whole.high <= 1


def test_restricted_vocabulary(vectors, tmp_path):
    gold = written(tmp_path, "toy.txt", "man woman king queen\nman woman boy girl\n")
    row = only(evaluate(vectors, analogies=gold, restrict_vocab=4), metric="3cosadd")
    assert (row.value, row.covered, row.total) == (1.0, 1, 2)


@pytest.mark.filterwarnings("ignore:.*no item has all its words")
def test_nothing_covered_is_no_figure(vectors, tmp_path):
    pairs = written(tmp_path, "pairs.txt", "dog cat 5\nbird fish 1\n")
    questions = written(tmp_path, "questions.txt", "dog cat bird fish\n")
    report = evaluate(vectors, similarity=pairs, analogies=questions)
    assert all(math.isnan(row.value) and row.covered == 0 for row in report.rows)
    assert [json.loads(line)["value"] for line in report.to_json().splitlines()] == [None] * 3
    assert " - " in str(report)


def test_several_vectors_and_sets_side_by_side(vectors, tmp_path):
    one = written(tmp_path, "one.txt", "man king 5\nman woman 1\n")
    two = written(tmp_path, "two.txt", "man king 1\nman woman 5\n")
    report = evaluate({"a": vectors, "b": vectors}, similarity=[one, two])
    assert [(row.vectors, row.set, row.value) for row in report.rows] == [
        ("a", "one", 1.0),
        ("a", "two", -1.0),
        ("b", "one", 1.0),
        ("b", "two", -1.0),
    ]


def test_as_json(vectors, tmp_path):
    gold = written(tmp_path, "toy.txt", "man king 5\nman woman 1\nking queen 3\n")
    (line,) = evaluate(vectors, similarity=gold).to_json().splitlines()
    found = json.loads(line)
    assert list(found) == [field.name for field in dataclasses.fields(ScoreRow)]
    assert found["suite"] == "similarity"
    assert found["covered"] == found["total"] == 3


def test_as_a_table(vectors, tmp_path):
    gold = written(tmp_path, "toy.txt", ": a-section\nman woman king queen\n")
    report = evaluate(vectors, analogies=gold)
    assert "a-section" not in str(report)
    assert "a-section" in report.table(sections=True)
    heading, *lines = str(report).splitlines()
    assert heading.startswith("vectors")
    assert len(lines) == 2
    assert len({line.index("3cos") for line in lines}) == 1
    assert ">3cosadd</td>" in report._repr_html_()


def test_names_in_html_are_escaped():
    row = ScoreRow(vectors="<b>", set="s", metric="m", value=0.5, low=0.4, high=0.6, covered=1, total=1)
    assert "<b>" not in EvaluationReport([row])._repr_html_()


def test_every_file_is_read_before_any_work(vectors, tmp_path):
    good = written(tmp_path, "good.txt", "man king 5\nman woman 1\n")
    bad = written(tmp_path, "bad.txt", "man king\n")
    with pytest.raises(FormatError, match=r"bad\.txt"):
        evaluate(vectors, similarity=[good, bad])
    with pytest.raises(DataError, match="no such file and no named set"):
        evaluate(vectors, similarity=[good, tmp_path / "none.txt"])


@pytest.mark.parametrize("option", ["restrict_vocab", "resamples"])
def test_options_out_of_range(vectors, option):
    with pytest.raises(OptionError, match=f"{option}=0"):
        evaluate(vectors, similarity="rg-65", **{option: 0})


def test_half_precision_and_mapped_vectors_give_the_same(vectors, tmp_path):
    gold = written(tmp_path, "toy.txt", "man king 5\nman woman 1\nking queen 3\n")
    vectors.save(tmp_path / "v.firth")
    mapped = firth.load(tmp_path / "v.firth")
    half = WordVectors(vectors.words, vectors.vectors.astype(np.float16), metadata={"name": "plane"})
    expected = evaluate(vectors, similarity=gold).to_json()
    assert evaluate(mapped, similarity=gold).to_json() == expected
    assert evaluate(half, similarity=gold).to_json() == expected


@pytest.mark.filterwarnings("ignore:.*no item has all its words")
def test_the_default_sets_are_the_five_of_the_field(vectors, shared_data):
    report = evaluate(vectors, data=shared_data)
    totals = {row.set: row.total for row in report.rows if not row.is_section}
    assert totals == {
        "wordsim-353": 353,
        "simlex-999": 999,
        "men": 3000,
        "rare-words": 2034,
        "google-analogies": 19544,
        "google-analogies/semantic": 8869,
        "google-analogies/syntactic": 10675,
    }


def test_marks_by_hand():
    """a is best; b differs (p .049), c does not (p .05), d could not be tested; the other line has no contrasts."""
    rows = [
        ScoreRow(vectors=name, suite="x", set="s", metric="m", value=value, low=0, high=1, covered=9, total=9)
        for name, value in (("a", 0.9), ("b", 0.7), ("c", 0.8), ("d", 0.6))
    ]
    rows += [ScoreRow(vectors="a", suite="y", set="s", metric="m", value=0.1, low=0, high=1, covered=9, total=9)]
    contrasts = [
        Contrast(suite="x", set="s", metric="m", best="a", other=other, difference=0.1, low=0, high=1, p=0.01,
                 corrected=corrected, test="t", items=9)
        for other, corrected in (("b", 0.049), ("c", 0.05), ("d", math.nan))
    ]  # fmt: skip
    first, second = EvaluationReport(rows, contrasts).table().splitlines()[1:3]
    cells = [" ".join(cell.split()) for cell in first.replace(" (0.00 to 1.00)", "").split("  ") if cell.strip()]
    assert cells == ["s", "m", "0.900 *", "0.700", "0.800 =", "0.600 =", "9/9"]
    assert second.split() == ["s", "m", "0.100", "(0.00", "to", "1.00)", "-", "-", "-", "9/9"]


def test_files_of_one_name_are_lines_of_their_own(vectors, tmp_path):
    for folder, score in (("one", 5), ("two", 1)):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder, "toy.txt", f"man king {score}\nman woman 3\n")
    files = [tmp_path / "one" / "toy.txt", tmp_path / "two" / "toy.txt"]
    report = evaluate({"a": vectors, "b": vectors}, similarity=files)
    assert [(row.vectors, row.set, row.value) for row in report.rows[:2]] == [("a", "toy", 1), ("a", "toy (2)", -1)]
    assert [line.split()[0] for line in report.table().splitlines()[1:3]] == ["toy", "toy"]


@pytest.mark.peer
def test_agrees_with_gensim_on_real_sets(shared_data):
    """Spearman to 1e-12 and the same analogies right, on vectors that know the words of the sets."""
    models = pytest.importorskip("gensim.models", reason="compares with gensim: pip install gensim")
    pairs_file, questions_file = (
        shared_data / "similarity/EN-WS-353-ALL.txt",
        shared_data / "analogy/questions-words.txt",
    )
    text = pairs_file.read_text(encoding="utf-8") + questions_file.read_text(encoding="utf-8")
    words = sorted({word.lower() for word in text.split() if word.isalpha()})
    # A word's letters make its vector, so that related forms are near and some analogies come out right.
    random = np.random.default_rng(0)
    letters = {letter: random.normal(size=40) for letter in set("".join(words))}
    rows = np.array([sum(letters[one] / (1 + i) for i, one in enumerate(word)) for word in words], dtype=np.float32)
    theirs = models.KeyedVectors(40)
    theirs.add_vectors(words, rows)
    report = evaluate(WordVectors(words, rows), similarity=pairs_file, analogies=questions_file)
    assert only(report, metric="spearman").value == pytest.approx(
        theirs.evaluate_word_pairs(pairs_file)[1][0], abs=1e-12
    )
    accuracy, sections = theirs.evaluate_word_analogies(questions_file)
    assert only(report, set="questions-words", metric="3cosadd").value == accuracy
    assert accuracy > 0.01
    for section in sections[:-1]:
        row = only(report, set=f"questions-words/{section['section']}", metric="3cosadd")
        assert round(row.value * row.covered) == len(section["correct"])
        assert row.covered == len(section["correct"]) + len(section["incorrect"])


def test_vectors_with_subwords_are_judged_by_their_known_words(tmp_path):
    """The pair with an unseen word is not covered."""
    words = ["cat", "dog", "car", "bus"]
    plain = WordVectors(words, np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))
    ngrams = NgramRows(Hashing(3, 3, 50), np.ones((50, 3), dtype=np.float32))
    (tmp_path / "pairs.tsv").write_text("cat\tdog\t9\ncar\tbus\t8\ncat\tbus\t1\ncats\tdog\t7\n")
    one, other = (
        evaluate({"v": vectors}, similarity=tmp_path / "pairs.tsv", resamples=10).rows[0]
        for vectors in (plain, SubwordVectors(plain, plain.vectors, ngrams))
    )
    assert (one.value, one.covered, one.total) == (other.value, 3, 4)


def test_a_narrow_terminal_gets_figures_without_intervals(vectors, tmp_path):
    gold = written(tmp_path, "toy.txt", "man king 5\nman woman 1\nking queen 3\n")
    report = evaluate({"a": vectors, "b": vectors}, similarity=gold)
    assert "1.000 (" in report.table()
    assert "1.000 (" in report.table(width=100)
    narrow = report.table(width=40)
    assert "1.000 *" in narrow
    assert "(" not in narrow.splitlines()[1]
    assert narrow.splitlines()[-1].endswith("wider than 40 columns. --json has them.")
    assert max(map(len, narrow.splitlines()[:2])) <= 40


def test_a_baseline_with_a_sample_has_an_interval_and_a_test():
    """Forty items: the model is right on 30, the baseline on 10 of them: p is as small as resamples allow."""
    from firth.evaluation.suite import EvaluationOptions, Score
    from firth.evaluation.tabulate import SetScore, report_of
    from firth.resampling import Mean, Sample

    mask = np.ones(40, dtype=bool)

    def scored(right: int) -> list[SetScore]:
        sample, baseline = (Sample(mask, Mean((np.arange(40) < n).astype(float))) for n in (right, 10))
        score = Score(
            metric="accuracy",
            sample=sample,
            covered=40,
            total=40,
            baseline_sample=baseline,
            baseline_name="TF-IDF",
            share=True,
        )
        return [SetScore("sentences", "toy", score)]

    above = report_of({"a": scored(30)}, EvaluationOptions())
    (row,) = above.rows
    assert (row.value, row.baseline) == (0.75, 0.25)
    assert row.baseline_low < 0.25 < row.baseline_high
    assert row.baseline_p < 0.01
    assert "> 0.250 TF-IDF" in str(above)
    assert "significantly below or above" in str(above)
    assert "= 0.250 TF-IDF" in str(report_of({"a": scored(11)}, EvaluationOptions()))
    assert "< 0.250 TF-IDF" in str(report_of({"a": scored(1)}, EvaluationOptions()))
    both = report_of({"a": scored(30), "b": scored(10)}, EvaluationOptions())
    assert "> 0.250 TF-IDF" in str(both)
    assert [round(one.baseline_p, 3) for one in both.rows] == [pytest.approx(0, abs=0.01), 1]
    alone = report_of({"a": scored(15)}, EvaluationOptions()).rows[0].baseline_p
    twice = report_of({"a": scored(15), "b": scored(15)}, EvaluationOptions()).rows
    assert [one.baseline_p for one in twice] == pytest.approx([2 * alone] * 2)  # corrected for two tests
