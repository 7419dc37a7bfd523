import math

import numpy as np
import pytest

from firth.errors import CorpusError, OptionError
from firth.language.model import split_sentences
from tests.unit.language.toys import TableModel


def test_sentences_are_scored_by_themselves():
    model = TableModel()
    together, apart = model.score(["a b", "b"]), [model.score(one)[0] for one in ("a b", "b")]
    for one, other in zip(together, apart, strict=True):
        np.testing.assert_array_equal(one.log_probs, other.log_probs)
    assert model.score([]) == []


def test_a_model_that_remembers_is_asked_sentence_by_sentence():
    forgets, remembers = TableModel(), TableModel()
    remembers.connected = True
    for model, expected in ((forgets, [5]), (remembers, [3, 2])):
        model.score(["a b", "b"])
        assert model.asked == expected


def test_probabilities_of_all_next_words_sum_to_one():
    found = TableModel().next_words("a", topn=10)
    assert [word for word, _ in found] == ["b", "</s>", "a", "<unk>"]
    assert sum(p for _, p in found) == pytest.approx(1, abs=1e-12)


def test_held_out_text_of_unknown_words_alone_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))
    with pytest.raises(CorpusError, match="none of the 2 words"):
        TableModel().perplexity(["x y"])


def test_next_words_asks_for_one_at_least():
    with pytest.raises(OptionError, match="topn=0"):
        TableModel().next_words("a", topn=0)


def test_by_hand():
    """ "a x": a .6, <unk> .1, end .2; "": the end at once, .1."""
    model = TableModel()
    text = model.token_ids(["a x", ""])
    first, second = split_sentences(text, model.log_probs(text))
    assert first.tokens == ("a", "<unk>", "</s>")
    assert np.exp(first.log_probs) == pytest.approx([0.6, 0.1, 0.2])
    assert first.total == pytest.approx(math.log(0.012))
    assert first.perplexity == pytest.approx(0.012 ** (-1 / 3))
    assert (second.tokens, second.total) == (("</s>",), pytest.approx(math.log(0.1)))


def test_a_sentence_without_tokens_has_no_perplexity():
    model = TableModel([[1 / 3] * 3] * 4, ["a", "b", "<unk>"])
    text = model.token_ids([""])
    (empty,) = split_sentences(text, model.log_probs(text))
    assert (empty.tokens, empty.total) == ((), 0.0)
    assert math.isnan(empty.perplexity)
