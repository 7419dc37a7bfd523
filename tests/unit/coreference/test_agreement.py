"""Agreement of pronouns and noun phrases."""

import pytest

from firth.coreference.agreement import agrees
from firth.coreference.hobbs import hobbs, most_recent, noun_phrases
from firth.readers.brackets import parse_bracketed

TEXT = """(S (NP (NNP John)) (VP (VBD saw) (NP (DT a) (JJ beautiful) (NN car))
(PP (IN at) (NP (DT the) (NN dealership)))))
(S (NP (PRP He)) (VP (VBD showed) (NP (PRP it)) (PP (TO to) (NP (NNP Bob)))))"""


def phrase(text):
    """The first noun phrase of a tree."""
    (tree,) = parse_bracketed(text, "a test")
    return noun_phrases(tree)[0]


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("(NP (NNP Mary) (NNP Smith))", ("she", "her"), ("he", "they", "I", "you")),
        ("(NP (NNP Smith))", ("he", "she", "it"), ("we",)),
        ("(NP (DT the) (NN car))", ("it", "its"), ("he", "her", "they")),
        ("(NP (DT the) (NN waiter))", ("he",), ("she",)),
        ("(NP (DT the) (NNS cars))", ("they",), ("it", "he")),
        ("(NP (NP (NNP Ann)) (CC and) (NP (NNP Bob)))", ("they",), ("she", "he")),
        ("(NP (NNP June))", ("it",), ("he", "she")),
        ("(NP (PRP she))", ("her", "herself"), ("he", "it", "I")),
        ("(NP (NP (DT the) (NN brother)) (PP (IN of) (NP (NNP Ann))))", ("he",), ("she",)),
        ("(NP (CD 536))", ("it",), ("he",)),
    ],
)
def test_person_number_gender_and_animacy(text, right, wrong):
    found = phrase(text)
    assert [word for word in (*right, *wrong) if agrees(word, found)] == list(right)


def test_what_is_no_pronoun_agrees_with_everything():
    assert agrees("ten", phrase("(NP (DT the) (NN car))"))


def test_hobbs_with_agreement():
    """Jurafsky and Martin: "he" is John, "it" the car."""
    trees = list(parse_bracketed(TEXT, "a test"))
    assert str(hobbs(trees, 0, agrees=agrees).antecedent) == "John"
    assert str(hobbs(trees, 2, agrees=agrees).antecedent) == "a beautiful car"


def test_the_most_recent_noun_phrase():
    """The last head before the pronoun first; "it" is the dealership, the wrong answer that Hobbs avoids."""
    trees = list(parse_bracketed(TEXT, "a test"))
    found = most_recent(trees, 2, agrees=agrees, every=True)
    assert [str(each.phrase) for each in found.proposals] == ["He", "the dealership", "a beautiful car", "John"]
    assert str(found.antecedent) == "the dealership"
    assert str(most_recent(trees, 2, agrees=agrees).proposals[-1].phrase) == "the dealership"
    own = list(parse_bracketed("(S (NP (NP (PRP$ his)) (NN dog)) (VP (VBD left)))", "a test"))
    assert most_recent(own, 0).antecedent is None  # "his dog" holds the pronoun
