import pytest

from firth.errors import OptionError
from firth.inference.generation_options import GenerationOptions


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"max_length": 0}, "max_length=0: expected a whole number of at least 1"),
        ({"temperature": -1.0}, "temperature=-1.0"),
        ({"top_k": 0}, "top_k=0"),
        ({"top_p": 0.0}, "top_p=0.0"),
        ({"min_p": 1.5}, "min_p=1.5"),
        ({"repetition_penalty": 0.5}, "repetition_penalty=0.5"),
        ({"no_repeat_ngram": 0}, "no_repeat_ngram=0"),
        ({"min_length": 5, "max_length": 5}, "min_length=5: expected less than max_length=5"),
    ],
)
def test_what_cannot_be_is_refused(wrong, told):
    with pytest.raises(OptionError, match=told):
        GenerationOptions(**wrong)


def test_knows_what_only_drawing_can_heed():
    assert not GenerationOptions(repetition_penalty=2.0, no_repeat_ngram=3).samples
    assert not GenerationOptions().samples
    assert not GenerationOptions(temperature=0).samples
    for one in ({"temperature": 0.5}, {"temperature": 1}, {"top_k": 3}, {"top_p": 0.9}, {"min_p": 0.1}):
        assert GenerationOptions(**one).samples
