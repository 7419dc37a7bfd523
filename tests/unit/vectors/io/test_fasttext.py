"""fastText's files: what is written is read again, and a damaged file is told from a whole one without harm."""

import struct

import numpy as np
import pytest

from firth.errors import FormatError
from firth.vectors.io import fasttext
from firth.vectors.io.fasttext import Arguments, FastTextFile, SparseRows
from firth.vectors.quantise import quantise_matrix

WORDS, LABELS, BUCKETS, DIM = ["the", "naïve", "\udce9t"], ["__label__a", "__label__b"], 4, 5


def numbers(rows: int) -> np.ndarray:
    return np.random.default_rng(rows).normal(size=(rows, DIM)).astype(np.float32)


def model(kind: str = "vectors", **changes: object) -> FastTextFile:
    """A file of vectors, or of a classifier; "codes" has quantised matrices and pruned buckets."""
    classifier = kind != "vectors"
    pruned = np.array([[3, 1], [0, 0]], dtype=np.int32) if kind == "codes" else None
    dense = (
        numbers(len(WORDS) + (2 if kind == "codes" else BUCKETS)),
        numbers(len(LABELS) if classifier else len(WORDS)),
    )
    parts = {
        "arguments": Arguments(
            dim=DIM, buckets=BUCKETS, min_n=2, max_n=3, word_ngrams=2 if classifier else 1,
            loss="softmax" if classifier else "negative", model="supervised" if classifier else "cbow", sample=1e-3,
        ),
        "words": WORDS,
        "counts": np.array([5, 3, 2]),
        "labels": LABELS if classifier else [],
        "label_counts": np.array([7, 1]) if classifier else np.zeros(0, dtype=np.int64),
        "tokens": 11,
        "pruned": pruned,
        "input": quantise_matrix(dense[0], width=2, lengths=True) if kind == "codes" else dense[0],
        "output": quantise_matrix(dense[1], width=3) if kind == "codes" else dense[1],
    }  # fmt: skip
    return FastTextFile(**{**parts, **changes})


def rows(matrix: object) -> np.ndarray:
    return matrix if isinstance(matrix, np.ndarray) else matrix.rows()


@pytest.mark.parametrize("kind", ["vectors", "classifier", "codes"])
def test_everything_comes_back(kind, tmp_path):
    before = model(kind)
    fasttext.write(before, tmp_path / "m.bin")
    after = fasttext.read(tmp_path / "m.bin")
    for name in ("arguments", "words", "labels", "tokens"):
        assert getattr(after, name) == getattr(before, name)
    for name in ("counts", "label_counts", "pruned"):
        assert np.array_equal(getattr(after, name), getattr(before, name))
    assert np.array_equal(rows(after.input), rows(before.input))
    assert np.array_equal(rows(after.output), rows(before.output))
    fasttext.write(after, tmp_path / "again.bin")
    assert (tmp_path / "again.bin").read_bytes() == (tmp_path / "m.bin").read_bytes()


def test_the_first_bytes_by_hand(tmp_path):
    """Magic and version; dim, window, epochs, min_count, negative, word n-grams, loss ns = 2, cbow = 1, buckets, 2, 3,
    rate updates, sample; 3 entries, 3 words, 0 labels, 11 tokens, not pruned; "the", 5 times, a word."""
    fasttext.write(model(), tmp_path / "m.bin")
    expected = struct.pack("<2i12id", 793712314, 12, DIM, 5, 5, 1, 5, 1, 2, 1, BUCKETS, 2, 3, 100, 1e-3)
    expected += struct.pack("<3i2q", 3, 3, 0, 11, -1) + b"the\0" + struct.pack("<qb", 5, 0)
    assert (tmp_path / "m.bin").read_bytes().startswith(expected)


def test_rows_that_are_not_given_are_zeros(tmp_path, monkeypatch):
    monkeypatch.setattr(fasttext, "BLOCK", 2 * DIM)
    sparse = SparseRows(first=numbers(3), buckets=7, used=np.array([0, 3, 6]), rows=numbers(4)[:3])
    arguments = Arguments(dim=DIM, buckets=7, min_n=2, max_n=3)
    fasttext.write(model(input=sparse, arguments=arguments), tmp_path / "m.bin")
    found = fasttext.read(tmp_path / "m.bin").input
    assert found.shape == sparse.shape == (10, DIM)
    assert np.array_equal(found[:3], sparse.first)
    assert np.array_equal(found[[3, 6, 9]], sparse.rows)
    assert not found[[4, 5, 7, 8]].any()


def test_classifiers_of_version_11_know_no_n_grams_of_characters(tmp_path):
    for kind, expected in (("classifier", (0, 0)), ("vectors", (2, 3))):
        fasttext.write(model(kind), tmp_path / "m.bin")
        content = bytearray((tmp_path / "m.bin").read_bytes())
        content[4:8] = struct.pack("<i", 11)
        (tmp_path / "m.bin").write_bytes(content)
        arguments = fasttext.read(tmp_path / "m.bin").arguments
        assert (arguments.min_n, arguments.max_n) == expected


@pytest.mark.parametrize("word", ["", "two words", "a\nb", "a\0b", "tab\t"])
def test_words_that_cannot_be_told_apart(word, tmp_path):
    with pytest.raises(FormatError, match="is empty or contains a space"):
        fasttext.write(model(words=["a", word, "b"]), tmp_path / "m.bin")
    assert list(tmp_path.iterdir()) == []


def test_rows_that_do_not_fit_the_words(tmp_path):
    with pytest.raises(FormatError, match="6 input rows for 3 words and 4 buckets; expected 7"):
        fasttext.write(model(input=numbers(6)), tmp_path / "m.bin")
    with pytest.raises(FormatError, match="2 output rows, expected 3"):
        fasttext.write(model(output=numbers(2)), tmp_path / "m.bin")


@pytest.mark.parametrize("kind", ["vectors", "classifier", "codes"])
def test_every_way_to_cut_a_file_short(kind, tmp_path):
    fasttext.write(model(kind), tmp_path / "m.bin")
    whole = (tmp_path / "m.bin").read_bytes()
    cuts = {0, 1, 7, *range(8, 200), *range(200, len(whole), 97), len(whole) - 1}
    for cut in sorted(cuts):
        (tmp_path / "m.bin").write_bytes(whole[:cut])
        with pytest.raises(FormatError, match=r"m\.bin: "):
            fasttext.read(tmp_path / "m.bin")
    (tmp_path / "m.bin").write_bytes(whole + b"x")
    with pytest.raises(FormatError, match="1 bytes after the output matrix"):
        fasttext.read(tmp_path / "m.bin")


PLACES = {  # of numbers in the file of vectors: format, offset
    "magic": ("<i", 0), "version": ("<i", 4), "dim": ("<i", 8), "loss": ("<i", 32), "model": ("<i", 36),
    "buckets": ("<i", 40), "size": ("<i", 64), "words": ("<i", 68), "labels": ("<i", 72), "pruned": ("<q", 84),
    "count": ("<q", 96), "type": ("<b", 104),
}  # fmt: skip
HUGE = {"<i": 2**31 - 1, "<q": 2**62, "<b": 127}


TRUE = {("count", 99), ("count", "huge"), ("pruned", -1)}  # a word may stand there often; -1 pruned buckets are none
LIES = [(place, value) for place in PLACES for value in (-1, -5, 99, "huge") if (place, value) not in TRUE]


@pytest.mark.parametrize(("place", "value"), LIES)
def test_numbers_that_lie_cost_no_memory(place, value, tmp_path):
    form, offset = PLACES[place]
    fasttext.write(model(), tmp_path / "m.bin")
    content = bytearray((tmp_path / "m.bin").read_bytes())
    struct.pack_into(form, content, offset, HUGE[form] if value == "huge" else value)
    (tmp_path / "m.bin").write_bytes(content)
    with pytest.raises(FormatError, match=r"m\.bin: "):
        fasttext.read(tmp_path / "m.bin")


@pytest.mark.parametrize("kind", ["vectors", "classifier", "codes"])
def test_any_byte_may_be_wrong(kind, tmp_path):
    """Whatever a byte says, the file is read or refused, and nothing else happens."""
    fasttext.write(model(kind), tmp_path / "m.bin")
    whole = (tmp_path / "m.bin").read_bytes()
    random = np.random.default_rng(0)
    refused = 0
    for place in [*range(230), *random.integers(230, len(whole), 100).tolist()]:
        content = bytearray(whole)
        content[place] ^= int(random.integers(1, 256))
        (tmp_path / "m.bin").write_bytes(content)
        try:
            fasttext.read(tmp_path / "m.bin")
        except FormatError:
            refused += 1
    assert refused > 50


def test_a_word_twice(tmp_path):
    fasttext.write(model(words=["the", "the", "b"]), tmp_path / "m.bin")
    with pytest.raises(FormatError, match="a word occurs twice in the dictionary"):
        fasttext.read(tmp_path / "m.bin")


def test_pruned_rows_without_codes_are_refused(tmp_path):
    fasttext.write(model(pruned=np.array([[3, 1], [0, 0]], dtype=np.int32), input=numbers(5)), tmp_path / "m.bin")
    with pytest.raises(FormatError, match="pruned words and a matrix that is not quantised"):
        fasttext.read(tmp_path / "m.bin")
