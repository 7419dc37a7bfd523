"""Beam search: the most probable texts, with several hypotheses per prompt.

What: each step extends every hypothesis by every word and keeps the best. A hypothesis that ends is set aside. Longer
    texts have lower probabilities, so finished texts are ranked by normalised sums. Diverse beam groups give texts that
    differ.
Objective: score(y) = sum_t s(y_t) / n(L) with n(L) = 1, L, or ((5 + L) / 6)^a for L words, with the end; within group
    g, candidates of a step are compared by their sums minus d times the number of beams of earlier groups that selected
    the same word at this step.
Source: Wu et al. 2016, Google's Neural Machine Translation System, section 7 (lengths); Vijayakumar et al. 2018,
    Diverse Beam Search, section 4 (groups, with the Hamming distance).
Departures: the diversity penalty affects selection only; sums do not contain it. The search of a prompt ends when as
    many texts have ended as it has beams, or, exactly, when no hypothesis can become better than the requested results:
    sums only fall, and n(L) is largest at the maximum length. One beam is therefore greedy search. A text that ends
    must be among the best of its step, like those that continue.
Cost: one call of the model per word, for the beams of all prompts together, and the K best words of each of its rows
    (`Candidates`), for K of a few times the number of beams: no array of all words is copied from the model's device.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from firth.errors import OptionError
from firth.inference.continuation import Continuation
from firth.inference.generation_options import GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.scorer import Candidates, Floats, Ids, Scorer, top_candidates
from firth.options import check, option, options_class


@options_class
class BeamSearch:
    """Options of beam search.

    Raises:
        OptionError: a value is out of its range, or the beams cannot be divided among the groups.
    """

    beams: int = option(5, "number of beams: hypotheses per prompt and step", minimum=1)
    length_normalisation: str = option(
        "mean", "length normalisation of scores: mean per word, Wu et al. 2016, or none", choices=("mean", "wu", "none")
    )
    length_power: float = option(0.6, "exponent alpha of the length normalisation wu", minimum=0)
    groups: int = option(1, "diverse beam groups", minimum=1)
    diversity_penalty: float = option(
        0.5, "diversity penalty in nats, for a word that another group selected at this step", minimum=0
    )

    def __post_init__(self) -> None:
        check(self)
        if self.beams % self.groups:
            raise OptionError(f"groups={self.groups}: expected a divisor of beams={self.beams}")

    def normaliser(self, length: int) -> float:
        """Return n(L), the divisor of a sum over so many words."""
        if self.length_normalisation == "none":
            return 1.0
        return float(length) if self.length_normalisation == "mean" else ((5 + length) / 6) ** self.length_power


def beam_search(
    scorer: Scorer,
    prompts: Sequence[Sequence[int]],
    options: GenerationOptions | None = None,
    beams: BeamSearch | None = None,
    n: int = 1,
    *,
    stop: Sequence[int] = (),
    banned: Sequence[int] = (),
) -> list[list[Continuation]]:
    """Return the best continuations of each prompt that beam search finds.

    Args:
        scorer: the model.
        prompts: B sequences of ids.
        options: generation options; those of sampling have no effect.
        beams: options of the search.
        n: maximum number of continuations per prompt.
        stop: ids that end a text.
        banned: ids that are never generated.

    Returns:
        B lists, best first, possibly shorter than n.

    Raises:
        OptionError: n exceeds the number of beams.
    """
    beams, options = beams or BeamSearch(), options or GenerationOptions()
    if not 1 <= n <= beams.beams:
        raise OptionError(f"n={n}: expected from 1 to beams={beams.beams}")
    if not len(prompts):
        return []
    processor = LogitsProcessor(options, tuple(stop), tuple(banned))
    searches = [_Search(tuple(prompt), row, processor, beams, n) for row, prompt in enumerate(prompts)]
    longest = max(len(prompt) for prompt in prompts)
    # Constraints and the diversity penalty only lower scores. So the best words of a row after lowering are among as
    # many more of the best before.
    count = beams.beams // beams.groups * (1 + len(stop)) + (beams.beams if beams.groups > 1 else 0)
    scores, state = scorer.start(prompts)
    for generated in range(options.max_length):
        lowered = processor.max_lowered(longest + generated, generated)
        candidates = top_candidates(scores, count + lowered)
        for search in searches:
            search.step(candidates, generated)
        groups = [group for search in searches for group in search.active_groups()]
        hypotheses = [each for group in groups for each in group.hypotheses]
        if not hypotheses:
            break
        state = scorer.reorder(state, np.array([each.row for each in hypotheses]))
        scores, state = scorer.advance(state, np.array([each.ids[-1] for each in hypotheses]))
        rows = iter(range(len(hypotheses)))
        for group in groups:
            group.hypotheses = [replace(each, row=next(rows)) for each in group.hypotheses]
    return [search.best() for search in searches]


@dataclass(frozen=True)
class Hypothesis:
    """A text in progress.

    Attributes:
        ids: generated words.
        total: sum of constrained scores.
        log_prob: sum of the model's own scores.
        row: in the model's batch.
    """

    ids: tuple[int, ...]
    total: float
    log_prob: float
    row: int


@dataclass
class _Group:
    hypotheses: list[Hypothesis]
    finished: list[Continuation] = field(default_factory=list)


class _Search:
    """The search of one prompt."""

    def __init__(
        self, prompt: tuple[int, ...], row: int, processor: LogitsProcessor, beams: BeamSearch, n: int
    ) -> None:
        self.prompt, self.processor, self.beams, self.n = prompt, processor, beams, n
        self.width = beams.beams // beams.groups
        self.groups = [_Group([Hypothesis((), 0.0, 0.0, row)]) for _ in range(beams.groups)]

    def active_groups(self) -> Iterator[_Group]:
        """Yield the groups that are not finished."""
        return (group for group in self.groups if group.hypotheses)

    def best(self) -> list[Continuation]:
        """Return the results, each text once."""
        ranked = sorted((text for group in self.groups for text in group.finished), key=lambda text: -text.score)
        return list({(text.ids, text.ended): text for text in ranked}.values())[: self.n]

    def step(self, candidates: Candidates, generated: int) -> None:
        """Extend all hypotheses by one word.

        Args:
            candidates: of the model's whole batch.
            generated: words of each hypothesis.
        """
        penalties: dict[int, float] = {}  # by word, of the diversity penalty
        is_last = generated + 1 == self.processor.options.max_length
        for group in self.active_groups():
            self._extend(group, candidates.rows([each.row for each in group.hypotheses]), generated, penalties)
            for each in group.hypotheses:
                penalties[each.ids[-1]] = penalties.get(each.ids[-1], 0.0) + self.beams.diversity_penalty
            if is_last:
                self._finish(group, group.hypotheses)
            if is_last or self._is_finished(group):
                group.hypotheses = []

    def _extend(self, group: _Group, candidates: Candidates, generated: int, penalties: dict[int, float]) -> None:
        """Replace the hypotheses of a group by the best that are one word longer."""
        texts = [self.prompt + each.ids for each in group.hypotheses]
        allowed = self.processor.process_candidates(candidates, texts, generated)  # (n, K)
        stuck = ~np.isfinite(allowed.max(axis=1))
        self._finish(group, [each for each, is_stuck in zip(group.hypotheses, stuck, strict=True) if is_stuck])
        totals = allowed + np.array([[each.total] for each in group.hypotheses])
        ranks = totals.copy()
        for word, penalty in penalties.items():
            ranks[candidates.ids == word] -= penalty
        extended: list[Hypothesis] = []
        count = self.width * (1 + len(self.processor.stop))  # enough to continue, whatever ends
        for place, (parent, column) in enumerate(_best(ranks, candidates.ids, count)):
            before, word = group.hypotheses[parent], int(candidates.ids[parent, column])
            total, log_prob = float(totals[parent, column]), before.log_prob + float(candidates.scores[parent, column])
            if word not in self.processor.stop:
                extended.append(Hypothesis((*before.ids, word), total, log_prob, before.row))
            elif place < self.width:
                score = total / self.beams.normaliser(generated + 1)
                group.finished.append(Continuation(before.ids, log_prob, True, score))
        group.hypotheses = extended[: self.width]

    def _finish(self, group: _Group, hypotheses: Sequence[Hypothesis]) -> None:
        for each in hypotheses:
            score = each.total / self.beams.normaliser(max(len(each.ids), 1))
            group.finished.append(Continuation(each.ids, each.log_prob, False, score))

    def _is_finished(self, group: _Group) -> bool:
        """Whether continuing cannot change the results, or enough texts have ended."""
        scores = sorted((text.score for text in group.finished), reverse=True)
        if len(scores) >= self.width:
            return True
        bound = max((each.total for each in group.hypotheses), default=-math.inf)
        bound /= self.beams.normaliser(self.processor.options.max_length)
        return len(scores) >= self.n and bound <= scores[self.n - 1]


def _best(ranks: Floats, ids: Ids, count: int) -> list[tuple[int, int]]:
    """Return rows and columns of the largest finite ranks, in falling order; equal ones by row, then by id."""
    ranks = np.where(np.isfinite(ranks), ranks, -np.inf)
    limit = np.partition(ranks, -count, axis=None)[-count] if count < ranks.size else -np.inf
    rows, columns = np.nonzero((ranks >= limit) & (ranks > -np.inf))
    order = np.lexsort((ids[rows, columns], rows, -ranks[rows, columns]))[:count]
    return list(zip(rows[order].tolist(), columns[order].tolist(), strict=True))
