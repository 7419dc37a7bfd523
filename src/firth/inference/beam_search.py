"""The likeliest whole texts, looked for with several beginnings at once.

What: each step keeps the best beginnings of a prompt, adds every word to each, and keeps the best again. A beginning
that ends is set aside. Long texts have many factors below one; lengths are made comparable before texts that ended are
ranked. Groups of beams that shun each other's words give answers that differ.

Objective: score(y) = sum_t s(y_t) / n(L) with n(L) = 1, L, or ((5 + L) / 6)^a for L words, the end counted; within
group g, candidates at a step are compared by their sums less d times how many beams of groups before g took the same
word at this step.

Source: Wu et al. 2016, Google's Neural Machine Translation System, section 7 (lengths); Vijayakumar et al. 2018,
Diverse Beam Search, section 4 (groups, with the Hamming distance).

Departures: what the groups lose to each other decides which words they take, and is not carried along in the sums.
The search of a prompt ends when as many texts ended as it has beams, or, exactly, when no beginning can become better
than the answers that are asked for: sums only fall, and n(L) is greatest at the greatest length. One beam is therefore
greedy search. Texts that end must be among the best of their step, as those that go on.

Cost: one call of the model a word, for the beams of all prompts together, and O(W V) for W beams.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.inference.continuation import Continuation
from firth.inference.generation_options import GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.scorer import Scorer, Scores
from firth.options import check, option, options_class

Floats = npt.NDArray[np.float64]


@options_class
class BeamSearch:
    """How widely beam search looks.

    Raises:
        OptionError: a value is out of its range, or beams cannot be shared out among groups.
    """

    beams: int = option(5, "beginnings kept at each step", minimum=1)
    length_normalisation: str = option("mean", "how sums are made comparable", choices=("mean", "wu", "none"))
    length_power: float = option(0.6, "how much length counts, with wu", minimum=0)
    groups: int = option(1, "groups of beams that shun each other's words", minimum=1)
    diversity: float = option(0.5, "what a word costs that another group took at this step, in nats", minimum=0)

    def __post_init__(self) -> None:
        check(self)
        if self.beams % self.groups:
            raise OptionError(f"groups={self.groups}: expected a divisor of beams={self.beams}")

    def normaliser(self, length: int) -> float:
        """Return n(L), what a sum of so many logarithms is divided by."""
        if self.length_normalisation == "none":
            return 1.0
        return float(length) if self.length_normalisation == "mean" else ((5 + length) / 6) ** self.length_power


def beam_search(
    scorer: Scorer,
    prompts: Sequence[Sequence[int]],
    options: GenerationOptions | None = None,
    how: BeamSearch | None = None,
    n: int = 1,
    *,
    stop: Sequence[int] = (),
    banned: Sequence[int] = (),
) -> list[list[Continuation]]:
    """Return the best continuations of each prompt that beam search finds.

    Args:
        scorer: the model.
        prompts: B sequences of ids.
        options: wishes; those about drawing change nothing here.
        how: beams, lengths, groups.
        n: continuations of a prompt, at most.
        stop: ids that end a text.
        banned: ids that are never written.

    Returns:
        B lists, best first; fewer than n where no more were found.

    Raises:
        OptionError: more are asked for than there are beams.
    """
    wide, wishes = how or BeamSearch(), options or GenerationOptions()
    if not 1 <= n <= wide.beams:
        raise OptionError(f"n={n}: expected from 1 to beams={wide.beams}")
    if not len(prompts):
        return []
    rules = LogitsProcessor(wishes, tuple(stop), tuple(banned))
    searches = [_Search(tuple(prompt), row, rules, wide, n) for row, prompt in enumerate(prompts)]
    scores, state = scorer.start(prompts)
    for written in range(wishes.max_length):
        for search in searches:
            search.step(scores, written)
        going = [group for search in searches for group in search.going()]
        alive = [each for group in going for each in group.alive]
        if not alive:
            break
        state = scorer.reorder(state, np.array([each.row for each in alive]))
        scores, state = scorer.advance(state, np.array([each.ids[-1] for each in alive]))
        rows = iter(range(len(alive)))
        for group in going:
            group.alive = [replace(each, row=next(rows)) for each in group.alive]
    return [search.best() for search in searches]


@dataclass(frozen=True)
class _Beginning:
    ids: tuple[int, ...]
    total: float  # of the scores that the user's wishes left
    log_prob: float  # the model's own
    row: int  # in the model's batch


@dataclass
class _Group:
    alive: list[_Beginning]
    done: list[Continuation] = field(default_factory=list)


class _Search:
    """The search of one prompt."""

    def __init__(self, prompt: tuple[int, ...], row: int, rules: LogitsProcessor, how: BeamSearch, n: int) -> None:
        self.prompt, self.rules, self.how, self.n = prompt, rules, how, n
        self.width = how.beams // how.groups
        self.groups = [_Group([_Beginning((), 0.0, 0.0, row)]) for _ in range(how.groups)]

    def going(self) -> Iterator[_Group]:
        """Yield the groups that are not at their end."""
        return (group for group in self.groups if group.alive)

    def best(self) -> list[Continuation]:
        """Return what was found, each text once."""
        found = sorted((text for group in self.groups for text in group.done), key=lambda text: -text.score)
        return list({(text.ids, text.ended): text for text in found}.values())[: self.n]

    def step(self, scores: Scores, written: int) -> None:
        """Go on by one word.

        Args:
            scores: of the model's whole batch.
            written: words of each beginning.
        """
        shunned = np.zeros(scores.shape[1])
        for group in self.going():
            self._grow(group, scores[[each.row for each in group.alive]], written, shunned)
            for each in group.alive:
                shunned[each.ids[-1]] += self.how.diversity
            if written + 1 == self.rules.options.max_length:
                self._set_aside(group, group.alive)
            if written + 1 == self.rules.options.max_length or self._is_settled(group):
                group.alive = []

    def _grow(self, group: _Group, scores: Scores, written: int, shunned: Floats) -> None:
        """Replace the beginnings of a group by the best that are one word longer."""
        allowed = self.rules.applied(scores, [self.prompt + each.ids for each in group.alive], written)
        stuck = ~np.isfinite(allowed.max(axis=1))
        self._set_aside(group, [each for each, lost in zip(group.alive, stuck, strict=True) if lost])
        totals = allowed + np.array([[each.total] for each in group.alive])
        grown: list[_Beginning] = []
        wanted = self.width * (1 + len(self.rules.stop))  # so many hold enough that go on, whatever ends
        for place, (parent, word) in enumerate(_best(totals - shunned, wanted)):
            before = group.alive[parent]
            log_prob = before.log_prob + float(scores[parent, word])
            if word not in self.rules.stop:
                grown.append(_Beginning((*before.ids, word), float(totals[parent, word]), log_prob, before.row))
            elif place < self.width:
                rank = float(totals[parent, word]) / self.how.normaliser(written + 1)
                group.done.append(Continuation(before.ids, log_prob, True, rank))
        group.alive = grown[: self.width]

    def _set_aside(self, group: _Group, cut: Sequence[_Beginning]) -> None:
        for each in cut:
            rank = each.total / self.how.normaliser(max(len(each.ids), 1))
            group.done.append(Continuation(each.ids, each.log_prob, False, rank))

    def _is_settled(self, group: _Group) -> bool:
        """Whether going on cannot change the answers, or enough texts have ended."""
        ranks = sorted((text.score for text in group.done), reverse=True)
        if len(ranks) >= self.width:
            return True
        hope = max((each.total for each in group.alive), default=-math.inf)
        hope /= self.how.normaliser(self.rules.options.max_length)
        return len(ranks) >= self.n and hope <= ranks[self.n - 1]


def _best(totals: Floats, count: int) -> list[tuple[int, int]]:
    """The rows and columns of the largest finite numbers, in falling order; of equal ones the first."""
    flat = totals.ravel()
    least = np.partition(flat, -count)[-count] if count < len(flat) else -np.inf
    found = np.flatnonzero((flat >= least) & np.isfinite(flat))
    found = found[np.argsort(-flat[found], kind="stable")][:count]
    return [(int(i) // totals.shape[1], int(i) % totals.shape[1]) for i in found]
