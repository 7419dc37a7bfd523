"""Interface of a sentence encoder's module: ids in, one vector per sentence out."""

import abc

import torch
from torch.nn.functional import embedding


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
