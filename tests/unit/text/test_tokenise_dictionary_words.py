"""Words of scripts without spaces, by ICU's dictionaries: the beginning of UDHR's first article."""

import sys
import warnings

import pytest

import firth
from firth.errors import MissingExtraError
from firth.text.tokenise import tokeniser, words_of

ARTICLES = {
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกัน": "มนุษย์ ทั้ง หลาย เกิด มา มี อิสระ และ เสมอ ภาค กัน",
    "ມະນຸດທຸກຄົນເກີດມາມີສິດເສລີພາບ ແລະສະເໝີໜ້າກັນ": "ມະນຸດ ທຸກຄົນ ເກີດ ມາ ມີ ສິດ ເສລີພາບ ແລະ ສະເໝີ ໜ້າ ກັນ",
    "មនុស្សទាំងអស់កើតមកមានសេរីភាពនិងសមភាព": "មនុស្ស ទាំងអស់ កើតមក មាន សេរីភាព និង សមភាព",
    "လူတိုင်းသည်တူညီလွတ်လပ်သော": "လူ တိုင်း သည် တူညီ လွတ်လပ် သော",
    "在尊严和权利上一律平等。": "在 尊严 和 权利 上 一律 平等",
    "すべての人間は、自由であり": "すべて の 人間 は 自由 で あり",
}
OTHER = "Don't pay $1,000.50 for Ångström’s “Straße” in 2024, ｆｕｌｌ, ΔΡΌΜΟΣ\n한국어 هـذا हिन्दी"


@pytest.mark.parametrize(("text", "words"), ARTICLES.items())
def test_words(text, words):
    pytest.importorskip("icu4py", reason="icu4py is not installed: pip install 'firth[segment]'")
    assert tokeniser("segment")(text) == words.split()
    mixed = f"The USB-{text} 3.14"
    assert tokeniser("segment")(mixed) == ["the", "usb", *words.split(), "3.14"]


def test_other_scripts_need_no_dictionary(monkeypatch):
    """And are as by the default rule, also where icu4py is missing."""
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    assert tokeniser("segment")(OTHER) == words_of(OTHER)
    for text in ARTICLES:
        with pytest.raises(MissingExtraError, match=r"pip install .*\[segment\]"):
            tokeniser("segment")(text)


def test_the_warning_names_what_divides(tmp_path):
    thai = [f"{next(iter(ARTICLES))} {next(iter(ARTICLES))}"] * 9
    with pytest.warns(UserWarning, match=r"^Thai puts no spaces .*: tokens='segment' divides them \(pip install"):
        firth.Corpus.build(thai, min_count=1, cache=tmp_path)
    with pytest.warns(UserWarning, match="^Tibetan puts no spaces between words, so that syllables became .*: divide"):
        firth.Corpus.build(["འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་"] * 9, min_count=1, cache=tmp_path)


def test_a_corpus_and_its_models(tmp_path):
    pytest.importorskip("icu4py", reason="icu4py is not installed: pip install 'firth[segment]'")
    text, words = next(iter(ARTICLES.items()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        corpus = firth.Corpus.build([f"{text} Cat"] * 9, tokens="segment", min_count=1, cache=tmp_path)
    assert next(iter(corpus)) == [*words.split(), "cat"]
    vectors = firth.Word2Vec(dim=4, epochs=1, sample=0).train(corpus, threads=1)
    assert vectors.metadata["training"]["rules"] == {"tokens": "segment"}
    assert "CAT" in vectors
    assert firth.sentence_vectors(vectors, [text], weighting="mean").any()
