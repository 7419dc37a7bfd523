"""Feed-forward language model: a hidden layer over the vectors of the last few words.

What: the vectors of the last n - 1 words, from one shared table, are concatenated; a hidden layer reads them, and a
    softmax over all words reads the hidden layer and, with direct connections, the vectors themselves.
Objective: with x the concatenation of C(w_{t-1}) ... C(w_{t-n+1}),

    y = b + W x + U tanh(d + H x),      log p(w_t | w_{t-1} ... w_{t-n+1}) = log softmax(y)[w_t]

    where W is 0 without direct connections.
Source: Bengio, Ducharme, Vincent and Jauvin 2003, "A neural probabilistic language model", section 2, equation 1; the
    mixture with an n-gram model, section 4.2, is `firth.Mixture`.
Departures:
- The window slides over the text as one stream: before the first words of a sentence it holds the end of the previous
  one, as in the paper. Before the first word of the text stands the end of a sentence n - 1 times.
- Optional dropout on the vectors and the hidden layer. The paper uses weight decay.
- Adam instead of stochastic gradient descent: as good in a fifth of the epochs.
Cost: (n - 1) D H multiplications per word for the hidden layer and V H for the output, V (H + (n - 1) D) with direct
    connections; three times that in training.
"""

from typing import ClassVar

import torch
from torch import nn

from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.state import State
from firth.neural.models.language.data import windows
from firth.neural.models.language.language_model import (
    WINDOW_TRAINING,
    LanguageModule,
    LanguageOptions,
    bptt_option,
    output_layer,
)
from firth.neural.models.language.train import train_language_model
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vocabulary import Vocabulary


@options_class
class FeedForwardLM(LanguageOptions):
    """Feed-forward neural language model.

    Source:
        Bengio et al. 2003; the module's docstring gives the formula and every departure.
    """

    presets: ClassVar = {
        "feedforward": Preset("Feed-forward n-gram model, the first neural language model (Bengio et al. 2003).")
    }
    common_options: ClassVar = ("order", "dim", "hidden", "dropout", "output")
    train = train_language_model
    training: ClassVar[TrainingOptions] = WINDOW_TRAINING

    order: int = option(5, "order n: a word is predicted from the n - 1 words before it", minimum=2)
    dim: int = option(60, "width of word vectors", minimum=1)
    hidden: int = option(100, "width of the hidden layer", minimum=1)
    direct: bool = option(False, "direct connections from the word vectors to the output layer")
    dropout: float = option(0.2, "dropout of the word vectors and the hidden layer", minimum=0, maximum=0.99)
    bptt: int = bptt_option(4)

    def build_module(self, vocabulary: Vocabulary, bos: int) -> "FeedForward":
        """Return a module with random parameters; see `LanguageOptions.build_module`."""
        return FeedForward(self, vocabulary, bos)


class FeedForward(LanguageModule):
    """Module of a feed-forward language model; arguments as in `LanguageOptions.build_module`."""

    def __init__(self, options: FeedForwardLM, vocabulary: Vocabulary, bos: int) -> None:
        super().__init__()
        self.bos, self.window = bos, options.order - 1
        self.embedding = WordEmbedding(len(vocabulary), options.dim)
        self.hidden = nn.Linear(self.window * options.dim, options.hidden)
        self.dropout = Dropout(options.dropout)
        self.direct = options.direct
        # W x + U h is one product with the concatenation of h and x.
        width = options.hidden + (self.window * options.dim if options.direct else 0)
        self.output = output_layer(options.output, width, vocabulary)

    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return hidden states and the state; see `LanguageModule.forward`."""
        padded, state = windows(ids, state, self.window, self.bos)  # (B, T + n - 2)
        vectors = self.dropout(self.embedding(padded))  # (B, T + n - 2, D)
        x = vectors.unfold(1, self.window, 1).flatten(2)  # (B, T, D, n - 1), oldest first -> (B, T, D (n - 1))
        h = self.dropout(torch.tanh(self.hidden(x)))  # (B, T, H)
        return torch.cat([h, x], 2) if self.direct else h, state
