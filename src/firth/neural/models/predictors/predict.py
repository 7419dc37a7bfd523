"""A trained latent predictor network: texts of records, their likelihoods and segments."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from firth.arguments import explained
from firth.evaluation.significance import wilson_interval
from firth.inference.generation_options import GenerationOptions
from firth.inference.sampling import greedy_search
from firth.neural.decoding import TensorScores
from firth.neural.layers.state import State, mapped, rows_of
from firth.neural.models.predictors.data import END, IDS, Values, collated, padded_values, read_examples, read_records
from firth.neural.models.predictors.module import Memory, PredictorModule
from firth.neural.prediction import in_batches
from firth.neural.saved import Field, Saved, SavedModel
from firth.neural.structs.segmentations import Segments, piece_gradients, segments_total
from firth.neural.structs.semirings import LOG, MAX
from firth.progress import Progress
from firth.storage.model_folder import ModelFolder

BATCH = 64  # records that are read together


@dataclass(frozen=True)
class TextScores:
    """How often written texts are right.

    Attributes:
        exact: share of texts that are exactly the expected ones.
        low: lower bound of its 95 % interval (Wilson's).
        high: upper bound.
        examples: number of texts.
    """

    exact: float
    low: float
    high: float
    examples: int

    def __str__(self) -> str:
        return f"{self.exact:.3f} ({self.low:.3f} to {self.high:.3f}) of {self.examples:,} texts are exactly right"


class Segment(NamedTuple):
    """A part of a text.

    Attributes:
        text: as it is written; bytes that are no text alone are replaced.
        field: that was copied; "" if it was generated.
    """

    text: str
    field: str


def _read_fields(content: ModelFolder, options: Any) -> list[str]:
    fields = list(content.config["fields"])
    if not fields or not all(isinstance(name, str) for name in fields) or len(set(fields)) != len(fields):
        raise ValueError(f"{len(fields)} fields")
    return fields


class PredictorModel(SavedModel):
    """A trained latent predictor network, as `firth.LatentPredictorNetwork(...).train` returns it.

    Attributes:
        module: in evaluation mode.
        options: of the network.
        fields: names of the F fields.
        metadata: JSON values: how it was trained.
    """

    kind: ClassVar = "firth-predictor-network"
    what: ClassVar = "a latent predictor network"
    saved_fields: ClassVar = (Field("fields", lambda names: Saved(config={"fields": list(names)}), _read_fields),)
    fields: list[str]

    module: PredictorModule

    def __repr__(self) -> str:
        return f"<PredictorModel: {', '.join(self.fields)}>"

    @explained
    def predict(self, inputs: Any, *, threads: int | None = None, progress: Progress = False) -> list[str]:
        """Return the texts of records, byte by byte the most probable one over all predictors.

        Args:
            inputs: records, as for `train`.

        Raises:
            ArgumentTypeError: a record is no mapping from strings to strings.
            CorpusError: a record has an unknown field.
        """
        values = read_records(inputs, self.fields)[1]
        options = GenerationOptions(max_length=self.options.max_length + 1)  # with the end

        def write(rows: list[int]) -> list[str]:
            scorer = PredictorScorer(self.module, [values[row] for row in rows])
            written = greedy_search(scorer, [()] * len(rows), options, stop=(END,))
            return [bytes(i for i in text.ids if i != END).decode("utf-8", "replace") for text in written]

        shown: dict[str, Any] = {"stage": "writing", "unit": "records", "threads": threads, "progress": progress}
        return in_batches(range(len(values)), write, size=BATCH, by_length=False, **shown)

    @explained
    def test(self, inputs: Any, targets: Any, *, threads: int | None = None, progress: Progress = None) -> TextScores:
        """Return how many texts of records are exactly right.

        Args:
            inputs: records, as for `train`.
            targets: their texts.
            progress: as for `predict`.

        Raises:
            ArgumentTypeError, CorpusError: as `train`.
        """
        expected = read_examples(read_records(inputs, self.fields)[1], targets)
        written = self.predict(inputs, threads=threads, progress=progress)
        right = sum(a == b.target.decode("utf-8", "surrogatepass") for a, b in zip(written, expected, strict=True))
        return TextScores(right / len(written), *wilson_interval(right, len(written)), examples=len(written))

    def log_likelihood(self, inputs: Any, targets: Any) -> npt.NDArray[np.float64]:
        """Return the logarithms of the probabilities of texts, in nats, over all segments and predictors.

        Args:
            inputs: records, as for `train`.
            targets: their texts.

        Raises:
            ArgumentTypeError, CorpusError: as `train`.
        """
        return np.concatenate(
            [segments_total(segments, LOG).cpu().numpy() for segments in self._segments(inputs, targets)]
        )

    def segments(self, inputs: Any, targets: Any) -> list[list[Segment]]:
        """Return the most probable segments of texts, and the field that each copies.

        Args:
            inputs: records, as for `train`.
            targets: their texts.

        Raises:
            ArgumentTypeError, CorpusError: as `train`.
        """
        examples, result = read_examples(read_records(inputs, self.fields)[1], targets), list[list[Segment]]()
        for segments in self._segments(inputs, targets):
            for chosen in piece_gradients(segments, MAX) > 0:
                text, parts = examples[len(result)].target, []
                for end, size, label in chosen.nonzero().tolist():
                    part = text[end - size : end + 1].decode("utf-8", "replace")
                    parts += [Segment(part, self.fields[label - 1] if label else "")] if part else []
                result.append(parts)
        return result

    @torch.no_grad()
    def _segments(self, inputs: Any, targets: Any) -> list[Segments]:
        examples = read_examples(read_records(inputs, self.fields)[1], targets)
        limit = self.options.max_copy if self.options.copying else 0
        parts = [examples[start : start + BATCH] for start in range(0, len(examples), BATCH)]
        return [self.module(collated(part, limit).to(self.device)) for part in parts]

    @classmethod
    def _build(cls, options: Any, *values: Any) -> torch.nn.Module:
        return super()._build(options, len(values[0]))

    def _card(self) -> tuple[str, str, str]:
        return "Latent predictor network", f" of the fields {', '.join(self.fields)}", "model.predict(records)\n"


class PredictorScorer:
    """A network over a batch of records, for searches; implements `firth.inference.scorer.Scorer`.

    A state has the shares, among all ways to write the text so far, of those that end here, and of copies of each field
    of which k bytes are written.
    """

    def __init__(self, module: PredictorModule, values: Sequence[Values]) -> None:
        self._module, self._values = module, values

    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, Any]:
        """Return the scores of the first byte of each text; prompts are empty."""
        device = next(self._module.parameters()).device
        values, sizes = (table.to(device) for table in padded_values(self._values))
        memory, state = self._module.encode(values, sizes)
        open_copies = torch.zeros(values.shape, dtype=torch.float64, device=device)
        here = torch.ones(len(values), dtype=torch.float64, device=device)
        previous = torch.full((len(values),), END, device=device)
        return self._scores((values, sizes, tuple(memory)), previous, state, here, open_copies)

    def advance(self, state: Any, ids: npt.NDArray[np.int64]) -> tuple[TensorScores, Any]:
        """Return the scores of the next bytes; see `Scorer.advance`."""
        fixed, decoder, generate, here, begun = state
        values, sizes, _ = fixed
        byte = torch.from_numpy(np.asarray(ids, dtype=np.int64)).to(values.device)
        going = begun * (values == byte[:, None, None])  # (B, F, N) with byte k written, k from 0
        ended = torch.arange(values.shape[2], device=values.device) == sizes.unsqueeze(2) - 1
        here = here * generate.gather(1, byte.unsqueeze(1)).squeeze(1) + (going * ended).sum((1, 2))
        open_copies = torch.nn.functional.pad(going * ~ended, (1, -1))
        whole = here + open_copies.sum((1, 2))
        whole = torch.where(whole > 0, whole, torch.ones_like(whole))  # a text that no way leads to
        return self._scores(fixed, byte, decoder, here / whole, open_copies / whole[:, None, None])

    def reorder(self, state: Any, rows: npt.NDArray[np.int64]) -> Any:
        """Return the state of some records; see `Scorer.reorder`."""
        return rows_of(state, torch.from_numpy(np.asarray(rows, dtype=np.int64)).to(state[3].device))

    def _scores(
        self, fixed: Any, previous: torch.Tensor, decoder: State, here: torch.Tensor, open_copies: torch.Tensor
    ) -> tuple[TensorScores, Any]:
        values, _, memory = fixed
        predictions, decoder = self._module.decode(Memory(*memory), previous.unsqueeze(1), decoder)
        generate, copy = (table[:, 0].double().exp() for table in predictions)
        begun = open_copies.clone()
        begun[:, :, 0] += here.unsqueeze(1) * copy
        shares = here.unsqueeze(1) * generate
        shares = shares.scatter_add(1, values.flatten(1).clamp(max=IDS - 1), begun.flatten(1))
        return TensorScores(shares.log()), (fixed, mapped(decoder, torch.Tensor.detach), generate, here, begun)
