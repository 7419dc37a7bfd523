"""What bad input to neural language models gets: one sentence that says what to do, and nothing lost."""

import dataclasses

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, DivergenceError, FormatError, OptionError
from firth.language.text import training_text
from tests.unit.neural.models.language.tiny import EVERY, QUICK, corpus

LSTM = EVERY["lstm"]


@pytest.fixture
def text(tmp_path):
    return corpus(tmp_path / "cache", sentences=20)


def train(text, how=LSTM, training=QUICK, **more):
    return how.train(text, training=training, progress=False, **more)


def test_a_corpus_that_left_words_out(tmp_path):
    text = firth.Corpus.build(["a a b"] * 5 + ["c"], min_count=2, tokens="whitespace", cache=tmp_path)
    with pytest.raises(CorpusError, match="build it with unknown='<unk>'"):
        train(text)


def test_a_vocabulary_larger_than_the_text(tmp_path):
    text = firth.Corpus.build(["a b c d"], min_count=1, tokens="whitespace", cache=tmp_path)
    with pytest.raises(CorpusError, match=r"a vocabulary of 6 words for a text of 5: expected more text .* min_count"):
        train(text)


def test_held_out_text_without_a_known_word(text, tmp_path):
    (tmp_path / "other.txt").write_text("κόσμε γεια\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="none of the 2 words of the held-out text"):
        train(text, held_out=tmp_path / "other.txt")


def test_held_out_text_that_is_empty(text, tmp_path):
    (tmp_path / "none.txt").write_text("\n", encoding="utf-8")
    with pytest.raises(CorpusError):
        train(text, held_out=tmp_path / "none.txt")


def test_a_rate_that_diverges_names_the_step(text):
    wild = dataclasses.replace(QUICK, optimiser="sgd", lr=1e6)
    with pytest.raises(DivergenceError, match=r"diverged by step \d+.*lower learning rate"):
        train(text, EVERY["log-bilinear"], wild)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU: the message is for machines without one")
def test_a_gpu_that_is_not_there(text):
    with pytest.raises(OptionError, match="device='cuda': PyTorch finds no GPU"):
        train(text, training=dataclasses.replace(QUICK, device="cuda"))


def test_a_checkpoint_of_other_options_or_words_or_seed(text, tmp_path):
    train(text, checkpoint=tmp_path / "run")
    kept = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    other_words = corpus(tmp_path / "cache", sentences=20, words=9)
    for how, what, seed in ((EVERY["gru"], text, 0), (LSTM, other_words, 0), (LSTM, text, 1)):
        with pytest.raises(OptionError, match="checkpoint"):
            train(what, how, seed=seed, checkpoint=tmp_path / "run")
    assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == kept


@pytest.mark.filterwarnings("ignore:.*goes on from the checkpoint before it")
def test_a_damaged_checkpoint_is_never_unpickled(text, tmp_path):
    train(text, checkpoint=tmp_path / "run")
    states = [path for path in (tmp_path / "run").iterdir() if path.suffix == ".safetensors"]
    assert states
    for state in states:
        state.write_bytes(state.read_bytes()[:-9])
    with pytest.raises(FormatError, match="safetensors is not a whole checkpoint"):
        train(text, checkpoint=tmp_path / "run")


def test_text_that_another_model_read(text, tmp_path):
    model = train(text)
    other = training_text(corpus(tmp_path / "cache", sentences=20, words=9))
    with pytest.raises(CorpusError, match="read the text with the model's `read`"):
        model.perplexity(other)


def test_sentences_without_a_word(text):
    """Only their end is predicted; nothing else is there."""
    model = train(text)
    (empty,) = model.score([""])
    assert empty.total < 0
    assert model.log_probs(model.token_ids([])).shape == (0,)


def test_scores_that_are_no_probabilities_have_no_perplexity(text):
    ranking = dataclasses.replace(EVERY["log-bilinear"], output="negative")
    with pytest.raises(OptionError, match="output='negative' gives scores, not probabilities"):
        train(text, ranking, held_out=text)
    model = train(text, ranking)
    for ask in (lambda: model.perplexity(text), lambda: model.score("w1 w2"), lambda: model.next_words("w1")):
        with pytest.raises(OptionError, match="scores, not probabilities, so it has no perplexity"):
            ask()
