"""One step of beam search: the best extensions of all hypotheses of all prompts, by one word.

What: the candidates of all hypotheses are constrained, added to the sums so far and ranked, in arrays of all prompts
    together; `firth.inference.search` then selects among those of each prompt.
Objective: total = total so far + constrained score; rank = total less the diversity penalty; equal ranks in the order
    of the hypotheses, then of ids.
Cost: a few operations on arrays of R K numbers, for R hypotheses and K candidates each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from firth.inference.constraints import Constraints, check_prefix_score
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.phrases import Phrases, Progress
from firth.inference.scorer import Candidates, Floats, Ids, Scores, Weights, scores_at


@dataclass(frozen=True)
class Step:
    """The model's predictions of the next word of R texts.

    Attributes:
        generated: words of each text after its prompt.
        scores: (R, V).
        candidates: the best words of each text.
        attention: weights of the source positions of each text; None if not wanted.
    """

    generated: int
    scores: Scores
    candidates: Candidates
    attention: Sequence[Weights] | None


@dataclass(slots=True)
class Hypothesis:
    """A text in progress.

    Attributes:
        log_prob: sum of the model's own scores.
        attention: weights of the source positions at each word; empty if not wanted.
    """

    ids: tuple[int, ...]
    total: float
    log_prob: float
    row: int
    progress: Progress
    attention: tuple[Weights, ...] = ()


# A hypothesis and one more word, a plain tuple because a step has thousands: number of the hypothesis in its group, id
# of the word, sum of constrained scores, sum of the model's own scores.
Extension = tuple[int, int, float, float]


class Prompt(Protocol):
    """The parts of a prompt's search that a step needs.

    Attributes:
        prompt: its ids.
    """

    number: int
    prompt: tuple[int, ...]
    constraints: Constraints
    phrases: Phrases
    penalties: dict[int, float]


def extensions(
    step: Step,
    hypotheses: Sequence[Sequence[Hypothesis]],
    prompts: Sequence[Prompt],
    processor: LogitsProcessor,
    enough: int,
) -> list[tuple[list[Extension], list[bool]]]:
    """Return, of each prompt, the best extensions in falling order, and which hypotheses have none.

    Args:
        prompts: P searches.
        enough: maximum number of extensions; of prompts with forced phrases all are returned.
    """
    every = [hypothesis for group in hypotheses for hypothesis in group]
    ends = np.cumsum([len(group) for group in hypotheses])
    blocks = [slice(end - len(group), end) for group, end in zip(hypotheses, ends.tolist(), strict=True)]
    candidates = _candidates(step, every, prompts, blocks)
    allowed = _allowed(step, candidates, every, prompts, blocks, processor)
    totals = allowed + np.array([hypothesis.total for hypothesis in every])[:, None]  # (R, K)
    log_probs = candidates.scores + np.array([hypothesis.log_prob for hypothesis in every])[:, None]
    ranks = np.where(np.isfinite(totals), totals, -np.inf)
    for prompt, block in zip(prompts, blocks, strict=True):
        for word, penalty in prompt.penalties.items():
            ranks[block][candidates.ids[block] == word] -= penalty
    if not any(prompt.phrases.total for prompt in prompts):
        _drop_low(ranks, blocks, enough)
    rows, columns = np.nonzero(ranks > -np.inf)
    numbers = np.repeat(np.arange(len(blocks)), np.diff(ends, prepend=0))  # prompt of each row
    # By prompt, then best first; equal scores by hypothesis and id.
    order = np.lexsort((candidates.ids[rows, columns], rows, -ranks[rows, columns], numbers[rows]))
    rows, columns = rows[order], columns[order]
    firsts = ends - np.diff(ends, prepend=0)
    parents = (rows - firsts[numbers[rows]]).tolist()  # index of the hypothesis within its own prompt
    ids, totals, log_probs = (values[rows, columns].tolist() for values in (candidates.ids, totals, log_probs))
    last = np.cumsum(np.bincount(numbers[rows], minlength=len(blocks)))
    stuck = (~np.isfinite(allowed.max(axis=1))).tolist()
    result, first = [], 0
    for prompt, block, end in zip(prompts, blocks, last.tolist(), strict=True):
        until = end if prompt.phrases.total else min(end, first + enough)
        own = slice(first, until)
        result.append((list(zip(parents[own], ids[own], totals[own], log_probs[own], strict=True)), stuck[block]))
        first = end
    return result


def _drop_low(ranks: Floats, blocks: Sequence[slice], enough: int) -> None:
    """Leave out ranks of prompts with many that are below the best ones, so that few are sorted."""
    for block in blocks:
        own = ranks[block]
        if own.size > 4 * enough:
            own[own < np.partition(own, -enough, axis=None)[-enough]] = -np.inf


def _candidates(
    step: Step, hypotheses: Sequence[Hypothesis], prompts: Sequence[Prompt], blocks: Sequence[slice]
) -> Candidates:
    """Return the candidates of all hypotheses: the word of the prefix, or the best words and those of phrases."""
    rows = np.array([hypothesis.row for hypothesis in hypotheses])
    candidates, forced = step.candidates.rows(rows), list[list[int]]()
    for prompt, block in zip(prompts, blocks, strict=True):
        ids, own = candidates.ids[block], hypotheses[block]
        if step.generated < len(prompt.constraints.prefix):
            scores = scores_at(step.scores, rows[block], np.full(len(own), prompt.constraints.prefix[step.generated]))
            check_prefix_score(float(scores.min()), prompt.number, prompt.constraints, step.generated)
            candidates.scores[block], ids[:] = -np.inf, -1
            candidates.scores[block, 0], ids[:, 0] = scores, prompt.constraints.prefix[step.generated]
            forced += [[] for _ in own]
        elif prompt.phrases.total:
            words = [prompt.phrases.next_words(hypothesis.progress) for hypothesis in own]
            forced += [sorted(set(next_words) - set(row)) for next_words, row in zip(words, ids.tolist(), strict=True)]
        else:
            forced += [[] for _ in own]
    return _with_words(candidates, step.scores, rows, forced) if any(forced) else candidates


def _allowed(
    step: Step,
    candidates: Candidates,
    hypotheses: Sequence[Hypothesis],
    prompts: Sequence[Prompt],
    blocks: Sequence[slice],
    processor: LogitsProcessor,
) -> Floats:
    """Return the constrained scores of candidates, (R, K)."""
    texts: list[tuple[int, ...]] = []
    if processor.looks_back:
        for prompt, block in zip(prompts, blocks, strict=True):
            texts += [prompt.prompt + hypothesis.ids for hypothesis in hypotheses[block]]
    allowed = processor.process_candidates(candidates, texts, step.generated)
    for prompt, block in zip(prompts, blocks, strict=True):
        if prompt.phrases.total:
            unmet = np.array([not prompt.phrases.met(hypothesis.progress) for hypothesis in hypotheses[block]])
            allowed[block][unmet[:, None] & np.isin(candidates.ids[block], processor.stop)] = -np.inf
    return allowed


def _with_words(candidates: Candidates, scores: Scores, rows: Ids, words: Sequence[Sequence[int]]) -> Candidates:
    """Append a few words to the candidates of each row; shorter lists are filled with words of probability 0."""
    width = max(map(len, words))
    ids = np.full((len(rows), width), -1)
    for row, own in zip(ids, words, strict=True):
        row[: len(own)] = own
    positions = np.nonzero(ids >= 0)
    values = np.full(ids.shape, -np.inf)
    values[positions] = scores_at(scores, rows[positions[0]], ids[positions])
    return Candidates(np.hstack([candidates.scores, values]), np.hstack([candidates.ids, ids]))


def stacked(attention: Sequence[Weights]) -> Weights | None:
    """Return the (T, S) weights of T words; None for none."""
    return np.stack(attention) if attention else None
