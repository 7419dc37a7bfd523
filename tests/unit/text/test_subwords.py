"""Subword tokenisers: what they keep, how they are kept, what they refuse."""

import itertools
import json
import math
import os
import pickle
import random
import subprocess
import sys
from pydoc_data.topics import topics

import pytest

import firth
from firth.errors import CorpusError, FormatError, MissingExtraError, OptionError
from firth.text.byte_pairs import BytePairEncoding
from firth.text.subwords import KINDS, MARK, Subwords, num_characters

pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")

TEXTS = topics["assignment"].splitlines(keepends=True)  # English that every Python carries
SIZES = {"bpe": 400, "wordpiece": 650, "unigram": 400}
HARD = "ﬁ e\u0301 é \0\t\r\n\u2028  ## … ▁ Ġ <unk> </s> [CLS] 👩‍👩‍👧 हिन्दी 東京" + "x" * 300 + " " * 200

each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def made():
    return {kind: Subwords.train(TEXTS, SIZES[kind], kind=kind) for kind in KINDS}


@each_kind
def test_nothing_is_lost(made, kind):
    """Composed and decomposed letters, control characters, a tokeniser's own signs, long runs."""
    subwords = made[kind]
    assert (subwords.kind, len(subwords)) == (kind, SIZES[kind])
    for text in (HARD, "", " ", "\n", "the cat", " the  cat "):
        ids = subwords.encode(text)
        assert subwords.decode(ids) == text
        assert subwords.tokenize(text) == [subwords.vocabulary[i] for i in ids]
        assert subwords.join(subwords.tokenize(text)) == text
        sampled = subwords.encode(text, sample=0.3, seed=5)
        assert subwords.decode(sampled) == text
        assert subwords.encode(text, sample=0.3, seed=5) == sampled


@each_kind
def test_frequent_words_are_pieces(made, kind):
    assert "Ġthe" in made[kind].tokenize("on the mat")


def test_byte_pairs_are_those_of_our_own(made):
    ours = BytePairEncoding.train(TEXTS, 400)
    assert ours.vocabulary == made["bpe"].vocabulary
    assert ours.encode(HARD) == made["bpe"].encode(HARD)


def test_dropout_of_one_leaves_bytes(made):
    assert made["bpe"].tokenize("the cat", sample=1.0) == list("theĠcat")
    assert made["wordpiece"].tokenize("the cat", sample=1.0) == ["t", "…h", "…e", "Ġ", "…c", "…a", "…t"]


@pytest.mark.parametrize("kind", ["bpe", "wordpiece"])
def test_dropout_of_none_changes_nothing(made, kind):
    for text in TEXTS[:3]:
        assert made[kind].tokenize(text, sample=0.0) == made[kind].tokenize(text)


def test_unigram_takes_the_likeliest_of_all_cuts(made):
    """By enumeration of every cut of a short chunk; ties apart, the library's cut has the greatest probability."""
    subwords = made["unigram"]
    log_probs = dict(json.loads(subwords.rules)["model"]["vocab"])
    for chunk in ("Ġthecat", "Ġsawdog", "whatmat"):
        best = -math.inf
        for cuts in itertools.product([False, True], repeat=len(chunk) - 1):
            ends = [i + 1 for i, cut in enumerate(cuts) if cut] + [len(chunk)]
            pieces = [chunk[start:end] for start, end in itertools.pairwise([0, *ends])]
            best = max(best, sum(log_probs.get(piece, -math.inf) for piece in pieces))
        found = sum(log_probs[piece] for piece in subwords.tokenize(chunk.replace("Ġ", " ")))
        assert found == pytest.approx(best, abs=1e-9)


def test_a_large_power_draws_the_likeliest_cut(made):
    text = "the cat saw the dog"
    assert made["unigram"].tokenize(text, sample=200.0) == made["unigram"].tokenize(text)


def test_one_source_of_random_numbers_goes_on(made):
    draw = random.Random(0)
    assert len({tuple(made["bpe"].encode("the cat sat", sample=0.5, seed=draw)) for _ in range(20)}) > 5


@each_kind
def test_saved_opened_pickled(made, kind, tmp_path):
    made[kind].save(tmp_path / "pieces.json")
    opened = Subwords.open(tmp_path / "pieces.json")
    assert opened == made[kind] == pickle.loads(pickle.dumps(made[kind]))
    assert opened.encode(HARD) == made[kind].encode(HARD)
    assert repr(opened) == f"Subwords({kind}, {len(opened):,} subwords)"


@each_kind
def test_another_process_learns_the_same(made, kind):
    """With another seed of Python's hashes, to the last bit."""
    code = (
        "import sys, json, firth; texts, size, kind = json.load(sys.stdin);"
        "sys.stdout.write(firth.Subwords.train(texts, size, kind=kind).rules)"
    )
    asked = json.dumps([TEXTS, len(made[kind]), kind])
    told = subprocess.run(
        [sys.executable, "-c", code],
        input=asked,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == made[kind].rules


def test_the_order_of_texts_changes_no_bit_of_unigrams(made):
    again = Subwords.train(TEXTS[::-1], SIZES["unigram"], kind="unigram")
    assert again.rules == made["unigram"].rules


def test_a_corpus_of_pieces(made, tmp_path):
    """The corpus knows its tokeniser when it is opened again, and is found again by an equal one."""
    file = tmp_path / "text.txt"
    file.write_text("the cat sat on the mat\nthe dog sat on the log\n", encoding="utf-8")
    corpus = firth.Corpus.build(file, tokens=made["bpe"], min_count=1, cache=tmp_path)
    assert [made["bpe"].join(sentence) for sentence in corpus][:2] == [
        "the cat sat on the mat",
        "the dog sat on the log",
    ]
    assert corpus.options.tokens == made["bpe"].rules
    again = firth.Corpus.build(file, tokens=Subwords(made["bpe"].rules), min_count=1, cache=tmp_path)
    assert again.path == corpus.path
    other = firth.Corpus.build(["the dog sat"], tokens=corpus.options.tokens, min_count=1, cache=tmp_path)
    assert list(other) == [made["bpe"].tokenize("the dog sat")]


@pytest.mark.parametrize(
    ("size", "options", "said"),
    [
        (256, {}, "size=256: expected at least 257"),
        (512, {"kind": "wordpiece"}, "size=512: expected at least 513"),
        (300.0, {}, "size=300.0"),
        (300, {"kind": "morphemes"}, "kind='morphemes': expected one of bpe, wordpiece, unigram"),
    ],
)
def test_options_out_of_range(size, options, said):
    with pytest.raises(OptionError, match=said):
        Subwords.train(TEXTS, size, **options)


def test_texts_that_are_none():
    with pytest.raises(OptionError, match="put a text into a list"):
        Subwords.train("the cat", 300)
    with pytest.raises(CorpusError, match="the texts are empty"):
        Subwords.train(["", ""], 300)
    with pytest.raises(CorpusError, match="text 1 is int 3; expected strings"):
        Subwords.train(["the cat", 3], 300)
    with pytest.raises(CorpusError, match="surrogate"):
        Subwords.train(["\ud83d"], 300)


@pytest.mark.parametrize("sample", [-0.1, 1.1, float("nan")])
def test_a_dropout_is_a_probability(made, sample):
    with pytest.raises(OptionError, match="expected a probability from 0 to 1"):
        made["bpe"].encode("the cat", sample=sample)


def test_a_power_is_finite_and_not_negative(made):
    for sample in (-1.0, math.inf):
        with pytest.raises(OptionError, match="expected an exponent of at least 0"):
            made["unigram"].encode("the cat", sample=sample)


def test_a_text_that_utf8_cannot_hold(made):
    for sample in (None, 0.1):
        with pytest.raises(CorpusError, match="surrogate"):
            made["bpe"].encode("a\udfff", sample=sample)


def test_numbers_of_no_piece(made):
    for wrong in (-1, 400):
        with pytest.raises(OptionError, match=f"subword id {wrong}: expected ids from 0 to 399"):
            made["bpe"].decode([wrong])


def test_half_a_character_is_shown_as_one_that_is_missing(made):
    first, _ = made["bpe"].encode("é")
    assert made["bpe"].decode([first]) == "\ufffd"


@pytest.mark.parametrize("content", [b"", b"{", b"{}", b"[1]", b"\xff", b'{"model": {"type": "BPE", "vocab": {}}}'])
def test_a_file_of_something_else(tmp_path, content):
    (tmp_path / "x.json").write_bytes(content)
    with pytest.raises(FormatError, match=r"x\.json"):
        Subwords.open(tmp_path / "x.json")


def test_a_tokeniser_that_loses_text_is_refused(made, tmp_path):
    """One that folds case, one without all bytes."""
    found = json.loads(made["bpe"].rules)
    (tmp_path / "folds.json").write_text(json.dumps(found | {"normalizer": {"type": "Lowercase"}}))
    del found["model"]["vocab"]["Ã"]
    (tmp_path / "lacks.json").write_text(json.dumps(found))
    for name in ("folds", "lacks"):
        with pytest.raises(FormatError, match="a tokeniser that firth did not make"):
            Subwords.open(tmp_path / f"{name}.json")


def changed(rules, **model):
    """The rules with some entries of the model changed."""
    found = json.loads(rules)
    found["model"] |= model
    return json.dumps(found)


def test_numbers_of_pieces_with_gaps_are_refused(made, tmp_path):
    """A number is a place in the list of pieces: with gaps, others than were cut would be put together."""
    vocabulary = json.loads(made["bpe"].rules)["model"]["vocab"]
    last = max(vocabulary, key=vocabulary.__getitem__)
    for number in (len(vocabulary) + 7, 0, -1, 1.5, "x", None, True):
        (tmp_path / "x.json").write_text(changed(made["bpe"].rules, vocab=vocabulary | {last: number}))
        with pytest.raises(FormatError, match=r"x\.json: (a tokeniser that firth did not make|not a tokeniser)"):
            Subwords.open(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("kind", "model"),
    [
        ("bpe", {"merges": [["q", "zzz"]]}), ("bpe", {"merges": [["a"]]}), ("bpe", {"merges": 3}),
        ("bpe", {"dropout": 0.5}), ("bpe", {"type": "WordLevel"}), ("bpe", {"type": ["BPE"]}),
        ("wordpiece", {"continuing_subword_prefix": "##"}),
        ("unigram", {"vocab": [["a", float("nan")]]}), ("unigram", {"vocab": [["a"]]}), ("unigram", {"vocab": None}),
    ],
)  # fmt: skip
def test_models_of_other_pieces_are_refused(made, tmp_path, kind, model):
    (tmp_path / "x.json").write_text(changed(made[kind].rules, **model))
    with pytest.raises(FormatError, match=r"x\.json: "):
        Subwords.open(tmp_path / "x.json")


def test_what_the_library_refuses_is_refused_when_it_is_opened(made, tmp_path):
    found = json.loads(made["bpe"].rules)
    del found["model"]["unk_token"]
    found["model"]["fuse_unk"] = "perhaps"
    (tmp_path / "x.json").write_text(json.dumps(found))
    with pytest.raises(
        FormatError, match=r"x\.json: not a tokeniser .*expected a complete file saved by Subwords.save"
    ):
        Subwords.open(tmp_path / "x.json")
    with pytest.raises(FormatError, match="not a tokeniser"):
        Subwords(json.dumps(found)).encode("a")


def test_without_the_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[subword\]"):
        Subwords.train(TEXTS, 300)


def test_the_mark_is_no_byte():
    assert all(character != MARK for character in Subwords.train(TEXTS, 300).vocabulary)


def test_characters_by_hand():
    """é is two bytes, € three: with room for two more tokens € fits, whose bytes need two merges, and é does not."""
    text = "€€é, a"
    small = Subwords.characters([text], 258)
    assert small.tokenize(text) == ["â\u0124\u00ac", "â\u0124\u00ac", "Ã", "©", ",", "Ġ", "a"]
    whole = Subwords.characters([text])
    assert [whole.join([token]) for token in whole.tokenize(text)] == list(text)
    assert (whole.unit, small.unit, Subwords.train(TEXTS, 300).unit) == ("characters", "characters", "subwords")
    assert whole.decode(whole.encode(HARD)) == HARD
    assert Subwords(whole.to_str()) == whole
    assert [num_characters(token) for token in small.tokenize(text)] == [1, 1, 1, 0, 1, 1, 1]
    assert len(Subwords.characters([text], min_count=2)) == 258


def test_subwords_are_shown_as_text():
    subwords = firth.Subwords.train(["läuft nicht läuft nicht"] * 4, 290)
    tokens = subwords.tokenize("läuft nicht\n")
    assert "".join(tokens) == "lÃ¤uftĠnichtĊ"
    assert subwords.shown(["lÃ¤uft", "Ġnicht", "Ċ", "Ġ", "Ã", "</s>"]) == [
        "·läuft",
        "nicht",
        "\\n",
        "␣",
        "·\\xc3",
        "</s>",
    ]
    assert firth.Subwords.characters(["ab ä"]).shown(["a", "Ġ", "Ã¤"]) == ["a", "␣", "ä"]
