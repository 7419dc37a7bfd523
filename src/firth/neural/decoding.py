"""Scores of a search on the model's device, for every neural model that generates.

What: the tensor counterpart of NumPy scores (`firth.inference.scorer`). A search needs only the K best words of each
    row; these are selected on the device, and B K numbers are copied to the CPU instead of B V.
Objective: the same candidates as from the array in float64, to the bit: each row is sorted by score, then by id.
Source: the usual implementation of beam search on an accelerator.
Departures: for large V, words are divided into blocks. The K + 1 best words of a row are in the K + 1 blocks with the
    largest maxima, so that the selection sorts a few blocks instead of all words.
Cost: one pass over B V numbers.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.inference.scorer import Candidates, Floats, Ids, in_order

BLOCK = 64  # words per block
MIN_BLOCKS = 4  # times as many blocks as are selected make the division worth while


class TensorScores:
    """(B, V) log-probabilities as a tensor; implements `firth.inference.scorer.DeviceScores`.

    `numpy.asarray` and indexing give float64.

    Args:
        tensor: (B, V) log-probabilities, or scores; with `columns` (B, C).
        normaliser: (B,) numbers less which the scores are log-probabilities; None for 0.
        columns: (C,) sorted ids of the words that have columns, and V: all others have probability 0. None for all.
    """

    def __init__(
        self, tensor: torch.Tensor, normaliser: torch.Tensor | None = None, columns: tuple[Ids, int] | None = None
    ) -> None:
        self.tensor = tensor
        self._less = np.zeros(len(tensor)) if normaliser is None else normaliser.double().cpu().numpy()
        self._columns: Ids | None
        self._columns, self._words = columns or (None, tensor.shape[1])

    @property
    def shape(self) -> tuple[int, ...]:
        """(B, V)."""
        return len(self.tensor), self._words

    def __len__(self) -> int:
        return len(self.tensor)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        array: npt.NDArray[Any] = self.tensor.double().cpu().numpy() - self._less[:, None]
        if self._columns is not None:
            scores, array = array, np.full(self.shape, -np.inf)
            array[:, self._columns] = scores
        return np.array(array, dtype=dtype, copy=copy)

    def __getitem__(self, index: Any) -> npt.NDArray[np.float64]:
        rows: npt.NDArray[np.float64] = np.asarray(self)[index]
        return rows

    @torch.no_grad()
    def top(self, k: int) -> Candidates:
        """Return the k best words of each row, or those that have columns; see `DeviceScores.top`."""
        words = self.tensor.shape[1]
        k = min(k, words)
        values, ids = _top(self.tensor, min(k + 1, words))  # one more shows ties at the limit
        scores, best = values.double().cpu().numpy(), ids.cpu().numpy()
        if k < words:
            for row in np.flatnonzero(scores[:, k - 1] == scores[:, k]).tolist():
                numbers = self.tensor[row].double().cpu().numpy()
                equal = np.flatnonzero(~(numbers < scores[row, k - 1]))  # NaN is not below any limit
                first = in_order(numbers[None, equal], equal[None])
                scores[row, :k], best[row, :k] = first.scores[0, :k], first.ids[0, :k]
        best = best[:, :k] if self._columns is None else self._columns[best[:, :k]]
        return in_order(scores[:, :k] - self._less[:, None], best)

    @torch.no_grad()
    def at(self, rows: Ids, ids: Ids) -> Floats:
        """Return the scores of one word each of some rows; see `DeviceScores.at`."""
        device, positions = self.tensor.device, ids
        if self._columns is not None:
            positions = np.searchsorted(self._columns, ids).clip(max=len(self._columns) - 1)
        picked = self.tensor[torch.from_numpy(rows).to(device), torch.from_numpy(positions).to(device)]
        scores = np.asarray(picked.double().cpu().numpy() - self._less[rows])
        return scores if self._columns is None else np.where(self._columns[positions] == ids, scores, -np.inf)


def _top(x: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (B, k) largest values and their columns; of equal ones any."""
    whole = x.shape[1] // BLOCK
    if whole < MIN_BLOCKS * k:
        values, ids = x.topk(k, dim=1)
        return values, ids
    blocks = x[:, : whole * BLOCK].unfold(1, BLOCK, BLOCK)  # (B, blocks, BLOCK), a view
    best = blocks.amax(2).topk(k, dim=1).indices  # (B, k)
    columns = (best[:, :, None] * BLOCK + torch.arange(BLOCK, device=x.device)).flatten(1)  # (B, k BLOCK)
    rest = torch.arange(whole * BLOCK, x.shape[1], device=x.device).expand(len(x), -1)
    columns = torch.cat([columns, rest], 1)
    values, positions = x.gather(1, columns).topk(k, dim=1)
    return values, columns.gather(1, positions)
