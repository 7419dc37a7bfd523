"""Keywords: figures by hand and by SciPy, documents, corpora, what is left out."""

import math

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import firth
from firth.counts.keywords import g2
from firth.errors import OptionError

A = ["king queen king ship"] * 3 + ["king honour"]
B = ["ship sea sea"] * 4 + ["queen"]


def test_figures():
    """14 and 13 words: king 7 and 0, queen 3 and 1."""
    rows = {row.word: row for row in firth.keywords(A, B, min_count=1, progress=False)}
    assert list(rows) == ["king", "honour", "queen"]
    for word, a, b in (("king", 7, 0), ("queen", 3, 1), ("honour", 1, 0)):
        row = rows[word]
        assert (row.count, row.against) == (a, b)
        table = [[a, b], [14 - a, 13 - b]]
        assert row.g2 == pytest.approx(chi2_contingency(table, lambda_="log-likelihood", correction=False)[0])
        assert row.log_ratio == pytest.approx(math.log2(a / 14 / ((b or 0.5) / 13)))
        assert row.per_million == pytest.approx(1e6 * a / 14)
    assert (rows["king"].documents, rows["honour"].documents) == (4, 1)
    assert rows["honour"].dispersion == pytest.approx(1 - 2 / 14)


def test_g2_of_a_word_that_is_the_whole_text_and_of_none():
    assert g2(np.array([[5.0, 0, 2], [5, 0, 2]]), (5, 5)).tolist() == [0, 0, 0]


def test_intervals_are_those_of_documents():
    """Every document alike: nothing depends on which are drawn. Bursts in one of ten: a wide interval."""
    even = firth.keywords(["a b"] * 10, ["b b b"] * 10, min_count=1, progress=False)[0]
    assert even.low == even.high == pytest.approx(even.log_ratio)
    texts = [*["b " * 20] * 9, "a " * 10 + "b " * 10]
    burst = firth.keywords(texts, ["a " + "b " * 19] * 10, min_count=1, negative=False, progress=False, limit=None)
    row = next(row for row in firth.keywords(texts, ["a b " + "b " * 198] * 10, min_count=1, progress=False))
    assert row.word == "a"
    assert row.low < 0 < row.log_ratio < row.high
    assert burst.facts["text"] == {"tokens": 200, "documents": 10, "unit": "texts"}
    again = firth.keywords(texts, ["a b " + "b " * 198] * 10, min_count=1, progress=False)[0]
    assert again == row


def test_order_ties_and_limits():
    result = firth.keywords(["y x z z"] * 5, ["w"] * 20, min_count=1, progress=False, limit=2)
    assert [row.word for row in result] == ["z", "x"]
    assert result.facts["of"] == 3
    by_ratio = firth.keywords(["y x z z"] * 5, ["w w z"] * 20, min_count=6, sort="log_ratio", progress=False)
    assert [row.word for row in by_ratio] == ["z"]  # x and y: 5 times
    fewer = firth.keywords(["y x z z"] * 5, ["w z"] * 20, min_count=1, negative=True, progress=False)
    assert [row.word for row in fewer] == ["w"]
    with pytest.raises(OptionError, match="sort='far'"):
        firth.keywords(A, B, sort="far")


def test_files_are_documents_and_rare_words_of_a_corpus_are_counted(tmp_path):
    for name, text in {"a/1": "x y y\n\nx", "a/2": "x", "b/1": "y\n\ny\n", "b/2": "y x"}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    result = firth.keywords(tmp_path / "a", tmp_path / "b", min_count=1, progress=False)
    assert [(row.word, row.count, row.against, row.documents) for row in result] == [("x", 3, 1, 2)]
    assert result.facts["text"] == {"tokens": 5, "documents": 2, "unit": "files"}
    corpora = [firth.Corpus.build(tmp_path / name, min_count=2, cache=tmp_path, progress=False) for name in "ab"]
    assert list(firth.keywords(*corpora, min_count=1, progress=False)) == list(result)
    single = firth.keywords(tmp_path / "a/1.txt", tmp_path / "b", min_count=1, progress=False)
    assert single.facts["text"] == {"tokens": 4, "documents": 2, "unit": "paragraphs"}


def test_corpora_without_files_leave_out_what_they_do_not_know(tmp_path):
    a = firth.Corpus.build(["x y y z"] * 2, min_count=2, cache=tmp_path, progress=False)
    b = firth.Corpus.build(["y w"] * 2 + ["x"], min_count=2, cache=tmp_path, progress=False)
    with pytest.warns(UserWarning, match="left out") as warned:
        assert [row.word for row in firth.keywords(a, b, min_count=1, progress=False)] == ["y"]
    counts = [str(warning.message).split(": ")[1].split(" are")[0] for warning in warned]
    assert counts == ["1 word of the other text", "2 words of the other text"]
    with pytest.raises(OptionError, match="tokens given with corpora"):
        firth.keywords(a, b, tokens="cased")


def test_a_single_document_has_no_interval():
    with pytest.warns(UserWarning, match="the text is a single document.* no intervals; give several files"):
        row = firth.keywords(["king king"], B, min_count=1, progress=False)[0]
    assert all(map(math.isnan, (row.low, row.high, row.dispersion)))


@pytest.mark.parametrize("negative", [False, True])
def test_words_that_the_smaller_text_lacks_differ_the_more_the_more_frequent_they_are(negative):
    """0.5 of 4 words is more than 1 of 200: the ratio of "rare" has the other sign."""
    large, small = ["rare" + 199 * " often"], ["sea sea sea sea"]
    texts = (small, large) if negative else (large, small)
    rows = firth.keywords(*texts, sort="log_ratio", negative=negative, min_count=1, resamples=0, progress=False)
    assert [row.word for row in rows] == ["often", "rare"]


def test_empty_texts_are_no_documents():
    given, with_empty = (
        firth.keywords([*A, *more], [*more, *B], min_count=1, progress=False) for more in ([], ["", "..."] * 9)
    )
    assert with_empty.rows == given.rows
    single = firth.keywords([A[0], ""], B, min_count=1, resamples=0, progress=False)
    assert all(math.isnan(row.dispersion) for row in single)
