"""The Stanford attentive reader: answers by a BiLSTM over a paragraph that knows the words of the question.

What
    A word of the paragraph is its vector, whether it occurs in the question, its tags, and the mean of the question's
    words that are like it. A BiLSTM reads them; starts and ends are scored against one vector of the question.
Objective
    f_align(p_i) = sum_j a_ij E(q_j),  a_ij = softmax_j relu(W E(p_i)) . relu(W E(q_j))
    p = BiLSTM([E(p_i); match; frequency; tags; f_align(p_i)]),   q = sum_j b_j BiLSTM(E(q))_j,  b = softmax_j w . q_j
    P_start(i) = softmax_i p_i W_s q,   P_end(i) = softmax_i p_i W_e q;   L = -log P_start(y) - log P_end(z)
    The answer is the span of at most `max_answer_length` tokens with the highest P_start(i) P_end(j).
Source
    Chen, Fisch, Weston and Bordes 2017, "Reading Wikipedia to answer open-domain questions", section 3.2; Chen, Bolton
    and Manning 2016 (the reader before it).
Departures
    All word vectors are trained if they are tuned, not those of the thousand most frequent question words only. Adam in
    place of Adamax. One dropout mask per text.
Cost
    16 H (D + H) operations per token and layer forward, for D inputs; `benchmarks/reading.py` measures questions per
    second.
"""

from typing import ClassVar

import torch
from torch import nn

from firth.neural.layers.attention import attention_weights, dot_scores
from firth.neural.layers.bilstm import BiLSTM
from firth.neural.layers.dropout import Dropout
from firth.neural.models.reading.data import MATCHES, PassageReader, ReadingBatch
from firth.neural.models.reading.reader import ReadingModule, ReadingOptions, SpanScores, train_reader, with_padding
from firth.neural.models.tokens.embedder import TokenEmbedder
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vectors.word_vectors import WordVectors


@options_class
class Reader(ReadingOptions):
    """The Stanford attentive reader.

    Source:
        Chen, Fisch, Weston and Bordes 2017; the module's docstring has the formulas and every departure.
    """

    presets: ClassVar = {"attentive": Preset("The Stanford attentive reader (Chen, Fisch, Weston and Bordes 2017).")}
    common_options: ClassVar = ("dim", "hidden", "layers", "dropout", "embedding", "no_answer")
    train = train_reader
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=5, batch_size=32, optimiser="adam", lr=0.002, clip_norm=10.0, patience=2, schedule="linear"
    )

    characters: str = option(
        "none", "vectors of words from their characters: by a CNN, an LSTM, or none", choices=("cnn", "lstm", "none")
    )
    hidden: int = option(128, "width of each LSTM's state", minimum=1)
    layers: int = option(3, "number of LSTM layers, of which all are read", minimum=1)
    dropout: float = option(0.4, "dropout of the vectors of words and between layers", minimum=0, maximum=0.99)
    match: bool = option(True, "tell which words of the paragraph are in the question, and align both")

    def build(self, reader: PassageReader, vectors: WordVectors | None = None) -> "AttentiveModule":
        """Return a module with random parameters; see `ReadingOptions.build`."""
        return AttentiveModule(self, TokenEmbedder(self, reader.tokens, vectors), reader.tag_counts)


class StackedBiLSTM(nn.Module):
    """BiLSTM layers whose outputs stand side by side.

    Attributes:
        width: 2 H times the number of layers.
    """

    def __init__(self, width_in: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        widths = [width_in, *[2 * hidden] * (layers - 1)]
        self.layers = nn.ModuleList(BiLSTM(width, hidden) for width in widths)
        self.dropout, self.width = Dropout(dropout, locked=True), 2 * hidden * layers

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Return (B, T, width) outputs of all layers, zero at padding.

        Args:
            x: (B, T, D).
            lengths: (B,) on the CPU.
        """
        outputs: list[torch.Tensor] = []
        for number, layer in enumerate(self.layers):
            x = layer(self.dropout(x) if number else x, lengths)
            outputs.append(x)
        return torch.cat(outputs, 2)


class AttentiveModule(ReadingModule):
    """The network of the attentive reader."""

    def __init__(self, options: Reader, embedder: TokenEmbedder, tags: tuple[int, ...]) -> None:
        super().__init__(options, embedder, tags)
        D = embedder.width
        self.dropout = Dropout(options.dropout, locked=True)
        self.match = options.match
        self.align = nn.Linear(D, D)
        width = D + (D + MATCHES if self.match else 0) + self.tag_width
        self.paragraph = StackedBiLSTM(width, options.hidden, options.layers, options.dropout)
        self.question = StackedBiLSTM(D, options.hidden, options.layers, options.dropout)
        self.weigh = nn.Linear(self.question.width, 1, bias=False)
        self.start, self.end = (nn.Linear(self.question.width, self.paragraph.width, bias=False) for _ in range(2))

    def forward(self, batch: ReadingBatch) -> SpanScores:
        """Return the scores of a batch; see `ReadingModule`."""
        asked, inside = batch.asked, batch.inside
        words, given = self.dropout(self.embedder(batch.questions)), self.dropout(self.embedder(batch.paragraphs))
        mine, theirs = torch.relu(self.align(given)), torch.relu(self.align(words))
        alignment = attention_weights(dot_scores(mine, theirs), asked.unsqueeze(1))
        parts = [given, *self.tag_vectors(batch)]
        if self.match:
            parts += [alignment @ words, batch.features.to(given.dtype)]
        p = self.dropout(self.paragraph(torch.cat(parts, 2), batch.paragraphs.lengths))
        states = self.dropout(self.question(words, batch.questions.lengths))
        weights = attention_weights(self.weigh(states).transpose(1, 2), asked.unsqueeze(1))  # (B, 1, Q)
        q = weights @ states  # (B, 1, D)
        starts, ends = ((p @ side(q).transpose(1, 2)).squeeze(2) for side in (self.start, self.end))
        return SpanScores(with_padding(starts, inside), with_padding(ends, inside), alignment)
