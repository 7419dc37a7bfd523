"""A translator over a batch of sources, for searches.

What: the decoder computes a batch of P sources with W rows each, so that the hypotheses of a source share what the
    decoder looks at. Where a source has fewer hypotheses than another, its last one fills the rows that are left.
Departures: the bits of a hypothesis do not depend on the other sources: the batch has at least `STEADY_ROWS` rows, and
    W does not fall below that number again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import OptionError, brief_repr
from firth.inference.constraints import Constraints
from firth.inference.ensemble import Ensemble
from firth.inference.generation_options import Continuation, GenerationOptions
from firth.inference.sampling import greedy_search, sample
from firth.inference.scorer import Scorer
from firth.inference.search import BeamSearch, beam_search
from firth.neural.decoding import TensorScores
from firth.neural.layers.products import STEADY_ROWS
from firth.neural.layers.state import State, rows_of
from firth.neural.models.translation.candidates import CandidateScores
from firth.neural.models.translation.data import SourceBatch
from firth.neural.models.translation.module import TranslationModule
from firth.neural.models.translation.units import BOS, EOS
from firth.options import check_kind, check_whole

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Text = TypeVar("Text", bound="Translation | Any")


@dataclass(frozen=True, eq=False)
class _Rows:
    """How R hypotheses fill P W rows.

    Attributes:
        sources: (P,) in rising order; the last possibly repeated.
        shown: (P W,) the hypothesis in each row.
        slots: (R,) the row of each hypothesis.
    """

    sources: Ids
    shown: Ids
    slots: Ids

    @property
    def width(self) -> int:
        """W."""
        return len(self.shown) // len(self.sources)

    @property
    def sources_of_rows(self) -> Ids:
        """(P W,)."""
        return np.repeat(self.sources, self.width)

    @property
    def in_order(self) -> bool:
        """Whether hypotheses are in the first rows, in their order."""
        return bool((self.slots == np.arange(len(self.slots))).all())


def _rows(sources: Ids, least: int) -> _Rows:
    """Return the rows of hypotheses, given their (R,) sources and the minimum of W."""
    kept, numbers, counts = np.unique(sources, return_inverse=True, return_counts=True)
    order, starts = numbers.argsort(kind="stable"), np.cumsum(counts) - counts
    width = max(int(counts.max()), least)
    slots = np.empty_like(order)
    slots[order] = numbers[order] * width + np.arange(len(order)) - starts[numbers[order]]
    shown = order[starts[:, None] + np.minimum(np.arange(width), counts[:, None] - 1)]  # (P, W)
    filled = np.arange(max(len(kept), -(-STEADY_ROWS // width))).clip(max=len(kept) - 1)
    return _Rows(kept[filled], shown[filled].ravel(), slots)


@dataclass(frozen=True, eq=False)
class _State:
    """State of R hypotheses.

    Attributes:
        rows: of the batch.
        memory: of the P sources, what the decoder looks at.
        own: state of the decoder, of the P W rows.
        weights: (P W, S) attention of the last step, if it is known.
    """

    rows: _Rows
    memory: Any
    own: State
    weights: torch.Tensor | None = None


class TranslationScorer:
    """Scores of the next target tokens; implements `firth.inference.scorer.Scorer`."""

    def __init__(
        self, module: TranslationModule, sources: SourceBatch, candidates: Sequence[Ids] | None = None
    ) -> None:
        self._module, self._sources = module, sources.steady()
        self._read = module.decoder.prepared()
        output: Any = module.output
        self._candidates = None if candidates is None else CandidateScores(output, candidates)
        self._output: Any = output.prepared() if candidates is None else None

    @torch.no_grad()
    def start(self, prompts: Sequence[Sequence[int]]) -> tuple[TensorScores, Any]:
        """Return the scores of the first token of each target; prompts are empty, as constraints have prefixes."""
        memory, own = self._module.encode(self._sources)
        texts, rows = np.arange(len(prompts)), np.arange(len(self._sources.ids))
        state = _State(_Rows(rows, rows.clip(max=len(texts) - 1), texts), memory, own)
        return self._scores(state, np.full(len(texts), BOS))

    @torch.no_grad()
    def advance(self, state: Any, ids: Ids) -> tuple[TensorScores, Any]:
        """Return the scores of the next tokens; see `Scorer.advance`."""
        return self._scores(state, np.asarray(ids, dtype=np.int64))

    def reorder(self, state: Any, rows: Ids) -> Any:
        """Return the state of some hypotheses; see `Scorer.reorder`."""
        before, slots = state.rows, state.rows.slots[np.asarray(rows, dtype=np.int64)]
        new = _rows(before.sources_of_rows[slots], min(before.width, STEADY_ROWS))
        memory = state.memory
        if not np.array_equal(new.sources, before.sources):
            memory = rows_of(memory, self._on_device(np.searchsorted(before.sources, new.sources)))
        return _State(new, memory, rows_of(state.own, self._on_device(slots[new.shown])))

    def attention(self, state: Any) -> list[npt.NDArray[np.float32]]:
        """Return the weights of the source positions at the last step; see `firth.inference.scorer.Attention`.

        The decoder is recurrent, and has attention.
        """
        slots = state.rows.slots
        lengths = self._sources.lengths.numpy()[state.rows.sources_of_rows[slots]].tolist()
        weights = state.weights.float().cpu().numpy()[slots]
        return [row[:length] for row, length in zip(weights, lengths, strict=True)]

    def _scores(self, state: Any, ids: Ids) -> tuple[TensorScores, Any]:
        rows = state.rows
        before = self._on_device(ids[rows.shown])
        outputs, weights, own = self._read(self._module.embedded(before[:, None]), state.memory, state.own)
        hidden, weights = outputs[:, -1], None if weights is None else weights[:, -1]
        columns = None
        if self._candidates is not None:
            scores, normaliser = self._candidates(hidden, self._on_device(rows.sources))
            columns = self._candidates.columns, self._module.output.words
        elif self._output is not None and self._module.copy_gate is None:
            scores, normaliser = self._output(hidden)
        else:
            last = self._on_device(rows.sources_of_rows)
            scores, normaliser = self._module.next_log_prob(before, hidden, weights, self._sources, last), None
        slots = slice(len(rows.slots)) if rows.in_order else self._on_device(rows.slots)
        normaliser = None if normaliser is None else normaliser[slots]
        return TensorScores(scores[slots], normaliser, columns), _State(rows, state.memory, own, weights)

    def _on_device(self, numbers: Ids) -> torch.Tensor:
        return torch.from_numpy(numbers).to(self._sources.ids.device)


@dataclass(frozen=True)
class Translation:
    """A translation of a text.

    Attributes:
        text: the translation.
        tokens: T tokens of it, as the decoder wrote them, with unknown words replaced.
        source_tokens: S tokens of the source, as far as they were read.
        score: by which the search ranks: the sum of log-probabilities, normalised by length.
        log_prob: natural logarithm of the probability, with the end if it was generated.
        ended: whether the translation ended by itself; otherwise it reached the maximum length.
        attention: (T + 1, S + 1) of each token and the end over the source and its end, if asked for.
        others: further translations of an n-best list, best first.
        token_log_probs: (T + 1,) natural logarithms of the probability of each token and the end, of targets that were
            given; else None.
    """

    text: str
    tokens: tuple[str, ...] = ()
    source_tokens: tuple[str, ...] = ()
    score: float = 0.0
    log_prob: float = 0.0
    ended: bool = True
    attention: npt.NDArray[np.float32] | None = field(default=None, compare=False, repr=False)
    others: "tuple[Translation, ...]" = ()
    token_log_probs: npt.NDArray[np.float64] | None = field(default=None, compare=False, repr=False)

    __repr__ = brief_repr

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True)
class Search:
    """How translations are found and shown; the arguments of `TranslationSystem.translate`."""

    beams: BeamSearch
    options: GenerationOptions
    banned: tuple[int, ...]
    n_best: int = 1
    unknown: str = "kept"
    dictionary: Mapping[str, str] = field(default_factory=dict)
    attention: bool = False
    seed: int = 0

    @classmethod
    def of(
        cls, beam: int | BeamSearch, options: GenerationOptions | None, *, longest: int, item: str, **settings: Any
    ) -> "Search":
        """Return the search that a caller asks for.

        Args:
            options: None for texts of at most `longest` tokens.
            item: what the caller gives several of, for a message.

        Raises:
            OptionError: options contradict each other.
        """
        if options is not None:
            check_kind("options", options, GenerationOptions)
        options = options or GenerationOptions(max_length=longest)
        beams = beam if isinstance(beam, BeamSearch) else BeamSearch(beams=beam)
        search = cls(beams=beams, options=options, **settings)
        check_whole("n_best", search.n_best)
        if search.n_best > beams.beams:
            raise OptionError(f"n_best={search.n_best}: expected from 1 to the number of beams, {beams.beams}")
        if options.temperature == 0 and beams.beams > 1:
            raise OptionError(f"temperature=0 with {beams.beams} beams: expected beam=1, which is greedy search")
        if search.sampling and search.n_best > 1:
            raise OptionError(
                f"n_best={search.n_best} with sampling: expected 1; give each {item} {search.n_best} times for as many "
                "samples, or search by beams, without temperature, top_k, top_p and min_p"
            )
        return search

    @property
    def sampling(self) -> bool:
        """Whether translations are drawn at random."""
        return self.options.samples and self.options.temperature != 0

    def run(
        self,
        scorers: Sequence[TranslationScorer],
        weights: Floats,
        constraints: Sequence[Constraints],
        numbers: Sequence[int],
    ) -> list[list[Continuation]]:
        """Return the translations of each source, best first."""
        scorer: Scorer = scorers[0] if len(scorers) == 1 else Ensemble(tuple(scorers), weights)
        prompts: list[tuple[int, ...]] = [()] * len(constraints)
        limits: dict[str, Any] = {"stop": (EOS,), "banned": self.banned, "constraints": constraints}
        if self.sampling:
            texts = sample(scorer, prompts, self.options, **limits, seed=self.seed, numbers=numbers)
            return [[text] for text in texts]
        if self.beams.beams == 1 and not any(constraint.phrases for constraint in constraints):
            return [[text] for text in greedy_search(scorer, prompts, self.options, **limits)]
        if self.beams.coverage_penalty:  # the attention of the first model
            alone = len(scorers) == 1
            limits["attention"] = lambda state: scorers[0].attention(state if alone else state[0])
        return beam_search(scorer, prompts, self.options, self.beams, self.n_best, **limits)


def best_with_others(results: Iterable[Text], lists: Sequence[Sequence[Continuation]]) -> list[Text]:
    """Return the first result of each list, which holds its others, given those of all continuations in turn."""
    remaining = iter(results)
    grouped: Any = [[next(remaining) for _ in continuations] for continuations in lists]
    return [replace(best, others=tuple(rest)) for best, *rest in grouped]
