"""Every word of a text, as it is written there, is found in a model that was trained on the text."""

import unicodedata
import zipfile
from itertools import groupby

import pytest

import firth
from firth.text.characters import IDEOGRAPH, kind

LANGUAGES = {
    "tur": "tr", "lit": "lt", "deu": "de", "deu_1901": "de", "ell_monotonic": "el", "ell_polytonic": "el", "fra": "fr",
    "spa": "es", "pol": "pl", "vie": "vi", "rus": "ru", "hye": "hy", "kat": "ka", "amh": "am", "arb": "ar", "heb": "he",
    "hin": "hi", "ben": "bn", "tam": "ta", "kor": "ko", "jpn": "ja", "cmn_hans": "zh", "tha": "th", "khm": "km",
}  # fmt: skip


def written(text):
    """The words of a text as a reader sees them: letters, marks and digits without anything between them."""
    for inside, run in groupby(text, lambda character: unicodedata.category(character)[0] in "LMN"):
        word = "".join(run)
        if inside and kind(word[0]) == IDEOGRAPH:
            yield from (character for character in word if kind(character) == IDEOGRAPH)
        elif inside and unicodedata.category(word[0])[0] != "M":
            yield word


def capital(word, language):
    """A word in capitals; Python's own rule knows no language."""
    return (word.replace("i", "İ") if language == "tr" else word).upper()


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.filterwarnings("ignore:.* puts no spaces between words")
def test_every_word_is_found_as_it_is_written(name, shared_data, tmp_path):
    with zipfile.ZipFile(shared_data / "language" / "udhr2" / "udhr2.zip") as files:
        text = files.read(f"udhr2/{name}.txt").decode()
    # A word with an apostrophe or a point inside is one word: beside its parts it is not asked for here.
    text = "".join(" " if kind(character) in "aup" or character == "’" else character for character in text)
    corpus = firth.Corpus.build(text.splitlines(), min_count=1, language=LANGUAGES[name], cache=tmp_path)
    vectors = firth.Word2Vec(dim=2, epochs=1).train(corpus, threads=1, progress=False)
    words = sorted(set(written(text)))
    assert len(words) > 200
    assert [word for word in words if word not in vectors] == []
    for form in ("NFC", "NFD"):
        assert [word for word in words if unicodedata.normalize(form, word) not in vectors] == []
    if name not in ("lit", "ell_monotonic", "ell_polytonic"):  # whose capitals have other accents
        capitals = [capital(word, LANGUAGES[name]) for word in words if not {*"ßև"} & {*word}]
        assert [word for word in capitals if word not in vectors] == []
