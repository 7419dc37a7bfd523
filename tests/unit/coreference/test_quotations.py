"""Quotations and their speakers."""

import pytest

from firth.coreference.mentions import read_mentions
from firth.coreference.quotations import quotation_of_tokens, quotations, speakers
from firth.documents.document import Document
from firth.readers.conllu import DependencySentence


def document(*sentences):
    return Document(tuple(DependencySentence.of(sentence.split()) for sentence in sentences))


def said(text, spans):
    read = document(*text)
    quoted, mentions = quotations(read), read_mentions(read, spans)
    return [mentions[number].text if number >= 0 else "" for number in speakers(read, mentions, quoted)]


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (["“ I go , ” he said ."], [(0, 5)]),
        (['He said " go " and " stay " .'], [(2, 5), (6, 9)]),
        (["‘ I go , ’ said he ."], [(0, 5)]),
        (["“ One .", "“ Two . ”"], [(0, 3), (3, 7)]),
        (['" One .', '" Two . "'], [(0, 3), (3, 7)]),
        (["He “ never ended .", "A sentence ."], [(1, 5)]),
        (["No marks ."], []),
    ],
)
def test_quotations(sentences, expected):
    read = document(*sentences)
    assert quotations(read) == expected
    inside = quotation_of_tokens(len(read), expected)
    assert [int((inside == number).sum()) for number in range(len(expected))] == [
        end - start for start, end in expected
    ]


def test_the_speaker_stands_beside_a_verb_of_saying():
    text = ["“ I go , ” said the old man .", "Ann cried , “ No ! ”", "“ Yes , ” he saw the dog ."]
    assert said(text, [(6, 9), (10, 11), (21, 22), (23, 25)])[:2] == ["the old man", "ann"]


def test_speech_goes_on_after_the_speaker_is_named_and_then_alternates():
    text = ["“ I go , ” said Ann , “ now . ”", "Bob said , “ No ! ”", "“ Yes . ”", "“ No . ”"]
    assert said(text, [(6, 7), (12, 13)]) == ["ann", "ann", "bob", "ann", "bob"]
