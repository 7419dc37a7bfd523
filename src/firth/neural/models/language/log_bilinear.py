"""The log-bilinear language model and its hierarchical form: the next word's vector is predicted by linear maps.

What: each place before the word has a map; the maps of the words' vectors add up to a prediction, and a word is as
likely as its own vector is like the prediction. With a tree as output layer it is the hierarchical model, HLBL.

Objective: with r_w the vector a word is read by, and q_w and b_w its vector and bias as a candidate,

    r_hat = sum_{i=1}^{n-1} C_i r_{w_{t-i}},      p(w | w_{t-1} ... w_{t-n+1}) ~ exp(r_hat . q_w + b_w)

where C_i is a matrix or, with `maps="diagonal"`, one number a dimension, and q = r where `tie` says so. In the tree
each decision at a node j on the way to the word has the probability sigma(+-(r_hat . q_j + b_j)), and a word's is the
sum over its ways of their products.

Source: Mnih and Hinton 2007, "Three new graphical models for statistical language modelling", section 4; Mnih and
Hinton 2009 (NIPS 2008), "A scalable hierarchical distributed language model", sections 3 to 5; Mnih and Teh 2012,
section 3, for two vectors a word and noise-contrastive estimation.

Departures:
- A learned tree (`output="tree:tree=learned"`) needs vectors to begin with. As in their section 4 these come from a
  model with a random tree, trained for a few passes (`firth.neural.models.language.learned_tree`): a word stands where
  the mean of the predictions r_hat before its occurrences is.
- Maps begin at the identity over n - 1, so that the first prediction is the mean of the vectors.
- Dropout on the vectors, 0 unless asked for.

Cost: a word takes (n - 1) D^2 multiplications for full maps, (n - 1) D for diagonal ones; V D for the softmax, about
D log2 V for the tree; three times that in training.
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
class LogBilinearLM:
    """Log-bilinear language model, hierarchical with a tree as output: options that train.

    Raises:
        OptionError: an option is out of its range.

    Source:
        Mnih and Hinton 2007 and 2009; the module's docstring gives the formula and every departure.
    """

    presets: ClassVar = {
        "log-bilinear": Preset(
            "Log-bilinear model: a linear map predicts the vector of the next word (Mnih and Hinton 2007)."
        ),
    }
    common_options: ClassVar = ("order", "dim", "dropout", "output")
    train = train_language_model
    spells: ClassVar[bool] = False
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=6, batch_size=128, steps=4, lr=0.003, schedule="linear", patience=2, optimiser="adam"
    )

    order: int = option(5, "n: a word is predicted from the n - 1 before it", minimum=2)
    dim: int = option(100, "width of the vectors of words", minimum=1)
    maps: str = option("full", "what C_i is: a matrix, or one number a dimension", choices=("full", "diagonal"))
    tie: bool = option(False, "read words by the vectors that they are predicted by")
    dropout: float = option(0.0, "share of the vectors' numbers left out", minimum=0, maximum=0.99)
    output: str = output_option()

    def __post_init__(self) -> None:
        options.check(self)
        check_output(self.output)

    def module(self, vocabulary: Vocabulary, begin: int) -> "LogBilinear":
        """Return a module whose parameters torch's generator draws.

        Args:
            vocabulary: V words with their counts.
            begin: the id that stands before a fresh text.
        """
        return LogBilinear(self, vocabulary, begin)


class LogBilinear(LanguageModule):
    """The parameters of the log-bilinear model.

    Args:
        how: the options.
        vocabulary: V words with their counts.
        begin: the id that stands before a fresh text.
    """

    def __init__(self, how: LogBilinearLM, vocabulary: Vocabulary, begin: int) -> None:
        super().__init__()
        self.begin, self.before = begin, how.order - 1
        self.embedding = WordEmbedding(len(vocabulary), how.dim)
        self.dropout = Dropout(how.dropout)
        start = torch.ones(how.dim) if how.maps == "diagonal" else torch.eye(how.dim)
        self.maps = nn.Parameter(start.repeat(self.before, *[1] * start.dim()) / self.before)  # oldest word first
        self.output = output_of(how.output, how.dim, vocabulary, self.embedding.weight if how.tie else None)

    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return the predictions r_hat after each id; see `LanguageModule.forward`."""
        whole, state = windows(ids, state, self.before, self.begin)
        rows = self.dropout(self.embedding(whole)).unfold(1, self.before, 1)  # (B, T, D, n - 1), the oldest word first
        if self.maps.dim() == 2:
            return torch.einsum("btdi,id->btd", rows, self.maps), state
        return torch.einsum("btdi,ide->bte", rows, self.maps), state
