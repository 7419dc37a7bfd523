"""Small lattice language models as their seed draws them."""

import torch

import firth
from firth.language.text import training_text
from firth.neural.models.lattices.lattice_lm import given_chunks
from firth.neural.models.lattices.predict import LatticeModel

LINES = ["abcab", "bca", "abab cab"]
CHUNKS = ("ab", "bc", "abc", "bca", "ca", "b ")


def tiny_text(lines=LINES):
    """Characters of a small text."""
    return training_text(lines, {"tokens": "characters", "min_count": 1}, progress=False)


def tiny_module(options, tokens, chunks, bos=0, seed=1):
    """A module in float64, with parameters large enough that paths differ."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        module = options.build(tokens, chunks, bos).double()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(torch.randn_like(parameter) * 0.7)
    return module


def tiny_model(chunks=CHUNKS, seed=1, **changes):
    """A model of a small text."""
    options = firth.LatticeLM(**{"max_length": 3, "dim": 3, "hidden": 4, "dropout": 0.0, **changes})
    text = tiny_text()
    module = tiny_module(options, len(text.vocabulary), given_chunks(chunks, text), text.eos_id, seed)
    return LatticeModel(module, options, text.vocabulary, text.rules)
