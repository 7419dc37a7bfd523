"""Options that all pretraining shares: the network, and what is hidden."""

import abc
from typing import Any, ClassVar

import torch

from firth.errors import OptionError
from firth.neural.layers.token_masking import UNITS, TokenMasking
from firth.neural.models.pretraining.network import EncoderConfig, EncoderNetwork
from firth.neural.models.pretraining.task import Objective
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class
from firth.text.wordpieces import WordPieces

ATTENTION_STARTS = ("neighbours", "anywhere")
TOKENS = "wordpieces"  # how text is read unless the caller says otherwise


@options_class
class PretrainingOptions(abc.ABC):
    """Options of a pretrained encoder: what all kinds have.

    Attributes:
        training: default training options.
        layout: the model of `transformers` that opens the saved folder, "bert" or "electra".

    Raises:
        OptionError: an option is out of its range.
    """

    training: ClassVar[TrainingOptions]
    layout: ClassVar[str] = "bert"

    dim: int = option(256, "width of the encoder", minimum=1)
    layers: int = option(4, "number of transformer blocks", minimum=1)
    heads: int = option(4, "attention heads, which share the width", minimum=1)
    ffn_dim: int | None = option(None, "width of the feed-forward network; default: four times dim", minimum=1)
    max_length: int = option(
        128, "length of a sequence in word pieces, special tokens included", minimum=4, maximum=100_000
    )
    dropout: float = option(0.1, "dropout of inputs, of each part's output and of attention", minimum=0, maximum=0.99)
    mask_rate: float = option(0.15, "share of tokens that are hidden", minimum=0, maximum=0.99, exclusive=True)
    attention_start: str = option(
        "neighbours",
        "where attention of the first block starts: at neighbouring positions, or anywhere",
        choices=ATTENTION_STARTS,
    )
    masking: str = option("tokens", "what is hidden at once: word pieces, words, or spans of words", choices=UNITS)

    def __post_init__(self) -> None:
        check(self)
        if self.dim % self.heads:
            raise OptionError(f"heads={self.heads}: expected a divisor of dim={self.dim}, which the heads share")

    @property
    def vectors_dim(self) -> int:
        """E, the width of the vectors of tokens."""
        return self.dim

    def config(self, pieces: WordPieces) -> EncoderConfig:
        """Return the sizes of the encoder for a vocabulary."""
        return EncoderConfig(
            vocabulary=len(pieces), dim=self.dim, embedding_dim=self.vectors_dim, layers=self.layers,
            heads=self.heads, ffn_dim=self.ffn_dim or 4 * self.dim, max_length=self.max_length, dropout=self.dropout,
        )  # fmt: skip

    def build_encoder(self, config: EncoderConfig) -> EncoderNetwork:
        """Return a new encoder, with random parameters from torch's default generator."""
        return EncoderNetwork(config, neighbours=self.attention_start == "neighbours")

    @abc.abstractmethod
    def build_objective(self, config: EncoderConfig, pieces: WordPieces) -> Objective:
        """Return the encoder with what is needed to train it, with random parameters from torch's default generator."""


def token_masking(options: PretrainingOptions, pieces: WordPieces, **shares: Any) -> TokenMasking:
    """Return the masks that options ask for."""
    continues, special = torch.from_numpy(pieces.continues), torch.from_numpy(pieces.special)
    return TokenMasking(pieces.mask_id, continues, special, unit=options.masking, rate=options.mask_rate, **shares)
