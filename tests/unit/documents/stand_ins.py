"""Stand-ins for trained models: whatever has `predict`."""

from types import SimpleNamespace

from firth.readers.span_tags import span_tags


def is_probe(sentences):
    """Whether a model is only asked what it is."""
    return [each.words for each in sentences] == [("a",)]


class Names:
    """A tagger of two targets: the case of a word as its part of speech, runs of capitalised words as names."""

    calls = 0

    def predict(self, sentences, *, probabilities=False):
        self.calls += not is_probe(sentences)
        return [
            SimpleNamespace(
                tags={"upos": self.cases(each.words), "ner": self.names(each.words)},
                probabilities={"upos": (1.0,) * len(each), "ner": tuple(1 / len(word) for word in each.words)}
                if probabilities
                else {},
            )
            for each in sentences
        ]

    def cases(self, words):
        return tuple("UP" if word[0].isupper() else "LOW" for word in words)

    def names(self, words):
        upper = [word[0].isupper() for word in words]
        starts = [i for i in range(len(words)) if upper[i] and not (i and upper[i - 1])]
        ends = [next((j for j in range(i, len(words)) if not upper[j]), len(words)) for i in starts]
        return tuple(span_tags([(a, b, "NAME") for a, b in zip(starts, ends, strict=True)], len(words)))


class Chain:
    """A parser: each word is the child of the one before it."""

    def predict(self, sentences):
        assert all(set(each.tags) <= {"UP", "LOW", "X"} for each in sentences)  # it comes after the tagger
        return [
            each.annotated(heads=range(len(each)), relations=["root"] + ["dep"] * (len(each) - 1)) for each in sentences
        ]


class SameWord:
    """A coreference model: capitalised words that are the same."""

    def predict(self, document, *, mentions):
        assert mentions == "predicted"
        assert all(each.heads for each in document.sentences)
        places = {}
        for i, word in enumerate(document.tokens):
            if word[0].isupper():
                places.setdefault(word, []).append((i, i + 1))
        return document.annotated(clusters=[each for each in places.values() if len(each) > 1])
