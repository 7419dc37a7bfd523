"""Generation word by word, without revision: the most probable word at each step, or a random one.

What: `greedy_search` selects the most probable word at each step; `sample` draws one from the distribution that the
    options leave (ancestral sampling by default).
Objective: x_t = argmax_i s_i, or x_t ~ p, as below.
Source: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration, section 3.
Departures: each text has a stream of uniform numbers of its own, one number per word: the sample of the i-th prompt
    depends on the seed, the prompt and i only, not on the other prompts.
Cost: one call of the model per word, for all prompts together; texts that have ended leave the batch.

Truncated sampling distributions: temperature, top-k, top-p (nucleus) and min-p.

What: scores of the next word are divided by a temperature; then unlikely words are removed, and the rest sums to one
    again.
Objective: p_i = exp(s_i / T) / sum_j exp(s_j / T) over the remaining words: the k most probable; of those the smallest
    set whose p reach a sum; of those the ones with p of at least a fraction of the largest.
Source: Fan et al. 2018, Hierarchical Neural Story Generation, section 5.4 (top-k); Holtzman et al. 2020, The Curious
    Case of Neural Text Degeneration, section 3.1 (nucleus); Nguyen et al. 2024, Turning Up the Heat: Min-p Sampling,
    section 3 (min-p).
Departures: words of equal score are ranked by their ids, so that top-k leaves exactly k. Each rule sees the
    probabilities that the rule before it left.
Cost: O(V log V) per row for the nucleus, O(V) otherwise.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.inference.constraints import Constraints, check_prefix_score, of_prompts
from firth.inference.generation_options import Continuation, GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.scorer import Attention, Floats, Ids, Scorer, Scores, Weights, scores_at, top_candidates
from firth.randomness import generator

Mask = npt.NDArray[np.bool_]

_SLACK = 1e-12  # rounding error of sums of probabilities


def sampling_distribution(scores: Floats, options: GenerationOptions) -> Floats:
    """Return the probabilities to sample from.

    Args:
        scores: (B, V) logarithms, up to a constant per row; each row has a finite one.
        options: temperature, above 0, and truncation.

    Returns:
        (B, V) float64; rows sum to one.
    """
    with np.errstate(over="ignore"):  # a temperature near 0 sends all but the largest to minus infinity
        temperature = 1.0 if options.temperature is None else options.temperature
        p = softmax((scores - scores.max(axis=1, keepdims=True)) / temperature)  # (B, V)
    if options.top_k is not None and options.top_k < p.shape[1]:
        p = _renormalised(p, largest(p, options.top_k))
    if options.top_p < 1:
        p = _renormalised(p, nucleus(p, options.top_p))
    if options.min_p > 0:
        p = _renormalised(p, p >= options.min_p * p.max(axis=1, keepdims=True))
    return p


def softmax(scores: Floats) -> Floats:
    """Return exp(scores) with rows that sum to one; each row of (B, V) has a finite score."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def largest(values: Floats, k: int) -> Mask:
    """Return a mask of the k largest of each row of (B, V) values; of equal ones the first."""
    return _from(values, np.partition(values, -k, axis=1)[:, -k, None], k)


def nucleus(probabilities: Floats, total: float) -> Mask:
    """Return a mask of the smallest set of each row whose probabilities reach a sum; of equal ones the first.

    Args:
        probabilities: (B, V).
        total: above 0 and at most 1.
    """
    falling = np.sort(probabilities, axis=1)[:, ::-1]
    before = np.cumsum(falling, axis=1) - falling
    sizes = (before < total - _SLACK).sum(axis=1, keepdims=True)  # at least 1: nothing is before the first
    return _from(probabilities, np.take_along_axis(falling, np.maximum(sizes, 1) - 1, axis=1), sizes)


def _from(values: Floats, threshold: Floats, count: int | npt.NDArray[np.int64]) -> Mask:
    """Mask values above each row's least, and the first of those that equal it, `count` in all."""
    above, equal = values > threshold, values == threshold
    room = count - above.sum(axis=1, keepdims=True)
    return np.asarray(above | (equal & (np.cumsum(equal, axis=1) <= room)))


def _renormalised(probabilities: Floats, mask: Mask) -> Floats:
    remaining = np.where(mask, probabilities, 0.0)
    return np.asarray(remaining / remaining.sum(axis=1, keepdims=True))


# scores, texts, numbers of the texts, words generated -> rows that have a next word, and their words
Select = Callable[[Scores, list[list[int]], Ids, int], tuple[Ids, Ids]]


def greedy_search(
    scorer: Scorer,
    prompts: Sequence[Sequence[int]],
    options: GenerationOptions | None = None,
    *,
    stop: Sequence[int] = (),
    banned: Sequence[int] = (),
    constraints: Sequence[Constraints] | None = None,
    attention: Attention | None = None,
) -> list[Continuation]:
    """Return the continuation of each prompt that has the most probable word at each step; of equal ones the first.

    Args:
        prompts: B sequences of ids.
        options: generation options; those of sampling have no effect.
        stop: ids that end a text.
        banned: ids that are never generated.
        constraints: prefix and maximum length of each text, one for each prompt.
        attention: of the scorer, to return it with the texts.
    """
    processor = LogitsProcessor(options or GenerationOptions(), tuple(stop), tuple(banned))

    def select(scores: Scores, texts: list[list[int]], numbers: Ids, generated: int) -> tuple[Ids, Ids]:
        # Constraints only lower scores: the best word after them is among one more than they lower.
        lowered = processor.max_lowered(texts, generated)
        if lowered and isinstance(scores, np.ndarray):  # one pass over an array is faster than to select candidates
            allowed = processor.process(scores, texts, generated)  # (B, V)
            ids, best = allowed.argmax(axis=1), allowed.max(axis=1)
        else:
            candidates = top_candidates(scores, 1 + lowered)
            allowed = processor.process_candidates(candidates, texts, generated)  # (B, K)
            best = allowed.max(axis=1)
            ids = np.where(allowed == best[:, None], candidates.ids, scores.shape[1]).min(axis=1)
        rows = np.flatnonzero(np.isfinite(best))
        return rows, ids[rows]

    return _generate(scorer, prompts, processor, select, constraints, attention)


def sample(
    scorer: Scorer,
    prompts: Sequence[Sequence[int]],
    options: GenerationOptions | None = None,
    *,
    stop: Sequence[int] = (),
    banned: Sequence[int] = (),
    constraints: Sequence[Constraints] | None = None,
    attention: Attention | None = None,
    seed: int = 0,
    numbers: Sequence[int] | None = None,
) -> list[Continuation]:
    """Return a random continuation of each prompt, sampled word by word.

    Args:
        prompts: B sequences of ids.
        stop: ids that end a text.
        banned: ids that are never generated.
        constraints: as for `greedy_search`.
        attention: see `greedy_search`.
        seed: the same seed gives the same texts.
        numbers: of the texts, which select their random numbers; None for 0, 1, ... Batches of one list of texts give
            those of the list.
    """
    options = options or GenerationOptions()
    if options.temperature == 0:
        raise OptionError("temperature=0: expected above 0 for sampling; greedy search selects the most probable word")
    processor = LogitsProcessor(options, tuple(stop), tuple(banned))
    of_texts = range(len(prompts)) if numbers is None else numbers
    uniform = [generator(seed, f"text {i}").random(options.max_length) for i in of_texts]

    def select(scores: Scores, texts: list[list[int]], active: Ids, generated: int) -> tuple[Ids, Ids]:
        allowed = processor.process(scores, texts, generated)  # (B, V)
        rows = np.flatnonzero(np.isfinite(allowed.max(axis=1)))
        if not len(rows):
            return rows, rows
        probabilities = sampling_distribution(allowed if len(rows) == len(allowed) else allowed[rows], options)
        return rows, draw(probabilities, np.array([uniform[i][generated] for i in active[rows]]))

    return _generate(scorer, prompts, processor, select, constraints, attention)


def draw(probabilities: Floats, uniform: Floats) -> Ids:
    """Return one draw from each row of probabilities; none of probability 0.

    Args:
        probabilities: (B, V), rows that sum to about one.
        uniform: (B,) numbers from 0 to below 1.

    Returns:
        (B,) ids.
    """
    sums = np.cumsum(probabilities, axis=1)
    total = sums[:, -1:]
    limits = np.minimum(uniform[:, None] * total, np.nextafter(total, 0))  # a product may round up to the whole sum
    return np.asarray((sums > limits).argmax(axis=1))


def _generate(
    scorer: Scorer,
    prompts: Sequence[Sequence[int]],
    processor: LogitsProcessor,
    select: Select,
    constraints: Sequence[Constraints] | None,
    attention: Attention | None,
) -> list[Continuation]:
    if not len(prompts):
        return []
    scores, state = scorer.start(prompts)
    limits = of_prompts(constraints, prompts, processor, scores.shape[1])
    if any(limit.phrases for limit in limits):
        raise OptionError("forced phrases with greedy search or sampling: expected beam search")
    lengths, longest_prefix = (
        np.array([limit.max_length for limit in limits]),
        max(len(limit.prefix) for limit in limits),
    )
    texts, log_probs, ended = [list(prompt) for prompt in prompts], np.zeros(len(prompts)), set[int]()
    weights: list[list[Weights]] = [[] for _ in prompts]
    active = np.arange(len(prompts))
    for generated in range(int(lengths.max())):
        rows, ids = select(scores, [texts[i] for i in active], active, generated)  # other rows have no next word
        if generated < longest_prefix:
            rows, ids = _with_prefixes(rows, ids, [limits[i].prefix for i in active.tolist()], generated)
        if not len(rows):
            break
        chosen = scores_at(scores, rows, ids)
        for i, score in zip(active[rows].tolist(), chosen.tolist(), strict=True):
            if generated < len(limits[i].prefix):
                check_prefix_score(score, i, limits[i], generated)
        log_probs[active[rows]] += chosen
        if attention is not None:
            of_rows = attention(state)
            for row in rows.tolist():
                weights[active[row]].append(of_rows[row])
        is_end = np.isin(ids, processor.stop)
        ended.update(active[rows[is_end]].tolist())
        count, rows, ids = len(active), rows[~is_end], ids[~is_end]
        for i, word in zip(active[rows].tolist(), ids.tolist(), strict=True):
            texts[i].append(word)
        goes_on = generated + 1 < lengths[active[rows]]
        rows, ids = rows[goes_on], ids[goes_on]
        active = active[rows]
        if not len(active):
            break
        scores, state = scorer.advance(state if len(rows) == count else scorer.reorder(state, rows), ids)
    return [
        Continuation(
            tuple(text[len(prompt) :]), log_prob, i in ended, log_prob, attention=np.stack(own) if own else None
        )
        for i, (text, prompt, log_prob, own) in enumerate(zip(texts, prompts, log_probs.tolist(), weights, strict=True))
    ]


def _with_prefixes(rows: Ids, ids: Ids, prefixes: Sequence[Sequence[int]], generated: int) -> tuple[Ids, Ids]:
    """Replace the next words of the texts that are inside their prefixes."""
    words = np.full(len(prefixes), -1)
    words[rows] = ids
    for row, prefix in enumerate(prefixes):
        if generated < len(prefix):
            words[row] = prefix[generated]
    rows = np.flatnonzero(words >= 0)
    return rows, words[rows]
