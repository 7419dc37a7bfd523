"""Options that all sentence encoders share."""

import abc
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch.nn.functional import embedding

from firth.errors import CorpusError
from firth.language.text import TextRules
from firth.neural.training.options import TrainingOptions
from firth.options import check, option, options_class
from firth.text.batches import warn_truncated
from firth.vocabulary import Vocabulary

MANY = 0.1  # share of the sentences: some long ones are in every text
UNREAD = 0.8  # share of the tokens: a text of which so much is not read has no ends of sentences


class SentenceModule(torch.nn.Module, abc.ABC):
    """The module of a sentence encoder. Training, saving and reading text are elsewhere.

    Attributes:
        width: D, of the vectors.
    """

    width: int

    @property
    def input_table(self) -> torch.Tensor | None:
        """(V, E) input vectors of the words; None if the module has no single table of them."""
        return None

    @abc.abstractmethod
    def encode(self, ids: torch.Tensor, lengths: torch.Tensor, added: torch.Tensor | None = None) -> torch.Tensor:
        """Return (B, D) vectors.

        Args:
            ids: (B, T) int64, padded on the right; what the padding holds does not matter.
            lengths: (B,) int64 on the CPU, tokens of each sentence, at least 1.
            added: (U, E) input vectors of words that were added to the vocabulary; V + i stands for word i. Only a
                module with an input table is given any.
        """


def look_up(table: torch.Tensor, ids: torch.Tensor, added: torch.Tensor | None = None) -> torch.Tensor:
    """Return (..., E) input vectors of (...) ids.

    Args:
        table: (V, E).
        ids: int64; V + i stands for added word i.
        added: (U, E), or None.
    """
    if added is None or not len(added):
        return embedding(ids, table)
    is_added = ids >= len(table)
    x = embedding(ids.masked_fill(is_added, 0), table)
    rows = embedding((ids - len(table)).clamp(min=0), added)
    return torch.where(is_added.unsqueeze(-1), rows.to(x.dtype), x)


@options_class
class SentenceOptions(abc.ABC):
    """Options of a sentence encoder: what all of them have.

    A model inherits this class, adds its own options and sets `train`.

    Attributes:
        training: default training options.
        text: default options of the training text, those of `Corpus.build`.
        selected_by_pairs: whether held-out data are scored pairs of texts, and not text.
        reads_groups: whether training data are groups of texts that mean the same, and not running text.
    """

    training: ClassVar[TrainingOptions]
    text: ClassVar[dict[str, Any]] = {}
    selected_by_pairs: ClassVar[bool] = False
    reads_groups: ClassVar[bool] = False

    max_length: int = option(64, "words of a sentence that are read; the rest is left out", minimum=1)

    def __post_init__(self) -> None:
        check(self)

    @abc.abstractmethod
    def build_module(self, vocabulary: Vocabulary) -> SentenceModule:
        """Return a module with random parameters from torch's default generator."""


def long_sentences(lengths: npt.NDArray[Any], limit: int, rules: TextRules) -> int:
    """Return how many sentences of a training text are longer than a model reads; warn the caller if many are.

    Raises:
        CorpusError: most tokens would not be read, for want of ends of sentences.
    """
    count = int((lengths > limit).sum())
    advice = 'if each line is a sentence, use sentences="line"' if rules.sentences == "punctuation" else ""
    unread = int(np.maximum(lengths.astype(np.int64) - limit, 0).sum())
    if advice and unread > UNREAD * lengths.sum(dtype=np.int64):
        raise CorpusError(
            f"a text of {len(lengths):,} sentences, as their ends are marked by punctuation; {unread:,} {rules.unit} "
            f"stand after the first {limit} of their sentence and would not be read: {advice}"
        )
    if count > MANY * len(lengths):
        warn_truncated(count, len(lengths), limit, rules.unit, advice)
    return count
