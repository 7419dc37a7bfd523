"""Sentences as ids."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError
from firth.neural.layers.spelling import UNKNOWN as UNKNOWN_CHARACTER
from firth.neural.models.tokens.reader import capitals, learn_token_reader
from firth.readers.conllu import read_conllu

SENTENCES = [["The", "cat", "sat"], ["the", "Cat", "ran", "off"], ["the"]]


def vectors(*words):
    return firth.WordVectors(list(words), np.arange(2.0 * len(words), dtype=np.float32).reshape(-1, 2))


def test_words_are_numbered_by_count_and_looked_up_in_lower_case():
    reader = learn_token_reader(SENTENCES)
    assert reader.words == ["the", "cat", "off", "ran", "sat"]
    assert reader.counts.tolist() == [3, 2, 1, 1, 1]
    assert reader.read(["CAT", "dog", "the"]).words.tolist() == [3, 1, 2]
    assert learn_token_reader(SENTENCES, min_count=2).words == ["the", "cat"]
    cased = learn_token_reader(SENTENCES, lowercase=False)
    assert cased.read(["CAT", "Cat", "cat"]).words.tolist() == [
        1,
        cased.words.index("Cat") + 2,
        cased.words.index("cat") + 2,
    ]
    assert (cased.knows("Cat"), cased.knows("CAT"), reader.knows("CAT")) == (True, False, True)


def test_words_of_vectors_are_known_when_they_start_the_table():
    reader = learn_token_reader(SENTENCES, min_count=2, vectors=vectors("dog", "ran", "Rome", "x"), extra_words=3)
    assert set(reader.words) == {"the", "cat", "ran", "dog", "rome"}
    assert dict(zip(reader.words, reader.counts.tolist(), strict=True))["ran"] == 1
    assert reader.given == []


def test_vectors_that_are_kept_are_found_in_any_case():
    given = vectors("dog", "Rome", "ran", "x")
    reader = learn_token_reader(SENTENCES, vectors=given, extra_words=2, tuned=False)
    assert reader.given == ["dog", "Rome", "ran"]
    assert reader.vector_dim == 2
    assert reader.read(["Dog", "rome", "Rome", "RAN", "x", "zzz"]).given.tolist() == [2, 3, 3, 4, 1, 1]
    assert "dog" not in reader.words


def test_a_word_that_vectors_have_as_it_is_written_has_its_own():
    """Any other spelling has that in lower case, or else the first one."""
    reader = learn_token_reader(SENTENCES, vectors=vectors("rome", "Rome", "PARIS", "Paris"), tuned=False)
    assert reader.read(["Rome", "rome", "ROME", "paris", "Paris"]).given.tolist() == [3, 2, 2, 4, 5]


def test_vectors_of_the_training_words_are_known_beyond_the_most_frequent():
    given = vectors("x", "y", "the", "z")
    assert learn_token_reader([["The"]], vectors=given, extra_words=1, tuned=False).given == ["x", "the"]
    assert learn_token_reader([["The"]], vectors=given, extra_words=9, tuned=False).given == ["x", "y", "the", "z"]


def test_each_distinct_word_of_a_batch_is_spelled_once():
    reader = learn_token_reader(SENTENCES)
    inputs = reader.collate([reader.read(["the", "cat"]), reader.read(["cat", "cat", "sat"])])
    assert inputs.forms[:, :2].tolist() == [[0, 1], [1, 1]]
    assert len(inputs.spellings) == 3
    assert inputs.lengths.tolist() == [2, 3]
    assert inputs.words[0].tolist()[2] == 0
    once = inputs.spellings[reader.collate([reader.read(["s"])]).forms[0, 0]]
    assert UNKNOWN_CHARACTER not in once.tolist()
    rare = reader.collate([reader.read(["r"])])  # in one word only
    assert UNKNOWN_CHARACTER in rare.spellings[0].tolist()


def test_columns_of_annotated_sentences_are_read(tmp_path):
    path = tmp_path / "a.conllu"
    lines = ["1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_", "2\truns\trun\tVERB\tVBZ\tTense=Pres\t0\troot\t_\t_", "", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
    (sentence,) = read_conllu(path)
    reader = learn_token_reader([sentence], columns=("upos", "capitals"), characters=False)
    assert reader.columns == {"upos": ["PRON", "VERB"], "capitals": ["first", "lower"]}
    read = reader.read(sentence.annotated(tags=["VERB", "X"]))
    assert [column.tolist() for column in read.columns] == [[3, 1], [2, 3]]
    assert reader.collate([read]).forms is None


def test_how_words_are_written():
    words = ["a", "A", "Rome", "USA", "McRae", "1999", "B12", "c3PO", "..."]
    assert [capitals(word) for word in words] == [
        "lower", "letter", "first", "upper", "mixed", "none-digit", "letter-digit", "mixed-digit", "none",
    ]  # fmt: skip


def test_values_of_columns_are_numbered_by_count():
    reader = learn_token_reader([["a", "b", "Rome"], ["USA"]], columns=("capitals",))
    assert reader.columns == {"capitals": ["lower", "first", "upper"]}


def test_sentences_without_words_are_refused():
    with pytest.raises(CorpusError, match="no words in the training sentences"):
        learn_token_reader([[]])
