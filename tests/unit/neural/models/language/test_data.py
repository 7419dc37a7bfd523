"""Streams of text: every token is predicted once, from the token before it, and nothing is dropped."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import CorpusError, OptionError
from firth.neural.models.language.data import TextStream, windows


def stream(tokens: int, batch_size: int, steps: int, **how) -> TextStream:
    return TextStream(ids=np.arange(100, 100 + tokens, dtype=np.int32), batch_size=batch_size, bptt=steps, bos=7, **how)


def test_a_text_of_eleven_tokens_in_three_streams():
    """Eleven tokens in three streams: 11 = 3 x 3 + 2, so the first two streams have four tokens and the last three.

    With T = 2 the three full columns make batches of two columns and one; the fourth, ragged one joins the last.
    """
    first, second = stream(11, 3, 2).epoch(0)
    assert first.targets.tolist() == [[100, 101], [104, 105], [108, 109]]
    assert first.inputs.tolist() == [[7, 100], [103, 104], [107, 108]]
    assert first.fresh
    assert first.predicted is None
    assert second.targets[:2].tolist() == [[102, 103], [106, 107]]
    assert second.targets[2, 0] == 110
    assert second.inputs[:, 0].tolist() == [101, 105, 109]
    assert not second.fresh
    assert second.predicted is not None
    assert second.predicted.tolist() == [[True, True], [True, True], [True, False]]
    hidden = torch.arange(6.0).reshape(3, 2, 1)
    chosen, targets = second.predicted_rows(hidden)
    assert targets.tolist() == [102, 103, 106, 107, 110]
    assert chosen.flatten().tolist() == [0, 1, 2, 3, 4]


sizes = {"tokens": st.integers(1, 90), "batch_size": st.integers(1, 12), "steps": st.integers(1, 13)}


@settings(max_examples=200, deadline=None)
@given(**sizes, vary=st.booleans(), epoch=st.integers(0, 3))
def test_each_token_is_predicted_once_from_the_one_before(tokens, batch_size, steps, vary, epoch):
    text = stream(tokens, batch_size, steps, vary_bptt=vary, seed=3)
    batches = list(text.epoch(epoch))
    assert len(batches) == text.count(epoch)
    pairs = []
    for batch in batches:
        here = torch.ones_like(batch.targets, dtype=torch.bool) if batch.predicted is None else batch.predicted
        assert here.any(dim=1).all(), "a stream without a prediction has no mean loss"
        pairs += list(zip(batch.inputs[here].tolist(), batch.targets[here].tolist(), strict=True))
    assert sorted(pairs) == [(7 if i == 0 else 99 + i, 100 + i) for i in range(tokens)]
    assert [batch.fresh for batch in batches] == [True] + [False] * (len(batches) - 1)
    # A stream goes on where it stopped: what comes first in a batch follows what came last in the batch before.
    for before, after in itertools.pairwise(batches):
        assert (before.targets[:, -1] == after.inputs[:, 0]).all()


@settings(max_examples=60, deadline=None)
@given(**sizes, vary=st.booleans(), data=st.data())
def test_an_epoch_can_begin_anywhere(tokens, batch_size, steps, vary, data):
    text = stream(tokens, batch_size, steps, vary_bptt=vary, seed=3)
    start = data.draw(st.integers(0, text.count(2)))
    whole = [(b.inputs.tolist(), b.targets.tolist(), b.fresh, b.scale) for b in text.epoch(2)]
    assert [(b.inputs.tolist(), b.targets.tolist(), b.fresh, b.scale) for b in text.epoch(2, start)] == whole[start:]


@settings(max_examples=60, deadline=None)
@given(**sizes, of=st.integers(1, 4))
def test_processes_share_the_streams_of_every_batch(tokens, batch_size, steps, of):
    text = stream(tokens, batch_size, steps)
    if of > min(batch_size, tokens):
        with pytest.raises(OptionError, match="processes"):
            text.shard(0, of)
        return
    parts = [list(text.shard(rank, of).epoch(0)) for rank in range(of)]
    for whole, *shares in zip(text.epoch(0), *parts, strict=True):
        assert torch.cat([share.targets for share in shares]).tolist() == whole.targets.tolist()
        assert sum(len(share.predicted_rows(share.inputs[..., None])[1]) for share in shares) == len(
            whole.predicted_rows(whole.inputs[..., None])[1]
        )


def test_steps_are_drawn_as_the_paper_says():
    """Around T = 70 with deviation 5, rounded down: mean 69.5 but for one in twenty, around 35: 67.75 in all."""
    text = stream(400_000, 2, 70, vary_bptt=True, seed=1)
    lengths = np.array([batch.targets.shape[1] for batch in text.epoch(0)][:-1])
    usual = lengths > 52
    assert 0.03 < 1 - usual.mean() < 0.07
    assert lengths[usual].mean() == pytest.approx(69.5, abs=0.4)
    assert lengths[usual].std() == pytest.approx(5, abs=0.4)
    assert lengths[~usual].mean() == pytest.approx(34.5, abs=2)
    assert next(text.epoch(0)).scale == lengths[0] / 70
    assert [b.targets.shape[1] for b in text.epoch(1)][:20] != lengths[:20].tolist()


def test_an_empty_text_is_refused():
    with pytest.raises(CorpusError, match="no token"):
        stream(0, 2, 2)


def test_chunks_go_on_where_the_last_ended():
    """Windows of 3 over 1 2 3 4 5, two begins (9) before them: 9 9 1, 9 1 2, 1 2 3 | 2 3 4, 3 4 5."""
    first, state = windows(torch.tensor([[1, 2, 3]]), None, 3, 9)
    assert first.unfold(1, 3, 1).tolist() == [[[9, 9, 1], [9, 1, 2], [1, 2, 3]]]
    assert state.tolist() == [[2, 3]]
    second, state = windows(torch.tensor([[4, 5]]), state, 3, 9)
    assert second.unfold(1, 3, 1).tolist() == [[[2, 3, 4], [3, 4, 5]]]
    assert state.tolist() == [[4, 5]]


def test_a_chunk_may_be_shorter_than_the_window():
    _, state = windows(torch.tensor([[7]]), torch.tensor([[5, 6]]), 3, 9)
    assert state.tolist() == [[6, 7]]


def test_windows_of_one_have_an_empty_state():
    whole, state = windows(torch.tensor([[1], [2]]), None, 1, 9)
    assert whole.tolist() == [[1], [2]]
    assert state.shape == (2, 0)
