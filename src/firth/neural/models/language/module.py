"""Interface of a neural language model's module: ids and state in, hidden states and state out, and an output layer."""

import abc
from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
import torch

from firth.language.text import LanguageText
from firth.neural.layers.output.base import OutputLayer
from firth.neural.layers.state import State


class SpellingEmbedding(Protocol):
    """An embedding that composes word vectors from characters, for words outside the vocabulary too."""

    def character_ids(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, C) character ids of n words, the input of a forward pass for words outside the vocabulary."""
        ...

    def encode(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, D) vectors of n words."""
        ...


class LanguageModule(torch.nn.Module, abc.ABC):
    """The module of a language model. Training, scoring, saving and decoding are elsewhere.

    Attributes:
        embedding: (...) ids to (..., D) vectors.
        output: (N, D) hidden states to losses and log-probabilities.
        bos: id before a fresh text: the end of a sentence, or the unknown word if sentence ends are not predicted.
        spells: whether the embedding reads characters.
    """

    embedding: torch.nn.Module
    output: OutputLayer
    bos: int
    spells: bool = False

    @property
    def spelling(self) -> SpellingEmbedding | None:
        """The embedding, if it reads characters; else None."""
        return cast("SpellingEmbedding", self.embedding) if self.spells else None

    def inputs_of(self, text: LanguageText) -> tuple[npt.NDArray[np.int32], torch.Tensor | None]:
        """Return the module's input for a text of N tokens with U distinct unknown words.

        Returns:
            (N,) ids, and (U, C) character ids of the unknown words for `forward`; None if every id is below V, because
            the text has no unknown word or the module reads all of them as `<unk>`.
        """
        if self.spelling is None or not text.unknown_words:
            return text.ids, None
        return text.input_ids, self.spelling.character_ids(text.unknown_words)

    @abc.abstractmethod
    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return (B, T, D) hidden states and the state after the last.

        Args:
            ids: (B, T) int64; with `unknown`, V + i stands for unknown word i.
            state: from the call for the preceding ids; None at the start of a text.
            unknown: (U, C) character ids of unknown words, from `inputs_of`.
        """
