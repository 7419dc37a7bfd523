"""Sequence to sequence with attention in one file: an LSTM reads a text, another writes its translation.

    python examples/plain/seq2seq.py [PAIRS.tsv]

PAIRS has a source and a target a line, with a tab between. Without it, dates are rewritten: "may 3 1 9 9 8" becomes
"1 9 9 8 - 0 5 - 0 3", digits apart. The encoder, two LSTMs from the left and the right, gives a state k_s for each word
of the source. The decoder begins from their last states, and at each step t reads the word before, y_{t-1}, and what it
found at the step before, a_{t-1} (input feeding). It looks for the states of the source that fit its own state h_t:

    h_t = LSTM([E y_{t-1}; a_{t-1}], h_{t-1})
    w_ts = softmax_s(h_t W k_s)                    attention: how much to look at word s of the source
    a_t = tanh(C [sum_s w_ts k_s; h_t])            what is found there, beside what the decoder knows
    p(y_t | y_1 ... y_{t-1}, x) = softmax(U a_t + d),        loss = mean of -log p(y_t | ...)

Without attention everything about the source must fit into one vector; with it, sentences may be long. In training the
word before is the true one (teacher forcing). Pairs of the same two lengths form a batch, so that nothing is padded.

Source: Sutskever, Vinyals and Le 2014, "Sequence to sequence learning with neural networks"; Bahdanau, Cho and Bengio
2015 (attention); Luong, Pham and Manning 2015, "Effective approaches to attention-based neural machine translation",
sections 3.1 ("general") and 3.3. `firth.Translator` is the fast one.
"""

import random
import sys
from collections import defaultdict
from datetime import date
from pathlib import Path

import torch
from torch import Tensor, nn

UNKNOWN, BOS, EOS = "<unk>", "<s>", "</s>"
MONTHS = [date(2000, month, 1).strftime("%B").lower() for month in range(1, 13)]


class Seq2Seq(nn.Module):
    """The network, for vocabularies of V_s and V_t words."""

    def __init__(self, V_s: int, V_t: int, D: int = 32, H: int = 64) -> None:
        super().__init__()
        self.source, self.target = nn.Embedding(V_s, D), nn.Embedding(V_t, D)
        self.encoder = nn.LSTM(D, H // 2, bidirectional=True, batch_first=True)
        self.bridge = nn.Linear(H, 2 * H)  # from the encoder's last states to the decoder's first h and c
        self.cell = nn.LSTMCell(D + H, H)
        self.W = nn.Parameter(torch.randn(H, H) / H)
        self.C = nn.Linear(2 * H, H, bias=False)
        self.output = nn.Linear(H, V_t)

    def encode(self, x: Tensor) -> tuple[Tensor, tuple[Tensor, Tensor, Tensor]]:
        """Return the (B, S, H) states k of a source (B, S), and the decoder's first state: h, c and a."""
        k, (last, _) = self.encoder(self.source(x))  # last: (2, B, H / 2), at the end of each direction
        h, c = torch.tanh(self.bridge(torch.cat([last[0], last[1]], 1))).chunk(2, 1)  # (B, H) each
        return k, (h, c, torch.zeros_like(h))

    def step(
        self, word: Tensor, k: Tensor, state: tuple[Tensor, Tensor, Tensor]
    ) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor, Tensor]]:
        """Return (B, V_t) log-probabilities of the next word, (B, S) attention and the state, after a word (B,)."""
        h, c, a = state
        h, c = self.cell(torch.cat([self.target(word), a], 1), (h, c))
        w = torch.einsum("bi,ij,bsj->bs", h, self.W, k).softmax(1)
        found = (w[:, :, None] * k).sum(1)  # (B, H)
        a = torch.tanh(self.C(torch.cat([found, h], 1)))
        return self.output(a).log_softmax(1), w, (h, c, a)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the (B, T) losses of targets y, (B, T + 1) from BOS to EOS, given sources x, (B, S)."""
        k, state = self.encode(x)
        losses = []
        for t in range(y.shape[1] - 1):
            log_p, _, state = self.step(y[:, t], k, state)
            losses.append(-log_p.gather(1, y[:, t + 1 : t + 2]))
        return torch.cat(losses, 1)

    @torch.no_grad()
    def translate(self, x: Tensor, bos: int, eos: int, longest: int = 50) -> tuple[list[int], Tensor]:
        """Return the likeliest word, step by step, after a source (S,), and the attention of all steps, (T, S)."""
        k, state = self.encode(x[None])
        words, attention = [bos], []
        while words[-1] != eos and len(words) <= longest:
            log_p, w, state = self.step(torch.tensor(words[-1:]), k, state)
            words.append(int(log_p.argmax()))
            attention.append(w[0])
        return words[1:], torch.stack(attention)


def train(model: Seq2Seq, pairs: list[tuple[list[int], list[int]]], epochs: int = 6, size: int = 16) -> None:
    """Train on pairs of sources and targets, the latter from BOS to EOS."""
    by_lengths = defaultdict(list)
    for x, y in pairs:
        by_lengths[len(x), len(y)].append((x, y))
    batches = [group[i : i + size] for group in by_lengths.values() for i in range(0, len(group), size)]
    optimiser = torch.optim.Adam(model.parameters(), lr=0.005)
    for epoch in range(epochs):
        total = count = 0.0
        for batch in random.sample(batches, len(batches)):
            losses = model(*(torch.tensor(side) for side in zip(*batch, strict=True)))  # (B, T)
            optimiser.zero_grad()
            torch.autograd.backward(losses.mean())
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # one bad batch must not throw the weights far away
            optimiser.step()
            total, count = total + losses.sum().item(), count + losses.numel()
        print(f"epoch {epoch + 1}: loss {total / count:.4f} nats a word")


def made_up() -> tuple[str, str]:
    """Return a date, as it is said and as computers write it."""
    year, month, day = random.randint(1900, 2099), random.randint(1, 12), random.randint(1, 28)
    return f"{MONTHS[month - 1]} {' '.join(str(day))} {' '.join(str(year))}", " ".join(f"{year}-{month:02}-{day:02}")


def main(arguments: list[str]) -> None:
    """Train on nine tenths of the first 1,000 pairs, translate the rest, and show where a translation looked."""
    random.seed(0)
    torch.manual_seed(0)
    lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines() if arguments else []
    texts = [tuple(line.split("\t")[:2]) for line in lines[:1000]] or [made_up() for _ in range(1000)]
    pairs = [([*source.split(), EOS], [BOS, *target.split(), EOS]) for source, target in texts]
    held_out, training = pairs[::10], [pair for number, pair in enumerate(pairs) if number % 10]
    sides = [sorted({UNKNOWN}.union(*side)) for side in zip(*training, strict=True)]  # the words of each side
    ids = [{word: number for number, word in enumerate(words)} for words in sides]

    def numbers(side: int, words: list[str]) -> list[int]:
        return [ids[side].get(word, ids[side][UNKNOWN]) for word in words]

    model = Seq2Seq(len(sides[0]), len(sides[1]))
    train(model, [(numbers(0, x), numbers(1, y)) for x, y in training])
    results = [model.translate(torch.tensor(numbers(0, x)), ids[1][BOS], ids[1][EOS]) for x, _ in held_out]
    right = [words == numbers(1, y)[1:] for (words, _), (_, y) in zip(results, held_out, strict=True)]
    print(f"right translations of held-out sources: {sum(right) / len(right):.1%}")
    (source, _), (words, attention) = held_out[0], results[0]
    for word, w in zip(words, attention, strict=True):
        print(
            f"{sides[1][word]:>12}", " ".join(f"{x}:{float(v):.1f}" for x, v in zip(source, w, strict=True) if v > 0.2)
        )


if __name__ == "__main__":
    main(sys.argv[1:])
