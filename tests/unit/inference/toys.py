"""Models small enough to be enumerated."""

import itertools

import numpy as np

from firth.inference.generation_options import Continuation


class Table:
    """Scores that depend on the last word alone; what it gives and gets cannot be written into.

    Args:
        table: (V + 1, V) probabilities after each word, and, last, after nothing.
    """

    def __init__(self, table):
        with np.errstate(divide="ignore"):
            self.logs = np.log(np.asarray(table, dtype=np.float64))
        self.calls = []

    def start(self, prompts):
        return self._after(np.array([prompt[-1] if len(prompt) else len(self.logs) - 1 for prompt in prompts]))

    def advance(self, state, ids):
        assert len(state) == len(ids)
        return self._after(np.asarray(ids))

    def reorder(self, state, rows):
        return self._after(state[rows])[1]

    def _after(self, ids):
        self.calls.append(len(ids))
        scores, state = self.logs[ids], ids.copy()
        for array in (scores, state):
            array.setflags(write=False)
        return scores, state


class Sources:
    """An encoder-decoder: scores and attention depend on the source and on the last word.

    Args:
        models: a `Table` for each source.
        weights: of each source, (V + 1, S) attention after each word, and, last, after nothing.
    """

    def __init__(self, models, weights):
        self.models, self.weights, self.calls = models, weights, []

    def start(self, prompts):
        none = len(self.models[0].logs) - 1
        last = np.array([prompt[-1] if len(prompt) else none for prompt in prompts])
        return self._after((np.arange(len(prompts)), last))

    def advance(self, state, ids):
        return self._after((state[0], np.asarray(ids)))

    def reorder(self, state, rows):
        return tuple(part[rows] for part in state)

    def attention(self, state):
        return [self.weights[source][last] for source, last in zip(*state, strict=True)]

    def one(self, number):
        """The model of one source."""
        return Sources([self.models[number]], [self.weights[number]])

    def _after(self, state):
        self.calls.append(len(state[0]))
        return np.stack([self.models[source].logs[last] for source, last in zip(*state, strict=True)]), state


def random_sources(words, lengths, seed):
    """Sources of some lengths, with random scores and attention."""
    random = np.random.default_rng(seed)
    models = [Table(random.dirichlet(np.ones(words), words + 1)) for _ in lengths]
    return Sources(models, [random.dirichlet(np.ones(length), words + 1) for length in lengths])


def random_table(words, seed, *, peak=1.0):
    """A table of random distributions; a greater peak makes them less even."""
    scores = np.random.default_rng(seed).normal(size=(words + 1, words)) * peak
    raised = np.exp(scores)
    return raised / raised.sum(axis=1, keepdims=True)


def every_continuation(table, prompt, length, stop):
    """Every text that ends within `length` words or has as many, with its probability, the likeliest first."""
    logs, found = Table(table).logs, []
    words = logs.shape[1]
    for size in range(1, length + 1):
        for ids in itertools.product(range(words), repeat=size):
            ended = ids[-1] in stop
            if any(i in stop for i in ids[:-1]) or not (ended or size == length):
                continue
            before = [prompt[-1] if prompt else words, *ids]
            total = sum(logs[a, b] for a, b in itertools.pairwise(before))
            found.append(Continuation(ids[:-1] if ended else ids, total, ended, total))
    return sorted(found, key=lambda each: -each.log_prob)


def occurrences(phrase, text):
    """How often a phrase is in a text."""
    return sum(tuple(text[i : i + len(phrase)]) == tuple(phrase) for i in range(len(text)))
