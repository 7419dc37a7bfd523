"""A sentence autoencoder over a batch of codes, for searches."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.neural.decoding import TensorScores
from firth.neural.layers.state import State, rows_of
from firth.neural.models.autoencoders.module import SentenceAutoencoder
from firth.neural.models.translation.units import BOS


class CodeScorer:
    """Scores of the next words of sentences, given their codes; implements `firth.inference.scorer.Scorer`.

    Args:
        module: of the autoencoder, in evaluation mode.
        condition: (B, C) what the decoder reads at each step.
    """

    def __init__(self, module: SentenceAutoencoder, condition: torch.Tensor) -> None:
        self._module, self._condition = module, condition
        self._output = module.output.prepared()

    @torch.no_grad()
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, Any]:
        """Return the scores of the first word of each sentence; prompts are empty."""
        state = self._module.first_state(self._condition)
        return self._scores(self._condition, state, np.full(len(prompts), BOS))

    @torch.no_grad()
    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[TensorScores, Any]:
        """Return the scores of the next words; see `Scorer.advance`."""
        condition, own = state
        return self._scores(condition, own, ids)

    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the state of some sentences; see `Scorer.reorder`."""
        return rows_of(state, torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(self._condition.device))

    def _scores(self, condition: torch.Tensor, state: State, ids: npt.NDArray[np.int64]) -> tuple[TensorScores, Any]:
        words = torch.from_numpy(np.asarray(ids, dtype=np.int64)).to(condition.device)
        outputs, after = self._module.read(words[:, None], condition, state)
        return TensorScores(*self._output(outputs[:, -1])), (condition, after)
