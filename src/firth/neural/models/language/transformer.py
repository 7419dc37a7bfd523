"""Transformer language model: each word is predicted from a window of words before it, by attention alone.

What: words' vectors go through causal transformer blocks, each of which lets a place look at those before it; the last
    one's output predicts the next word.

Objective: -log p(w_t | w_{t-R} ... w_{t-1}), p the output layer over the last block's output h_{t-1}; the blocks are in
    `firth.neural.layers.transformer`. With C = `context` and L = `layers`, R is L (C - 1) + 1 where the window slides
    (relative, rotary and no positions) and at most C where positions are added (learned, sinusoidal).

Source: Vaswani et al. 2017, "Attention is all you need", section 3; Radford et al. 2019, "Language models are
unsupervised multitask learners", section 2.3 (decoder alone, pre-norm); Dai et al. 2019, "Transformer-XL", section 3
(relative positions, states carried over).

Departures:
- What a word is predicted from does not depend on how text is cut. With relative and rotary positions each layer
  attends to all of `context`; with added ones (learned, sinusoidal) to between half of it and all, as
  `firth.neural.layers.transformer_stack` explains. In training, relative and rotary carry their keys and values from
  batch to batch; added ones begin each batch anew, as GPT does, so that a batch's steps should not be fewer than half
  the context.
- Words' vectors are multiplied by sqrt(D), as by Vaswani et al., tied or not. They begin short enough
  for a word's own logit to be `OWN` at most: tied, longer ones make a model begin by predicting each word after itself,
  with a perplexity far above V.

Cost: 12 D^2 multiplications a word and layer, 2 C D for attention, and V D for the softmax; three times that in
training.
"""

from typing import ClassVar

import torch

from firth import options
from firth.errors import OptionError
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.positions import POSITIONS
from firth.neural.layers.state import State
from firth.neural.layers.transformer import ACTIVATIONS, NORMS, BlockShape
from firth.neural.layers.transformer_stack import TransformerStack
from firth.neural.models.language.module import LanguageModule
from firth.neural.models.language.options import check_output, output_of, output_option
from firth.neural.models.language.train import train_language_model
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class
from firth.vocabulary import Vocabulary

SPREAD = 0.06  # standard deviation of words' vectors at the start, at most
OWN = 4.0  # logit at the start of the word that was just read, where words are read by the vectors that predict them


@options_class
class TransformerLM:
    """Transformer language model: options that train.

    Raises:
        OptionError: an option is out of its range, or heads do not divide the width.

    Source:
        Vaswani et al. 2017 and those whom the module's docstring names, which gives the formula and every departure.
    """

    presets: ClassVar = {
        "transformer": Preset("Transformer decoder (Vaswani et al. 2017, Radford et al. 2019)."),
    }
    common_options: ClassVar = ("dim", "layers", "heads", "context", "dropout", "output")
    train = train_language_model
    spells: ClassVar[bool] = False
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=16, steps=64, optimiser="adamw", lr=0.002, weight_decay=0.01, schedule="cosine",
        warmup=100, clip=1.0, patience=2,
    )  # fmt: skip

    dim: int = option(200, "width of words' vectors and of the blocks", minimum=1)
    layers: int = option(4, "blocks, one over the other", minimum=1)
    heads: int = option(4, "heads of attention, which share out the width", minimum=1)
    inner: int | None = option(None, "units of a block's network; none given: four times the width", minimum=1)
    context: int = option(
        128, "words that a block attends to, at most; sliding windows of several blocks reach further", minimum=1
    )
    positions: str = option("rotary", "how places are known", choices=POSITIONS)
    norm: str = option("pre", "layer norm before each part of a block, or after it", choices=NORMS)
    activation: str = option("gelu", "bend of a block's network", choices=tuple(ACTIVATIONS))
    dropout: float = option(0.1, "share left out of what enters and what blocks add", minimum=0, maximum=0.99)
    tie: bool = option(True, "read words by the vectors that they are predicted by")
    output: str = output_option()

    def __post_init__(self) -> None:
        options.check(self)
        check_output(self.output)
        if self.dim % self.heads:
            raise OptionError(f"heads={self.heads}: expected a divisor of dim={self.dim}, which the heads share out")
        share = self.dim // self.heads
        if self.positions == "rotary" and share % 2:
            raise OptionError(
                f"dim={self.dim}, heads={self.heads}: rotary positions turn numbers of a head in pairs, and here "
                f"it has {share}; expected an even number, or other positions"
            )
        if self.positions in ("sinusoidal", "relative") and self.dim % 2:
            raise OptionError(f"dim={self.dim}: sinusoids come in pairs; expected an even number, or other positions")

    def module(self, vocabulary: Vocabulary, begin: int) -> "Transformer":
        """Return a module whose parameters torch's generator draws.

        Args:
            vocabulary: V words with their counts.
            begin: the id that stands before a fresh text.
        """
        return Transformer(self, vocabulary, begin)


class Transformer(LanguageModule):
    """The parameters of a transformer language model.

    Args:
        how: the options.
        vocabulary: V words with their counts.
        begin: the id that stands before a fresh text.
    """

    def __init__(self, how: TransformerLM, vocabulary: Vocabulary, begin: int) -> None:
        super().__init__()
        self.begin = begin
        shape = BlockShape(
            width=how.dim,
            heads=how.heads,
            inner=how.inner,
            norm=how.norm,
            activation=how.activation,
            dropout=how.dropout,
        )
        table = WordEmbedding(len(vocabulary), how.dim)
        torch.nn.init.normal_(table.weight, std=min(SPREAD, OWN / how.dim))
        self.embedding = table
        self.stack = TransformerStack(shape, how.layers, context=how.context, positions=how.positions)
        self.output = output_of(how.output, how.dim, vocabulary, table.weight if how.tie else None)

    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return what is known after each id; see `LanguageModule.forward`."""
        carried = self.stack.slides or not self.training
        hidden, state = self.stack(self.stack.width**0.5 * self.embedding(ids), state if carried else None)
        return hidden, state if carried else None
