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
        """Return the scores of the first token of each target after its prompt; prompts have the same length."""
        memory, state = self._module.encode(self._sources)
        given = np.array([[BOS, *prompt] for prompt in prompts], dtype=np.int64)
        rows = np.arange(len(given))
        return self._scores((memory, rows, state), given)

    @torch.no_grad()
    def advance(self, state: Any, ids: Ids) -> tuple[TensorScores, Any]:
        """Return the scores of the next tokens; see `Scorer.advance`."""
        return self._scores(state, np.asarray(ids, dtype=np.int64)[:, None])

    def reorder(self, state: Any, rows: Ids) -> Any:
        """Return the state of some hypotheses; see `Scorer.reorder`."""
        memory, sources, own = state
        rows = np.asarray(rows, dtype=np.int64)
        picked = torch.from_numpy(rows).to(self._sources.ids.device)
        # The order of the sources stays the same from step to step until hypotheses end.
        if len(rows) != len(sources) or not np.array_equal(sources[rows], sources):
            memory = rows_of(memory, picked)
        return memory, sources[rows], rows_of(own, picked)

    def _scores(self, state: Any, ids: Ids) -> tuple[TensorScores, Any]:
        memory, rows, own = state
        hidden, own = self._module.decode(torch.from_numpy(ids).to(self._sources.ids.device), memory, own)
        return TensorScores(self._module.output.log_prob(hidden[:, -1])), (memory, rows, own)
