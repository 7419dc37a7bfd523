import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import firth
from firth import registry
from firth.errors import FormatError, OptionError
from firth.inference.generation_options import GenerationOptions
from firth.language.mixture import Mixture, check_compatible, fit_weights
from firth.language.text import TextRules
from tests.unit.language.toys import TABLE, WORDS, TableModel, random_model, random_text

LINES = random_text(60, 0)


@pytest.fixture(autouse=True)
def here(monkeypatch, tmp_path):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(registry.LOADERS, "firth-toy", "tests.unit.language.toys:restore")


def test_by_hand():
    """The sentence "a": .6 x .3 by the one, .2 x .2 by the other. A quarter of the other: .5 x .275."""
    other = TableModel([[0.3, 0.3, 0.2, 0.2]] * 4 + [[0.2, 0.2, 0.5, 0.1]])
    (score,) = Mixture([TableModel(), other], [0.75, 0.25]).score("a")
    assert np.exp(score.log_probs) == pytest.approx([0.75 * 0.6 + 0.25 * 0.2, 0.75 * 0.3 + 0.25 * 0.2])


def test_a_model_mixed_with_itself_is_itself():
    model = random_model(0)
    text = model.token_ids(LINES)
    found = Mixture([model, model], [0.3, 0.7])
    np.testing.assert_allclose(found.log_probs(text), model.log_probs(text), atol=1e-12)
    assert found.generate("a", n=5, seed=2) == model.generate("a", n=5, seed=2)
    assert found.perplexity(LINES).tokens == model.perplexity(LINES).tokens


def test_its_next_words_are_a_distribution_and_its_scores_those_of_its_search():
    """What `start` and `advance` say of a sentence's words is what `log_probs` says."""
    found = Mixture([random_model(0), random_model(1), random_model(2)], [0.2, 0.3, 0.5])
    text = found.token_ids(["a b b a"])
    scores, state = found.start([[]])
    logs = []
    for word in text.ids.tolist():
        assert np.exp(scores).sum() == pytest.approx(1, abs=1e-12)
        logs.append(scores[0, word])
        scores, state = found.advance(state, np.array([word]))
    assert logs == pytest.approx(found.log_probs(text).tolist(), abs=1e-12)


@given(st.integers(0, 1000), st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_em_finds_what_a_general_optimiser_finds(seed, models):
    logs = np.log(np.random.default_rng(seed).uniform(0.01, 1, (models, 50)))
    weights = fit_weights(logs)

    def loss(free):
        raised = np.exp(free - free.max())
        return -np.log(raised / raised.sum() @ np.exp(logs)).mean()

    best = min(minimize(loss, start, tol=1e-12).fun for start in (np.zeros(models), np.arange(models, dtype=float)))
    assert -np.log(weights @ np.exp(logs)).mean() == pytest.approx(best, abs=1e-5)
    assert weights.sum() == pytest.approx(1, abs=1e-12)


def test_weights_by_hand():
    """Two tokens, each explained by one model alone: a half each. Three tokens of which the first explains two: 2/3."""
    one, other = np.log([1, 1e-300]), np.log([1e-300, 1])
    assert fit_weights(np.array([one, other])) == pytest.approx([0.5, 0.5])
    logs = np.array([[0, 0, -np.inf], [-np.inf, -np.inf, 0]])
    assert fit_weights(logs) == pytest.approx([2 / 3, 1 / 3])


def test_tokens_that_no_model_explains_say_nothing():
    logs = np.array([[0, 0, -np.inf, -np.inf], [-np.inf, -np.inf, 0, -np.inf]])
    assert fit_weights(logs) == pytest.approx([2 / 3, 1 / 3])
    assert fit_weights(np.full((2, 3), -np.inf)).tolist() == [0.5, 0.5]


def test_probabilities_far_below_the_smallest_number_still_count():
    """Ratios of 2 between exp(-2000) and exp(-2000.7) are ratios of 2."""
    logs = np.log(np.random.default_rng(0).uniform(0.1, 1, (2, 40)))
    np.testing.assert_allclose(fit_weights(logs - 2000), fit_weights(logs), atol=1e-9)


def test_fitting_is_on_the_held_out_text_and_beats_both_there():
    one, other = random_model(3), random_model(4)
    found = Mixture.fit([one, other], LINES)
    assert 0.01 < found.weights[0] < 0.99
    assert found.perplexity(LINES).value < min(one.perplexity(LINES).value, other.perplexity(LINES).value)
    even = Mixture([one, other], [0.5, 0.5])
    assert found.perplexity(LINES).value <= even.perplexity(LINES).value
    assert found.metadata["training"]["fitted_on_tokens"] == len(one.token_ids(LINES))


def test_a_model_that_remembers_makes_a_mixture_that_does():
    remembers = random_model(0)
    remembers.connected = True
    assert Mixture([random_model(1), remembers], [0.5, 0.5]).connected
    assert not Mixture([random_model(1), random_model(2)], [0.5, 0.5]).connected


def test_saved_and_read_again(tmp_path):
    inner = Mixture([random_model(0), random_model(1)], [0.4, 0.6], metadata={"name": "two"})
    inner.models[0].metadata["name"] = "first"
    nested = Mixture([inner, random_model(2)], [0.9, 0.1])
    for mixture in (inner, nested):
        mixture.save(tmp_path / "mixed.firth")
        again = firth.load(tmp_path / "mixed.firth")
        assert again.metadata == mixture.metadata
        np.testing.assert_array_equal(again.weights, mixture.weights)
        text = again.token_ids(LINES)
        np.testing.assert_allclose(again.log_probs(text), mixture.log_probs(text), atol=1e-12)
        assert again.generate("a", options=GenerationOptions(max_length=9)) == mixture.generate(
            "a", options=GenerationOptions(max_length=9)
        )
    assert again.models[0].models[0].metadata == {"name": "first"}


@pytest.mark.usefixtures("without_checksums")
def test_a_part_that_is_damaged_is_told(tmp_path):
    Mixture([random_model(0), random_model(1)], [0.4, 0.6]).save(tmp_path / "mixed.firth")
    (tmp_path / "mixed.firth" / "model-2" / "model.safetensors").unlink()
    with pytest.raises(FormatError, match=r"model-2: no model\.safetensors"):
        firth.load(tmp_path / "mixed.firth")


@pytest.mark.parametrize("weights", [[0.5], [0.5, 0.6], [-0.5, 1.5], [math.nan, 1.0], [[0.5, 0.5]]])
def test_weights_that_do_not_fit_are_refused(weights):
    with pytest.raises(OptionError, match="expected 2 non-negative weights with the sum 1"):
        Mixture([random_model(0), random_model(1)], weights)


def test_models_that_read_otherwise_are_refused():
    with pytest.raises(OptionError, match="model 1 and model 2 have 4 and 4 words; word 0"):
        Mixture([TableModel(), TableModel(TABLE, ["b", "a", *WORDS[2:]])], [0.5, 0.5])
    with pytest.raises(OptionError, match="no models"):
        Mixture.fit([], LINES)


def test_says_what_it_is():
    assert repr(Mixture([random_model(0)], [1.0])).startswith("<Mixture: 1.000 <")


def test_models_of_one_corpus_are_alike():
    check_compatible({"one": random_model(0), "other": random_model(1)})
    check_compatible({"alone": random_model(0)})


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (
            TableModel(words=["a", "c", "</s>", "<unk>"]),
            "one and other have 4 and 4 words; word 1 is 'b' in the first, word 1 is 'c' in the second",
        ),
        (
            random_model(0, ["a", "b", "</s>", "<unk>", "c"]),
            "one and other have 4 and 5 words; there is no word 4 in the first, word 4 is 'c' in the second",
        ),
        (
            random_model(0, rules=TextRules(tokens="unicode")),
            "one and other read text with tokens='whitespace' and tokens='unicode'",
        ),
    ],
)
def test_the_first_difference_is_told(other, told):
    with pytest.raises(OptionError, match="train both on the same corpus") as raised:
        check_compatible({"one": random_model(0), "same": random_model(1), "other": other})
    assert str(raised.value).startswith(told)
