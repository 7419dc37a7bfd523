"""Running text to tokens with places."""

import time

import pytest

from firth.errors import ArgumentTypeError, FormatError, OptionError
from firth.text.running_text import sentences_and_tokens


def tokens(text, tokeniser=None):
    return [[text[start:end] for start, end in sentence] for sentence in sentences_and_tokens(text, tokeniser)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She can't; he won't.", "She ca n't ; he wo n't ."),
        ("Ada's and the dogs' bones", "Ada 's and the dogs ' bones"),
        ("I’m sure we’ll win", "I ’m sure we ’ll win"),
        ("L'homme qu'il voit aujourd'hui, jusqu’à ici", "L' homme qu' il voit aujourd'hui , jusqu’ à ici"),
        ("C'est l'État d’Anna.", "C' est l' État d’ Anna ."),
        ("Ankara'da TÜBİTAK'ın evi", "Ankara'da TÜBİTAK'ın evi"),
        ("dell'arte", "dell' arte"),
        ("a well-known state-of-the-art", "a well-known state-of-the-art"),
        ("He paid $1,000.50 (5%) at 10:30 -- why?!", "He paid $ 1,000.50 ( 5 % ) at 10:30 -- why ? !"),
        ("Wait... what!!! “Yes”", "Wait ... what !!! “ Yes ”"),
        ("Mr. J. R. Hill of the U.S. army, i.e. AT&T", "Mr. J. R. Hill of the U.S. army , i.e. AT&T"),
        ("See www.a.org/b?c=1, or a.b@c.org. @ada #tag_1 :-)", "See www.a.org/b?c=1 , or a.b@c.org . @ada #tag_1 :-)"),
        ("東京とラジオ。", "東 京 と ラジオ 。"),
        ("हिन्दी में।वह", "हिन्दी में । वह"),
        ("እሱ መጣ።፡እሷ", "እሱ መጣ ። ፡ እሷ"),
        ("and/or x_y", "and / or x_y"),
        ("e\u0301t\u00e9", "e\u0301t\u00e9"),
        ("``no''", "`` no ''"),
        ("I ❤️❤️ it ((really)) 👍🏽", "I ❤️ ❤️ it ( ( really ) ) 👍🏽"),
    ],
)
def test_tokens(text, expected):
    assert [token for sentence in tokens(text) for token in sentence] == expected.split(" ")


def test_full_stops_of_a_language():
    text = "Am 3. Mai z. B. Dr. Au bzw. II. Rat."
    spans = sentences_and_tokens(text, language="de")
    assert " ".join(text[start:end] for start, end in spans[0]) == "Am 3. Mai z. B. Dr. Au bzw. II. Rat ."


def test_sentences_end_at_marks_and_empty_lines():
    text = "CHAPTER I\n\nMr. Hill came\nhome. He sat.\n \n\n“Why?”"
    assert tokens(text) == [
        ["CHAPTER", "I"], ["Mr.", "Hill", "came", "home", "."], ["He", "sat", "."], ["“", "Why", "?", "”"],
    ]  # fmt: skip
    assert tokens(" \n\t") == tokens("") == []


def test_only_white_space_is_between_tokens():
    """Whatever the characters are: nothing is lost, nothing overlaps."""
    text = "".join(chr(code) for code in [*range(1, 0x3100), *range(0xAC00, 0xAC20), *range(0x1F600, 0x1F640)])
    text += "'s n't 'll l' .. -- a.b.c. http://x @a # @ ''s a-'b 1,,2"
    for one in (text, text[::-1], " ".join(text)):
        places = [span for sentence in sentences_and_tokens(one) for span in sentence]
        before = 0
        for start, end in [*places, (len(one), len(one))]:
            assert before <= start
            assert not one[before:start].strip()
            assert start == len(one) or one[start:end].strip() == one[start:end] != ""
            before = end


def test_a_tokeniser_of_ones_own():
    words = {"我爱北京。": ["我", "爱", "北京", "。"], "你呢？": ["你", "呢", "？"]}
    assert tokens("我爱北京。你呢？", words.get) == [
        ["我", "爱", "北京", "。"], ["你", "呢", "？"],
    ]  # fmt: skip
    assert tokens("a  b", str.split) == [["a", "b"]]
    with pytest.raises(FormatError, match="'is', which is not in the rest of its sentence \"n't\""):
        tokens("isn't", lambda _: ["is", "is"])
    with pytest.raises(ArgumentTypeError, match="expected strings"):
        tokens("a", lambda _: [1])
    with pytest.raises(ArgumentTypeError, match="the tokeniser returned None, expected a list"):
        tokens("a", lambda _: None)
    with pytest.raises(ArgumentTypeError, match="tokeniser='spacy': expected a function"):
        tokens("a", "spacy")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("treebank", "least"),
    [
        ("en_ewt", 0.97),
        ("en_lines", 0.995),
        ("fr_sequoia", 0.985),
        ("de_gsd", 0.98),
        ("es_gsd", 0.99),
        ("tr_imst", 0.95),
    ],
)
def test_tokens_of_treebanks(shared_data, treebank, least):
    """F1 of tokens against those of treebanks, in their own text; Turkish trees split some words."""
    from firth.readers.conllu import read_conllu

    (path,) = (shared_data / "dependencies").glob(f"UD_*/{treebank}-ud-dev.conllu.gz")
    text, gold = "", set()
    for sentence in read_conllu(path):
        written = next((each.removeprefix("text = ") for each in sentence.comments if each.startswith("text = ")), None)
        if written is None:
            continue
        joined = {form: sentence.words[first - 1 : last] for first, last, form in sentence.multiword_tokens}
        place = 0
        for token in sentence.tokens:
            words = joined.get(token, (token,))
            for part in words if "".join(words) == token else (token,):
                place = written.index(part, place)
                gold.add((len(text) + place, len(text) + place + len(part)))
                place += len(part)
        text += written + " "
    found = {span for sentence in sentences_and_tokens(text) for span in sentence}
    f1 = 2 * len(found & gold) / (len(found) + len(gold))
    assert f1 > least


def test_long_sentences_without_spaces():
    """From each Han character the rest of the sentence was searched for an `@`: 10 seconds here."""
    start = time.process_time()
    assert [len(sentence) for sentence in sentences_and_tokens("漢" * 40_000 + " a.b@c.de")] == [40_001]
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("lines", "text", "sentences"),
    [
        (None, "He came\nhome. So.", [["He", "came", "home", "."], ["So", "."]]),
        (
            "sentence",
            "He came\nhome. So.\n\n  \nYes\r\nno",
            [["He", "came"], ["home", ".", "So", "."], ["Yes"], ["no"]],
        ),
        ("word", "New York\tX\n's\n\n\n can \r\n", [["New York", "'s"], ["can"]]),
        ("word", "a\n\tX\nb", [["a", "b"]]),
        ("word", "", []),
    ],
)
def test_what_a_line_is(lines, text, sentences):
    spans = sentences_and_tokens(text, lines=lines)
    assert [[text[start:end] for start, end in sentence] for sentence in spans] == sentences


def test_lines_that_are_refused():
    with pytest.raises(OptionError, match="lines='page': expected 'sentence' or 'word', or none for running text"):
        sentences_and_tokens("a", lines="page")
    with pytest.raises(OptionError, match="each line is a word already"):
        sentences_and_tokens("a", str.split, lines="word")
