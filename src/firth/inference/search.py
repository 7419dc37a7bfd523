"""Beam search: the most probable texts, with several hypotheses per prompt.

What: each step extends every hypothesis by every word and keeps the best. A hypothesis that ends is set aside, and the
    model no longer computes it. Longer texts have lower probabilities, so finished texts are ranked by normalised
    sums, and, of models that attend to a source, by how much of the source they covered. Diverse beam groups give
    texts that differ. Forced phrases are written by dynamic beam allocation (`firth.inference.phrases`).
Objective: score(y) = sum_t s(y_t) / n(L) + b sum_i log min(c_i, 1) for L words, with the end, and c_i = sum_t a_ti,
    the attention that source position i received, or for summaries b sum_i (1 - max(c_i, 1)); n(L) = 1, L, L^a or ((5
    + L) / 6)^a, or sum_t s(y_t) + r L in place of the quotient. Within group g, candidates of a step are compared by
    their sums minus d times the number of beams of earlier groups that selected the same word at this step.
Source: Wu et al. 2016, Google's Neural Machine Translation System, equation 14 (lengths, coverage); He et al. 2016,
    Improved Neural Machine Translation with SMT Features (reward per word); Gehrmann et al. 2018, Bottom-Up
    Abstractive Summarization, section 4 (coverage of summaries); Vijayakumar et al. 2018, Diverse Beam Search, section
    4 (groups, with the Hamming distance).
Departures: the diversity penalty affects selection only; sums do not contain it. Normalisation and coverage rank
    finished texts only, as texts of one step have the same length. Coverage below 1e-10 counts as that: attention may
    be exactly 0. The search of a prompt ends when as many texts have ended as it has beams, or, exactly, when no
    hypothesis can become better than the requested results: sums only fall, n(L) is largest at the maximum length, and
    coverage only lowers scores. One beam is therefore greedy search. A text that ends must be among the best of its
    step, like those that continue. With forced phrases, a share of the beam is enough to end; as many texts as beams
    end the search only if no hypothesis has a better score than the requested results.
Cost: one call of the model per word, for the beams of all prompts together, and the K best words of each of its rows
    (`Candidates`), for K of a few more than the number of beams: no array of all words is copied from the model's
    device.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from firth.errors import OptionError
from firth.inference.beam_step import Extension, Hypothesis, Step, extensions, stacked
from firth.inference.constraints import Constraints, of_prompts
from firth.inference.generation_options import Continuation, GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.phrases import Phrases, allocate
from firth.inference.scorer import Attention, Scorer, Weights, top_candidates
from firth.options import check, option, options_class

_LEAST_COVERAGE = 1e-10


@options_class
class BeamSearch:
    """Options of beam search.

    Raises:
        OptionError: a value is out of its range, or the beams cannot be divided among the groups.
    """

    beams: int = option(5, "number of beams: hypotheses per prompt and step", minimum=1, maximum=1000)
    length_normalisation: str = option(
        "mean",
        "length normalisation of scores: mean per word, division by a power of the length, Wu et al. 2016, reward per "
        "word, or none",
        choices=("mean", "power", "wu", "reward", "none"),
    )
    length_power: float = option(0.6, "exponent alpha of the length normalisations power and wu", minimum=0)
    word_reward: float = option(0.5, "reward per word of the length normalisation reward, in nats", minimum=0)
    coverage_penalty: float = option(
        0.0, "factor of the coverage penalty, for models with attention to a source", minimum=0
    )
    coverage: str = option(
        "wu",
        "coverage penalty: for source words that got little attention (Wu et al. 2016), or much (summary, Gehrmann et "
        "al. 2018)",
        choices=("wu", "summary"),
    )
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
        match self.length_normalisation:
            case "mean":
                return float(length)
            case "power":
                return float(length**self.length_power)
            case "wu":
                return float(((5 + length) / 6) ** self.length_power)
        return 1.0

    def score(self, total: float, length: int, attention: Sequence[Weights] = ()) -> float:
        """Return the score of a text from its sum, its length with the end, and T weights (S,) of source positions."""
        score = total / self.normaliser(length)
        if self.length_normalisation == "reward":
            score += self.word_reward * length
        if self.coverage_penalty and attention:
            received = np.sum(attention, axis=0, dtype=np.float64)
            covered = 1 - received.clip(1) if self.coverage == "summary" else np.log(received.clip(_LEAST_COVERAGE, 1))
            score += self.coverage_penalty * float(covered.sum())
        return score


def beam_search(
    scorer: Scorer,
    prompts: Sequence[Sequence[int]],
    options: GenerationOptions | None = None,
    beams: BeamSearch | None = None,
    n: int = 1,
    *,
    stop: Sequence[int] = (),
    banned: Sequence[int] = (),
    constraints: Sequence[Constraints] | None = None,
    attention: Attention | None = None,
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
        constraints: prefix, forced phrases and maximum length of each text, one for each prompt. Give a prompt with
            forced phrases more beams than it has forced words.
        attention: of the scorer, to return it with the texts, and for the coverage penalty.

    Returns:
        B lists, best first, possibly shorter than n. Texts without a forced phrase are returned only if none has them
        all; see `Continuation.met`.

    Raises:
        OptionError: n exceeds the number of beams, a coverage penalty without attention, or constraints that no text
            can meet.
    """
    beams, options = beams or BeamSearch(), options or GenerationOptions()
    if not 1 <= n <= beams.beams:
        raise OptionError(f"n={n}: expected from 1 to beams={beams.beams}")
    if beams.coverage_penalty and attention is None:
        raise OptionError(
            f"coverage_penalty={beams.coverage_penalty}: expected a model with attention to a source; this one has none"
        )
    if not len(prompts):
        return []
    processor = LogitsProcessor(options, tuple(stop), tuple(banned))
    scores, state = scorer.start(prompts)
    checked = of_prompts(constraints, prompts, processor, scores.shape[1])
    searches = [
        _Search(number, tuple(prompt), limits, processor, beams, n)
        for number, (prompt, limits) in enumerate(zip(prompts, checked, strict=True))
    ]
    # Constraints and the diversity penalty only lower scores. So the best words of a row after lowering are among as
    # many more of the best before. All ends of a row may be among its best words.
    count = beams.beams // beams.groups + len(stop) + (beams.beams if beams.groups > 1 else 0)
    for generated in range(options.max_length):
        texts = [text for search in searches for text in search.texts()]
        candidates = top_candidates(scores, count + processor.max_lowered(texts, generated))
        step = Step(generated, scores, candidates, attention(state) if attention is not None else None)
        for number in range(beams.groups):
            _extend(searches, number, step, processor)
        hypotheses = [hypothesis for search in searches for group in search.groups for hypothesis in group.hypotheses]
        if not hypotheses:
            break
        state = scorer.reorder(state, np.array([hypothesis.row for hypothesis in hypotheses]))
        scores, state = scorer.advance(state, np.array([hypothesis.ids[-1] for hypothesis in hypotheses]))
        for row, hypothesis in enumerate(hypotheses):
            hypothesis.row = row
    return [search.best() for search in searches]


@dataclass
class _Group:
    hypotheses: list[Hypothesis]
    finished: list[Continuation] = field(default_factory=list)


class _Search:
    """The search of one prompt."""

    def __init__(
        self,
        number: int,
        prompt: tuple[int, ...],
        constraints: Constraints,
        processor: LogitsProcessor,
        beams: BeamSearch,
        n: int,
    ) -> None:
        self.number, self.prompt, self.processor, self.beams, self.n = number, prompt, processor, beams, n
        self.constraints, self.phrases = constraints, Phrases(constraints.phrases)
        self.max_length = constraints.max_length or processor.options.max_length
        self.width = beams.beams // beams.groups
        self.groups = [_Group([Hypothesis((), 0.0, 0.0, number, self.phrases.start)]) for _ in range(beams.groups)]
        self.penalties: dict[int, float] = {}  # by word, of the diversity penalty, at this step

    def texts(self) -> list[tuple[int, ...]]:
        """Return the prompt and words of all hypotheses, if they matter."""
        if not self.processor.looks_back:
            return []
        return [self.prompt + hypothesis.ids for group in self.groups for hypothesis in group.hypotheses]

    def best(self) -> list[Continuation]:
        """Return the results, each text once; those without a forced phrase only if there are no others."""
        ranked = sorted((text for group in self.groups for text in group.finished), key=lambda text: -text.score)
        if any(text.met for text in ranked):
            ranked = [text for text in ranked if text.met]
        best: dict[tuple[tuple[int, ...], bool], Continuation] = {}
        for text in ranked:  # a text may come from several groups, and with several ends
            best.setdefault((text.ids, text.ended), text)
        return list(best.values())[: self.n]

    def take(self, number: int, candidates: Sequence[Extension], stuck: Sequence[bool], step: Step) -> None:
        """Replace the hypotheses of a group by the best that are one word longer.

        Args:
            stuck: of each hypothesis, whether no next word is possible.
        """
        group = self.groups[number]
        before, group.hypotheses = group.hypotheses, []
        if any(stuck):
            self._finish(group, [hypothesis for hypothesis, is_stuck in zip(before, stuck, strict=True) if is_stuck])
        for parent, word, total, log_prob in self._selected(before, candidates):
            parent_hypothesis = before[parent]
            attention = (
                parent_hypothesis.attention
                if step.attention is None
                else (*parent_hypothesis.attention, step.attention[parent_hypothesis.row])
            )
            if word in self.processor.stop:
                score = self.beams.score(total, step.generated + 1, attention)
                group.finished.append(
                    Continuation(parent_hypothesis.ids, log_prob, True, score, True, stacked(attention))
                )
            else:
                progress = self.phrases.advance(parent_hypothesis.progress, word) if self.phrases.total else ()
                ids = (*parent_hypothesis.ids, word)
                group.hypotheses.append(Hypothesis(ids, total, log_prob, parent_hypothesis.row, progress, attention))
        self._penalise(group.hypotheses)
        is_last = step.generated + 1 == self.max_length
        if is_last:
            self._finish(group, group.hypotheses)
        if is_last or self._is_finished(group):
            group.hypotheses = []

    def _penalise(self, selected: Sequence[Hypothesis]) -> None:
        """Count the words that a group selected, for the groups after it."""
        for hypothesis in selected if len(self.groups) > 1 else ():
            self.penalties[hypothesis.ids[-1]] = (
                self.penalties.get(hypothesis.ids[-1], 0.0) + self.beams.diversity_penalty
            )

    def _selected(self, hypotheses: Sequence[Hypothesis], candidates: Sequence[Extension]) -> list[Extension]:
        """Return the extensions that are kept, best first."""
        if not self.phrases.total:
            return self._kept(candidates, self.width)
        banks: dict[int, list[Extension]] = {}
        for extension in candidates:
            progress = self.phrases.advance(hypotheses[extension[0]].progress, extension[1])
            banks.setdefault(self.phrases.bank(progress), []).append(extension)
        slots = allocate(
            {bank: len(extensions_of_bank) for bank, extensions_of_bank in banks.items()},
            self.width,
            self.phrases.total,
        )
        selected = {
            extension
            for bank, extensions_of_bank in banks.items()
            for extension in self._kept(extensions_of_bank, slots[bank])
        }
        return [extension for extension in candidates if extension in selected]

    def _kept(self, candidates: Sequence[Extension], slots: int) -> list[Extension]:
        """Return as many of the best extensions as continue in so many slots, and the ends among the first ones."""
        result, free = [], slots
        for rank, extension in enumerate(candidates):
            is_end = extension[1] in self.processor.stop
            if rank < slots if is_end else free > 0:
                result.append(extension)
                free -= not is_end
            elif rank >= slots and not free:
                break
        return result

    def _finish(self, group: _Group, hypotheses: Sequence[Hypothesis]) -> None:
        for hypothesis in hypotheses:
            score = self.beams.score(hypothesis.total, max(len(hypothesis.ids), 1), hypothesis.attention)
            met = not self.phrases.total or self.phrases.met(hypothesis.progress)
            group.finished.append(
                Continuation(hypothesis.ids, hypothesis.log_prob, False, score, met, stacked(hypothesis.attention))
            )

    def _is_finished(self, group: _Group) -> bool:
        """Whether continuing cannot change the results, or enough texts have ended."""
        scores = sorted((text.score for text in group.finished if text.met), reverse=True)
        if len(scores) < self.n or not group.hypotheses:
            return not group.hypotheses or len(scores) >= self.width
        total = max(hypothesis.total for hypothesis in group.hypotheses)
        worst = scores[self.n - 1]
        if len(scores) >= self.width:
            length = len(group.hypotheses[0].ids)
            return not self.phrases.total or self.beams.score(total, length) <= worst
        return self.beams.score(total, self.max_length) <= worst


def _extend(searches: Sequence[_Search], number: int, step: Step, processor: LogitsProcessor) -> None:
    """Extend the hypotheses of a group of each prompt by one word."""
    active = [search for search in searches if search.groups[number].hypotheses]
    for search in searches if number == 0 else ():
        search.penalties = {}
    if not active:
        return
    before = [search.groups[number].hypotheses for search in active]
    enough = active[0].width * (1 + len(processor.stop))  # to continue, whatever ends
    extended = extensions(step, before, active, processor, enough)
    for search, (of_search, stuck) in zip(active, extended, strict=True):
        search.take(number, of_search, stuck, step)
