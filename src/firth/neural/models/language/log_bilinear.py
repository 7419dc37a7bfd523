"""Log-bilinear language model and its hierarchical form (HLBL): linear maps predict the vector of the next word.

What: each position of the context has a matrix; the products with the word vectors add up to a predicted vector, and a
    word is as likely as its own vector is similar to the prediction. With a tree as output layer this is the
    hierarchical model, HLBL.
Objective: with r_w the input vector of word w, and q_w and b_w its output vector and bias,

    r_hat = sum_{i=1}^{n-1} C_i r_{w_{t-i}},      p(w | w_{t-1} ... w_{t-n+1}) ~ exp(r_hat . q_w + b_w)

    where C_i is a matrix or, if diagonal, one number per dimension, and q = r with tied weights. In the tree, each
    decision at a node j on the path to the word has the probability sigma(+-(r_hat . q_j + b_j)); a word's probability
    is the sum over its paths of their products.
Source: Mnih and Hinton 2007, "Three new graphical models for statistical language modelling", section 4; Mnih and
    Hinton 2009 (NIPS 2008), "A scalable hierarchical distributed language model", sections 3 to 5; Mnih and Teh 2012,
    section 3, for two vectors per word and noise-contrastive estimation.
Departures:
- A learned tree (`output="tree:tree=learned"`) needs a first model with a random tree, as in their section 4; it is
  trained for a few epochs (`firth.neural.models.language.learned_tree`). A word is represented by the mean prediction
  r_hat before its occurrences.
- Context matrices start as the identity over n - 1, so that the first prediction is the mean of the vectors.
- Optional dropout on the vectors.
Cost: (n - 1) D^2 multiplications per word for full matrices, (n - 1) D for diagonal ones; V D for the softmax, about
    D log2 V for the tree; three times that in training.
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
class LogBilinearLM(LanguageOptions):
    """Log-bilinear language model; hierarchical with a tree as output layer.

    Source:
        Mnih and Hinton 2007 and 2009; the module's docstring gives the formula and every departure.
    """

    presets: ClassVar = {
        "log-bilinear": Preset(
            "Log-bilinear model: a linear map predicts the vector of the next word (Mnih and Hinton 2007)."
        )
    }
    common_options: ClassVar = ("order", "dim", "dropout", "output")
    train = train_language_model
    training: ClassVar[TrainingOptions] = WINDOW_TRAINING

    order: int = option(5, "order n: a word is predicted from the n - 1 words before it", minimum=2)
    dim: int = option(100, "width of word vectors", minimum=1)
    context_matrices: str = option("full", "context matrices C_i: full or diagonal", choices=("full", "diagonal"))
    tie_weights: bool = option(False, "weight tying: input and output word vectors are the same")
    dropout: float = option(0.0, "dropout of the word vectors", minimum=0, maximum=0.99)
    bptt: int = bptt_option(4)

    def build_module(self, vocabulary: Vocabulary, bos: int) -> "LogBilinear":
        """Return a module with random parameters; see `LanguageOptions.build_module`."""
        return LogBilinear(self, vocabulary, bos)


class LogBilinear(LanguageModule):
    """Module of a log-bilinear language model; arguments as in `LanguageOptions.build_module`."""

    def __init__(self, options: LogBilinearLM, vocabulary: Vocabulary, bos: int) -> None:
        super().__init__()
        self.bos, self.window = bos, options.order - 1
        self.embedding = WordEmbedding(len(vocabulary), options.dim)
        self.dropout = Dropout(options.dropout)
        identity = torch.ones(options.dim) if options.context_matrices == "diagonal" else torch.eye(options.dim)
        # (n - 1, D) or (n - 1, D, D), oldest word first
        self.context_matrices = nn.Parameter(identity.repeat(self.window, *[1] * identity.dim()) / self.window)
        tied = self.embedding.weight if options.tie_weights else None
        self.output = output_layer(options.output, options.dim, vocabulary, tied)

    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return the predictions r_hat and the state; see `LanguageModule.forward`."""
        padded, state = windows(ids, state, self.window, self.bos)  # (B, T + n - 2)
        vectors = self.dropout(self.embedding(padded))  # (B, T + n - 2, D)
        contexts = vectors.unfold(1, self.window, 1)  # (B, T, D, n - 1), oldest word first
        if self.context_matrices.dim() == 2:
            return torch.einsum("btdi,id->btd", contexts, self.context_matrices), state
        return torch.einsum("btdi,ide->bte", contexts, self.context_matrices), state
