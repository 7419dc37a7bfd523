"""A plain twin of the FastText trainer: float64 NumPy, n-grams as text, the same random stream.

Written from the formulas of `firth.embeddings.fasttext`. N-grams are cut out of strings and hashed by whole numbers;
which row of the matrix an n-gram has is nobody's affair here: rows are found by their bucket.
"""

import numpy as np

from tests.golden.twin_steps import AHEAD, TURN, Steps, random_rows


def fnv(text):
    h = 2166136261
    for byte in text.encode():
        h = (h ^ (byte if byte < 128 else byte + 0xFFFFFF00)) * 16777619 % 2**32
    return h


def ngrams(word, min_n, max_n):
    """The n-grams of a marked word, from left to right, shorter ones first; marks alone are none."""
    marked = f"<{word}>"
    return [
        marked[i : i + n]
        for i in range(len(marked))
        for n in range(min_n, max_n + 1)
        if i + n <= len(marked) and not (n == 1 and i in (0, len(marked) - 1))
    ]


class Twin(Steps):
    """The trainer's state: rows of words and of buckets, output rows."""

    def __init__(self, model, corpus, seed):
        super().__init__(model, corpus, seed)
        self.words = list(corpus.vocabulary.words)
        self.grams = [[fnv(gram) % model.buckets for gram in ngrams(w, model.min_n, model.max_n)] for w in self.words]
        first_use = list(dict.fromkeys(bucket for grams in self.grams for bucket in grams))
        words = random_rows(seed, "input vectors", len(self.words), model.dim)
        grams = random_rows(seed, "n-grams", len(first_use), model.dim)
        self.place = {bucket: len(self.words) + i for i, bucket in enumerate(first_use)}
        self.inputs = np.concatenate([words, grams])
        self.outputs = np.zeros((len(self.words), model.dim))

    def rows_of(self, word):
        return [word, *(self.place[bucket] for bucket in self.grams[word])]

    def vector(self, word):
        return self.inputs[self.rows_of(word)].mean(axis=0)

    def train_epoch(self):
        for _, kept in self.pieces():
            if len(kept) > 1:
                self.train_piece(kept)

    def train_piece(self, kept):
        model, count, sets = self.model, len(kept), {}
        draw = model.shrink_windows
        reaches = [model.window - self.random.below(model.window) if draw else model.window for _ in kept]
        around = [min(reach, t) + min(reach, count - 1 - t) for t, reach in enumerate(reaches)]
        for t in range(-AHEAD, count):
            ahead = t + AHEAD
            if model.objective == "negative" and ahead < count and ahead % model.shared_windows == 0:
                group = around[ahead : ahead + model.shared_windows]
                sets[ahead // model.shared_windows] = self.draw(
                    model.negative * (max(group) if model.architecture == "skipgram" else 1)
                )
            if t >= 0:
                context = [c for c in range(max(0, t - reaches[t]), min(count, t + reaches[t] + 1)) if c != t]
                self.window(kept[t], [kept[c] for c in context], sets.get(t // model.shared_windows))

    def window(self, centre, context, noise):
        cbow = self.model.architecture == "cbow"
        rows = [row for word in (context if cbow else [centre]) for row in self.rows_of(word)]
        hidden = self.inputs[rows].mean(axis=0, keepdims=True)
        predicted = [centre] if cbow else context
        self.predictions += len(predicted)
        k = self.model.negative
        before = hidden.copy()
        for i, word in enumerate(predicted):
            if self.model.objective == "softmax":
                hidden += self.softmax_step(hidden, word)
            elif self.model.objective == "hierarchical":
                hidden += self.step(hidden, *self.paths[word])
            else:
                hidden += self.step(hidden, *self.targets(word, noise[i * k : i * k + k]))
        for row in rows:
            self.inputs[row] += hidden[0] - before[0]

    def softmax_step(self, hidden, word):
        """Count the loss, update all output rows, turn by turn, and return the ascent of the hidden row."""
        scores = (hidden @ self.outputs.T)[0]
        probabilities = np.exp(scores - np.logaddexp.reduce(scores))
        self.loss -= np.log(probabilities[word])
        slopes, total = np.eye(len(scores))[word] - probabilities, np.zeros(hidden.shape)
        for first in range(0, len(scores), TURN):
            turn = slice(first, first + TURN)
            total += slopes[turn] @ self.outputs[turn]
            self.outputs[turn] += self.rate * slopes[turn, None] * hidden
        return self.rate * total
