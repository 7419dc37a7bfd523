"""Transformer language model: each word is predicted from a window of earlier words by attention.

What: word vectors pass through causal transformer blocks, in which each position attends to earlier ones; the output of
    the last block predicts the next word.
Objective: -log p(w_t | w_{t-R} ... w_{t-1}), where p is the output layer over the last block's output h_{t-1}; the
    blocks are in `firth.neural.layers.transformer`. With C = `context` and L = `layers`, R is L (C - 1) + 1 if the
    window slides (relative, rotary and no positions), and at most C if positions are added (learned, sinusoidal).
Source: Vaswani et al. 2017, "Attention is all you need", section 3; Radford et al. 2019, "Language models are
    unsupervised multitask learners", section 2.3 (decoder only, pre-norm); Dai et al. 2019, "Transformer-XL", section 3
    (relative positions, state across batches).
Departures:
- The context of a word does not depend on how the text is cut. With relative and rotary positions each layer attends to
  all of `context`; with added ones (learned, sinusoidal) to between half of it and all, as
  `firth.neural.layers.transformer_stack` explains. In training, relative and rotary carry keys and values from batch to
  batch. Added ones start each batch without context, as GPT does, so `bptt` should be at least half the context.
- Word vectors are multiplied by sqrt(D), as in Vaswani et al., tied or not. Initially they are short enough that a
  word's own logit is at most `MAX_OWN_LOGIT`. With longer tied vectors, a model initially predicts each word after
  itself, with a perplexity far above V.
Cost: 12 D^2 multiplications per word and layer, 2 C D for attention, and V D for the softmax; three times that in
    training.
"""

from typing import ClassVar

import torch

from firth.errors import OptionError
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.layers.positions import POSITIONS
from firth.neural.layers.state import State
from firth.neural.layers.transformer import ACTIVATIONS, NORMS, TransformerConfig
from firth.neural.layers.transformer_stack import TransformerStack
from firth.neural.models.language.language_model import LanguageModule, LanguageOptions, bptt_option, output_layer
from firth.neural.models.language.train import train_language_model
from firth.neural.training.options import TrainingOptions
from firth.options import Preset, option, options_class, values_of
from firth.vocabulary import Vocabulary

MAX_SPREAD = 0.06  # maximum standard deviation of initial word vectors
MAX_OWN_LOGIT = 4.0  # maximum initial logit of the word just read, with tied weights


@options_class
class TransformerLM(LanguageOptions):
    """Transformer language model.

    Raises:
        OptionError: an option is out of its range, or heads do not divide the width.

    Source:
        Vaswani et al. 2017 and the papers in the module's docstring, with the formula and every departure.
    """

    presets: ClassVar = {"transformer": Preset("Transformer decoder (Vaswani et al. 2017, Radford et al. 2019).")}
    common_options: ClassVar = ("dim", "layers", "heads", "context", "dropout", "output")
    train = train_language_model
    training: ClassVar[TrainingOptions] = TrainingOptions(
        epochs=10, batch_size=16, optimiser="adamw", lr=0.002, weight_decay=0.01, schedule="cosine", warmup=100,
        clip_norm=1.0, patience=2,
    )  # fmt: skip

    dim: int = option(200, "width of word vectors and blocks (d_model)", minimum=1)
    layers: int = option(4, "number of transformer blocks", minimum=1)
    heads: int = option(4, "attention heads; the width is divided among them", minimum=1)
    ffn_dim: int | None = option(
        None, "width of the feed-forward network; default: four times the width of the blocks", minimum=1
    )
    context: int = option(
        128, "context length: maximum number of words that a block attends to; sliding windows of several blocks "
        "reach further", minimum=1,
    )  # fmt: skip
    positions: str = option("rotary", "position encoding", choices=POSITIONS)
    norm: str = option("pre", "layer norm before each part of a block (pre-norm), or after it", choices=NORMS)
    activation: str = option("gelu", "activation of the feed-forward network", choices=tuple(ACTIVATIONS))
    dropout: float = option(0.1, "dropout of inputs and of the output of each part", minimum=0, maximum=0.99)
    tie_weights: bool = option(True, "weight tying: input and output word vectors are the same")
    bptt: int = bptt_option(64)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dim % self.heads:
            raise OptionError(f"heads={self.heads}: expected a divisor of dim={self.dim}, which the heads share")
        head_dim = self.dim // self.heads
        if self.positions == "rotary" and head_dim % 2:
            raise OptionError(
                f"dim={self.dim}, heads={self.heads}: rotary positions rotate pairs of numbers, and each head has "
                f"{head_dim}; expected an even number, or other positions"
            )
        if self.positions in ("sinusoidal", "relative") and self.dim % 2:
            raise OptionError(f"dim={self.dim}: sinusoids come in pairs; expected an even number, or other positions")

    def build_module(self, vocabulary: Vocabulary, bos: int) -> "Transformer":
        """Return a module with random parameters; see `LanguageOptions.build_module`."""
        return Transformer(self, vocabulary, bos)


class Transformer(LanguageModule):
    """Module of a transformer language model; arguments as in `LanguageOptions.build_module`."""

    def __init__(self, options: TransformerLM, vocabulary: Vocabulary, bos: int) -> None:
        super().__init__()
        self.bos = bos
        shared = values_of(options, "heads", "ffn_dim", "norm", "activation", "dropout")
        config = TransformerConfig(width=options.dim, **shared)
        self.embedding = embedding = WordEmbedding(len(vocabulary), options.dim)
        torch.nn.init.normal_(embedding.weight, std=min(MAX_SPREAD, MAX_OWN_LOGIT / options.dim))
        self.stack = TransformerStack(config, options.layers, context=options.context, positions=options.positions)
        tied = embedding.weight if options.tie_weights else None
        self.output = output_layer(options.output, options.dim, vocabulary, tied)

    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return hidden states and the state; see `LanguageModule.forward`."""
        carries_state = self.stack.slides or not self.training
        x = self.stack.width**0.5 * self.embedding(ids)  # (B, T, D)
        hidden, state = self.stack(x, state if carries_state else None)  # (B, T, D)
        return hidden, state if carries_state else None
