"""What the twins of structured models and of paragraph vectors share: pieces of sentences, noise, one logistic step."""

import numpy as np

from examples.plain.word2vec import keep_probabilities, noise_probabilities, sigmoid
from firth.kernels.noise import alias_table
from firth.kernels.step_emission import WIDTH, read_together
from firth.randomness import generator, kernel_states
from tests.golden.word2vec_twin import LONGEST, Stream, codes, huffman_pairs, learning_rate

AHEAD = 2  # noise is drawn this many windows before it is used
TURN = read_together(WIDTH)  # output rows that are read before any of them is updated


def random_rows(seed, name, count, dim):
    start = generator(seed, name).random((count, dim), dtype=np.float32) * 2 - 1
    return (start / np.float32(dim)).astype(np.float64)


class Steps:
    """Options, corpus, random stream; `outputs` and `inputs` are the heir's."""

    def __init__(self, model, corpus, seed):
        counts = corpus.vocabulary.counts.tolist()
        self.model, self.corpus = model, corpus
        self.random = Stream(kernel_states(seed, "shard", 1)[0])
        self.noise = alias_table(noise_probabilities(counts, model.noise_exponent))
        self.keep = np.array(keep_probabilities(counts, model.sample))
        self.paths = codes(huffman_pairs(corpus))
        self.losses, self.read, self.loss, self.predictions = [], 0, 0.0, 0

    def pieces(self):
        """Every piece of every sentence, subsampled: its sentence's number and its words."""
        total = self.model.epochs * self.corpus.num_tokens
        for number, (first, last) in enumerate(zip(self.corpus.offsets[:-1], self.corpus.offsets[1:], strict=True)):
            ids = self.corpus.ids[first:last].tolist()
            while ids:
                kept, taken = [], 0
                while taken < len(ids) and len(kept) < LONGEST:
                    word = ids[taken]
                    taken += 1
                    if (self.random.bits() >> 32) + 1 <= max(1, self.keep[word] * 2.0**32):
                        kept.append(word)
                self.rate = learning_rate(self.model, self.read / total)
                self.read += taken
                yield number, kept
                ids = ids[taken:]

    def train(self):
        for _ in range(self.model.epochs):
            self.loss, self.predictions = 0.0, 0
            self.train_epoch()
            self.losses.append(self.loss / max(self.predictions, 1))
        return self

    def windows(self, kept):
        """(place, context before, context after, noise words) of each window of a piece."""
        model, sets = self.model, {}
        negative = model.objective == "negative"
        for t in range(-AHEAD, len(kept)):
            ahead = t + AHEAD
            if negative and ahead < len(kept) and ahead % model.shared_windows == 0:
                sets[ahead // model.shared_windows] = self.draw(model.negative)
            if t < 0:
                continue
            reach = model.window - self.random.below(model.window) if model.shrink_windows else model.window
            yield t, min(reach, t), min(reach, len(kept) - 1 - t), sets.get(t // model.shared_windows)

    def draw(self, count):
        return [self.random.word(self.noise) for _ in range(count)]

    def targets(self, word, noise):
        """The output rows and signs that predict a word."""
        if self.model.objective == "hierarchical":
            return self.paths[word]
        return [word, *noise], [1.0, *[0.0 if other == word else -1.0 for other in noise]]

    def step(self, hidden, rows, signs):
        """Count the loss, update the output rows, and return the ascent of the hidden rows, (M, D)."""
        rows, signs = np.array(rows, dtype=np.int64), np.array(signs)
        scores = signs * (hidden @ self.outputs[rows].T)
        self.loss += np.where(signs == 0, 0.0, np.logaddexp(0, -scores)).sum()
        slopes, total = signs * sigmoid(-scores), np.zeros(hidden.shape)
        for first in range(0, len(rows), TURN):
            turn = slice(first, first + TURN)
            total += slopes[:, turn] @ self.outputs[rows[turn]]
            np.add.at(self.outputs, rows[turn], self.rate * slopes[:, turn].T @ hidden)
        return self.rate * total
