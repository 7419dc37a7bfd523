"""Translations, and how they are searched for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.inference.beam_search import BeamSearch, beam_search
from firth.inference.constraints import Constraints
from firth.inference.continuation import Continuation
from firth.inference.ensemble import Ensemble
from firth.inference.generation_options import GenerationOptions
from firth.inference.sampling import greedy_search, sample
from firth.inference.scorer import Scorer
from firth.neural.models.translation.scorer import TranslationScorer
from firth.neural.models.translation.units import EOS

Floats = npt.NDArray[np.float64]


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
    """

    text: str
    tokens: tuple[str, ...] = ()
    source_tokens: tuple[str, ...] = ()
    score: float = 0.0
    log_prob: float = 0.0
    ended: bool = True
    attention: npt.NDArray[np.float32] | None = field(default=None, compare=False, repr=False)
    others: "tuple[Translation, ...]" = ()

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True)
class Search:
    """How translations are found and shown; the arguments of `TranslationSystem.translate`."""

    beams: BeamSearch
    options: GenerationOptions
    n_best: int
    unknown: str
    dictionary: Mapping[str, str]
    attention: bool
    seed: int
    banned: tuple[int, ...]

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
        """Return the translations of each source, best first.

        Args:
            scorers: of the models.
            weights: of the models.
            constraints: of each translation.
            numbers: of the texts among all that are translated; they select the random numbers of sampling.
        """
        scorer: Scorer = scorers[0] if len(scorers) == 1 else Ensemble(tuple(scorers), weights)
        prompts: list[tuple[int, ...]] = [()] * len(constraints)
        limits: dict[str, Any] = {"stop": (EOS,), "banned": self.banned, "constraints": constraints}
        if self.sampling:
            found = sample(scorer, prompts, self.options, **limits, seed=self.seed, numbers=numbers)
            return [[each] for each in found]
        if self.beams.beams == 1 and not any(each.phrases for each in constraints):
            return [[each] for each in greedy_search(scorer, prompts, self.options, **limits)]
        if self.beams.coverage_penalty:  # the attention of the first model
            one = len(scorers) == 1
            limits["attention"] = lambda state: scorers[0].attention(state if one else state[0])
        return beam_search(scorer, prompts, self.options, self.beams, self.n_best, **limits)
