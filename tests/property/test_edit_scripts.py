"""Edit scripts of any forms and lemmas."""

from hypothesis import given, settings
from hypothesis import strategies as st

from firth.text.edit_scripts import apply, script

WORDS = st.text("aAbBäİßǅ+-|>= ", min_size=1, max_size=8)


@settings(max_examples=100)
@given(WORDS, WORDS, WORDS)
def test_a_script_makes_its_lemma_and_some_lemma_of_any_form(form, lemma, other):
    code = script(form, lemma)
    assert apply(code, form) == lemma
    assert apply(code, other)
