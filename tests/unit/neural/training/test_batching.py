"""Batches of like length: every item once, little padding, the same order for a seed."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import CorpusError, OptionError
from firth.neural.training.batching import Buckets, TensorBatch, pad


def buckets(lengths, batch_size, **how) -> Buckets:
    return Buckets(items=range(len(lengths)), lengths=np.array(lengths), collate=list, batch_size=batch_size, **how)


def test_five_sentences_by_hand():
    """Lengths 3, 1, 2, 1, 3 in batches of two, unshuffled: (1, 1), (2, 3), (3); padding is one token in eleven."""
    data = buckets([3, 1, 2, 1, 3], 2, shuffle=False)
    assert list(data.epoch(0)) == [[1, 3], [2, 0], [4]]
    assert data.waste() == pytest.approx(1 / 11)


def test_at_most_six_tokens_a_batch_by_hand():
    """Lengths 1, 1, 2, 3, 3, 7: three items of at most two tokens are six; then two of three; then one too long."""
    assert list(buckets([1, 1, 2, 3, 3, 7], 6, tokens=True, shuffle=False).epoch(0)) == [[0, 1, 2], [3, 4], [5]]


plans = {
    "lengths": st.lists(st.integers(1, 30), min_size=1, max_size=80),
    "batch_size": st.integers(1, 40),
    "tokens": st.booleans(),
    "shuffle": st.booleans(),
    "pool": st.integers(1, 5),
}


@settings(max_examples=150, deadline=None)
@given(**plans, epoch=st.integers(0, 2), data=st.data())
def test_every_item_once_and_no_batch_too_large(lengths, batch_size, epoch, data, **how):
    batches = buckets(lengths, batch_size, **how)
    rows = list(batches.epoch(epoch))
    assert sorted(row for batch in rows for row in batch) == list(range(len(lengths)))
    assert len(rows) == batches.count(epoch)
    for batch in rows:
        size = len(batch) * max(lengths[row] for row in batch) if how["tokens"] else len(batch)
        assert size <= batch_size or len(batch) == 1
    start = data.draw(st.integers(0, len(rows)))
    assert list(buckets(lengths, batch_size, **how).epoch(epoch, start)) == rows[start:]
    assert batches.in_item_order(rows, epoch) == list(range(len(lengths)))
    naive = sum(len(b) * max(lengths[row] for row in b) for b in rows)
    assert batches.waste(epoch) == pytest.approx(1 - sum(lengths) / naive)


@settings(max_examples=100, deadline=None)
@given(**plans, of=st.integers(2, 4))
def test_processes_share_every_batch(lengths, batch_size, of, **how):
    batches = buckets(lengths, batch_size, **how)
    most = len(lengths) if how["tokens"] else min(batch_size, len(lengths))
    if of > most:
        with pytest.raises(OptionError, match="processes"):
            batches.shard(0, of)
        return
    parts = [list(batches.shard(rank, of).epoch(1)) for rank in range(of)]
    assert len({len(part) for part in parts}) == 1
    assert all(batch for part in parts for batch in part)
    assert sorted(row for part in parts for batch in part for row in batch) == list(range(len(lengths)))


def test_orders_differ_from_epoch_to_epoch_and_hardly_anything_is_padding():
    lengths = np.random.default_rng(0).integers(1, 60, 5000)
    batches = buckets(lengths, 32, seed=4)
    first, second = list(batches.epoch(0)), list(batches.epoch(1))
    assert first != second
    assert list(buckets(lengths, 32, seed=4).epoch(0)) == first
    assert list(buckets(lengths, 32, seed=5).epoch(0)) != first
    widths = [max(lengths[row] for row in batch) for batch in first]
    assert widths != sorted(widths)
    assert batches.waste() < 0.02
    assert buckets(lengths, 32, pool=1).waste() > 0.4  # of batches at random, of uniform lengths: nearly half


def test_padding():
    ids, lengths = pad([[5, 6, 7], np.array([8])], value=9)
    assert ids.tolist() == [[5, 6, 7], [8, 9, 9]]
    assert lengths.tolist() == [3, 1]


@dataclass(frozen=True, eq=False)
class Ids(TensorBatch):
    on_cpu: ClassVar = ("lengths",)

    ids: torch.Tensor
    lengths: torch.Tensor


@dataclass(frozen=True, eq=False)
class Both(TensorBatch):
    first: Ids
    mask: torch.Tensor | None
    words: tuple[str, ...] = ()


def test_batches_move_with_the_batches_inside_them_and_lengths_stay():
    batch = Both(Ids(torch.zeros(2, 3), torch.tensor([3, 1])), None, ("a",))
    moved = batch.to(torch.device("meta"))
    assert (moved.first.ids.device.type, moved.first.lengths.device.type) == ("meta", "cpu")
    assert (moved.mask, moved.words, moved.fresh, moved.scale) == (None, ("a",), True, 1.0)
    assert batch.first.ids.device.type == "cpu"


def test_nothing_is_refused():
    with pytest.raises(CorpusError, match="no items to make batches of"):
        buckets([], 2)
    with pytest.raises(OptionError, match="batch_size=0"):
        buckets([1], 0)
