"""One step of beam search extends the hypotheses of all prompts as one prompt at a time would."""

from types import SimpleNamespace

import numpy as np

from firth.inference.beam_step import Hypothesis, Step, extensions
from firth.inference.constraints import Constraints
from firth.inference.generation_options import GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.phrases import Phrases
from firth.inference.scorer import top_candidates

STOP = 0


def prompt(number=0, prefix=(), phrases=(), penalties=None):
    constraints = Constraints(prefix=prefix, phrases=phrases)
    return SimpleNamespace(
        number=number, prompt=(), constraints=constraints, phrases=Phrases(phrases), penalties=penalties or {}
    )


def hypothesis(row, total, of):
    return Hypothesis((7,), total, 2 * total, row, of.phrases.start)


def extended(scores, totals, prompts, *, enough=3, candidates=4, banned=(), generated=1):
    """What `extensions` returns, given the totals of the hypotheses of each prompt."""
    rows = iter(range(len(scores)))
    hypotheses = [[hypothesis(next(rows), total, of) for total in own] for own, of in zip(totals, prompts, strict=True)]
    step = Step(generated, scores, top_candidates(scores, candidates), None)
    processor = LogitsProcessor(GenerationOptions(), (STOP,), banned)
    return extensions(step, hypotheses, prompts, processor, enough)


def test_the_best_sums_of_each_prompt():
    scores = -np.random.default_rng(1).permutation(24).reshape(4, 6) / 4
    totals = [[-1.0, -2.5], [-0.5, 0.0]]
    found = extended(scores, totals, [prompt(0), prompt(1)])
    for number, (own, stuck) in enumerate(found):
        sums = np.array(totals[number])[:, None] + scores[2 * number : 2 * number + 2]
        best = np.argsort(-sums, axis=None, kind="stable")[:3]
        assert [each[:2] for each in own] == [divmod(place, 6) for place in best.tolist()]
        assert [each[2] for each in own] == sums.ravel()[best].tolist()
        assert [each[3] - each[2] for each in own] == [totals[number][each[0]] for each in own]  # of the model
        assert stuck == [False, False]


def test_equal_sums_in_the_order_of_hypotheses_then_of_ids():
    ((found, _),) = extended(np.zeros((2, 3)), [[0.0, 0.0]], [prompt()], enough=4)
    assert [each[:2] for each in found] == [(0, 0), (0, 1), (0, 2), (1, 0)]


def test_the_word_of_the_prefix_alone():
    (found, _), (other, _) = extended(
        np.array([[-1.0, -2, -3], [-1.0, -2, -3]]), [[0.0], [0.0]], [prompt(0, prefix=(9, 2)), prompt(1)]
    )
    assert found == [(0, 2, -3.0, -3.0)]
    assert [each[1] for each in other] == [0, 1, 2]


def test_a_hypothesis_without_a_next_word_is_stuck():
    ((found, stuck),) = extended(np.array([[-np.inf, -1], [-2.0, -3]]), [[0.0, 0.0]], [prompt()], banned=(1,))
    assert stuck == [True, False]
    assert found == [(1, 0, -2.0, -2.0)]


def test_penalties_change_the_order_but_no_sum():
    ((found, _),) = extended(np.array([[-1.0, -2, -3]]), [[0.0]], [prompt(penalties={0: 1.5})])
    assert found == [(0, 1, -2.0, -2.0), (0, 0, -1.0, -1.0), (0, 2, -3.0, -3.0)]


def test_words_of_forced_phrases_are_candidates():
    """However improbable: the last word is not among the best candidates."""
    scores = -np.arange(5.0)[None]
    ((found, _),) = extended(scores, [[0.0]], [prompt(phrases=((4,),))], candidates=2)
    assert [each[1] for each in found] == [1, 4]  # not the end: the phrase is not yet written
