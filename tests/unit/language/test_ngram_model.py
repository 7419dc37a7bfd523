"""Models that count: their states, their files."""

import numpy as np
import pytest

import firth
from firth.errors import ArgumentTypeError
from firth.language.ngram_lm import NgramLM
from firth.language.ngram_model import NgramModel
from firth.sentences.encoded_texts import as_encoder
from tests.unit.language.ngram_checks import text_of

SENTENCES = ["a b a c a b", "b a b c", "a a b", "c b a d", "d", "a b a b c e"]


@pytest.fixture
def model(tmp_path):
    return NgramLM(order=3, discount_fallback=True).train(text_of(SENTENCES, tmp_path))


def test_a_folder_gives_the_same_model_mapped(model, tmp_path):
    model.save(tmp_path / "m")
    again = firth.load(tmp_path / "m")
    assert isinstance(again, NgramModel)
    assert repr(again) == repr(model)
    assert list(again.vocabulary.words) == list(model.vocabulary.words)
    assert again.vocabulary.counts.tolist() == model.vocabulary.counts.tolist()
    assert again.vocabulary.total == model.vocabulary.total
    assert (again.rules, again.metadata) == (model.rules, model.metadata)
    assert not again.trie.words.flags.owndata
    text = model.token_ids(["a b c", "x a", ""])
    assert again.log_probs(text).tolist() == model.log_probs(text).tolist()
    assert again.start([[0, 1]])[0].tolist() == model.start([[0, 1]])[0].tolist()


def test_a_text_has_ids_and_no_vector(model):
    with pytest.raises(AttributeError, match=r"give texts no vectors; token_ids\(sentences\) returns the ids"):
        model.encode(["a b"])
    with pytest.raises(ArgumentTypeError, match=r"or a model with encode\(texts\)"):
        as_encoder(model)


def test_the_end_of_a_sentence_is_the_beginning_of_the_next(model):
    end = model.vocabulary.ids["</s>"]
    begun, states = model.start([[]])
    after, _ = model.advance(states, np.array([end]))
    assert after.tolist() == begun.tolist()
    assert model.start([[0, 1, end, 0]])[0].tolist() == model.start([[0]])[0].tolist()


def test_a_state_is_not_changed_by_what_comes_after(model):
    _, states = model.start([[0], [1]])
    kept = states.copy()
    model.advance(states, np.array([1, 0]))
    assert states.tolist() == kept.tolist()


def test_no_prompts_no_scores(model):
    scores, states = model.start([])
    assert scores.shape == (0, len(model.vocabulary))
    assert len(states) == 0


def test_words_of_rows(model):
    """The trie's rows, read back: each order is sorted, and what follows a row begins with its words."""
    trie = model.trie
    for k in (2, 3):
        rows = np.arange(trie.rows(k).start, trie.rows(k).stop)
        ngrams = trie.ngrams(rows, k).tolist()
        assert ngrams == sorted(ngrams)
        shorter = trie.ngrams(trie.suffixes[rows].astype(np.int64), k - 1).tolist()
        assert shorter == [ngram[1:] for ngram in ngrams]
