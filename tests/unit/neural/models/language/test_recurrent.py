"""Recurrent language models: their stack is the recurrent layers', their gradients cut at the borders of batches."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from tests.unit.neural.models.language.tiny import EVERY, text_of, untrained


def test_it_is_torchs_lstm_over_the_table(tmp_path):
    """The same weights in torch.nn.LSTM and a product with the output's rows give the same scores."""
    text = text_of(tmp_path)
    model = untrained(firth.RecurrentLM(cell="lstm", dim=5, hidden=7, layers=2, dropout=0.0), text)
    peer = torch.nn.LSTM(5, 7, 2, batch_first=True)
    with torch.no_grad():
        for number, layer in enumerate(model.module.stack.layers):
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(peer, f"{name}_l{number}").copy_(getattr(layer, name))
        ids = torch.tensor([[model.module.bos, 3, 1, 4]])
        hidden, _ = peer(model.module.embedding.weight[ids])
        scores = hidden[0, -1] @ model.module.output.weight.T + model.module.output.bias
    assert model.start([[3, 1, 4]])[0][0] == pytest.approx(scores.log_softmax(0).numpy(), abs=1e-6)


def test_what_stands_far_before_matters(tmp_path):
    model = untrained(firth.RecurrentLM(cell="gru", dim=5, hidden=7, layers=1), text_of(tmp_path))
    scores, _ = model.start([[1, 3, 5, 2, 2], [4, 3, 5, 2, 2]])
    assert (scores[0] != scores[1]).any()


def test_kinds_of_dropout_are_rates_in_their_places():
    def rates(**how):
        return firth.RecurrentLM(dropout=0.3, **how).dropouts()

    plain, variational, weights = (
        rates(dropout_kind=kind, zoneout=0.1) for kind in ("plain", "variational", "weights")
    )
    assert (plain.inputs, plain.recurrent, plain.weights, plain.locked, plain.zoneout) == (0.3, 0.0, 0.0, False, 0.1)
    assert (variational.recurrent, variational.weights, variational.locked) == (0.3, 0.0, True)
    assert (weights.recurrent, weights.weights, weights.locked) == (0.0, 0.3, True)


def test_spellings_have_no_table():
    with pytest.raises(OptionError, match="tie_weights=True with embedding='char-cnn'"):
        firth.RecurrentLM(embedding="char-cnn", tie_weights=True)
    with pytest.raises(OptionError, match=r"word_dropout=0\.1 with embedding='c2w'"):
        firth.RecurrentLM(embedding="c2w", word_dropout=0.1)


@pytest.mark.parametrize("name", ["char-aware", "c2w"])
def test_words_never_seen_have_vectors(tmp_path, name):
    """A known word spelled out is what the model reads it by; a word's length beside it changes nothing."""
    model = untrained(EVERY[name], text_of(tmp_path))
    known, unseen = model.word_vector("w7"), model.word_vector("looooook")
    assert known.tolist() == pytest.approx(model.word_vectors()["w7"].tolist(), abs=1e-6)
    assert unseen.shape == known.shape
    assert abs(unseen - known).max() > 1e-4
    pair = model.word_vectors()[["looooook", "w7" * 20]]
    assert pair[0].tolist() == pytest.approx(unseen.tolist(), abs=1e-6)
    assert "looooook" not in model.vocabulary


def test_tying_takes_the_tables_weights_away(tmp_path):
    tied, own = (
        untrained(firth.RecurrentLM(dim=6, hidden=6, tie_weights=tie), text_of(tmp_path)) for tie in (True, False)
    )
    counts = [sum(p.numel() for p in model.module.parameters()) for model in (tied, own)]
    assert counts[1] - counts[0] == 6 * len(tied.vocabulary)
