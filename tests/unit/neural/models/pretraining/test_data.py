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
    with pytest.raises(OptionError, match=r"^tokens='words': an encoder reads word pieces .* tokens='wordpieces' or"):
        PieceText.of(firth.Corpus.build(sentences(), min_count=1))
    with pytest.raises(OptionError, match=r"^subwords of another kind \(.*\): an encoder reads word pieces"):
        PieceText.of(firth.Corpus.build(sentences(), tokens="subwords", max_size=300))


def numbered(count):
    """A text whose piece i has the id i."""
    return PieceText(pieces(), np.arange(count, dtype=np.int32), 1)


def rows_of(windows, epoch=0):
    return np.concatenate([batch.ids.numpy()[:, 1:-1] for batch in windows.epoch(epoch)])


def test_epochs_and_seeds_have_other_cuts_and_other_orders():
    """Windows follow one another in the circle of pieces from a random place on, in a random order."""
    found = {}
    for seed, epoch in ((0, 0), (0, 1), (1, 0)):
        windows = Windows(text=numbered(1003), length=12, batch_size=7, seed=seed)
        rows = rows_of(windows, epoch)
        assert len(rows) == 7 * windows.count(epoch) == 7 * 14  # the last 2 of 100 are left out
        assert np.array_equal((rows - rows[:, :1]) % 1003, np.tile(np.arange(10), (98, 1)))
        first = next(place for place in range(1003) if set((rows[:, 0] - place) % 1003) <= set(range(0, 1000, 10)))
        order = ((rows[:, 0] - first) % 1003 // 10).tolist()
        assert sorted(order) != order
        found[seed, epoch] = first % 10, tuple(order)
    assert len({cut for cut, _ in found.values()}) > 1
    assert len({order for _, order in found.values()}) == 3


def test_held_out_windows_come_in_their_order_and_none_is_left_out():
    windows = Windows(text=numbered(105), length=12, batch_size=4, shuffle=False)
    assert windows.count(0) == 3
    assert np.array_equal(rows_of(windows), np.arange(100).reshape(10, 10))
    with pytest.raises(OptionError, match="processes=3: a batch has 2 windows"):
        Windows(text=numbered(20), length=12, batch_size=4).shard(0, 3)


@pytest.mark.parametrize(("windows", "held_out"), [(19, 0), (20, 1), (250, 2), (150_000, 1000)])
def test_how_much_is_held_out(windows, held_out):
    """A hundredth of the windows, at least one of 20 and at most 1,000; all of them of 10 pieces."""
    text, aside = numbered(10 * windows + 3).split(12)
    assert len(text.ids) == 10 * (windows - held_out) + 3
    assert (0 if aside is None else len(aside.ids)) == 10 * held_out


def test_frequencies_by_hand():
    """Special pieces, and those that do not occur, count as one; special ones are not predicted."""
    size, sep = len(pieces()), pieces().sep_id
    text = PieceText(pieces(), np.array([7, 7, 7, 9, sep, sep, sep, sep]), 4)
    total = 3 + size - 1
    assert text.shares[[7, 9, 8, sep]] == pytest.approx([3 / total, 1 / total, 1 / total, 1 / total])
    figures = text.unigram(PieceText(pieces(), np.array([7, 9, sep, 7, 8]), 1))
    losses = np.log(total / np.array([3, 1, 3, 1]))
    assert figures == pytest.approx({"unigram_loss": losses.mean(), "unigram_accuracy": 0.5})
