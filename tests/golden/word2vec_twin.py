"""A plain twin of the Word2Vec trainer: float64 NumPy, one pair after the other, the same random stream.

Probabilities of words and noise and the logistic step are those of `examples/plain/word2vec.py`, the file to read
first. Here is what the compiled trainer does besides: the order of its random draws, its other objectives, and how many
rows this processor's step takes at a time. From the compiled side comes only the alias table of the noise, which has
tests of its own. Slow and short: it says what one thread of the compiled trainer must compute.
"""

import numpy as np

from examples.plain import word2vec
from firth.kernels.noise import alias_table
from firth.kernels.step_emission import MOST_HIDDEN, WIDTH, read_together
from firth.randomness import generator, kernel_states

MASK = 2**64 - 1
AHEAD = 2  # noise is drawn this many windows before it is used
LONGEST = 1000  # kept words a piece of a sentence
TURN = read_together(WIDTH)  # output rows that are read before any of them is updated


class Stream:
    """SplitMix64 (Steele, Lea and Flood 2014) in whole numbers."""

    def __init__(self, state):
        self.state = int(state)

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = ((self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound, bits=None):
        return ((self.bits() if bits is None else bits) >> 32) * bound >> 32

    def word(self, table):
        bits = self.bits()
        slot = self.below(len(table), bits)
        entry = int(table[slot])
        return slot if bits & 0xFFFFFFFF < entry & 0xFFFFFFFF else entry >> 32


def learning_rate(model, share):
    """From lr, when nothing has been read, in a straight line to lr * lr_end_factor, when everything has."""
    return (1 - share) * model.lr + share * model.lr * model.lr_end_factor


class Twin:
    """The trainer's state: matrices, random stream, and what it has seen."""

    def __init__(self, model, corpus, seed):
        words = len(corpus.vocabulary)
        start = generator(seed, "input vectors").random((words, model.dim), dtype=np.float32) * 2 - 1
        self.model, self.corpus = model.with_defaults(), corpus
        self.inputs = (start / np.float32(model.dim)).astype(np.float64)
        self.outputs = np.zeros((words, model.dim))
        self.random = Stream(kernel_states(seed, "shard", 1)[0])
        counts = corpus.vocabulary.counts.tolist()
        self.q = word2vec.noise_probabilities(counts, model.noise_exponent)
        # A table of the twin's own probabilities may be laid out otherwise: rounding decides ties between words.
        ours = corpus.vocabulary.noise_probabilities(model.noise_exponent)
        np.testing.assert_allclose(ours, self.q, rtol=1e-13)
        self.noise = alias_table(ours)
        self.codes = codes(huffman_pairs(corpus)) if model.objective == "hierarchical" else None
        self.keep = word2vec.keep_probabilities(counts, model.sample)
        self.losses, self.read = [], 0

    def train(self):
        for _ in range(self.model.epochs):
            self.loss, self.predictions = 0.0, 0
            for first, last in zip(self.corpus.offsets[:-1], self.corpus.offsets[1:], strict=True):
                self.train_sentence(self.corpus.ids[first:last].tolist())
            self.losses.append(self.loss / max(self.predictions, 1))
        return self

    def train_sentence(self, ids):
        while ids:
            kept, taken = [], 0
            while taken < len(ids) and len(kept) < LONGEST:
                word = ids[taken]
                taken += 1
                if (self.random.bits() >> 32) + 1 <= max(1, self.keep[word] * 2.0**32):
                    kept.append(word)
            total = self.model.epochs * self.corpus.num_tokens
            self.rate = learning_rate(self.model, self.read / total)
            if len(kept) > 1:
                self.train_piece(kept)
            self.read += taken
            ids = ids[taken:]

    def train_piece(self, kept):
        model, sets = self.model, {}
        negative = model.objective == "negative"
        shared = model.shared_windows
        for t in range(-AHEAD, len(kept)):
            ahead = t + AHEAD
            if negative and ahead < len(kept) and ahead % shared == 0:
                sets[ahead // shared] = self.draw_noise()
            if t < 0:
                continue
            reach = model.window - self.random.below(model.window) if model.shrink_windows else model.window
            context = [kept[c] for c in range(max(0, t - reach), min(len(kept), t + reach + 1)) if c != t]
            self.train_window(kept[t], context, sets[t // shared] if negative else None)

    def draw_noise(self):
        if self.model.objective in ("hierarchical", "softmax"):
            return []
        return [self.random.word(self.noise) for _ in range(self.model.negative)]

    def train_window(self, centre, context, noise):
        """A window; every objective but negative sampling draws its noise when it predicts."""
        pair = self.model.update == "pair"
        blocks = [[word] for word in context] if pair else [context]
        if self.model.architecture == "cbow":
            self.step_combined(centre, context, self.draw_noise() if noise is None else noise)
            return
        for b, block in enumerate(blocks):
            own = self.draw_noise() if noise is None or b > 0 else noise
            for first in range(0, len(block), MOST_HIDDEN):
                self.step(centre, block[first : first + MOST_HIDDEN], own)

    def step(self, centre, context, noise):
        """Skip-gram: every pair of the window is scored before any updates a row."""
        gradients = self.gradients(self.inputs[context], centre, noise)
        np.add.at(self.inputs, context, self.rate * gradients)

    def step_combined(self, centre, context, noise):
        """CBOW: the mean or the sum of the context words predicts the centre."""
        model = self.model
        scale = (1 / len(context) if model.combine == "mean" else 1) / (model.dim if model.score == "scaled" else 1)
        gradients = self.gradients(scale * self.inputs[context].sum(0, keepdims=True), centre, noise)
        if model.combine == "mean" and model.cbow_gradient == "full":
            scale *= len(context)
        np.add.at(self.inputs, context, self.rate * scale * gradients)

    def gradients(self, hidden, centre, noise):
        """Count the loss, update the output rows, and return the derivatives of J for the hidden rows.

        A row drawn twice is two rows that are one: both slopes are of the row as it was, and each adds its part; where
        the second stands in a later turn, the hidden rows meet it there with the first part added.
        """
        outputs, loss_and_slopes = getattr(self, self.model.objective)(centre, noise)
        loss, slopes = loss_and_slopes(hidden @ self.outputs[outputs].T)
        self.loss += loss.sum()
        self.predictions += len(hidden)
        total = np.zeros(hidden.shape)
        for first in range(0, len(outputs), TURN):
            turn = slice(first, first + TURN)
            total += slopes[:, turn] @ self.outputs[outputs[turn]]
            np.add.at(self.outputs, outputs[turn], self.rate * slopes[:, turn].T @ hidden)
        return total

    def negative(self, centre, noise):
        return [centre, *noise], logistic([1.0, *[0.0 if word == centre else -1.0 for word in noise]])

    def hierarchical(self, centre, _):
        nodes, turns = self.codes[centre]
        return nodes, logistic(turns)

    def nce(self, centre, noise):
        outputs, step = [centre, *noise], logistic([1.0] + [-1.0] * len(noise))
        return outputs, lambda scores: step(scores - np.log(len(self.q) * len(noise) * self.q[outputs]))

    def softmax(self, centre, _):
        return list(range(len(self.outputs))), softmax(centre)

    def importance(self, centre, noise):
        correction = np.array([0.0, *np.log(len(noise) * self.q[noise])])
        correction[1:][np.array(noise) == centre] = np.inf
        step = softmax(0)
        return [centre, *noise], lambda scores: step(scores - correction)


def logistic(signs):
    """From scores to losses and slopes of log sigma(sign * score); a sign of 0 takes no part."""
    return lambda scores: word2vec.logistic(scores, np.array(signs))


def softmax(true):
    """From scores to losses and slopes of the log of a softmax's entry `true`."""

    def step(scores):
        total = np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return total - scores[:, true : true + 1], np.eye(scores.shape[1])[true] - np.exp(scores - total)

    return step


def huffman_pairs(corpus):
    """Huffman's tree as nested pairs of word ids, with its nodes' numbers: (number, left, right)."""
    counts = corpus.vocabulary.counts.tolist()
    heap = [(count, word, word) for word, count in enumerate(counts)]
    for node in range(len(counts) - 1):
        first, second = sorted(heap)[:2]
        heap = [item for item in heap if item not in (first, second)]
        heap.append((first[0] + second[0], len(counts) + node, (node, first[2], second[2])))
    return heap[0][2]


def codes(tree, nodes=(), turns=()):
    """The nodes above each word from the root down, and the turns taken there: +1 left, -1 right."""
    if isinstance(tree, int):
        return {tree: (list(nodes), list(turns))}
    node, left, right = tree
    below = (*nodes, node)
    return codes(left, below, (*turns, 1.0)) | codes(right, below, (*turns, -1.0))
