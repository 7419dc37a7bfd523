"""Made-up sentences: words in -s are verbs, a name behind "in" is a place, names behind "mr" are a person."""

from dataclasses import replace

from firth.randomness import generator

SIZES = {"dim": 16, "hidden": 24, "char_dim": 8, "char_width": 12, "dropout": 0.2}
NAMES = [a + b for a in ("Ka", "Lo", "Mi", "Ru") for b in ("ra", "to", "ven", "dil")]
VERBS = ["walks", "sings", "sleeps", "reads"]


def sentence(random):
    """Words with their parts of speech and entities."""
    names = [str(name) for name in random.choice(NAMES, 3)]
    people = names[: int(random.integers(1, 3))]
    words = ["mr", *people, str(random.choice(VERBS)), "in", names[2]]
    pos = ["NOUN", *["PROPN"] * len(people), "VERB", "ADP", "PROPN"]
    ner = ["O", "B-PER", *["I-PER"] * (len(people) - 1), "O", "O", "B-LOC"]
    if random.random() < 0.5:
        words, pos, ner = words[-2:] + words[:-2], pos[-2:] + pos[:-2], ner[-2:] + ner[:-2]
    return words, {"pos": pos, "ner": ner}


def sentences(count, seed=0):
    """Several of them."""
    random = generator(seed, "tagged sentences")
    return [sentence(random) for _ in range(count)]


def training():
    """Options of a short training."""
    import firth

    return replace(firth.Tagger.training, epochs=6, batch_size=8, lr=0.02, patience=0)
