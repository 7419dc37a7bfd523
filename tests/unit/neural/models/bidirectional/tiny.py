"""A small text: a name, a word that follows from it, and one of three verbs."""

import random
from typing import Any

import firth

SIZES = {"dim": 24, "char_dim": 6, "layers": 2, "highway": 1, "output": "full"}
SUBJECTS = ("Ada", "Bo", "Cy", "Dee")
VERBS = ("sees", "hears", "likes")
OBJECTS = {"Ada": "apples", "Bo": "birds", "Cy": "cats", "Dee": "dogs"}


def sentences(count: int, seed: int = 0) -> list[list[str]]:
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        subject = draw.choice(SUBJECTS)
        found.append([subject, OBJECTS[subject], draw.choice(VERBS), "."])
    return found


def untrained(seed: int = 0, **sizes: int) -> Any:
    """Return a model with random parameters, whose states differ from word to word."""
    from firth.language.text import training_text
    from firth.neural.models.bidirectional.predict import BidirectionalLanguageModel
    from firth.neural.training.devices import new_module

    options = firth.BidirectionalLM(**{**SIZES, "dim": 6, **sizes})
    text = training_text(sentences(20), {"min_count": 1}, spelled=True, progress=False)
    module = new_module(seed, options.build, text.vocabulary)
    return BidirectionalLanguageModel(module, options, text.vocabulary, text.rules)


def losses_of(model: Any, texts: list[list[str]]) -> tuple[list[float], list[float]]:
    """Return -log p of each word and each end in the order of reading, forward and backward."""
    import torch

    ids, unknown = model.vocabulary.ids, model.vocabulary.ids["<unk>"]
    losses: tuple[list[float], list[float]] = ([], [])
    with torch.no_grad():
        for words in texts:
            row = torch.tensor([[ids.get(word, unknown) for word in words]])
            states = model.module.predictions(row, torch.tensor([len(words)]))
            for found, hidden, order in zip(losses, states, (row[0], row[0].flip(0)), strict=True):
                scores = model.module.output.log_prob(hidden[0])
                found += [-float(scores[step, word]) for step, word in enumerate([*order.tolist(), ids["</s>"]])]
    return losses
