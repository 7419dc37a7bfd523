"""The feed-forward language model: a hidden layer over the vectors of the last few words.

What: the words before are looked up in one shared table, their vectors stand side by side, a hidden layer reads them,
and a softmax over all words reads the hidden layer and, if wanted, the vectors themselves.

Objective: with x the n - 1 vectors C(w_{t-1}) ... C(w_{t-n+1}) one after the other,

    y = b + W x + U tanh(d + H x),      log p(w_t | w_{t-1} ... w_{t-n+1}) = log softmax(y)[w_t]

where W is 0 without direct connections.

Source: Bengio, Ducharme, Vincent and Jauvin 2003, "A neural probabilistic language model", section 2, equation 1; the
mixture with an n-gram model, section 4.2, is `firth.Mixture`.

Departures:
- The window slides over the text as over one stream: before the first words of a sentence it holds the end of the last
  one, as theirs does. Before the very first word stands the end of a sentence n - 1 times.
- Dropout on the vectors and on the hidden layer, 0 as in the paper unless asked for. They held weights back by decay.
- Adam instead of stochastic gradients: as good in a fifth of the epochs.

Cost: a word takes (n - 1) D H multiplications for the hidden layer and V H for the output, V (H + (n - 1) D) with
direct connections; three times that in training.
"""

from typing import ClassVar

import torch
from torch import nn

from firth import options
from firth.neural.layers.dropout import Dropout
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.state import State
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.options import check_output, output_of, output_option
from firth.neural.models.language.train import train_language_model
from firth.neural.models.language.windows import windows
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vocabulary import Vocabulary


@options_class
class FeedForwardLM:
    """Feed-forward neural language model: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Bengio et al. 2003; the module's docstring gives the formula and every departure.
    """

    presets: ClassVar = {
        "feedforward": Preset("Feed-forward n-gram model, the first neural language model (Bengio et al. 2003)."),
    }
    common_options: ClassVar = ("order", "dim", "hidden", "dropout", "output")
    train = train_language_model
    spells: ClassVar[bool] = False
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=6, batch_size=128, steps=4, lr=0.003, schedule="linear", patience=2, optimiser="adam"
    )

    order: int = option(5, "n: a word is predicted from the n - 1 before it", minimum=2)
    dim: int = option(60, "width of the vectors of words", minimum=1)
    hidden: int = option(100, "width of the hidden layer", minimum=1)
    direct: bool = option(False, "connect the vectors to the output directly as well")
    dropout: float = option(0.2, "share of the hidden layer and of the vectors left out", minimum=0, maximum=0.99)
    output: str = output_option()

    def __post_init__(self) -> None:
        options.check(self)
        check_output(self.output)

    def module(self, vocabulary: Vocabulary, begin: int) -> "FeedForward":
        """Return a module whose parameters torch's generator draws.

        Args:
            vocabulary: V words with their counts.
            begin: the id that stands before a fresh text.
        """
        return FeedForward(self, vocabulary, begin)


class FeedForward(LanguageModule):
    """The parameters of Bengio's model.

    Args:
        how: the options.
        vocabulary: V words with their counts.
        begin: the id that stands before a fresh text.
    """

    def __init__(self, how: FeedForwardLM, vocabulary: Vocabulary, begin: int) -> None:
        super().__init__()
        self.begin, self.before = begin, how.order - 1
        self.embedding = WordEmbedding(len(vocabulary), how.dim)
        self.hidden = nn.Linear(self.before * how.dim, how.hidden)
        self.dropout = Dropout(how.dropout)
        self.direct = how.direct
        # W x + U h is one product with x and h side by side.
        width = how.hidden + (self.before * how.dim if how.direct else 0)
        self.output = output_of(how.output, width, vocabulary)

    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return what is known after each id; see `LanguageModule.forward`."""
        whole, state = windows(ids, state, self.before, self.begin)
        rows = self.dropout(self.embedding(whole))  # (B, T + n - 2, D)
        x = rows.unfold(1, self.before, 1).flatten(2)  # (B, T, D, n - 1), the oldest word first -> (B, T, D (n - 1))
        h = self.dropout(torch.tanh(self.hidden(x)))
        return torch.cat([h, x], 2) if self.direct else h, state
