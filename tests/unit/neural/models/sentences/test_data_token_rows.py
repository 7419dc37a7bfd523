"""Texts as rows of ids: pieces, copies, batches."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import CorpusError
from firth.language.text import LanguageText, TextRules
from firth.neural.models.sentences.data import TokenRows, different, pieces, row_batches, sentences
from firth.vocabulary import Vocabulary


def rows_of(*texts):
    lengths = np.array([len(text) for text in texts], dtype=np.int64)
    ids = np.concatenate([np.array(text, dtype=np.int32) for text in texts])
    return TokenRows(ids, np.cumsum(lengths) - lengths, lengths)


def lists(rows):
    return [row.tolist() for row in rows]


def test_sentences_are_those_with_a_token():
    vocabulary = Vocabulary(["<unk>"], np.array([1]), 1)
    text = LanguageText(vocabulary, np.arange(5, dtype=np.int32), np.array([0, 2, 2, 5]), TextRules(eos=False))
    assert lists(sentences(text)) == [[0, 1], [2, 3, 4]]


def test_pieces_leave_nothing_out():
    rows = rows_of([1, 2, 3, 4, 5], [6], [7, 8, 9, 10])
    assert lists(pieces(rows, 2)) == [[1, 2], [3, 4], [5], [6], [7, 8], [9, 10]]
    assert lists(pieces(rows, 9)) == lists(rows)


def test_copies_are_left_out():
    assert lists(different(rows_of([1, 2], [3], [1, 2], [2, 1], [3]))) == [[1, 2], [3], [2, 1]]


def test_rows_may_be_chosen():
    rows = rows_of([1], [2, 2], [3])
    assert lists(rows.take(np.array([2, 0]))) == [[3], [1]]
    assert lists(rows[1:]) == [[2, 2], [3]]


def test_batches_are_cut_at_the_limit():
    batches = row_batches(rows_of([1, 2, 3], [4], [5, 6]), 3, limit=2, shuffle=False)
    (batch,) = batches.epoch(0)
    assert batch.ids.tolist() == [[4, 0], [1, 2], [5, 6]]
    assert batch.lengths.tolist() == [1, 2, 2]
    assert len(batch) == 3


def test_one_text_is_no_batch():
    with pytest.raises(CorpusError, match="1 text with tokens: expected two or more"):
        row_batches(rows_of([1, 2]), 4, limit=4)
