import pytest

from firth.errors import OptionError
from firth.text.abbreviations import abbreviations, codes
from firth.text.language_codes import language_code


@pytest.mark.parametrize(
    ("code", "short"), [("tur", "tr"), ("ger-AT", "de"), ("DEU", "de"), ("pt_BR", "pt"), ("hsb", "hsb")]
)
def test_codes_of_three_letters_are_those_of_two(code, short):
    """Treebanks and corpora name languages by ISO 639-3; the rules of the language hold all the same."""
    assert language_code(code) == short
    assert short in codes()
    assert abbreviations(code) is abbreviations(short)


@pytest.mark.parametrize(("country", "language"), [("cz", "cs"), ("gr-GR", "el"), ("ua", "uk")])
def test_codes_of_countries_are_refused(country, language):
    with pytest.raises(OptionError, match=f"expected a code of ISO 639, such as '{language}'"):
        language_code(country)
