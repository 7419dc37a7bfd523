"""What every trained neural language model can do: scores that are probabilities, streams, searches, vectors."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import UnknownWordError
from firth.inference.scorer import Scorer
from firth.neural.models.language import predict
from tests.unit.neural.models.language.tiny import EVERY, changed, text_of, untrained

every = pytest.mark.parametrize("name", EVERY)


@pytest.fixture
def text(tmp_path):
    return text_of(tmp_path)


@every
def test_probabilities_of_what_comes_next_sum_to_one(text, name):
    scores, _ = untrained(EVERY[name], text).start([[], [1], [2, 3]])
    assert scores.shape == (3, len(text.vocabulary))
    assert np.exp(scores).sum(1) == pytest.approx(np.ones(3), abs=1e-5)


@every
def test_a_token_is_scored_as_a_search_would_score_it(text, name):
    """log_probs goes in chunks, a search token by token: p(w_t | w_<t) is the same number either way."""
    model = untrained(EVERY[name], text)
    whole = model.log_probs(text.part(0, 30))
    scores, state = model.start([[]])
    stepped = []
    for i in text.ids[:30].tolist():
        stepped.append(scores[0, i])
        scores, state = model.advance(state, np.array([i]))
    assert stepped == pytest.approx(whole.tolist(), abs=1e-5)


@every
def test_state_is_carried_over_chunks(text, name, monkeypatch):
    """Chunks of 7 tokens and one of 256 are the same stream; a model that forgot at a border would differ there."""
    model = untrained(EVERY[name], text)
    whole = model.log_probs(text)
    monkeypatch.setattr(predict, "CHUNK", 7)
    assert model.log_probs(text) == pytest.approx(whole, abs=1e-5)
    assert np.abs(model.log_probs(text.part(100, 200)) - whole[100:200])[0] > 1e-6  # what stands before does matter


@every
def test_no_token_knows_of_itself_or_of_later_ones(text, name):
    """Another word at place 20 leaves log-probabilities of places 0 to 19 the same to the bit, and changes 20's."""
    model = untrained(EVERY[name], text)
    before, after = model.log_probs(text), model.log_probs(changed(text, 20))
    assert (before[:20] == after[:20]).all()
    assert before[20] != after[20]
    assert before[21] != after[21]


@every
def test_prompts_of_any_lengths_go_on_as_each_alone(text, name):
    model = untrained(EVERY[name], text)
    prompts, following = [[1, 2], [], [3, 4], [5]], np.array([3, 1, 2, 2])
    scores, state = model.start(prompts)
    later, after = model.advance(state, following)
    again, _ = model.advance(model.reorder(after, np.array([3, 0, 0])), np.array([1, 2, 3]))
    for row, prompt in enumerate(prompts):
        alone, _ = model.start([prompt])
        assert scores[row] == pytest.approx(alone[0], abs=1e-5)
        assert later[row] == pytest.approx(model.start([[*prompt, following[row]]])[0][0], abs=1e-5)
    for row, (prompt, last) in enumerate([([5, 2], 1), ([1, 2, 3], 2), ([1, 2, 3], 3)]):
        assert again[row] == pytest.approx(model.start([[*prompt, last]])[0][0], abs=1e-5)
    assert model.advance(state, following)[0] == pytest.approx(later, abs=0)  # the state was not changed


def test_a_search_takes_it(text):
    scorer: Scorer = untrained(EVERY["lstm"], text)
    assert scorer.start([[0]])[0].shape == (1, len(text.vocabulary))


def test_dropout_is_drawn_only_where_it_is_asked_for(text):
    model = untrained(EVERY["lstm"], text)
    plain = model.log_probs(text)
    one, other = (model.monte_carlo_log_probs(text, samples=2, seed=seed) for seed in (0, 1))
    assert (model.log_probs(text) == plain).all()
    assert (model.monte_carlo_log_probs(text, samples=2, seed=0) == one).all()
    assert (one != other).any()
    assert one.max() <= 0
    assert np.exp(one).mean() == pytest.approx(np.exp(plain).mean(), rel=0.1)


def test_monte_carlo_is_the_mean_of_probabilities(text):
    """Without dropout every draw is the same, and so is the mean of its probabilities, whatever their number."""
    model = untrained(firth.LogBilinearLM(dim=8, order=3), text)
    assert model.monte_carlo_log_probs(text, samples=3) == pytest.approx(model.log_probs(text), abs=1e-9)


def test_torchs_own_randomness_is_left_alone(text):
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    untrained(EVERY["lstm"], text).monte_carlo_log_probs(text, samples=1)
    assert (torch.rand(2) == expected).all()


def test_vectors_are_the_rows_that_words_are_read_by(text):
    model = untrained(EVERY["feedforward"], text)
    vectors = model.word_vectors()
    assert vectors.words == list(text.vocabulary.words)
    assert (vectors.vectors == model.module.embedding.weight.detach().numpy()).all()
    assert (model.word_vector("w3") == vectors["w3"]).all()
    with pytest.raises(UnknownWordError, match="w99"):
        model.word_vector("w99")


def test_it_says_what_it_is(text):
    assert repr(untrained(EVERY["gru"], text)) == "<NeuralLanguageModel: RecurrentLM, 14 words>"
