"""Windows: no padding, each piece once per epoch, cuts that move."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, OptionError
from firth.neural.models.pretraining.data import PieceText, Windows
from tests.unit.neural.models.pretraining.encoders import pieces
from tests.unit.neural.models.sentences.encoders import sentences


@pytest.fixture(scope="module")
def text():
    return PieceText.of(firth.Corpus.build(sentences(), tokens=pieces(), min_count=1))


def test_the_stream_has_all_pieces_and_the_ends_of_texts(text):
    rows = pieces().encode(sentences(3))
    first = [*rows[0], pieces().sep_id, *rows[1], pieces().sep_id]
    assert text.ids[: len(first)].tolist() == first
    assert text.texts == len(sentences())


def test_windows_hold_each_piece_at_most_once_and_no_padding(text):
    windows = Windows(text=text, length=12, batch_size=1, seed=4)
    rows = np.concatenate([batch.ids.numpy() for batch in windows.epoch(0)])
    assert rows.shape == (len(text.ids) // 10, 12)
    assert (rows[:, 0] == pieces().cls_id).all()
    assert (rows[:, -1] == pieces().sep_id).all()
    seen = np.bincount(rows[:, 1:-1].ravel(), minlength=len(pieces()))
    every = np.bincount(text.ids, minlength=len(pieces()))
    assert (seen <= every).all()
    assert (every - seen).sum() == len(text.ids) % 10
    assert not np.array_equal(rows, np.concatenate([batch.ids.numpy() for batch in windows.epoch(1)]))


def test_an_epoch_goes_on_where_it_stopped(text):
    windows = Windows(text=text, length=12, batch_size=4)
    whole = [batch.ids.tolist() for batch in windows.epoch(2)]
    assert [batch.ids.tolist() for batch in windows.epoch(2, 5)] == whole[5:]
    assert len(whole) == windows.count(2)


def test_processes_share_each_batch(text):
    windows = Windows(text=text, length=12, batch_size=5)
    parts = [[batch.ids for batch in windows.shard(rank, 2).epoch(0)] for rank in (0, 1)]
    for whole, first, second in zip(windows.epoch(0), *parts, strict=True):
        assert sorted(whole.ids.tolist()) == sorted([*first.tolist(), *second.tolist()])
    with pytest.raises(OptionError, match="processes=6"):
        windows.shard(0, 6)


def test_a_text_shorter_than_a_window_is_one_window(text):
    short = PieceText(text.pieces, text.ids[:5], 1)
    windows = Windows(text=short, length=128, batch_size=64)
    (batch,) = windows.epoch(0)
    assert batch.ids.shape == (1, 7)
    assert short.split(128)[1] is None
    with pytest.raises(CorpusError, match="no word"):
        Windows(text=PieceText(text.pieces, text.ids[:1], 1), length=128, batch_size=1)


def test_the_end_of_a_text_is_held_out(text):
    train, aside = text.split(12)
    assert np.array_equal(np.concatenate((train.ids, aside.ids)), text.ids)
    assert len(aside.ids) % 10 == 0
    figures = train.unigram(aside)
    assert 0 < figures["unigram_accuracy"] < 0.3
    assert figures["unigram_loss"] < np.log(len(pieces()))


def test_other_tokens_are_refused():
    with pytest.raises(OptionError, match=r"^tokens='unicode': an encoder reads word pieces .* tokens='wordpieces' or"):
        PieceText.of(firth.Corpus.build(sentences(), min_count=1))
    with pytest.raises(OptionError, match=r"^subwords of another kind \(.*\): an encoder reads word pieces"):
        PieceText.of(firth.Corpus.build(sentences(), tokens="subwords", max_size=300))
