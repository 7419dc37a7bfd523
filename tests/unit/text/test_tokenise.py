import unicodedata

import pytest

from firth.errors import OptionError
from firth.text.tokenise import (
    decode,
    encode,
    join_words,
    text8_tokens,
    tokeniser,
    unicode_tokens,
    whitespace_tokens,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The CAT", ["the", "cat"]),
        ("Straße STRASSE", ["straße", "strasse"]),
        ("Maßen Massen", ["maßen", "massen"]),
        ("Σίσυφος ΣΊΣΥΦΟΣ δρόμος Σ", ["σίσυφος", "σίσυφος", "δρόμος", "σ"]),
        ("İstanbul ISTANBUL I\u0307", ["istanbul", "istanbul", "i"]),
        ("ｶﾞ ﾊﾝｶｸ Ｆｕｌｌ１．５ ﬁnd ſo ﷲ ﺑﺏ", ["ガ", "ハンカク", "full1.5", "find", "so", "الله", "بب"]),
        ("كـــتاب", ["كتاب"]),
        ("cafe\u0301 café", ["café", "café"]),  # NFD and NFC are one word
        ("don't don’t DON＇T", ["don't"] * 3),
        ("'tis the dogs' 'quoted'", ["tis", "the", "dogs", "quoted"]),
        ("l'homme rock'n'roll 1990's 5'10", ["l'homme", "rock'n'roll", "1990's", "5", "10"]),
        ("o‘zbek it´s don`t п‘ять can′t ‘quoted’", ["o'zbek", "it's", "don't", "п'ять", "can't", "quoted"]),
        ("Ի՞նչ է։ Այո՛, դ՚Արտ", ["ինչ", "է", "այո", "դ'արտ"]),  # Armenian marks stand inside words
        ("ג׳ורג ג'ורג", ["ג'ורג"] * 2),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("3.14 1,000 192.168.0.1", ["3.14", "1,000", "192.168.0.1"]),
        ("3. 14 .5 end.Next v2.0", ["3", "14", "5", "end", "next", "v2.0"]),
        ("new_york _x_ a__b col·lecció", ["new_york", "x", "a", "b", "col·lecció"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("covid19 b2b x²", ["covid19", "b2b", "x²"]),
        ("co\u00adoperate \ufeffbom", ["cooperate", "bom"]),
        ("東京タワーへ", ["東", "京", "タワー", "へ"]),
        ("か\u3099 あ\u3099", ["が", "あ\u3099"]),  # a mark stays with its character where nothing composes
        ("한국어 vs 漢字", ["한국어", "vs", "漢", "字"]),
        ("सबसे हिन्दी", ["सबसे", "हिन्दी"]),
        ("ภาษาไทย คำ", ["ภาษาไทย", unicodedata.normalize("NFC", "คำ")]),
        ("5️⃣ ❤️ 👍🏽 “x” €5 #tag @me", ["5", "x", "5", "tag", "me"]),
        ("\u0301 ' _ . , \u200d", []),  # nothing starts a word
        ("a\x00b\u2028c", ["a", "b", "c"]),
        ("", []),
    ],
)
def test_words(text: str, tokens: list[str]) -> None:
    assert words_of(text) == tokens


def test_words_fold_what_case_folding_makes_one() -> None:
    """The tokens of corpora and models from before are what they were."""
    assert unicode_tokens("Straße STRASSE Σίσυφος ΣΊΣΥΦΟΣ ﬁn") == ["strasse"] * 2 + ["σίσυφοσ"] * 2 + ["fin"]


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("words:tr", "IŞIK Işık İstanbul ISTANBUL I\u0307ZMİR", ["ışık", "ışık", "istanbul", "ıstanbul", "izmir"]),
        ("words:az", "Qarabağ IŞIQ", ["qarabağ", "ışıq"]),
        ("words:lt", "Ì i\u0307\u0300 J\u0303", ["ì", "ì", "j\u0303"]),
        ("words:as-shaped", "ｶ ﬁ Ａ", ["ｶ", "ﬁ", "ａ"]),
        ("words:tr:as-shaped", "Ｉ I", ["ｉ", "ı"]),
    ],
)
def test_words_of_languages(name: str, text: str, tokens: list[str]) -> None:
    assert tokeniser(name)(text) == tokens


@pytest.mark.parametrize("name", ["words:de", "words:", "words:as-shaped:tr", "words:tr:x", "word"])
def test_no_rule_has_another_name(name: str) -> None:
    with pytest.raises(OptionError, match=r"expected one of words, unicode, .*words:LANGUAGE for one of tr, az, lt"):
        tokeniser(name)


def test_tokens_are_normalised() -> None:
    for token in words_of("Ångström Ω \u1e9b\u0323 q\u0307\u0323 ǰ ΐ ŉ ǅ"):
        assert unicodedata.is_normalized("NFC", token)
        assert words_of(token) == [token]


def test_whitespace_keeps_everything_else() -> None:
    assert whitespace_tokens("A-b,\tc\u00a0d\r\n<e>\x1ff") == ["A-b,", "c\u00a0d", "<e>", "f"]


def test_text8_spells_digits_and_knows_ascii_only() -> None:
    # U+212A, the Kelvin sign, lower-cases to an ASCII k; the style of text8 does not know it.
    assert text8_tokens("On 7.05 Café\u212a x") == ["on", "seven", "zero", "five", "caf", "x"]


def test_invalid_bytes_and_lone_surrogates_become_replacement_characters() -> None:
    assert decode(b"a\xffb\xe2\x82c") == "a\ufffdb\ufffdc"
    assert words_of(decode(b"a\xffb")) == ["a", "b"]
    assert whitespace_tokens(decode(b"a\xffb")) == ["a\ufffdb"]
    assert decode(encode("a\ud800b")) == "a\ufffd\ufffd\ufffdb"
    assert whitespace_tokens("a\ud800b") == ["a\ufffd\ufffd\ufffdb"]


class Tokenizing:
    """As transformers' and NLTK's tokenizers are: a method, and a call that gives something else."""

    def tokenize(self, text: str) -> list[str]:
        return text.split("-")

    def __call__(self, text: str) -> list[int]:
        return [len(text)]


def test_tokeniser_takes_names_functions_and_tokenizers() -> None:
    assert tokeniser("unicode")("A b") == ["a", "b"]
    assert tokeniser(str.split)("A b") == ["A", "b"]
    assert tokeniser(Tokenizing())("a-b") == ["a", "b"]


def test_tokeniser_takes_a_hugging_face_tokenizer() -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")
    model = tokenizers.models.WordLevel({"hello": 0, "world": 1, "[UNK]": 2, "[CLS]": 3}, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 3)]
    )
    assert tokeniser(tokenizer)("hello there world") == ["hello", "[UNK]", "world"]


@pytest.mark.parametrize("tokens", ["word", 3, None])
def test_tokeniser_refuses_others(tokens: object) -> None:
    with pytest.raises(OptionError, match="expected one of words, unicode, whitespace, text8"):
        tokeniser(tokens)


@pytest.mark.parametrize("text", ["the old house", "東京へ", "he said 東京 is big", ""])
def test_joined_words_are_the_text_again(text):
    assert join_words(words_of(text)) == text


def test_a_class_in_place_of_a_tokenizer() -> None:
    class Tokenizer:
        @classmethod
        def from_pretrained(cls, name: str) -> None:
            raise NotImplementedError

    with pytest.raises(OptionError, match="tokens=Tokenizer is a class; expected an object of it, or a function"):
        tokeniser(Tokenizer)
    assert tokeniser(list)("ab") == ["a", "b"]
