"""Forced decoding: translations that are given have the scores that a search gives to them."""

import numpy as np
import pytest

import firth
from firth.errors import CorpusError, OptionError, ShapeError
from firth.neural.models.translation.scorer import TranslationScorer
from tests.unit.neural.models.translation.test_translator import KINDS, SAMPLED, TEXTS, untrained


def by_steps(model, text, target):
    """The log-probability of each token of a target and the end, as a search meets them."""
    source = model.reader.read_source(text)
    scorer = TranslationScorer(model.module, model.collator.sources([source]))
    scores, state = scorer.start([()])
    result = []
    for number in model.reader.pair_of(source, target).target:
        result.append(float(scores.at(np.array([0]), np.array([number]))[0]))
        scores, state = scorer.advance(state, np.array([number]))
    return result


@pytest.mark.parametrize("kind", KINDS)
def test_targets_have_the_scores_of_a_search_and_attention(kind):
    model = untrained(**KINDS[kind])
    targets = list(reversed(TEXTS))
    given = model.translate(TEXTS, targets=targets, return_attention=kind != "none")
    for text, target, each in zip(TEXTS, targets, given, strict=True):
        steps = by_steps(model, text, target)
        assert (each.text, " ".join(each.tokens), " ".join(each.source_tokens)) == (target, target, text)
        assert each.token_log_probs == pytest.approx(steps, abs=1e-4)
        assert [each.log_prob, each.score] == pytest.approx([sum(steps), sum(steps) / len(steps)], abs=1e-4)
        if kind != "none":
            assert each.attention.shape == (len(each.tokens) + 1, len(each.source_tokens) + 1)
            assert kind == "local" or each.attention.sum(1) == pytest.approx(1, abs=1e-5)
    penalised = firth.BeamSearch(coverage_penalty=1)
    if kind == "general":
        covered = model.translate(TEXTS[0], targets=targets[0], beam=penalised, return_attention=True)
        assert covered.score == pytest.approx(penalised.score(covered.log_prob, 6, list(covered.attention)))


def test_an_ensemble_mixes_the_probabilities_of_each_token():
    models = [untrained(seed=seed) for seed in (0, 1)]
    both = firth.TranslationEnsemble(models, weights=[3, 1])
    given = both.translate(TEXTS[:1], targets=["c a"])[0]
    own = [model.translate(TEXTS[0], targets="c a").token_log_probs for model in models]
    assert given.token_log_probs == pytest.approx(np.log(0.75 * np.exp(own[0]) + 0.25 * np.exp(own[1])))
    assert given.log_prob == pytest.approx(both.score([(TEXTS[0], "c a")])[0])


def test_long_sources_are_truncated_and_unknown_tokens_counted():
    model, long = untrained(), "a b " * 9
    with pytest.warns(UserWarning, match="more than 9|unknown to the model") as caught:
        given = model.translate([long, "a"], targets=["c zebra a", "b"])
    messages = [str(each.message) for each in caught]
    assert messages == [
        "1 of 2 texts have more than 9 tokens: the rest of them is not read",
        "1 token of 1 of 2 targets are unknown to the model, and scored as <unk>",
    ]
    assert given[0].text == "c zebra a"
    assert given[0].log_prob == pytest.approx(model.score([("a b a b a b a b a", "c zebra a")])[0])


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"targets": ["a"]}, ShapeError, "1 targets for 2 texts; expected as many"),
        ({"targets": ["a", " "]}, CorpusError, "target 2 is empty"),
        ({"targets": ["a", "b"], "n_best": 2}, OptionError, "targets with n_best: translations that are given"),
        ({"targets": ["a", "b"], "prefixes": ["a", "b"]}, OptionError, "targets with prefixes"),
        ({"targets": ["a", "b"], "glossary": {"a": "b"}}, OptionError, "targets with glossary"),
        ({"targets": ["a", "b"], "options": SAMPLED}, OptionError, "targets with options"),
    ],
)
def test_what_does_not_fit_is_refused(how, error, message):
    with pytest.raises(error, match=message):
        untrained().translate(TEXTS[:2], **how)


def test_an_empty_text_has_no_score():
    with pytest.raises(CorpusError, match="text 2 is empty"):
        untrained().translate(["a", ""], targets=["a", "b"])
