"""A small made treebank of French-like sentences: full stops in abbreviations, multiword tokens, tags, trees."""

import numpy as np

from firth.readers.conllu import DependencySentence

NOUNS = {"chat": "chats", "parc": "parcs", "marché": "marchés", "livre": "livres", "jardin": "jardins"}
VERBS = {"voit": "voir", "prend": "prendre", "aime": "aimer"}
TWO = {"du": ("de", "le"), "au": ("à", "le"), "des": ("de", "les")}


def treebank(number: int, seed: int = 0) -> list[DependencySentence]:
    """Return sentences such as `M. Durand voit le chat du parc.`, of which some end with `!` or lack a space."""
    random = np.random.default_rng(seed)

    def one(values):
        return values[int(random.integers(len(values)))]

    sentences = []
    for _ in range(number):
        two = one(sorted(TWO))
        noun, other, verb = one(sorted(NOUNS)), one(sorted(NOUNS)), one(sorted(VERBS))
        end = one([".", "!", "?"])
        first, second = TWO[two]
        plural = second == "les"
        words = [
            ("M.", "M.", "NOUN", "_", 3, "nsubj", ""),
            (one(["Durand", "Blanc", "Martin"]), "", "PROPN", "_", 1, "flat", ""),
            (verb, VERBS[verb], "VERB", "Tense=Pres", 0, "root", ""),
            ("le", "le", "DET", "Number=Sing", 5, "det", ""),
            (noun, noun, "NOUN", "Number=Sing", 3, "obj", ""),
            (first, first, "ADP", "_", 8, "case", f"6-7\t{two}"),
            (second, "le", "DET", f"Number={'Plur' if plural else 'Sing'}", 8, "det", ""),
            (NOUNS[other] if plural else other, other, "NOUN", f"Number={'Plur' if plural else 'Sing'}", 5, "nmod", ""),
            (end, end, "PUNCT", "_", 3, "punct", ""),
        ]
        rows = []
        for place, (form, lemma, tag, features, head, relation, token) in enumerate(words, 1):
            if token:
                rows.append((*token.split("\t"), *"________"))
            misc = "SpaceAfter=No" if place == 8 else "_"
            rows.append((str(place), form, lemma or form, tag, "_", features, str(head), relation, "_", misc))
        sentences.append(DependencySentence(tuple(tuple(row) for row in rows)))
    return sentences
