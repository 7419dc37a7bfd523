"""Sentences from a small grammar, and encoders of a few numbers trained on them in fractions of a second."""

import functools
import random

import firth

NETWORK = {"dim": 16, "layers": 1, "heads": 2}


def sentences(count=160, seed=0):
    """Sentences such as `The cat eats bread in the house.`, each once."""
    draw = random.Random(seed).choice
    found = {}
    while len(found) < count:
        subject, other = (draw(["cat", "dog", "bird", "fish", "boy"]) for _ in range(2))
        verb, thing = draw(["eats", "sees", "likes", "finds"]), draw(["bread", "milk", "seeds", "a tree", "water"])
        found[f"The {subject} {verb} {thing} near the {other}'s house."] = None
    return list(found)


def training(**options):
    return firth.TrainingOptions(**{"epochs": 1, "batch_size": 16, "lr": 0.003, "optimiser": "adamw", **options})


@functools.cache
def masked():
    """A masked language model of the sentences."""
    lines = sentences()
    return firth.SentenceMaskedLM(**NETWORK).train(lines, held_out=lines[:20], training=training(epochs=3, lr=0.01))
