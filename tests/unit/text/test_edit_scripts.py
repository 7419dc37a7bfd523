"""Edit scripts from forms to lemmas."""

import pytest

from firth.text.edit_scripts import apply, check_script, is_whole, removed, script


@pytest.mark.parametrize(
    ("form", "lemma", "code"),
    [
        ("cats", "cat", "l||-"),
        ("The", "the", "l||"),
        ("Paris", "Paris", "t||"),
        ("NATO", "NATO", "u||"),
        ("iPhones", "iPhone", "k||-"),
        ("making", "make", "l||---+e"),
        ("gemacht", "machen", "l|--|-+e+n"),
        ("Bäume", "Baum", "t|>-+a|-"),
        ("went", "go", "=go"),
        ("a", "ab|", "l||+b+|"),
        ("x", "_", "=_"),
    ],
)
def test_scripts_by_hand(form, lemma, code):
    assert script(form, lemma) == code
    assert apply(code, form) == lemma
    assert is_whole(code) == (code[0] == "=")
    check_script(code)


@pytest.mark.parametrize(
    ("form", "lemma", "other", "other_lemma"),
    [
        ("Bäume", "Baum", "Räume", "Raum"),
        ("parlons", "parler", "Donnons", "donner"),
        ("gemacht", "machen", "gesucht", "suchen"),
        ("PARIS", "Paris", "ROMA", "Roma"),
    ],
)
def test_other_forms_have_the_same_script(form, lemma, other, other_lemma):
    assert script(form, lemma) == script(other, other_lemma)


def test_a_form_too_short_keeps_its_characters():
    assert apply("t|--|---+e", "abcd") == "Abcd"
    assert apply("l||--", "xy") == "xy"  # no lemma is empty


def test_a_script_that_keeps_capitals_removes_what_it_deletes():
    """Only the dotted capital I becomes two characters in lower case."""
    assert removed("k|---|", "xyİZ") == "xyi|"
    assert apply("k|---|", "xyİZ") == "Z"
    assert removed("k|-|--", "aİ") is None
    assert apply("k|-|--", "aİ") == "aİ"


@pytest.mark.parametrize("code", ["", "l", "l|", "x||", "l||?", "l||+", "l|||", "||"])
def test_what_is_no_script(code):
    with pytest.raises(ValueError, match="expected an edit script"):
        check_script(code)
