"""A small text: a name, a word that follows from it, and one of three verbs."""

import random

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
