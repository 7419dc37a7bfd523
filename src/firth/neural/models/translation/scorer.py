"""A translator over a batch of sources, for searches."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.neural.decoding import TensorScores
from firth.neural.layers.state import rows_of
from firth.neural.models.translation.data import SourceBatch
from firth.neural.models.translation.module import TranslationModule
from firth.neural.models.translation.units import BOS

Ids = npt.NDArray[np.int64]


class TranslationScorer:
    """Scores of the next target tokens; implements `firth.inference.scorer.Scorer`.

    Several hypotheses of a source share what the decoder looks at.

    Args:
        module: of the translator, in evaluation mode.
        sources: B sources.
    """

    def __init__(self, module: TranslationModule, sources: SourceBatch) -> None:
        self._module, self._sources = module, sources

    @torch.no_grad()
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, Any]:
        """Return the scores of the first token of each target; prompts are empty, as constraints have prefixes."""
        memory, state = self._module.encode(self._sources)
        rows = np.arange(len(prompts))
        return self._scores((memory, rows, state, None), np.full(len(rows), BOS))

    @torch.no_grad()
    def advance(self, state: Any, ids: Ids) -> tuple[TensorScores, Any]:
        """Return the scores of the next tokens; see `Scorer.advance`."""
        return self._scores(state, np.asarray(ids, dtype=np.int64))

    def reorder(self, state: Any, rows: Ids) -> Any:
        """Return the state of some hypotheses; see `Scorer.reorder`."""
        memory, sources, own, _ = state
        rows = np.asarray(rows, dtype=np.int64)
        picked = torch.from_numpy(rows).to(self._sources.ids.device)
        # The order of the sources stays the same from step to step until hypotheses end.
        if len(rows) != len(sources) or not np.array_equal(sources[rows], sources):
            memory = rows_of(memory, picked)
        return memory, sources[rows], rows_of(own, picked), None

    def attention(self, state: Any) -> list[npt.NDArray[np.float32]]:
        """Return the weights of the source positions at the last step; see `firth.inference.scorer.Attention`.

        The decoder is recurrent, and has attention.
        """
        _, rows, _, weights = state
        lengths = self._sources.lengths.numpy()[rows].tolist()
        return [row[:length] for row, length in zip(weights.float().cpu().numpy(), lengths, strict=True)]

    def _scores(self, state: Any, ids: Ids) -> tuple[TensorScores, Any]:
        memory, rows, own, _ = state
        before = torch.from_numpy(ids[:, None]).to(self._sources.ids.device)
        hidden, weights, own = self._module.step(before, memory, own)
        sources, last = self._sources, torch.from_numpy(rows).to(self._sources.ids.device)
        log_prob = self._module.next_log_prob(before[:, -1], hidden, weights, sources, last)
        return TensorScores(log_prob), (memory, rows, own, weights)
