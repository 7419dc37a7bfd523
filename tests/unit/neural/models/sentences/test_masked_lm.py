"""Masked language models: the loss at hidden positions, training, folders."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from firth.neural.models.sentences.encoder_training import new_model
from firth.neural.training.options import RunConfig
from tests.unit.neural.models.sentences.encoders import NETWORK, masked, sentences, training


def test_it_learns_and_reports():
    """Guessing the most frequent subword is right in about one case of seven."""
    rows = masked().metadata["training"]["rows"]
    assert [row["epoch"] for row in rows] == [1, 2, 3]
    assert rows[-1]["held_out_loss"] < rows[0]["held_out_loss"]
    assert rows[-1]["held_out_accuracy"] > 0.2
    assert masked().metadata["training"]["pieces"] == 160


def test_only_hidden_tokens_count():
    model = masked()
    text = firth.SentenceMaskedLM(**NETWORK)
    fresh = new_model(text, model.vocabulary, model.rules, None, 0)
    ids = [row.astype(np.int32) for row in fresh.ids_of(sentences(4))]
    corpus = firth.language.text.LanguageText(
        model.vocabulary, np.concatenate(ids), np.cumsum([0, *map(len, ids)]), model.rules
    )
    task = text.build_task(fresh, corpus, None, RunConfig(training()))
    (batch,) = task.batches.epoch(0)
    torch.manual_seed(0)
    output = task.step(batch, None, None)
    assert 0 < output.predictions < sum(map(len, ids)) / 3
    assert output.nats.item() == pytest.approx(output.loss.item() * output.predictions, rel=1e-5)
    output.loss.backward()
    assert fresh.module.embedding.weight.grad is not None
    assert task.evaluate() == {}
    judged = text.build_task(fresh, corpus, sentences(8), RunConfig(training()))
    figures = []
    for seed in (1, 2):  # the same tokens are hidden whatever the state of training
        torch.manual_seed(seed)
        figures.append(judged.evaluate())
    assert figures[0] == figures[1]


def test_a_folder_gives_the_same_model_and_training_goes_on(tmp_path):
    masked().save(tmp_path / "model")
    again = firth.load(tmp_path / "model")
    texts = sentences(5)
    np.testing.assert_array_equal(again.encode(texts), masked().encode(texts))
    longer = firth.SentenceMaskedLM().train(sentences(40), start=tmp_path / "model", training=training())
    assert longer.dim == 16
    assert not np.array_equal(longer.encode(texts), again.encode(texts))
    assert longer.metadata["start"]["training"]["pieces"] == 160


def test_what_is_no_start_is_refused():
    words = firth.WordVectors(["a"], np.ones((1, 2), dtype=np.float32))
    with pytest.raises(OptionError, match=r"start: found word vectors, expected a sentence encoder"):
        firth.SentenceMaskedLM().train(sentences(20), start=words)
    with pytest.raises(OptionError, match=r"dim=32 with a start that has dim=16"):
        firth.SimCSE(dim=32).train(sentences(20), start=masked())
