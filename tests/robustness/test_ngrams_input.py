"""Bad input to n-gram models: one sentence that says what was found, what was expected, what to do."""

import json

import numpy as np
import pytest

import firth
from firth.errors import CorpusError, FormatError, OptionError
from tests.unit.language.ngram_checks import check_sums, text_of

SENTENCES = ["a b a c a b", "b a b c", "a a b", "c b a d", "d", "a b a b c e"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"order": 0}, "order=0: expected a whole number of at least 1"),
        ({"order": 2.5}, "order=2.5: expected a whole number"),
        ({"smoothing": "kneser"}, "smoothing='kneser': expected one of kneser-ney"),
        ({"discounts": 2}, r"discounts=2: expected 3 \(modified Kneser-Ney\) or 1"),
        ({"discounts": 4}, "discounts=4: expected a whole number from 1 to 3"),
    ],
)
def test_options(options, complaint):
    with pytest.raises(OptionError, match=complaint):
        firth.Ngrams(**options)


def test_text_too_small_for_discounts(tmp_path):
    with pytest.raises(OptionError, match=r"discounts of 1-grams cannot be estimated.*discount_fallback=True"):
        firth.Ngrams().train(text_of(["a b"], tmp_path))


def test_threads(tmp_path):
    with pytest.raises(OptionError, match="threads=0"):
        firth.Ngrams(discount_fallback=True).train(text_of(["a b"], tmp_path), threads=0)


def test_a_corpus_that_left_words_out(tmp_path):
    corpus = firth.Corpus.build(["a a b"], cache=tmp_path, min_count=2)
    with pytest.raises(CorpusError, match="unknown='<unk>'"):
        firth.Ngrams().train(corpus)


@pytest.mark.parametrize("word", ["<s>", "</s>"])
def test_a_text_with_a_word_that_has_a_meaning_of_its_own(tmp_path, word):
    with pytest.raises(CorpusError, match=f"the text holds the word '{word}', which marks"):
        firth.Ngrams(discount_fallback=True).train(text_of([f"a {word} b"], tmp_path))


def test_an_order_above_every_sentence(tmp_path):
    """Longer n-grams than any sentence: the model is that of the longest there are."""
    text = text_of(SENTENCES, tmp_path)
    longest = int(np.diff(text.offsets).max()) + 1
    low, high = (firth.Ngrams(order=n, discount_fallback=True).train(text) for n in (longest, longest + 4))
    check_sums(high, text, 20)
    np.testing.assert_allclose(high.log_probs(text), low.log_probs(text), rtol=0, atol=1e-6)
    high.to_arpa(tmp_path / "m.arpa")
    again = firth.NgramModel.from_arpa(tmp_path / "m.arpa")
    assert again.trie.sizes.tolist() == high.trie.sizes.tolist()


@pytest.fixture
def folder(tmp_path):
    firth.Ngrams(order=3, discount_fallback=True).train(text_of(SENTENCES, tmp_path)).save(tmp_path / "m")
    return tmp_path / "m"


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "vocab.json"])
def test_a_file_that_is_missing(folder, name):
    (folder / name).unlink()
    with pytest.raises(FormatError, match=r"m: no |m is a folder without"):
        firth.load(folder)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "vocab.json"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_file_that_is_cut_short(folder, name, share):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: int(share * len(content))])
    with pytest.raises(FormatError, match=str(folder)):
        firth.load(folder)


def test_other_words_than_the_n_grams_have(folder):
    words = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    (folder / "vocab.json").write_text(json.dumps(words[:-1]), encoding="utf-8")
    with pytest.raises(FormatError, match=r"n-grams by order for 6 words.*copy or save it again"):
        firth.load(folder)


def test_rules_that_are_missing(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "rules": None}), encoding="utf-8")
    with pytest.raises(FormatError, match=r"rules None in config\.json"):
        firth.load(folder)


def test_a_folder_of_something_else_is_not_replaced(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear", encoding="utf-8")
    model = firth.Ngrams(order=2, discount_fallback=True).train(text_of(SENTENCES, tmp_path))
    with pytest.raises(OptionError, match="a folder of something else"):
        model.save(tmp_path / "other")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        firth.NgramModel.from_arpa(tmp_path / "none.arpa")
