"""What the training of bidirectional language models gives to the loop."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.bidirectional import bidirectional_lm
from tests.unit.neural.models.bidirectional.tiny import SIZES, sentences


@pytest.fixture
def given(monkeypatch):
    """Arguments of the loop, by call, without training."""
    calls = []
    monkeypatch.setattr(
        bidirectional_lm, "fit_model", lambda task, options, config, data: calls.append((task, data)) or {}
    )
    return calls


def start(text, **limits):
    training = firth.TrainingOptions(epochs=1, batch_size=30)
    options = firth.BidirectionalLM(**SIZES)
    options.train(text, training=training, seed=3, progress=False, **{"min_count": 1, **limits})


def test_batches_and_a_digest_of_what_is_read(given):
    """Words that are read by their characters only count as well."""
    text = sentences(40)
    start(text)
    start(text)
    start([*text, text[0]])
    start([*text, ["Xyz", "."]], min_count=2)
    start([*text, ["Xyw", "."]], min_count=2)
    task, data = given[0]
    assert (task.batches.batch_size, task.batches.seed) == (30, 3)
    assert data["words"] == 40 * 5
    digests = [data["text"] for _, data in given]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 4


def test_a_corpus_with_unknown_words_is_warned_of(given):
    corpus = firth.Corpus.build(
        [*(" ".join(words) for words in sentences(40)), "Xyz ."], tokens="whitespace", unknown="<unk>", min_count=2
    )
    with pytest.warns(UserWarning, match="<unk>"):
        start(corpus, min_count=None)
