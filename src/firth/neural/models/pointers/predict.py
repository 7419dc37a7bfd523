"""A trained pointer network: positions of new sets, found greedily or by beam search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.evaluation.significance import wilson_interval
from firth.inference.generation_options import Continuation, GenerationOptions
from firth.inference.sampling import greedy_search
from firth.inference.search import BeamSearch, beam_search
from firth.neural.decoding import TensorScores
from firth.neural.layers.state import rows_of
from firth.neural.models.pointers.data import END, Floats, Positions, padded, read_examples, read_inputs
from firth.neural.prediction import in_batches
from firth.neural.saved import SavedModel, size_field
from firth.progress import Progress

BATCH = 256  # sets that are searched together


@dataclass(frozen=True)
class PointerScores:
    """How often a pointer network is right.

    Attributes:
        exact: share of sets whose sequence of positions is exactly the expected one.
        low: lower bound of the 95 % interval of `exact` (Wilson's).
        high: upper bound.
        examples: number of sets.
    """

    exact: float
    low: float
    high: float
    examples: int

    def __str__(self) -> str:
        return f"{self.exact:.3f} ({self.low:.3f} to {self.high:.3f}) of {self.examples:,} sequences are exactly right"


class PointerModel(SavedModel):
    """A trained pointer network, as `firth.PointerNetwork(...).train` returns it.

    Attributes:
        module: in evaluation mode.
        options: of the network.
        dim: D, width of the vectors.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-pointer-network"
    what: ClassVar = "a pointer network"
    saved_fields: ClassVar = (size_field("dim"),)
    dim: int

    def __repr__(self) -> str:
        return f"<PointerModel: {self.dim} numbers per vector, order={self.options.order!r}>"

    @explained
    def predict(
        self, inputs: Any, *, beams: int | BeamSearch = 1, threads: int | None = None, progress: Progress = False
    ) -> list[Positions]:
        """Return the positions that the network points at in each set, (T,) int64 from 0.

        Args:
            inputs: sets of vectors, as for `train`.
            beams: 1 for greedy search, or a number of beams, which looks for the most probable sequence, or
                `firth.BeamSearch`.

        Raises:
            ArgumentTypeError: a set is no array of numbers.
            ShapeError: a set is empty, or its vectors have another width than the network's.
            OptionError: `beams` is below 1.
        """
        paths = self._search(read_inputs(inputs, dim=self.dim), beams, threads, progress)
        return [np.array(path.ids, dtype=np.int64) - 1 for path in paths]

    @explained
    def test(
        self,
        inputs: Any,
        targets: Any,
        *,
        beams: int | BeamSearch = 1,
        threads: int | None = None,
        progress: Progress = None,
    ) -> PointerScores:
        """Return how many sequences of positions are exactly right.

        Args:
            inputs: sets of vectors, as for `train`.
            targets: their positions, likewise.
            beams: as for `predict`.
            progress: as for `predict`.

        Raises:
            CorpusError: there are no examples, not as many targets as sets, or a position is outside its set.
            ArgumentTypeError, ShapeError, OptionError: as `predict`.
        """
        examples = read_examples(inputs, targets, order="any", dim=self.dim)
        paths = self._search(examples.inputs, beams, threads, progress)
        pairs = zip(paths, examples.targets, strict=True)
        right = sum(path.ids == tuple((target + 1).tolist()) for path, target in pairs)
        return PointerScores(right / len(paths), *wilson_interval(right, len(paths)), examples=len(paths))

    def _search(
        self, sets: Sequence[Floats], beams: int | BeamSearch, threads: int | None, progress: Progress
    ) -> list[Continuation]:
        search = beams if isinstance(beams, BeamSearch) else BeamSearch(beams=beams, length_normalisation="none")

        def point(rows: list[int]) -> list[Continuation]:
            scorer = PointerScorer(self.module, [sets[row] for row in rows])
            longest = self.options.max_length if self.options.order == "any" else scorer.size
            options = GenerationOptions(max_length=longest + 1)  # with the end
            prompts = [()] * len(rows)
            if search.beams == 1:
                return greedy_search(scorer, prompts, options, stop=(END,))
            return [best for best, *_ in beam_search(scorer, prompts, options, search, stop=(END,))]

        sizes = list(map(len, sets))
        return in_batches(sizes, point, size=BATCH, stage="pointing", unit="sets", threads=threads, progress=progress)

    def _card(self) -> tuple[str, str, str]:
        example = f"model.predict([{[[0.0] * self.dim] * 2}])\n"
        return "Pointer network", f" of sets of vectors of {self.dim} numbers", example


class PointerScorer:
    """A pointer network over a batch of sets, for searches; implements `firth.inference.scorer.Scorer`.

    Args:
        sets: B arrays (N, D).

    Attributes:
        size: vectors of the largest set.
    """

    def __init__(self, module: Any, sets: Sequence[Floats]) -> None:
        self._module, self._sets = module, sets
        self.size = max(map(len, sets))

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, Any]:
        """Return the scores of the first position of each set; prompts are empty."""
        device = next(self._module.parameters()).device
        inputs, lengths = padded(self._sets)
        *memory, state = self._module.encode(inputs.to(device), lengths)
        used = torch.zeros(len(inputs), memory[0].shape[1], dtype=torch.bool, device=device)
        return self._scores((*memory, state), torch.full((len(inputs),), END, device=device), used)

    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[TensorScores, Any]:
        """Return the scores of the next positions; see `Scorer.advance`."""
        memory, used = state
        previous = torch.from_numpy(np.asarray(ids, dtype=np.int64)).to(used.device)
        used = used.scatter(1, previous[:, None], True)
        return self._scores(memory, previous, used)

    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the state of some sets; see `Scorer.reorder`."""
        return rows_of(state, torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(state[1].device))

    def _scores(self, memory: Any, previous: torch.Tensor, used: torch.Tensor) -> tuple[TensorScores, Any]:
        *fixed, state = memory
        log_probs, state = self._module.decode(memory, previous[:, None], state, used[:, None])
        scores = log_probs[:, 0]
        lowest = torch.finfo(scores.dtype).min / 2
        return TensorScores(scores.masked_fill(scores < lowest, -torch.inf)), ((*fixed, state), used)
