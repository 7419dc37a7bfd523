import numpy as np
import pytest

from firth.errors import CorpusError, OptionError
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
