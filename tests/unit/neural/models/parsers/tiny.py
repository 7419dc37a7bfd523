"""A small language: determiners before nouns, subjects before verbs, objects after them, nouns in chains by "of"."""

import numpy as np

from firth.readers.conllu import DependencySentence

SIZES = {"dim": 8, "tag_dim": 6, "hidden": 24, "min_count": 1, "dropout": 0.0}
NOUNS, VERBS = ("cat", "dog", "fish", "bird"), ("sees", "eats", "knows")


def phrase(random, start, head, relation):
    """Rows of a noun phrase: (word, tag, head, relation), with words numbered from `start`."""
    rows = [("the", "DET", start + 1, "det")] if random.random() < 0.6 else []
    noun = start + len(rows)
    rows.append((str(random.choice(NOUNS)), "NOUN", head, relation))
    if random.random() < 0.3:
        inner = phrase(random, noun + 2, noun, "nmod")
        rows += [("of", "ADP", noun + 2 + (inner[0][1] == "DET"), "case"), *inner]
    return rows


def sentence(random):
    subject = phrase(random, 1, -1, "nsubj")
    verb = len(subject) + 1
    rows = [(word, tag, verb if head == -1 else head, name) for word, tag, head, name in subject]
    rows.append((str(random.choice(VERBS)), "VERB", 0, "root"))
    rows += phrase(random, verb + 1, verb, "obj")
    rows.append((".", "PUNCT", verb, "punct"))
    words, tags, heads, relations = zip(*rows, strict=True)
    return DependencySentence.of(words).annotated(tags=tags, heads=heads, relations=relations)


def treebank(count, seed=0):
    """The first `count` sentences of the language."""
    random = np.random.default_rng(seed)
    return [sentence(random) for _ in range(count)]


def single_words():
    """Four sentences of one word."""
    return [DependencySentence.of([word]).annotated(tags=["X"], heads=[0], relations=["root"]) for word in "abcd"]


class Tagger:
    """Says NOUN of all words but those that it knows; it stands for `firth.TaggerModel`."""

    def __init__(self, target="upos"):
        self.target = target

    def predict(self, sentences):
        from types import SimpleNamespace

        known = {"the": "DET", "of": "ADP", ".": "PUNCT", **dict.fromkeys(VERBS, "VERB")}
        return [
            SimpleNamespace(tags={self.target: tuple(known.get(word, "NOUN") for word in each.words)})
            for each in sentences
        ]
