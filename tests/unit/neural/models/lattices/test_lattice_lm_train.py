"""Training: losses of streams, what is learned, resuming, bad input."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, OptionError
from firth.neural.models.lattices.lattice_lm import lattice_task
from firth.neural.training.schedules import TrainingProgress
from tests.unit.neural.models.lattices.tiny import tiny_model, tiny_text

SMALL = firth.LatticeLM(max_length=3, chunks=8, min_count=3, dim=6, hidden=8, bptt=9)
QUICK = firth.TrainingOptions(epochs=2, batch_size=4, lr=0.03)
LINES = ["the cat sat", "the dog sat", "a cat and a dog"] * 5
HOW = {"tokens": "characters", "min_count": 1, "progress": False}


def test_streams_of_different_lengths_are_each_text_alone():
    model, text = tiny_model(max_length=3), tiny_text()
    task = lattice_task(model.module, text, text, batch_size=4, bptt=3)
    total, state, tokens = 0.0, None, 0
    for batch in task.batches.epoch(0):
        output = task.step(batch, state, TrainingProgress(0, 1, 0.0, 0.0))
        state, total, tokens = output.state, total + float(output.nats), tokens + output.predictions
        assert float(output.loss.detach()) == pytest.approx(float(output.nats) / output.predictions, rel=1e-5)
    assert tokens == len(text) == task.eval_predictions
    expected = 0.0
    for part in np.array_split(np.arange(len(text)), 4):
        ids = torch.from_numpy(text.ids[part].astype(np.int64))[None]
        before = torch.tensor([text.ids[part[0] - 1] if part[0] else model.module.bos])
        expected -= float(model.module(ids, model.module.start(before)).nodes.totals[-1, 0].detach())
    assert total == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("merge", ["expected", "sampled", "gumbel"])
def test_training_learns(merge):
    options = dataclasses.replace(SMALL, merge=merge)
    model = options.train(LINES, training=QUICK, held_out=LINES[:3], **HOW)
    rows = model.metadata["training"]["rows"]
    assert rows[-1]["held_out_loss"] < 0.9 * rows[0]["held_out_loss"] < 2.5
    assert "at" in model.chunks
    assert model.perplexity(LINES[:3]).unit == "characters"


def test_several_embeddings_of_words():
    options = firth.LatticeLM(max_length=1, senses=2, dim=4, hidden=6)
    model = options.train(LINES, training=QUICK, tokens="unicode", min_count=1, progress=False)
    senses = {(edge.text, edge.sense) for edge in model.lattice("the cat").edges}
    assert senses == {(word, sense) for word in ("the", "cat", "</s>") for sense in (0, 1)}
    assert model.perplexity(["the unheard cat"]).unknown == 1


def test_a_run_resumes_to_the_same_bits(tmp_path):
    whole = SMALL.train(LINES, training=QUICK, seed=2, **HOW)

    def stop(row):
        raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="interrupted"):
        SMALL.train(LINES, training=QUICK, seed=2, checkpoint=tmp_path / "run", callbacks=[stop], **HOW)
    resumed = SMALL.train(LINES, training=QUICK, seed=2, checkpoint=tmp_path / "run", **HOW)
    for name, tensor in whole.module.state_dict().items():
        assert torch.equal(resumed.module.state_dict()[name], tensor), name


def test_given_chunks():
    model = SMALL.train(LINES, chunks=["the", " c", ["a", "t"]], training=QUICK, **HOW)
    assert model.chunks == ["the", " c", "at"]
    texts = {edge.text for edge in model.lattice("the cat").edges}
    assert {"the", " c", "at"} <= texts


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (["the cat"], "chunk 0 has 7 tokens: expected at most max_length=3; leave it out, or train with a greater"),
        (["th", "x"], "chunk 1 is"),
        (["th", "th"], "chunk 1 occurs twice"),
    ],
)
def test_bad_chunks(chunks, message):
    with pytest.raises(OptionError, match=message):
        SMALL.train(LINES, chunks=chunks, training=QUICK, **HOW)


def test_chunks_of_unknown_words():
    options = dataclasses.replace(SMALL, max_length=2)
    with pytest.raises(OptionError, match="chunk 0, 'the bird', has tokens that the text lacks"):
        options.train(LINES, chunks=["the bird"], training=QUICK, tokens="unicode", min_count=1, progress=False)


def test_bad_input():
    with pytest.raises(CorpusError):
        SMALL.train([], training=QUICK, **HOW)
    for wrong in ({"max_length": 0}, {"senses": 0}, {"merge": "best"}, {"temperature": 0}, {"dropout": 1}):
        with pytest.raises(OptionError, match=next(iter(wrong))):
            firth.LatticeLM(**wrong)
