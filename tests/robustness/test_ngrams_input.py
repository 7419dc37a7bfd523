"""Bad input to n-gram models: one sentence that says what was found, what was expected, what to do."""

import json
import os

import numpy as np
import pytest

import firth
from firth.errors import CorpusError, FormatError, OptionError
from firth.language import ngram_model
from firth.language.ngram_validation import find_damage
from firth.storage import integrity
from tests.robustness.tampering import array_of, change, with_number
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
        firth.NgramLM(**options)


def test_text_too_small_for_discounts(tmp_path):
    with pytest.raises(OptionError, match=r"cannot estimate the discounts of 1-grams.*discount_fallback=True"):
        firth.NgramLM().train(text_of(["a b"], tmp_path))


def test_threads(tmp_path):
    with pytest.raises(OptionError, match="threads=0"):
        firth.NgramLM(discount_fallback=True).train(text_of(["a b"], tmp_path), threads=0)


def test_a_corpus_that_left_words_out(tmp_path):
    corpus = firth.Corpus.build(["a a b"], cache=tmp_path, min_count=2)
    with pytest.raises(CorpusError, match="unknown='<unk>'"):
        firth.NgramLM().train(corpus)


@pytest.mark.parametrize("word", ["<s>", "</s>"])
def test_a_text_with_a_word_that_has_a_meaning_of_its_own(tmp_path, word):
    with pytest.raises(CorpusError, match=f"the text holds the word '{word}', which is reserved"):
        firth.NgramLM(discount_fallback=True).train(text_of([f"a {word} b"], tmp_path))


def test_an_order_above_every_sentence(tmp_path):
    """Longer n-grams than any sentence: the model is that of the longest there are."""
    text = text_of(SENTENCES, tmp_path)
    longest = int(np.diff(text.offsets).max()) + 1
    low, high = (firth.NgramLM(order=n, discount_fallback=True).train(text) for n in (longest, longest + 4))
    check_sums(high, text, 20)
    np.testing.assert_allclose(high.log_probs(text), low.log_probs(text), rtol=0, atol=1e-6)
    high.to_arpa(tmp_path / "m.arpa")
    again = firth.NgramModel.from_arpa(tmp_path / "m.arpa")
    assert again.trie.sizes.tolist() == high.trie.sizes.tolist()


@pytest.fixture
def folder(tmp_path):
    firth.NgramLM(order=3, discount_fallback=True).train(text_of(SENTENCES, tmp_path)).save(tmp_path / "m")
    return tmp_path / "m"


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "vocab.json"])
def test_a_file_that_is_missing(folder, name):
    (folder / name).unlink()
    with pytest.raises(FormatError, match=rf"m.{name}: missing"):
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
    (folder / "checksums.json").unlink()
    with pytest.raises(FormatError, match=r"n-grams by order for 6 words.*copy or save it again"):
        firth.load(folder)


def test_rules_that_are_missing(folder):
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, "rules": None}), encoding="utf-8")
    (folder / "checksums.json").unlink()
    with pytest.raises(FormatError, match=r"config\.json does not describe a language model"):
        firth.load(folder)


def test_a_folder_of_something_else_is_not_replaced(tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("dear", encoding="utf-8")
    model = firth.NgramLM(order=2, discount_fallback=True).train(text_of(SENTENCES, tmp_path))
    with pytest.raises(OptionError, match="a folder of something else"):
        model.save(tmp_path / "other")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        firth.NgramModel.from_arpa(tmp_path / "none.arpa")


def bits(number):
    """The float32 number as the int32 that a node holds."""
    return int(np.float32(number).view(np.int32))


@pytest.mark.parametrize(
    ("name", "place", "number", "complaint"),
    [
        ("nodes", (0, 0), 2**30, "children of n-gram 0 lie outside the next order"),
        ("nodes", (0, 0), -5, "children of n-gram 0 lie outside"),
        ("nodes", (2, 0), 0, "children of n-gram 1 lie outside"),
        ("nodes", (-1, 0), 2**31 - 1, "lie outside the next order"),
        ("nodes", (3, 1), 3, "a 1-gram that has a suffix"),  # once a chain without an end
        ("nodes", (8, 1), 2**31 - 1, "has a suffix that is not the n-gram without its first word"),
        ("nodes", (8, 1), 8, "has a suffix that is not"),
        ("nodes", (0, 2), bits(4.65), "1-gram 0 has an invalid probability"),  # once "104.9"
        ("nodes", (8, 2), bits(np.nan), "has an invalid probability"),
        ("nodes", (1, 3), bits(np.inf), "1-gram 1 has an invalid back-off weight"),
        ("nodes", (8, 3), bits(np.nan), "has an invalid back-off weight"),
        ("nodes", (1, 3), bits(4.65), "the back-off weight of 'b', n-gram 1, gives probabilities above 1"),
        ("leaves", (0, 0), 2**31 - 1, "has a suffix that is not"),
        ("leaves", (0, 0), -1, "has a suffix that is not"),
        ("leaves", (0, 1), bits(0.1), "has an invalid probability"),
        ("words", 0, 2, "1-grams are not the words in order"),
        ("words", -1, 2**31 - 1, "not sorted by their last words"),
        ("words", -1, -1, "not sorted by their last words"),
        ("sizes", 0, 2**62, "n-grams by order"),
    ],
)
def test_numbers_that_lead_astray(folder, name, place, number, complaint):
    """Each of these was once followed out of the arrays, without an end, or taken for a probability."""
    change(folder, **{name: with_number(array_of(folder, name), place, number)})
    with pytest.raises(FormatError, match=f"{folder}.*{complaint}.*copy or save it again"):
        firth.load(folder)


def test_arrays_of_another_type(folder):
    for name in ("words", "nodes", "leaves"):
        whole = array_of(folder, name)
        change(folder, **{name: whole.astype(np.int64)})
        with pytest.raises(FormatError, match=f"tensor '{name}' is int64"):
            firth.load(folder)
        change(folder, **{name: whole})
    change(folder, counts=with_number(array_of(folder, "counts"), 0, -1))
    with pytest.raises(FormatError, match="tensor 'counts' holds numbers from -1"):
        firth.load(folder)


@pytest.mark.parametrize("words", [["a", "b", "c", "d", "e", "a", "<unk>"], ["a", "b", "c", "d", "e", "x", "</s>"]])
def test_words_that_are_none_of_a_language_model(folder, words):
    (folder / "vocab.json").write_text(json.dumps(words), encoding="utf-8")
    (folder / "checksums.json").unlink(missing_ok=True)
    with pytest.raises(FormatError, match=r"expected each word once|lacks '<unk>'"):
        firth.load(folder)


@pytest.mark.parametrize("smoothing", ["kneser-ney", "katz", "absolute", "good-turing", "jelinek-mercer", "add-k"])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_every_smoothing_makes_sound_models(tmp_path, smoothing, order):
    """What a folder is refused for, no model that was trained has."""
    model = firth.NgramLM(order=order, smoothing=smoothing, discount_fallback=True).train(text_of(SENTENCES, tmp_path))
    assert find_damage(model.trie, model.vocabulary.words) == ""


def test_weights_above_one_are_looked_into(tmp_path):
    """A weight may be above 1 where no word that was not seen after the context is made too likely by it."""
    lines = r"""\data\
ngram 1=5
ngram 2=1

\1-grams:
-99	<s>
-0.1	a	{weight}
-1	b
-1	c
-2	<unk>

\2-grams:
-0.5	a a

\end\
"""
    path = tmp_path / "m.arpa"
    path.write_text(lines.format(weight="0.9"), encoding="utf-8")  # 10^(0.9 - 1) of b and c: 1.6 in sum, none above 1
    model = firth.NgramModel.from_arpa(path, tokens="whitespace")
    assert np.exp(model.start([[model.vocabulary.ids["a"]]])[0]).max() <= 1
    path.write_text(lines.format(weight="1.1"), encoding="utf-8")
    with pytest.raises(FormatError, match=r"m\.arpa: the back-off weight of 'a'.*above 1.*write it again"):
        firth.NgramModel.from_arpa(path, tokens="whitespace")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("ngram 1=5", "ngram 1=10000000000000000000", "line 2: .*the file has room for at most"),
        ("ngram 1=5", "ngram 1=" + "9" * 5000, "line 2: .*the file has room for at most"),
        ("ngram 2=1", "ngram 2=99999999", "line 3: .*the file has room for at most"),
        ("ngram 2=1", "ngram " + "2" * 5000 + "=1", "line 3: .*expected the number of 2-grams"),
        ("-0.5", "-0." + "5" * 60_000, "line 13: .*expected a number"),
        ("-0.5", "0." + "0" * 60_000, "line 13: .*expected a number"),
    ],
)
def test_endless_numbers_in_arpa_files(tmp_path, old, new, complaint):
    content = (
        "\\data\\\nngram 1=5\nngram 2=1\n\n\\1-grams:\n-99\t<s>\n-0.1\ta\t0\n-1\tb\n-1\tc\n-2\t<unk>\n\n\\2-grams:\n"
        "-0.5\ta a\n\n\\end\\\n"
    )
    assert content.count(old) == 1
    (tmp_path / "m.arpa").write_text(content.replace(old, new), encoding="utf-8")
    with pytest.raises(FormatError, match=complaint):
        firth.NgramModel.from_arpa(tmp_path / "m.arpa")


def test_a_model_is_looked_through_once(folder, monkeypatch):
    """What was found is remembered for as long as the files stay as they are."""
    monkeypatch.setattr(integrity, "MTIME_RESOLUTION", -60.0)  # else what was just written is looked through each time
    firth.load(folder)
    monkeypatch.setattr(ngram_model, "find_damage", lambda *_: pytest.fail("checked again"))
    assert len(firth.load(folder).vocabulary) == 7
    os.utime(folder / "model.safetensors", (10**9, 10**9))
    with pytest.raises(pytest.fail.Exception, match="checked again"):
        firth.load(folder)
