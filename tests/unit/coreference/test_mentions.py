"""Heads, kinds and agreement of mentions."""

import pytest

from firth.coreference.mentions import agree, read_mentions
from firth.documents.document import Document
from firth.readers.conllu import DependencySentence


def mention(text, start=0, end=None, tags=None, heads=None):
    sentence = DependencySentence.of(text.split())
    if tags:
        sentence = sentence.annotated(tags=tags.split())
    if heads:
        sentence = sentence.annotated(heads=heads, relations=["dep" if head else "root" for head in heads])
    (found,) = read_mentions(Document((sentence,)), [(start, len(sentence) if end is None else end)])
    return found


@pytest.mark.parametrize(
    ("text", "head", "kind", "number", "gender", "animacy"),
    [
        ("The old man of the sea", "man", "noun", "singular", "male", "animate"),
        ("the sister 's", "sister", "noun", "singular", "female", "animate"),
        ("Mrs. Reed 's brother", "brother", "noun", "singular", "male", "animate"),
        ("her husband , whom she loved", "husband", "noun", "singular", "male", "animate"),
        ("the houses in town", "houses", "noun", "plural", "", ""),
        ("her", "her", "pronoun", "singular", "female", "animate"),
        ("the children", "children", "noun", "plural", "", "animate"),
        ("dear Mary", "mary", "name", "singular", "female", "animate"),
        ("my family", "family", "noun", "", "", "animate"),
        ("the class", "class", "noun", "", "", ""),
    ],
)
def test_words_say_what_a_mention_is(text, head, kind, number, gender, animacy):
    found = mention(text)
    assert (found.head, found.kind) == (head, kind)
    assert (found.number, found.gender, found.animacy) == (number, gender, animacy)


def test_a_tree_says_what_the_head_is_and_tags_what_is_a_name():
    found = mention("the Tower which fell", heads=[2, 0, 4, 2], tags="DET PROPN PRON VERB", end=4)
    assert (found.head, found.kind) == ("tower", "name")
    assert mention("a gray mare astride", heads=[3, 3, 0, 3]).head == "mare"


def test_the_first_word_of_a_sentence_is_no_name_for_its_capital():
    assert mention("Boys ran", end=1).kind == "noun"
    assert mention("we saw Boys", start=2).kind == "name"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("he", "the woman", False), ("she", "the woman", True), ("it", "the woman", False), ("they", "the house", False),
     ("they", "the crowd", True), ("it", "the crowd", False), ("he", "Smith", True), ("I", "she", True)],
)  # fmt: skip
def test_agreement(first, second, expected):
    one, other = mention(f"{first}"), mention(f"saw {second}", start=1)
    assert agree(one, other) is expected
    assert agree(other, one) is expected
