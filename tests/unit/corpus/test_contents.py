"""The sentences of texts."""

from firth.corpus.contents import sentences
from firth.corpus.options import CorpusOptions


def test_sentences_end_at_the_marks_of_all_scripts_and_by_the_rules_of_a_language():
    groups = [["Am 3. Tag", "kam er. वह आया।वह गई।"]]
    assert list(sentences(groups, CorpusOptions(sentences="punctuation"))) == [
        "Am 3.",
        "Tag kam er.",
        "वह आया।",
        "वह गई।",
        "",
    ]
    assert list(sentences(groups, CorpusOptions(sentences="punctuation", language="de"))) == [
        "Am 3. Tag kam er.",
        "वह आया।",
        "वह गई।",
        "",
    ]
