"""A BiLSTM-CRF in one file: tags for the words of a sentence, chosen together.

    python examples/plain/bilstm_crf.py [FILE]

FILE has a word a line, its tag in the last column, and an empty line after each sentence, as CoNLL 2003 has. Without
FILE it makes sentences with names of people and places. Two LSTMs read a sentence x_1 ... x_T, one from the left and
one from the right, so that h_t knows all words, and a linear layer gives e_t(j), the score of tag j at word t. Tags of
neighbours depend on each other (I-PER never follows B-LOC), so a sequence y is scored as a whole:

    score(y) = b(y_1) + sum_t e_t(y_t) + sum_t A(y_{t-1}, y_t) + z(y_T),        p(y | x) = exp(score(y)) / Z

Z sums exp(score) over all K^T sequences. It needs no list of them, for the sums share their beginnings. With alpha_t(j)
the logarithm of the sum over all beginnings that end in tag j at word t,

    alpha_1(j) = b(j) + e_1(j),   alpha_t(j) = e_t(j) + log sum_i exp(alpha_{t-1}(i) + A(i, j))     (forward algorithm)
    log Z = log sum_j exp(alpha_T(j) + z(j)),                                     loss = log Z - score(y)

The best sequence comes from the same recurrence with the largest term in place of the sum (Viterbi).

Source: Lample, Ballesteros, Subramanian, Kawakami and Dyer 2016, "Neural architectures for named entity recognition",
section 2; Lafferty, McCallum and Pereira 2001, "Conditional random fields". The fast one: `firth.Tagger`, which also
reads characters.
"""

import random
import sys
from collections import Counter
from pathlib import Path

import torch
from torch import Tensor, nn

UNKNOWN = 0  # the number of words that training has not seen
Sentence = tuple[list[str], list[str]]  # words and tags


class Tagger(nn.Module):
    """The network for V words and K tags."""

    def __init__(self, V: int, K: int, D: int = 32, H: int = 32) -> None:
        super().__init__()
        self.embedding = nn.Embedding(V, D)
        self.bilstm = nn.LSTM(D, H, bidirectional=True)
        self.linear = nn.Linear(2 * H, K)
        self.A = nn.Parameter(torch.zeros(K, K))  # score of tag j (column) after tag i (row)
        self.b, self.z = nn.Parameter(torch.zeros(K)), nn.Parameter(torch.zeros(K))  # of the first and the last tag

    def forward(self, words: Tensor) -> Tensor:
        """Return the (T, K) scores e of the tags of a sentence of (T,) words."""
        h, _ = self.bilstm(self.embedding(words))  # (T, D), (T, 2 H)
        e: Tensor = self.linear(h)
        return e

    def score(self, e: Tensor, y: Tensor) -> Tensor:
        """Return the score of the tags y, (T,)."""
        return self.b[y[0]] + e[torch.arange(len(y)), y].sum() + self.A[y[:-1], y[1:]].sum() + self.z[y[-1]]

    def log_partition(self, e: Tensor) -> Tensor:
        """Return log Z by the forward algorithm."""
        alpha = self.b + e[0]  # (K,)
        for t in range(1, len(e)):
            # (K, 1) + (K, K): row i, column j is tag j after tag i. The sum is over i.
            alpha = e[t] + torch.logsumexp(alpha[:, None] + self.A, 0)
        return torch.logsumexp(alpha + self.z, 0)

    def loss(self, words: Tensor, y: Tensor) -> Tensor:
        """Return -log p(y | x) in nats."""
        e = self(words)
        return self.log_partition(e) - self.score(e, y)

    @torch.no_grad()
    def best(self, words: Tensor) -> list[int]:
        """Return the tags of the highest score, by Viterbi's algorithm."""
        e = self(words)
        alpha, origins = self.b + e[0], []  # now the score of the best beginning that ends in each tag
        for t in range(1, len(e)):
            highest, origin = (alpha[:, None] + self.A).max(0)  # and the tag before, (K,) each
            alpha = e[t] + highest
            origins.append(origin)
        y = [int((alpha + self.z).argmax())]
        for origin in reversed(origins):  # from the last tag back to the first
            y.append(int(origin[y[-1]]))
        return y[::-1]


def train(data: list[tuple[Tensor, Tensor]], V: int, K: int, singletons: set[int], epochs: int = 5) -> Tagger:
    """Return a tagger trained on pairs of (T,) words and (T,) tags."""
    torch.manual_seed(0)
    tagger = Tagger(V, K)
    optimiser = torch.optim.Adam(tagger.parameters(), lr=0.005)
    once = torch.tensor([number in singletons for number in range(V)])
    for epoch in range(epochs):
        total = 0.0
        for number in torch.randperm(len(data)):
            words, y = data[number]
            # Words seen once are read as unknown half of the time, so that the vector of unknown words is learned.
            words = torch.where(once[words] & (torch.rand(len(words)) < 0.5), UNKNOWN, words)
            loss = tagger.loss(words, y)
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: loss {total / sum(len(y) for _, y in data):.4f} nats a word")
    return tagger


def read_columns(path: str) -> list[Sentence]:
    """Return the sentences of a file with a word a line: the first column, and the last."""
    blocks = Path(path).read_text(encoding="utf-8").strip().split("\n\n")
    rows = [[line.split() for line in block.splitlines() if line.strip()] for block in blocks]
    return [([row[0] for row in sentence], [row[-1] for row in sentence]) for sentence in rows]


def made_up() -> Sentence:
    """Return a sentence such as "mr Kato Lodil sings in Ruven": only what is around a name says what it names."""
    names = [
        random.choice("KLMRST") + random.choice("aeiou") + random.choice(["ra", "to", "ven", "dil"]) for _ in "abc"
    ]
    first = random.randint(1, 2)  # names of the person
    words = ["mr", *names[:first], random.choice(["sings", "reads", "walks"]), "in", names[2]]
    return words, ["O", "B-PER", *["I-PER"] * (first - 1), "O", "O", "B-LOC"]


def main(arguments: list[str]) -> None:
    """Train on nine tenths of the first 1,000 sentences, tag the rest, and show some."""
    random.seed(0)
    sentences = read_columns(arguments[0])[:1000] if arguments else [made_up() for _ in range(300)]
    held_out, training = sentences[::10], [s for number, s in enumerate(sentences) if number % 10]
    counts = Counter(word.lower() for words, _ in training for word in words)
    ids = {word: number for number, word in enumerate(counts, UNKNOWN + 1)}
    tags = sorted({tag for _, names in sentences for tag in names})

    def tensors(words: list[str], names: list[str]) -> tuple[Tensor, Tensor]:
        rows = [ids.get(word.lower(), UNKNOWN) for word in words]
        return torch.tensor(rows), torch.tensor([tags.index(name) for name in names])

    singletons = {ids[word] for word, count in counts.items() if count == 1}
    tagger = train([tensors(*sentence) for sentence in training], len(ids) + 1, len(tags), singletons)
    pairs = [(tagger.best(words), y.tolist()) for words, y in (tensors(*sentence) for sentence in held_out)]
    right = [a == b for best, y in pairs for a, b in zip(best, y, strict=True)]
    print(f"right tags in held-out sentences: {sum(right) / len(right):.1%}")
    for (words, _), (best, _) in zip(held_out[:3], pairs, strict=False):
        print(" ".join(f"{word}/{tags[k]}" for word, k in zip(words, best, strict=True)))


if __name__ == "__main__":
    main(sys.argv[1:])
