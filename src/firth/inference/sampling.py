"""Text written word by word, never taking one back: the likeliest each time, or one drawn.

What: `greedy_search` takes the most probable word at each step; `sample` draws one from the distribution that the
options leave (ancestral sampling by default).

Objective: x_t = argmax_i s_i, or x_t ~ p as `firth.inference.truncation` has it.

Source: Holtzman et al. 2020, The Curious Case of Neural Text Degeneration, section 3.

Departures: each text has a stream of uniform numbers of its own, one number a word: what is drawn for the i-th prompt
depends on the seed, the prompt and i alone, not on the prompts beside it.

Cost: one call of the model a word, for all prompts together; texts that have ended leave the batch.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from firth.inference.continuation import Continuation
from firth.inference.generation_options import GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.scorer import Scorer
from firth.inference.truncation import shaped
from firth.randomness import generator

Floats = npt.NDArray[np.float64]
Ids = npt.NDArray[np.int64]
Pick = Callable[[Floats, Ids, int], Ids]  # scores, the numbers of their texts, words written so far -> an id a row


def greedy_search(
    scorer: Scorer,
    prompts: Sequence[Sequence[int]],
    options: GenerationOptions | None = None,
    *,
    stop: Sequence[int] = (),
    banned: Sequence[int] = (),
) -> list[Continuation]:
    """Return the continuation of each prompt that takes the likeliest word at each step; of equal ones the first.

    Args:
        scorer: the model.
        prompts: B sequences of ids.
        options: wishes; those about drawing change nothing here.
        stop: ids that end a text.
        banned: ids that are never written.
    """
    rules = LogitsProcessor(options or GenerationOptions(), tuple(stop), tuple(banned))
    return _written(scorer, prompts, rules, lambda scores, *_: scores.argmax(axis=1))


def sample(
    scorer: Scorer,
    prompts: Sequence[Sequence[int]],
    options: GenerationOptions | None = None,
    *,
    stop: Sequence[int] = (),
    banned: Sequence[int] = (),
    seed: int = 0,
) -> list[Continuation]:
    """Return a continuation of each prompt, drawn word by word.

    Args:
        scorer: the model.
        prompts: B sequences of ids.
        options: wishes.
        stop: ids that end a text.
        banned: ids that are never written.
        seed: one seed gives the same texts.
    """
    wishes = options or GenerationOptions()
    uniform = [generator(seed, f"text {i}").random(wishes.max_length) for i in range(len(prompts))]

    def draw(scores: Floats, texts: Ids, written: int) -> Ids:
        return drawn(shaped(scores, wishes), np.array([uniform[i][written] for i in texts]))

    return _written(scorer, prompts, LogitsProcessor(wishes, tuple(stop), tuple(banned)), draw)


def drawn(found: Floats, uniform: Floats) -> Ids:
    """Return a draw from each row of probabilities.

    Args:
        found: (B, V), rows that sum to about one.
        uniform: (B,) numbers from 0 to below 1.

    Returns:
        (B,) ids; none of probability 0.
    """
    sums = np.cumsum(found, axis=1)
    total = sums[:, -1:]
    reached = np.minimum(uniform[:, None] * total, np.nextafter(total, 0))  # a product may round up to the whole sum
    return np.asarray((sums > reached).argmax(axis=1))


def _written(
    scorer: Scorer, prompts: Sequence[Sequence[int]], rules: LogitsProcessor, pick: Pick
) -> list[Continuation]:
    if not len(prompts):
        return []
    texts, log_probs, ended = [list(prompt) for prompt in prompts], np.zeros(len(prompts)), set[int]()
    scores, state = scorer.start(prompts)
    going = np.arange(len(prompts))
    for written in range(rules.options.max_length):
        allowed = rules.applied(scores, [texts[i] for i in going], written)
        possible = np.flatnonzero(np.isfinite(allowed.max(axis=1)))  # the others have nowhere to go
        if not len(possible):
            break
        ids = pick(allowed[possible], going[possible], written)
        log_probs[going[possible]] += scores[possible, ids]
        stopped = np.isin(ids, rules.stop)
        ended.update(going[possible[stopped]].tolist())
        rows, ids = possible[~stopped], ids[~stopped]
        going = going[rows]
        for i, word in zip(going.tolist(), ids.tolist(), strict=True):
            texts[i].append(word)
        if not len(going) or written + 1 == rules.options.max_length:
            break
        kept = state if len(rows) == len(allowed) else scorer.reorder(state, rows)
        scores, state = scorer.advance(kept, ids)
    return [
        Continuation(tuple(text[len(prompt) :]), float(log_prob), i in ended, float(log_prob))
        for i, (text, prompt, log_prob) in enumerate(zip(texts, prompts, log_probs, strict=True))
    ]
