"""What every neural language model's module is: a stream of ids in, hidden rows out, and an output layer."""

import abc
from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np
import numpy.typing as npt
import torch

from firth.language.text import LanguageText
from firth.neural.layers.output.base import OutputLayer
from firth.neural.layers.state import State


class Spelling(Protocol):
    """An embedding that reads how words are written, and so knows words that it has never seen."""

    def coded(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, C) the codes of n words, which a forward pass takes for words outside the vocabulary."""
        ...

    def encode(self, words: Sequence[str]) -> torch.Tensor:
        """Return (n, D) vectors of n words."""
        ...


class LanguageModule(torch.nn.Module, abc.ABC):
    """The parameters of a language model; what runs over text, trains, saves and searches is elsewhere.

    Attributes:
        embedding: (...) ids to (..., D) rows.
        output: (N, D) hidden rows to losses and log-probabilities.
        begin: the id that stands before a fresh text: the end of a sentence, or the unknown word where ends have none.
        spells: whether the embedding reads how words are written.
    """

    embedding: torch.nn.Module
    output: OutputLayer
    begin: int
    spells: bool = False

    @property
    def spelling(self) -> Spelling | None:
        """The embedding, where it reads how words are written; else None."""
        return cast("Spelling", self.embedding) if self.spells else None

    def inputs_of(self, text: LanguageText) -> tuple[npt.NDArray[np.int32], torch.Tensor | None]:
        """Return what the module reads of a text.

        Args:
            text: N tokens, U words of which are outside the vocabulary.

        Returns:
            (N,) ids, and (U, C) the codes of unknown words for `forward`, or None where every id is below V: because
            the text has no unknown word, or because the module reads all of them as `<unk>`.
        """
        if self.spelling is None or not text.unknown_words:
            return text.ids, None
        return text.input_ids, self.spelling.coded(text.unknown_words)

    @abc.abstractmethod
    def forward(
        self, ids: torch.Tensor, state: State = None, unknown: torch.Tensor | None = None
    ) -> tuple[torch.Tensor, State]:
        """Return what is known after each id.

        Args:
            ids: (B, T) int64; from V on, where the module reads spellings, words outside the vocabulary.
            state: what an earlier call over the ids just before returned; None where nothing stands before.
            unknown: (U, C) the codes of those words, which `inputs_of` gives; None where there are none.

        Returns:
            (B, T, D) hidden rows, row t of `ids[:, :t + 1]` and what stood before, and the state after the last.
        """
