"""A plain twin of the text classifier: float64 NumPy, one text after the other, the same random stream.

Written from the formulas of `firth.classify.text_classifier` and from what fastText takes a line to be. It takes
nothing from the compiled side but the alias table, which has tests of its own. Slow and short.
"""

import numpy as np

from examples.plain.word2vec import sigmoid
from firth.kernels.noise import alias_table
from firth.randomness import generator, kernel_states
from tests.golden.word2vec_twin import Stream

SPACES = b" \t\n\v\f\r\0"
END = b"</s>"
MASK_32, MASK_64 = 2**32 - 1, 2**64 - 1


def file_lines(data):
    """The lines of a file as lists of tokens: `</s>` ends one, a line feed gives one."""
    lines, line = [], []
    for token in tokens(data):
        line.append(token)
        if token == END:
            lines.append(line)
            line = []
    return [*lines, line] if line else lines


def tokens(data):
    """The tokens of a file; a line feed is the token `</s>`."""
    token = b""
    for byte in data:
        if byte in SPACES:
            if token:
                yield token
            token = b""
            if byte == ord("\n"):
                yield END
        else:
            token += bytes([byte])
    if token:
        yield token


def text_tokens(text):
    """The tokens of a text of its own: what follows a `</s>` inside it is left out."""
    found = list(tokens(text.replace("\n", " ").encode()))
    return [*(found[: found.index(END)] if END in found else found), END]


def fnv(data):
    """FNV-1a, 32 bits, over bytes with their sign extended."""
    h = 2166136261
    for byte in data:
        h = ((h ^ (byte + 0xFFFFFF00 if byte >= 128 else byte)) * 16777619) & MASK_32
    return h


def signed(h):
    return h - 2**32 if h >= 2**31 else h


def piece_buckets(token, min_n, max_n, buckets):
    """The buckets of the n-grams of characters of `<token>`, without marks that stand alone."""
    text = "<" + token.decode() + ">"
    for first in range(len(text)):
        for n in range(max(1, min_n), max_n + 1):
            if first + n <= len(text) and not (n == 1 and first in (0, len(text) - 1)):
                yield fnv(text[first : first + n].encode()) % buckets


def word_buckets(words, longest, buckets):
    """The buckets of the n-grams of two to `longest` words."""
    hashes = [signed(fnv(word)) & MASK_64 for word in words]
    for first in range(len(words)):
        h = hashes[first]
        for second in range(first + 1, min(len(words), first + longest)):
            h = (h * 116049371 + hashes[second]) & MASK_64
            yield h % buckets


def features(words, vocabulary, options):
    """The features of a text, words without a row left out: ("word", row) and ("bucket", number)."""
    found = []
    for word in words:
        if word in vocabulary:
            found.append(("word", vocabulary[word]))
        if word != END and options.max_n:
            pieces = piece_buckets(word, options.min_n, options.max_n, options.buckets)
            found += [("bucket", bucket) for bucket in pieces]
    return found + [("bucket", bucket) for bucket in word_buckets(words, options.word_ngrams, options.buckets)]


def by_count(items):
    """Distinct items, the commonest first, then by spelling, and their counts."""
    names, counts = np.unique(np.array(items, dtype=object), return_counts=True)
    order = sorted(range(len(names)), key=lambda i: (-counts[i], names[i]))
    return [names[i] for i in order], counts[order]


def huffman_paths(counts):
    """Of each label the nodes and turns from the root: the two rarest joined again and again, as fastText does."""
    items = [(int(count), -1, -label, ("leaf", label)) for label, count in enumerate(counts)]
    for node in range(len(counts) - 1):
        joined = []
        for _ in range(2):
            # Of equal counts a node goes before a leaf, the older node before the younger, the later leaf before.
            item = min(items, key=lambda each: (each[0], each[1] < 0, each[1] if each[1] >= 0 else each[2]))
            items.remove(item)
            joined.append(item)
        items.append((joined[0][0] + joined[1][0], node, 0, ("node", node, joined[0][3], joined[1][3])))
    paths = {}

    def walk(item, path):
        if item[0] == "leaf":
            paths[item[1]] = path
            return
        walk(item[2], [*path, (item[1], -1)])
        walk(item[3], [*path, (item[1], 1)])

    walk(items[0][3], [])
    return [paths[label] for label in range(len(counts))]


class Twin:
    """The trainer's state."""

    def __init__(self, options, texts, labels, seed):
        self.options = options
        words = [text_tokens(text) for text in texts]
        vocabulary, _ = by_count([word for line in words for word in line])
        self.labels, self.counts = by_count([label for some in labels for label in some])
        self.given = [[self.labels.index(label) for label in some] for some in labels]
        found = [features(line, {word: row for row, word in enumerate(vocabulary)}, options) for line in words]
        rows = {("word", row): row for row in range(len(vocabulary))}
        for feature in (each for text in found for each in text):
            rows.setdefault(feature, len(rows))
        self.rows = [[rows[feature] for feature in text] for text in found]
        self.sizes = [len(line) for line in words]
        draws = Stream(kernel_states(seed, "input vectors", 1)[0])
        flat = [(draws.bits() >> 40) - 2**23 for _ in range(len(rows) * options.dim)]
        self.inputs = np.array(flat).reshape(-1, options.dim) / 2**23 / options.dim
        self.outputs = np.zeros((len(self.labels), options.dim))
        self.order = np.arange(len(texts))
        if options.shuffle:
            self.order = generator(seed, "order of texts").permutation(self.order)
        self.random = Stream(kernel_states(seed, "shard", 1)[0])
        self.noise = alias_table(self.counts**0.5 / (self.counts**0.5).sum())
        self.paths = huffman_paths(self.counts)

    def train(self):
        """Train; return the loss of each epoch."""
        total, read, losses = self.options.epochs * sum(self.sizes), 0, []
        for _ in range(self.options.epochs):
            loss = 0.0
            for text in self.order:
                loss += self.step(text, self.options.lr * (1 - read / total))
                read += self.sizes[text]
            losses.append(loss / len(self.order))
        return losses

    def step(self, text, rate):
        rows, given, loss = self.rows[text], self.given[text], 0.0
        h, gradient = self.inputs[rows].mean(0), np.zeros(self.options.dim)
        for outputs, gradient_of in self.steps(given):
            coefficients, part = gradient_of(self.outputs[outputs] @ h)
            gradient += coefficients @ self.outputs[outputs]
            self.outputs[outputs] += rate * coefficients[:, None] * h
            loss += part
        np.add.at(self.inputs, rows, rate * gradient / len(rows))
        return loss

    def steps(self, given):
        """The output rows of each step, and what makes the objective's derivative by their scores, and its loss."""
        loss, every = self.options.loss, np.arange(len(self.labels))
        if loss == "ova":
            return [(every, logistic(np.where(np.isin(every, given), 1, -1)))]
        label = given[self.random.below(len(given))]
        if loss == "softmax":
            return [(every, softmax(label))]
        if loss == "hierarchical":
            nodes, signs = np.array(self.paths[label]).T
            return [(nodes, logistic(signs))]
        drawn = []
        while len(drawn) < self.options.negative:
            noise = self.random.word(self.noise)
            drawn += [noise] if noise != label else []
        steps = [[label]]
        for noise in drawn:
            if noise in steps[-1]:
                steps.append([])
            steps[-1].append(noise)
        return [(np.array(some), logistic(np.where(np.array(some) == label, 1, -1))) for some in steps]


def softmax(label):
    def gradient(scores):
        p = np.exp(scores) / np.exp(scores).sum()
        return (np.arange(len(scores)) == label) - p, -np.log(p[label])

    return gradient


def logistic(signs):
    def gradient(scores):
        return signs * sigmoid(-signs * scores), np.logaddexp(0, -signs * scores).sum()

    return gradient
