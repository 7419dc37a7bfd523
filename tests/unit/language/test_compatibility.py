import pytest

from firth.errors import OptionError
from firth.language.compatibility import check_compatible
from firth.language.text import TextRules
from tests.unit.language.toys import TableModel, random_model


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
