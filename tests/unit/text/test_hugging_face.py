"""The real tokenizers library beside firth's tokenisers, over every character and over texts made to differ."""

import json
import unicodedata

import pytest
import tokenizers

from firth.errors import OptionError
from firth.text.hugging_face import NAMES, name_of, tokenizer_json, words_in
from firth.text.tokenise import tokeniser

WORDS = [
    "don't", "i", "a", "s", "strasse", "new_york", "3.14", "東", "京", "naïve", "ångström's", "σοφος", "ﬁ", "fin",
    "1,000", "l'homme", "_", "カタカナ", "٣٫١", "five", "x", "मनु", "μ", "state", "of", "the", "art", "", "the end",
    "New-York's", "straße", "σοφός", "ışık", "istanbul", "full", "so", "الله",
]  # fmt: skip
TEXTS = [
    "Don’t pay $1,000 or 3.14 for STRASSE, Straße and straẞe!",
    "state-of-the-art; New_York's 東京 カタカナ",
    "I, a, s; ix sa ai xxs 'a' a' 'a the end",
    "Å" + "ngström's naïve nai\u0308ve NAÏVE",
    "ΣΟΦΟΣ σοφος σοφός",
    "IŞIK Işık ISTANBUL İstanbul Ｆｕｌｌ ſo ﷲ الل\u0640ه",
    "ﬁn ﬁ fi FI µ μ Μ ſ",
    "soft\u00adhyphen the\u200b \u200ethe\u200f \ufeffthe",
    "٣٫١ 3. 14 3,x 1,000,000 five5",
    "",
    "...!?",
    "\n\t the\rof\x00art\x1f",
    "मनु मनु_मनु",
    "don't don''t don'5 '' _ __ the_",
]


def ids(tokenizer, text):
    return tokenizer.encode(text, add_special_tokens=False).ids


def expected(tokens, text):
    numbers = {word: number for number, word in enumerate(WORDS)}
    return [numbers[token] for token in tokeniser(tokens)(text) if token in numbers]


@pytest.mark.parametrize("tokens", NAMES)
@pytest.mark.parametrize("text", TEXTS)
def test_the_tokens_are_firths_and_unknown_words_give_nothing(tokens, text):
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(tokenizer_json(WORDS, tokens)))
    assert ids(tokenizer, text) == expected(tokens, text)


@pytest.mark.slow
@pytest.mark.parametrize("tokens", NAMES)
def test_every_character_between_two_words(tokens):
    """Each character stands inside a word, between digits, and alone; the words are all that firth makes of it."""
    codes = [code for code in range(0x30000) if not 0xD800 <= code < 0xE000]
    # Characters that are new in one of the two tables of Unicode are a stated difference.
    codes = [code for code in codes if unicodedata.category(chr(code)) != "Cn"]
    texts = [f"ab{chr(code)}cd 1{chr(code)}2 {chr(code)}" for code in codes]
    wanted = [tokeniser(tokens)(text) for text in texts]
    words = sorted({word for found in wanted for word in found})
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(tokenizer_json(words, tokens)))
    numbers = {word: number for number, word in enumerate(words)}
    differ = [
        code
        for code, found, encoding in zip(
            codes, wanted, tokenizer.encode_batch(texts, add_special_tokens=False), strict=True
        )
        if encoding.ids != [numbers[word] for word in found]
    ]
    assert [f"U+{code:04X}" for code in differ] == []


def test_only_foldings_that_can_be_found_are_written():
    normalizers = tokenizer_json(["cat"], "unicode")["normalizer"]["normalizers"]
    with_foldings = tokenizer_json(["strasse"], "unicode")["normalizer"]["normalizers"]
    assert len(normalizers) < len(with_foldings)


def test_words_are_read_back():
    assert words_in(tokenizer_json(WORDS, "unicode")) == WORDS
    assert words_in({"model": {"vocab": {"b": 1, "a": 0}}, "added_tokens": [{"id": 2, "content": "[PAD]"}]}) == [
        "a", "b", "[PAD]",
    ]  # fmt: skip
    assert words_in({"model": {"vocab": [["x", -1.0], ["y", -2.0]]}}) == ["x", "y"]
    with pytest.raises(ValueError, match="has number 2"):
        words_in({"model": {"vocab": {"b": 2, "a": 0}}})


def test_other_tokenisers_are_refused():
    with pytest.raises(OptionError, match="only words, unicode, whitespace, text8"):
        tokenizer_json(["a"], "bytes")


@pytest.mark.parametrize("tokens", NAMES)
def test_the_name_of_a_tokeniser_is_found_again(tokens):
    same = {"words:az": "words:tr"}  # rules alike in all letters
    assert name_of(json.loads(json.dumps(tokenizer_json(WORDS, tokens))), WORDS) == same.get(tokens, tokens)
