"""Small treebanks whose labels follow from their words, and models that learn them in a second."""

import random

import firth
from firth.readers.brackets import parse_bracketed
from firth.readers.tree import Tree

TRAINING = firth.TrainingOptions(epochs=6, batch_size=5, optimiser="adam", lr=0.1, schedule="linear")
SIZES = {"dim": 8, "hidden": 8, "dropout": 0.0}


def tree_of(text):
    return next(parse_bracketed(text, "text"))


def sentiments(count, seed=0):
    """Trees (y (y (2 not) (w word)) (2 .)): "not" turns good (4) into bad (0), and other words change nothing."""
    chance = random.Random(seed)
    trees = []
    for _ in range(count):
        word, label = chance.choice([("good", 4), ("bad", 0), ("fine", 4), ("poor", 0)])
        first = chance.choice(["not", "so", "very"])
        both = 4 - label if first == "not" else label
        trees.append(f"({both} ({both} (2 {first}) ({label} {word})) (2 .))")
    return trees


def related(count, seed=0):
    """Pairs of trees of dependencies, and a score: 5 if they share their object, else 1.5."""
    chance = random.Random(seed)
    pairs = []
    for _ in range(count):
        first, second = (chance.choice(["fish", "meat", "bread"]) for _ in range(2))
        trees = [Tree((1, -1, 1), ("nsubj", "root", "obj"), ("She", "eats", word)) for word in (first, second)]
        pairs.append(((trees[0], trees[1]), 5.0 if first == second else 1.5))
    return pairs
