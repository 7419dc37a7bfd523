import math

import numpy as np
import pytest

from firth.language.scores import split_sentences
from tests.unit.language.toys import TableModel


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
