"""Bidirectional attention flow: answers by attention from paragraph to question and back.

What
    Words are vectors and characters, mixed by highway layers; a BiLSTM reads both texts. Every word of the paragraph
    gets a mean of the question's words (context to query), and one vector of those words of the paragraph that are most
    like any of the question (query to context). A modelling BiLSTM reads the result; the end is scored knowing the
    start.
Objective
    S_tj = w . [h_t; u_j; h_t u_j],   u~_t = sum_j softmax_j(S_tj) u_j,   h~ = sum_t softmax_t(max_j S_tj) h_t
    G_t = [h_t; u~_t; h_t u~_t; h_t h~],   M = BiLSTM(BiLSTM(G)),   P_start = softmax_t w_1 . [G_t; M_t]
    N = BiLSTM([G_t; M_t; m; M_t m]),  m = sum_t P_start(t) M_t,   P_end = softmax_t w_2 . [G_t; N_t]
Source
    Seo, Kembhavi, Farhadi and Hajishirzi 2017, "Bidirectional attention flow for machine comprehension", section 2.
Departures
    In the paper the BiLSTM before the end reads M alone; reading the expected state of the start, too, is what the
    authors' program does. Adam in place of Adadelta.
Cost
    See `firth.neural.models.reading.attentive`. S is T x Q x 2 H, computed without an array of T x Q x 6 H.
"""

from typing import ClassVar

import torch
from torch import nn

from firth.neural.layers.attention import attention_weights
from firth.neural.layers.bilstm import BiLSTM
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.highway import Highway
from firth.neural.models.reading.data import PassageReader, ReadingBatch
from firth.neural.models.reading.reader import ReadingModule, ReadingOptions, SpanScores, train_reader, with_padding
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors

ATTENTION = ("both", "to-question", "none")


@options_class
class BiDAF(ReadingOptions):
    """Bidirectional attention flow.

    Source:
        Seo, Kembhavi, Farhadi and Hajishirzi 2017; the module's docstring has the formulas and every departure.
    """

    presets: ClassVar = {"bidaf": Preset("Bidirectional attention flow (Seo et al. 2017).")}
    common_options: ClassVar = ("dim", "hidden", "dropout", "embedding", "no_answer")
    train = train_reader
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=5, batch_size=32, optimiser="adam", lr=0.001, clip_norm=10.0, patience=2, schedule="linear"
    )

    hidden: int = option(100, "width of each LSTM's state", minimum=1)
    dropout: float = option(0.2, "dropout of the inputs of layers", minimum=0, maximum=0.99)
    attention: str = option(
        "both",
        "both, to-question (no vector of the paragraph), or none: the mean of the question in place of attention",
        choices=ATTENTION,
    )

    def build(self, reader: PassageReader, vectors: WordVectors | None = None) -> "BiDAFModule":
        """Return a module with random parameters; see `ReadingOptions.build`."""
        return BiDAFModule(self, TokenEmbedder(self, reader.tokens, vectors), reader.tag_counts)


class TrilinearScores(nn.Module):
    """Scores w . [h; u; h u] of all pairs of two sequences."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.one, self.other = nn.Linear(width, 1, bias=False), nn.Linear(width, 1, bias=False)
        self.both = nn.Parameter(torch.empty(width).uniform_(-1, 1) / width**0.5)

    def forward(self, h: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
        """Return (B, T, Q) scores of (B, T, D) h and (B, Q, D) u."""
        scores: torch.Tensor = self.one(h) + self.other(u).transpose(1, 2) + (h * self.both) @ u.transpose(1, 2)
        return scores


class BiDAFModule(ReadingModule):
    """The network of BiDAF."""

    def __init__(self, options: BiDAF, embedder: TokenEmbedder, tags: tuple[int, ...]) -> None:
        super().__init__(options, embedder, tags)
        H, self.attention = options.hidden, options.attention
        self.dropout = Dropout(options.dropout)
        self.project = nn.Linear(embedder.width, 2 * H)
        self.highway = Highway(2 * H, layers=2)
        self.context = BiLSTM(2 * H, H)
        self.scores = TrilinearScores(2 * H)
        width = 8 * H + self.tag_width
        self.model = BiLSTM(width, H, layers=2, dropout=options.dropout)
        self.after = BiLSTM(width + 6 * H, H)
        self.start, self.end = (nn.Linear(width + 2 * H, 1, bias=False) for _ in range(2))

    def forward(self, batch: ReadingBatch) -> SpanScores:
        """Return the scores of a batch; see `ReadingModule`."""
        asked, inside = batch.asked, batch.inside
        h, u = (
            self.context(self.dropout(self.highway(self.project(self.embedder(inputs)))), inputs.lengths)
            for inputs in (batch.paragraphs, batch.questions)
        )
        means, summary, weights = self.attended(h, u, asked, inside)
        g = torch.cat([h, means, h * means, h * summary, *self.tag_vectors(batch)], 2)
        lengths = batch.paragraphs.lengths
        m = self.model(self.dropout(g), lengths)
        starts = with_padding(self.start(self.dropout(torch.cat([g, m], 2))).squeeze(2), inside)
        at = (starts.float().softmax(1).to(m.dtype).unsqueeze(1) @ m).expand_as(m)
        n = self.after(self.dropout(torch.cat([g, m, at, m * at], 2)), lengths)
        ends = with_padding(self.end(self.dropout(torch.cat([g, n], 2))).squeeze(2), inside)
        return SpanScores(starts, ends, weights)

    def attended(
        self, h: torch.Tensor, u: torch.Tensor, asked: torch.Tensor, inside: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return (B, T, D) means of the question, a (B, 1 or T, D) mean of the paragraph, and (B, T, Q) weights.

        Args:
            h: (B, T, D) words of the paragraph.
            u: (B, Q, D) words of the question.
            asked: (B, Q) whether there is a word.
            inside: (B, T) likewise.
        """
        scores = self.scores(h, u)
        if self.attention == "none":
            scores = torch.zeros_like(scores)
        weights = attention_weights(scores, asked.unsqueeze(1))
        if self.attention != "both":
            return weights @ u, torch.ones_like(h[:, :1]), weights
        highest = scores.masked_fill(~asked.unsqueeze(1), torch.finfo(scores.dtype).min).amax(2)
        back = attention_weights(highest.unsqueeze(1), inside.unsqueeze(1))  # (B, 1, T)
        return weights @ u, back @ h, weights
