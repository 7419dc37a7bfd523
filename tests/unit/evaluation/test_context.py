import math

import numpy as np
import pytest

from firth.errors import FormatError
from firth.evaluation import context
from firth.evaluation.context import best_threshold, encode_context, encode_word, encode_word_and_context
from firth.evaluation.evaluate import evaluate
from firth.evaluation.suite import EvaluationOptions, Space
from firth.readers.words_in_context import Occurrence, ScoredOccurrences, WordInContext, read_words_in_context
from firth.vectors.word_vectors import WordVectors

# Money to the right, water upwards, "bank" between the two, and a word that says nothing but is everywhere.
WORDS = ["the", "bank", "money", "loan", "river", "water"]
ROWS = [[-1, 0], [1, 1], [2, 0], [1, 0], [0, 3], [0, 1]]
COUNTS = [94, 1, 1, 1, 2, 1]


@pytest.fixture
def vectors():
    return WordVectors(WORDS, np.array(ROWS, dtype=np.float32), counts=COUNTS)


@pytest.fixture
def space(vectors):
    return Space(vectors, EvaluationOptions())


def at(word, text):
    tokens = text.split()
    return Occurrence(word, tokens, tokens.index(word))


def in_files(folder, judged, answers, train, train_answers):
    for name, text in (
        *(("test.data.txt", judged), ("test.gold.txt", answers)),
        *(("train.data.txt", train), ("train.gold.txt", train_answers)),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "test.data.txt"


def test_a_context_by_hand(space):
    """Around bank stand the (.94 of the corpus) and river (.02); a = .001.

    .001 / .941 (-1, 0) + .001 / .021 (0, 1) = (-.00106, .04762): all but river's own direction. Lengths count nothing.
    """
    found, has = encode_context(space, [at("bank", "the bank river")])
    by_hand = np.array([-0.001 / 0.941, 0.001 / 0.021])
    assert has.all()
    assert found[0] == pytest.approx(by_hand / np.linalg.norm(by_hand), abs=1e-6)


def test_readings_by_hand(space):
    """bank alone is (1, 1) / sqrt 2 wherever it stands; with money around, half of each: 22.5 degrees from money."""
    one = at("bank", "bank money loan")
    assert encode_word(space, [one])[0][0] == pytest.approx(np.array([1, 1]) / math.sqrt(2))
    assert encode_context(space, [one])[0][0] == pytest.approx([1, 0])
    both = encode_word_and_context(space, [one])[0][0]
    assert math.degrees(math.atan2(both[1], both[0])) == pytest.approx(22.5, abs=1e-4)


def test_a_form_without_a_vector_has_its_lemmas(space):
    found, has = encode_word(space, [Occurrence("bank", ["Banks"], 0), Occurrence("shore", ["shores"], 0)])
    assert found[0] == pytest.approx(np.array([1, 1]) / math.sqrt(2))
    assert has.tolist() == [True, False]


def test_only_so_many_tokens_count():
    one = Occurrence("w", [str(i) for i in range(40)], 20)
    assert one.context(2) == ["18", "19", "21", "22"]
    assert Occurrence("w", ["a", "w"], 1).context(5) == ["a"]


def test_contexts_agree_with_a_loop():
    random = np.random.default_rng(3)
    words = [f"w{i}" for i in range(50)]
    vectors = WordVectors(words, random.normal(size=(50, 8)).astype(np.float32), counts=random.integers(1, 99, 50))
    texts = [random.choice([*words, "unknown"], size=25).tolist() for _ in range(30)]
    asked = [Occurrence("w0", text, i % 25) for i, text in enumerate(texts)]
    found, _ = encode_context(Space(vectors, EvaluationOptions()), asked)
    shares = vectors.counts / vectors.counts.sum()
    for one, row in zip(asked, found, strict=True):
        total = np.zeros(8)
        for position, word in enumerate(one.tokens):
            if position != one.position and abs(position - one.position) <= context.WINDOW and word in vectors:
                i = words.index(word)
                total += 1e-3 / (1e-3 + shares[i]) * vectors.vectors[i] / np.linalg.norm(vectors.vectors[i])
        assert row == pytest.approx(total / np.linalg.norm(total), abs=1e-5)


def test_a_threshold_by_hand():
    """No .1, yes .3, no .4, yes .6, yes .8: between .4 and .6 four of five are right; above .1 also: the lower wins.

    Below .3: .1 is no (right), then yes (right), no (wrong), yes, yes: 4. Between .4 and .6: no, no (wrong), no, yes,
    yes: 4. Equal cosines are never parted.
    """
    assert best_threshold([0.6, 0.1, 0.4, 0.3, 0.8], [True, False, False, True, True]) == pytest.approx(0.2)
    assert best_threshold([0.5, 0.5, 0.5], [True, False, False]) > 0.5
    assert best_threshold([0.5, 0.5, 0.5], [True, True, False]) < 0.5
    assert best_threshold([], []) == 0


def test_a_threshold_is_no_worse_than_any_other():
    random = np.random.default_rng(8)
    cosines, same = random.normal(size=200).round(1), random.random(200) < 0.4
    right = [((cosines > t) == same).mean() for t in np.linspace(-4, 4, 1601)]
    assert ((cosines > best_threshold(cosines, same)) == same).mean() == pytest.approx(max(right))


def test_word_in_context_by_hand(vectors, tmp_path):
    """Trained on one yes (money, money: cosine 1) and one no (money, water: 0): the threshold is .5.

    Then loan and money are yes (right), river and money no (right), water and river yes (said to be no: wrong); the
    fourth has no word known around it. Two of three are right; yes and no stand 1 : 2.
    """
    gold = in_files(
        tmp_path,
        "bank\tN\t0-1\tbank loan\tmoney bank\nbank\tN\t0-0\tbank river\tbank money\n"
        "bank\tN\t0-1\tbank water\tthe river bank\nbank\tN\t0-0\tbank holiday\tbank loan\n".replace(
            "the river", "river"
        ),
        "T\nF\nF\nT\n",
        "bank\tN\t0-0\tbank money\tbank money\nbank\tN\t0-0\tbank money\tbank water\n",
        "T\nF\n",
    )
    rows = {row.metric: row for row in evaluate(vectors, suites={"context": gold}).rows}
    row = rows["accuracy-context"]
    assert (row.value, row.covered, row.total) == (pytest.approx(2 / 3), 3, 4)
    assert (row.baseline, row.baseline_name) == (pytest.approx(2 / 3), "majority")
    assert list(rows) == ["accuracy-word", "accuracy-context", "accuracy-both"]
    counted = evaluate(vectors, suites={"context": gold}, unknown="count").rows[1]
    assert (counted.value, counted.covered, counted.baseline) == (0.5, 3, 0.5)  # cosine 0: no, which is wrong


SCWS = (
    "1\tBank\tn\tmoney\tn\tthe <b> bank </b> loan\tloan <b>money</b> the\t9.1\t10\t8\n"
    "2\tbank\tn\tmoney\tn\triver <b> bank </b> loan\tloan <b> money </b>\t2.5\t3\t2\n"
    "3\tbank\tn\triver\tn\tthe loan <b> bank </b> money\twater <b> river </b>\t1.0\t1\t1\n"
    "4\tshore\tn\triver\tn\tthe <b> sea shore </b> water\twater <b> river </b>\t8.0\t8\t8\n"
)


def test_scored_contexts_by_hand(vectors, tmp_path):
    """bank lies at 45 degrees, loan, money and their contexts at 0, river and water at 90; the fourth has no vector.

    Word and context: 22.5 (bank, with loan) from 0; some 40 (bank, with river and loan) from 0; 22.5 from 90. The word
    alone is 45 degrees from the other each time, which is no order.
    """
    (tmp_path / "ratings.txt").write_text(SCWS, encoding="utf-8")
    gold = read_words_in_context(tmp_path / "ratings.txt")
    assert isinstance(gold, ScoredOccurrences)
    assert gold.pairs[0][0] == Occurrence("Bank", ["the", "bank", "loan"], 1)
    assert gold.pairs[3][0] == Occurrence("shore", ["the", "sea_shore", "water"], 1)
    assert gold.scores.tolist() == [9.1, 2.5, 1.0, 8.0]
    rows = {row.metric: row for row in evaluate(vectors, suites={"context": tmp_path / "ratings.txt"}).rows}
    assert list(rows) == ["spearman-word", "spearman-context", "spearman-both"]
    assert (rows["spearman-both"].value, rows["spearman-both"].covered) == (pytest.approx(1.0), 3)
    assert math.isnan(rows["spearman-word"].value)


@pytest.mark.parametrize(
    ("judged", "answers", "message"),
    [
        ("bank\tN\t0\tbank\tbank\n", "T\n", r"test.data.txt line 1: positions '0', expected two"),
        ("bank\tN\t0-1\tbank\tbank\n", "T\n", r"line 1: position '1', expected a token number from 0 to 0"),
        ("bank\tN\t0-x\tbank\tbank\n", "T\n", r"line 1: position 'x'"),
        ("bank\tN\t0-0\tbank\n", "T\n", r"line 1: 4 fields, expected word, tag"),
        ("bank\tN\t0-0\tbank\tbank\n", "yes\n", r"test.gold.txt line 1: 'yes', expected T or F"),
        ("bank\tN\t0-0\tbank\tbank\n", "T\nF\n", r"test.gold.txt: 2 answers for 1 pairs"),
        ("1\ta\tn\tb\tn\tthe a\t<b> b </b>\t3\n", "T\n", r"line 1: no word between <b> and </b>"),
        ("1\ta\tn\tb\tn\t<b>a</b>\t<b> b </b>\thigh\n", "T\n", r"line 1: score 'high'"),
        ("1\ta\tn\tb\tn\t<b>a</b>\t<b> b </b>\tnan\n", "T\n", r"line 1: score 'nan', expected a finite"),
    ],
)
def test_what_is_no_set_of_contexts_is_refused(tmp_path, judged, answers, message):
    with pytest.raises(FormatError, match=message):
        read_words_in_context(in_files(tmp_path, judged, answers, "a\tN\t0-0\ta\ta\n", "T\n"))


def test_files_that_belong_together(tmp_path):
    folder = tmp_path / "set" / "dev"
    folder.mkdir(parents=True)
    path = folder / "dev.data.txt"
    path.write_text("a\tN\t0-0\ta\ta\n")
    with pytest.raises(FormatError, match=r"no dev.gold.txt beside it"):
        read_words_in_context(path)
    (folder / "dev.gold.txt").write_text("T\n")
    with pytest.raises(FormatError, match=r"no training pairs.*train.data.txt"):
        read_words_in_context(path)
    (tmp_path / "set" / "train").mkdir()
    for content, text in (("data", "b\tN\t0-0\tb\tb\n"), ("gold", "F\n")):
        (tmp_path / "set" / "train" / f"train.{content}.txt").write_text(text)
    gold = read_words_in_context(path)
    assert isinstance(gold, WordInContext)
    assert (gold.test.same.tolist(), gold.train.same.tolist()) == ([True], [False])
    with pytest.raises(FormatError, match="no training pairs"):  # never chosen on what is judged
        read_words_in_context(tmp_path / "set" / "train" / "train.data.txt")
    (tmp_path / "plain.txt").write_text("a\tN\t0-0\ta\ta\n")
    with pytest.raises(FormatError, match=r"a name with .data. in it"):
        read_words_in_context(tmp_path / "plain.txt")


def test_the_published_set(shared_data):
    """Half of the answers are yes in each part. Vectors of no meaning, near enough orthogonal, still see words that
    two contexts share, and that is worth some points; the word alone is worth nothing.
    """
    gold = read_words_in_context(shared_data / "wic/test/test.data.txt")
    assert (len(gold.test.pairs), len(gold.train.pairs)) == (1400, 5428)
    assert (gold.test.same.mean(), gold.train.same.mean()) == (0.5, 0.5)
    begins = [one.tokens[one.position][0].lower() == one.word[0] for pair in gold.train.pairs for one in pair]
    assert np.mean(begins) > 0.99  # the position is the word's: a form of it, but for went and the like
    tokens = {
        token.lower() for part in (gold.test, gold.train) for pair in part.pairs for one in pair for token in one.tokens
    }
    words = sorted(tokens)
    rows = np.random.default_rng(0).normal(size=(len(words), 200)).astype(np.float32)
    report = evaluate(WordVectors(words, rows), suites={"context": "wic-test"}, data=shared_data)
    found = {row.metric: row for row in report.rows}
    assert found["accuracy-both"].covered >= 1390
    assert found["accuracy-both"].baseline == pytest.approx(0.5, abs=0.002)
    assert 0.51 < found["accuracy-context"].value < 0.58
    assert 0.48 < found["accuracy-word"].value < 0.53
