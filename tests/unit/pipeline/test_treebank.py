"""What a treebank has, from files and memory."""

import pytest

from firth.errors import ArgumentTypeError, CorpusError
from firth.pipeline.treebank import filled, read_treebank
from firth.readers.conllu import DependencySentence, write_conllu
from tests.unit.pipeline.treebanks import treebank


def test_files_and_sentences_are_read_alike(tmp_path):
    write_conllu(tmp_path / "a.conllu", treebank(3))
    assert read_treebank(tmp_path / "a.conllu", on_error="stop") == treebank(3)
    assert len(read_treebank([tmp_path / "a.conllu", *treebank(2)], on_error="stop")) == 5


def test_what_is_no_treebank_is_refused():
    with pytest.raises(ArgumentTypeError, match="7: expected a CoNLL-U file or a list of sentences"):
        read_treebank(7, on_error="stop")
    with pytest.raises(ArgumentTypeError, match="expected a CoNLL-U file or a sentence"):
        read_treebank([7], on_error="stop")
    with pytest.raises(CorpusError, match="no sentences"):
        read_treebank([], on_error="stop")


def test_columns_are_there_if_half_of_the_words_have_them_and_features_if_any_has():
    bare = [DependencySentence.of(["a", "b"])]
    columns = ("tags", "language_tags", "features", "lemmas")
    assert [filled(treebank(3), column) for column in columns] == [True, False, True, True]
    assert not any(filled(bare, column) for column in columns)
