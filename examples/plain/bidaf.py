"""BiDAF in one file: answers to questions, as spans of a paragraph.

    python examples/plain/bidaf.py [QUESTIONS.tsv]

QUESTIONS has a paragraph, a question and an answer a line, with tabs between; without it they are made up. A
bidirectional LSTM reads the paragraph, T words with states h_t, and the question, Q words with states u_j. Attention
flows both ways: each word of the paragraph gets a mean of the question's words that are like it, and the words of the
paragraph that are like any word of the question are summed up:

    S_tj = w . [h_t; u_j; h_t u_j]                       how alike word t and word j are (h_t u_j number by number)
    u~_t = sum_j softmax_j(S_tj) u_j                     from paragraph to question, (T, 2 H)
    h~   = sum_t softmax_t(max_j S_tj) h_t               from question to paragraph, (2 H,)
    g_t  = [h_t; u~_t; h_t u~_t; h_t h~]                 what word t says and how it bears on the question, (T, 8 H)

More LSTMs read g, so that words near a match know of it, and two layers score the first and the last word:

    m = BiLSTM(BiLSTM(g)),                               p_start = softmax_t(w_1 . [g_t; m_t])
    n = BiLSTM([g_t; m_t; m~; m_t m~]),                  p_end = softmax_t(w_2 . [g_t; n_t])
    m~ = sum_t p_start(t) m_t,                           loss = -log p_start(first) - log p_end(last)

Source: Seo, Kembhavi, Farhadi and Hajishirzi 2017, "Bidirectional attention flow for machine comprehension", section 2;
m~ is in the authors' program only. The fast one, which also reads characters: `firth.BiDAF`.
"""

import random
import re
import sys
from collections import Counter
from pathlib import Path

import torch
from torch import Tensor, nn

UNKNOWN = 0  # the number of words that training has not seen twice
Example = tuple[Tensor, Tensor, int, int]  # paragraph, question, first and last word of the answer


class Highway(nn.Module):
    """A layer that a gate t mixes with its input: t relu(W x + b) + (1 - t) x."""

    def __init__(self, D: int) -> None:
        super().__init__()
        self.layer, self.gate = nn.Linear(D, D), nn.Linear(D, D)
        nn.init.constant_(self.gate.bias, -2.0)  # begins almost closed: x passes as it is

    def forward(self, x: Tensor) -> Tensor:
        """Return (..., D) for (..., D)."""
        t = torch.sigmoid(self.gate(x))
        return t * torch.relu(self.layer(x)) + (1 - t) * x


class BiDAF(nn.Module):
    """The network, for V words."""

    def __init__(self, V: int, D: int = 32, H: int = 32) -> None:
        super().__init__()
        self.embedding, self.project = nn.Embedding(V, D), nn.Linear(D, 2 * H)
        self.highway = nn.Sequential(Highway(2 * H), Highway(2 * H))
        self.context = nn.LSTM(2 * H, H, bidirectional=True)
        self.w_h, self.w_u = nn.Linear(2 * H, 1, bias=False), nn.Linear(2 * H, 1, bias=False)
        self.w_hu = nn.Parameter(torch.randn(2 * H) / (2 * H) ** 0.5)  # the three parts of w
        self.model = nn.LSTM(8 * H, H, num_layers=2, bidirectional=True)
        self.after = nn.LSTM(14 * H, H, bidirectional=True)
        self.start, self.end = nn.Linear(10 * H, 1, bias=False), nn.Linear(10 * H, 1, bias=False)

    def read(self, words: Tensor) -> Tensor:
        """Return the (T, 2 H) states of (T,) words."""
        states: Tensor = self.context(self.highway(self.project(self.embedding(words))))[0]
        return states

    def attention(self, h: Tensor, u: Tensor) -> Tensor:
        """Return g, (T, 8 H), of the states of the paragraph, (T, 2 H), and of the question, (Q, 2 H)."""
        S = self.w_h(h) + self.w_u(u).T + (h * self.w_hu) @ u.T  # (T, 1) + (1, Q) + (T, Q)
        from_question = S.softmax(1) @ u  # (T, 2 H)
        from_paragraph = S.amax(1).softmax(0) @ h  # (2 H,)
        return torch.cat([h, from_question, h * from_question, h * from_paragraph], 1)

    def forward(self, paragraph: Tensor, question: Tensor) -> tuple[Tensor, Tensor]:
        """Return (T,) log-probabilities of the first word of the answer, and of the last."""
        g = self.attention(self.read(paragraph), self.read(question))
        m = self.model(g)[0]  # (T, 2 H)
        start = self.start(torch.cat([g, m], 1))[:, 0]
        expected = (start.softmax(0) @ m).expand_as(m)  # m~, the same for all words
        n = self.after(torch.cat([g, m, expected, m * expected], 1))[0]
        end = self.end(torch.cat([g, n], 1))[:, 0]
        return start.log_softmax(0), end.log_softmax(0)

    @torch.no_grad()
    def answer(self, paragraph: Tensor, question: Tensor, longest: int = 15) -> tuple[int, int]:
        """Return the first and the last word of the likeliest span of up to 15 words."""
        start, end = self(paragraph, question)
        scores = start[:, None] + end  # (T, T)
        spans = torch.ones_like(scores).triu().tril(longest - 1) > 0  # from row to column, not backward
        best = int(scores.masked_fill(~spans, -torch.inf).argmax())
        return best // len(start), best % len(start)


def train(model: BiDAF, data: list[Example], epochs: int = 6) -> None:
    """Train on paragraphs, questions and answers."""
    optimiser = torch.optim.Adam(model.parameters(), lr=0.002)
    for epoch in range(epochs):
        total = 0.0
        for paragraph, question, first, last in random.sample(data, len(data)):
            start, end = model(paragraph, question)
            loss = -start[first] - end[last]
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            total += loss.item()
        print(f"epoch {epoch + 1}: loss {total / len(data):.3f} nats a question")


def made_up() -> list[str]:
    """Return a paragraph that says where two people live, a question about one of them, and its answer."""
    people = random.sample(["ann", "bob", "eve", "kim", "lee", "max"], 2)
    places = random.sample(["rome", "new york", "oslo", "la paz", "paris", "tel aviv"], 2)
    paragraph = " ".join(f"{person} lives in {place} ." for person, place in zip(people, places, strict=True))
    k = random.randrange(2)
    asked = (f"who lives in {places[k]} ?", people[k]), (f"where does {people[k]} live ?", places[k])
    return [paragraph, *random.choice(asked)]


def main(arguments: list[str]) -> None:
    """Train on nine tenths of the first 400 questions, answer the rest, and show some."""
    random.seed(0)
    torch.manual_seed(0)
    lines = Path(arguments[0]).read_text(encoding="utf-8").splitlines() if arguments else []
    rows = [line.split("\t") for line in lines[:400]] or [made_up() for _ in range(400)]
    texts = [[re.findall(r"\w+|[^\w\s]", text.lower()) for text in row] for row in rows]
    counts = Counter(word for row in texts for text in row for word in text)
    ids = {word: number for number, word in enumerate(counts, UNKNOWN + 1) if counts[word] > 1}
    data: list[Example] = []
    for words, question, answer in texts:
        first = next(i for i in range(len(words)) if words[i : i + len(answer)] == answer)
        paragraph, asked = (torch.tensor([ids.get(word, UNKNOWN) for word in text]) for text in (words, question))
        data.append((paragraph, asked, first, first + len(answer) - 1))
    model = BiDAF(len(counts) + 1)
    train(model, [example for number, example in enumerate(data) if number % 10])
    answers = [model.answer(paragraph, question) for paragraph, question, _, _ in data[::10]]
    right = [answer == example[2:] for answer, example in zip(answers, data[::10], strict=True)]
    print(f"right answers to held-out questions: {sum(right) / len(right):.1%}")
    for (words, question, _), (first, last) in zip(texts[:30:10], answers, strict=False):
        print(*words, "\n  ", *question, "->", *words[first : last + 1])


if __name__ == "__main__":
    main(sys.argv[1:])
