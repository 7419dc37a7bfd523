"""Word pieces with special tokens: learning, splitting, rules of other programs."""

import json
import pickle

import pytest

pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install 'firth[subword]'")

import firth
from firth.errors import ArgumentTypeError, CorpusError, FormatError, OptionError
from firth.text.wordpieces import SPECIAL, WordPieces

TEXTS = ["The cat sat on the mat, and the cats sit.", "A naïve café!", "the dog barks at the cat"] * 3


@pytest.fixture(scope="module")
def pieces():
    return WordPieces.train(TEXTS, 120)


def test_the_same_texts_give_the_same_pieces(pieces):
    assert WordPieces.train(TEXTS[::-1], 120) == pieces
    assert pieces.vocabulary[:5] == list(SPECIAL)
    assert pieces.special.tolist() == [0, 1, 2, 3, 4]
    assert len(pieces) <= 120
    assert pickle.loads(pickle.dumps(pieces)) == pieces


def test_words_split_into_the_longest_pieces(pieces):
    assert pieces.tokenize("THE cat, naive 猫") == ["the", "cat", ",", *pieces.tokenize("naïve"), "[UNK]"]
    split = pieces.tokenize("dogcat")
    assert "".join(piece.removeprefix("##") for piece in split) == "dogcat"
    assert [pieces.continues[row] for row in pieces.encode(["dogcat"])[0]] == [False] + [True] * (len(split) - 1)


def test_case_is_kept_on_demand():
    cased = WordPieces.train(TEXTS, 120, lowercase=False)
    assert not cased.lowercase
    assert "".join(cased.tokenize("The café")).replace("##", "") == "Thecafé"


def test_each_word_of_a_sentence_has_a_piece(pieces):
    ((row, owners),) = pieces.encode_words([["the", "\x01", "dogcat"]])
    assert row[1] == pieces.unk_id
    assert sorted(set(owners)) == [0, 1, 2]
    assert len(row) == len(owners)


def test_padding_that_another_program_stored_is_dropped(pieces):
    """transformers stores the padding of its last call: rows would have ids of no token."""
    content = json.loads(pieces.rules)
    content["padding"] = {
        "strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0, "pad_type_id": 0,
        "pad_token": "[PAD]",
    }  # fmt: skip
    other = WordPieces(json.dumps(content))
    assert other == pieces
    assert [len(row) for row in other.encode(["the", "the cat the cat"])] == [1, 4]


def test_a_corpus_learns_them():
    corpus = firth.Corpus.build(TEXTS, tokens="wordpieces", max_size=120)
    assert WordPieces(corpus.options.tokens) == WordPieces.train(TEXTS, 120)
    assert next(iter(corpus)) == WordPieces(corpus.options.tokens).tokenize(TEXTS[0])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: WordPieces.train(TEXTS, 10), OptionError, "size=10"),
        (lambda: WordPieces.train(["", " "], 100), CorpusError, "empty"),
        (lambda: WordPieces.of(["[PAD]", "[UNK]", "a"]), FormatError, r"without \[CLS\], \[SEP\], \[MASK\]"),
        (lambda: WordPieces.of(["a", "a"]), FormatError, "each once"),
        (lambda: WordPieces.of(["a"]), FormatError, r"without \[UNK\]"),
        (lambda: WordPieces("{}"), FormatError, "not a tokeniser"),
    ],
)
def test_bad_input(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_an_id_far_above_the_number_of_pieces_is_refused(pieces):
    """A list with room for it would take 8 GB."""
    content = json.loads(pieces.rules)
    content["model"]["vocab"]["zebra"] = 10**9
    with pytest.raises(FormatError, match=rf"{len(pieces) + 1} pieces, in which 'zebra' has the id 1,000,000,000"):
        WordPieces(json.dumps(content))
    content["model"]["vocab"]["zebra"] = len(pieces) + 10
    gaps = WordPieces(json.dumps(content))
    assert (len(gaps), gaps.vocabulary[-2:]) == (len(pieces) + 11, ["", "zebra"])


def test_lone_surrogates_are_read_as_a_replacement_character():
    """Word pieces are learned from them, and texts with them are read as with U+FFFD."""
    learned = WordPieces.train(["a \ud800 lone one", "a pair \U0001f600 and \udc00"] * 5, 120)
    assert learned.encode(["a \ud800 b"]) == learned.encode(["a \ufffd b"])
    assert learned.tokenize("a\ud800") == learned.tokenize("a\ufffd")
    assert learned.encode_words([["\udfff", "a"]]) == learned.encode_words([["\ufffd", "a"]])


def test_one_text_is_no_list_of_texts(pieces):
    with pytest.raises(ArgumentTypeError, match="texts='the dog': expected a list of texts"):
        pieces.encode("the dog")
