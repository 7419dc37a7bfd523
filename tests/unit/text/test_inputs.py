"""What is said of values that are no texts and no words."""

import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pandas as pd
import polars
import pyarrow
import pyarrow as pa
import pytest

import firth
from firth.errors import ArgumentTypeError, OptionError
from firth.language.ngram_lm import NgramLM
from firth.text.inputs import check_items, plain_labels, token_lists

COLUMNS = {"id": [1, 2], "text": ["the cat", "a dog"]}
LINES = ["the cat sat on the mat", "a dog ran to the cat"] * 20


@pytest.fixture(scope="module")
def vectors() -> firth.WordVectors:
    return firth.WordVectors(["the", "cat", "dog"], np.eye(3, dtype=np.float32))


@pytest.fixture(scope="module")
def model() -> Any:
    return NgramLM(order=2, discount_fallback=True).train(LINES, min_count=1)


TABLES = [pandas.DataFrame(COLUMNS), polars.DataFrame(COLUMNS), polars.LazyFrame(COLUMNS), pyarrow.table(COLUMNS)]


@pytest.mark.parametrize("table", [*TABLES, COLUMNS], ids=lambda table: f"{type(table).__module__}.{type(table)}")
def test_a_table_is_not_read_as_the_names_of_its_columns(table: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"columns 'id', 'text'; expected a list of texts.*\['text'\]"):
        check_items(table)


@pytest.mark.parametrize("column", [each["text"] for each in (TABLES[0], TABLES[1], TABLES[3])], ids=type)
def test_a_column_of_a_table_gives_texts(column: Any) -> None:
    assert token_lists(column, str.split) == [["the", "cat"], ["a", "dog"]]


def test_whatever_asks_a_model_refuses_a_table(vectors: firth.WordVectors, model: Any) -> None:
    classifier = firth.TextClassifier(dim=2, epochs=1, buckets=10).train([("a b", "x"), ("c d", "y")], threads=1)
    documents = firth.ParagraphVectors(dim=2, epochs=1).train(LINES, min_count=1, threads=1)
    asked = [
        classifier.predict, classifier.probabilities, classifier.encode, documents.infer, documents.encode, model.score,
        firth.diversity, lambda table: firth.sentence_vectors(vectors, table), firth.annotate,
    ]  # fmt: skip
    for ask in asked:
        for wrong in (TABLES[0], None, 5):
            with pytest.raises(ArgumentTypeError, match="expected a list of texts"):
                ask(wrong)
    assert len(classifier.predict(TABLES[0]["text"])) == 2


@pytest.mark.parametrize("ask", ["most_similar", "get_vector", "similar_by_word", "__getitem__", "distances", "rank"])
@pytest.mark.parametrize(
    ("wrong", "said"),
    [(b"the", "b'the' is bytes; expected a word (str)"), (1.5, "1.5 is a float; expected a word (str)")],
)
def test_bytes_and_other_kinds_are_no_words(vectors: firth.WordVectors, ask: str, wrong: Any, said: str) -> None:
    arguments = (wrong, "the") if ask == "rank" else (wrong,)
    with pytest.raises(ArgumentTypeError, match=re.escape(said)):
        getattr(vectors, ask)(*arguments)


def test_bytes_among_words_are_not_row_numbers(vectors: firth.WordVectors) -> None:
    for ask in (
        lambda: vectors[["the", b"cat"]],
        lambda: vectors.similarity(b"the", "cat"),
        lambda: vectors.most_similar([b"the"]),
        lambda: firth.sentence_vectors(vectors, [b"the"]),
        lambda: firth.sentence_vectors(vectors, [["the", b"cat"]]),
    ):
        with pytest.raises(TypeError, match=r"is bytes; expected .*: decode it"):
            ask()
    assert b"the" not in vectors


@pytest.mark.parametrize("ask", ["doesnt_match", "rank_by_centrality", "get_mean_vector"])
def test_a_string_is_not_gone_through_letter_by_letter(vectors: firth.WordVectors, ask: str) -> None:
    with pytest.raises(OptionError, match="'the cat': expected a list of words; split the text first"):
        getattr(vectors, ask)("the cat")


@pytest.mark.parametrize("kind", [str, Path])
def test_the_path_of_a_file_is_no_list_of_texts(tmp_path: Path, kind: Any) -> None:
    (tmp_path / "a.txt").write_text("a text\n" * 100)
    path = kind(tmp_path / "a.txt")
    with pytest.raises(
        ArgumentTypeError, match=r"texts: found the path of a file; .*; open\('.*a\.txt', encoding='utf-8'\) gives"
    ):
        firth.Subwords.train(path, 300)
    with open(path, encoding="utf-8") as lines:  # noqa: PTH123 - as the message says
        assert "Ġtext" in firth.Subwords.train(lines, 300).vocabulary
    for text in ("x" * 5000, "a\0b"):
        with pytest.raises(ArgumentTypeError, match="put a text into a list"):
            check_items(text)


def test_a_string_is_no_list_of_texts() -> None:
    with pytest.raises(OptionError, match="examples='the cat sat': expected a list of texts; put a text into a list"):
        firth.diversity("the cat sat")


@pytest.mark.parametrize("wrong", [None, 5, ["the"], b"the"])
def test_a_prompt_is_a_text(model: Any, wrong: Any) -> None:
    for ask in (model.generate, model.next_words):
        with pytest.raises(ArgumentTypeError, match=r"prompt=.*expected a text \(str\)"):
            ask(wrong)


def test_a_language_model_scores_lists_of_words(model: Any) -> None:
    assert model.score([["the", "cat"]])[0].total == model.score("the cat")[0].total


def test_vectors_controls_and_paths_of_another_kind(vectors: firth.WordVectors, model: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"vectors='A.firth' is a str; expected WordVectors.*firth.load\('A.firth'\)"
    ):
        firth.sentence_vectors("A.firth", ["the"])  # type: ignore[arg-type]
    with pytest.raises(
        ArgumentTypeError, match=r"is a dict; expected GenerationOptions: GenerationOptions\(max_length=3\)"
    ):
        model.generate("the", options={"max_length": 3})
    for path in (None, b"a", []):
        for ask in (firth.load, vectors.save, model.save):
            with pytest.raises(ArgumentTypeError, match="expected a path"):
                ask(path)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["a", 1, True, 1.5], ["a", 1, True, 1.5]),
        ([None, float("nan"), pd.NA, pd.NaT, np.datetime64("NaT"), np.float32("nan")], [None] * 6),
        (np.array([1, -1]), [1, -1]),
        (np.ma.masked_equal([1, 2], 2), [1, None]),
        (np.array(["a", "b"]), ["a", "b"]),
        ([np.str_("a"), np.int64(3)], ["a", 3]),
        (pd.Series(["a", pd.NA], dtype="string"), ["a", None]),
        (pd.Series(["a", None], dtype="category"), ["a", None]),
        (pa.array(["a", None]), ["a", None]),
        (("a", "b"), ["a", "b"]),
        ([], []),
    ],
)
def test_labels(labels, expected):
    found = plain_labels(labels)
    assert found == expected
    assert not any(isinstance(each, np.generic) for each in found)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ("ab", "labels: found 'ab', expected a list with the label of each text"),
        (b"ab", "labels: found b'ab'"),
        ({"a": 1}, "labels: found {'a': 1}"),
        ({"a"}, "labels: found {'a'}"),
        (3, "labels: found 3"),
        (np.zeros((2, 2)), r"an array of the shape \(2, 2\).*one dimension"),
        (np.array("a"), r"an array of the shape \(\)"),
        (pd.DataFrame({"a": [1]}), r"an array of the shape \(1, 1\)"),
        ([["a"]], r"labels\[0\]=\['a'\] is a list; expected a string or a number"),
        (["a", b"b"], r"labels\[1\]=b'b' is bytes; expected a string or a number: decode it"),
        ([np.zeros(2)], r"labels\[0\]=.* is a ndarray"),
        ([Decimal(1)], r"labels\[0\]=.* is a Decimal"),
        ([pd.Timestamp(0)], r"labels\[0\]=.* is a Timestamp"),
    ],
)
def test_what_is_no_list_of_labels(labels, message):
    with pytest.raises(ArgumentTypeError, match=message):
        plain_labels(labels)
