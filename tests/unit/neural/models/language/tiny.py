"""Small models of every kind and a small text, for the tests of neural language models."""

import dataclasses

import numpy as np

import firth
from firth.language.text import LanguageText, training_text
from firth.neural.models.language.language_model import new_module
from firth.neural.models.language.predict import NeuralLanguageModel
from firth.neural.training.options import TrainingOptions

EVERY = {
    "feedforward": firth.FeedForwardLM(dim=6, hidden=8, order=4, dropout=0.1),
    "feedforward-bigrams": firth.FeedForwardLM(dim=6, hidden=8, order=2),
    "feedforward-direct": firth.FeedForwardLM(dim=6, hidden=8, order=4, direct=True),
    "log-bilinear": firth.LogBilinearLM(dim=8, order=4),
    "log-bilinear-diagonal": firth.LogBilinearLM(dim=8, order=4, context_matrices="diagonal", tie_weights=True),
    "log-bilinear-adaptive": firth.LogBilinearLM(dim=8, order=3, output="adaptive"),
    "log-bilinear-tree": firth.LogBilinearLM(dim=8, order=3, output="tree:tree=random:codes=2"),
    "log-bilinear-classes": firth.LogBilinearLM(dim=8, order=3, output="classes"),
    "log-bilinear-nce": firth.LogBilinearLM(dim=8, order=3, output="nce:samples=6"),
    "rnn": firth.RecurrentLM(cell="rnn", dim=6, hidden=8, layers=1),
    "lstm": firth.RecurrentLM(cell="lstm", dim=8, hidden=8, layers=2, tie_weights=True, dropout_kind="variational"),
    "lstm-projected": firth.RecurrentLM(cell="lstm", dim=6, hidden=8, layers=2, tie_weights=True, connection="dense"),
    "qrnn": firth.RecurrentLM(cell="qrnn", dim=6, hidden=8, layers=2),
    "char-aware": firth.RecurrentLM(embedding="char-cnn", char_dim=4, hidden=8, layers=1),
    "c2w": firth.RecurrentLM(embedding="c2w", dim=6, hidden=8, layers=1),
    "gru": firth.RecurrentLM(cell="gru", dim=6, hidden=8, layers=2, dropout_kind="weights", connection="residual"),
    "transformer": firth.TransformerLM(dim=8, layers=2, heads=2, context=6),
    "transformer-relative": firth.TransformerLM(dim=8, layers=2, heads=2, context=6, positions="relative"),
    "transformer-learned": firth.TransformerLM(
        dim=8, layers=2, heads=2, context=6, positions="learned", norm="post", tie_weights=False, output="adaptive"
    ),
}
EVERY = {name: dataclasses.replace(options, bptt=5) for name, options in EVERY.items()}
QUICK = TrainingOptions(epochs=2, batch_size=4, lr=0.01)


def corpus(folder, sentences=60, words=12, **options):
    """Sentences of eight words, each of which follows from the two before it, built anew or taken from the folder."""
    lines = [" ".join(f"w{(7 * i + j * j) % words}" for j in range(8)) for i in range(sentences)]
    return firth.Corpus.build(lines, cache=folder, min_count=1, tokens="whitespace", **options)


def untrained(how, text: LanguageText, seed: int = 0) -> NeuralLanguageModel:
    """A model as its seed draws it, its output's biases as well."""
    bos = text.unk_id if text.eos_id is None else text.eos_id
    return NeuralLanguageModel(new_module(how, text.vocabulary, bos, seed), how, text.vocabulary, text.rules)


def text_of(folder, **options) -> LanguageText:
    """The small text as models read it."""
    return training_text(corpus(folder, **options))


def changed(text: LanguageText, place: int) -> LanguageText:
    """The same text with another word at one place."""
    ids = text.ids.copy()
    ids[place] = (ids[place] + 1) % len(text.vocabulary)
    return dataclasses.replace(text, ids=ids)


def shared(vocabulary, words=5):
    """A few words of a vocabulary, for prompts."""
    return [int(i) for i in np.arange(words) % len(vocabulary)]
