import json

import numpy as np
import pytest

import firth
from firth.errors import FormatError, OptionError
from firth.vectors.io import spacy

# "number" and "mark" are in spaCy's list of symbols: they have numbers, not hashes.
WORDS = ["apple", "coffee", "number", "mark", "naïve", "a much longer word than a block of eight bytes"]
VECTORS = firth.WordVectors(WORDS, np.arange(12, dtype=np.float32).reshape(6, 2))


def test_keys_are_those_of_spacys_documentation():
    """spaCy's documentation gives the hashes of "apple" and "coffee"; 432 and 423 are the places of the symbols."""
    assert spacy._keys(WORDS[:4], "f").tolist() == [8566208034543834098, 3197928453018144401, 432, 423]


def test_round_trip(tmp_path):
    VECTORS.save(tmp_path / "s", format="spacy")
    back = firth.load(tmp_path / "s")
    assert back.words == WORDS
    np.testing.assert_array_equal(back.vectors, VECTORS.vectors)
    assert firth.load(tmp_path / "s" / "vocab", limit=3).words == WORDS[:3]
    VECTORS.save(tmp_path / "s", format="spacy")  # replaces its own
    assert json.loads((tmp_path / "s" / "vocab" / "strings.json").read_bytes()) == sorted(WORDS)


def test_the_language(tmp_path):
    space = firth.WordVectors(["a"], [[1.0]], metadata={"language": "de"})
    space.save(tmp_path / "s", format="spacy")
    assert 'lang = "de"\n' in (tmp_path / "s" / "config.cfg").read_text()
    space.metadata["language"] = 'en"\n[x]'
    with pytest.raises(OptionError, match="expected the code of a language"):
        space.save(tmp_path / "s", format="spacy")


def test_words_that_share_a_row_and_keys_without_a_string(tmp_path):
    VECTORS.save(tmp_path / "s", format="spacy")
    keys = np.append(spacy._keys(WORDS, "f"), np.uint64(12345678901))
    table = spacy.msgpack_table(keys, np.array([5, 5, 4, 3, 2, 1, 0], np.uint32))
    (tmp_path / "s" / "vocab" / "key2row").write_bytes(table)
    back = firth.load(tmp_path / "s")
    assert back.words == WORDS
    np.testing.assert_array_equal(back.vectors, VECTORS.vectors[[5, 5, 4, 3, 2, 1]])


def test_a_table_of_ngrams_gives_the_same_vectors_for_unseen_words(tmp_path):
    text = ["the ship sails the sea", "the seas and the ships"] * 5
    corpus = firth.Corpus.build(text, min_count=1)
    model = firth.FastText(dim=4, epochs=1, buckets=50, hashing="floret", sample=0)
    vectors = model.train(corpus, seed=1, threads=1, progress=False)
    vectors.save(tmp_path / "s", format="spacy")
    back = firth.load(tmp_path / "s")
    assert isinstance(back, firth.SubwordVectors)
    table = firth.SubwordVectors.composed(["sailing"], None, vectors.ngrams)
    np.testing.assert_allclose(back["sailing"], table["sailing"], atol=1e-6)


def test_a_folder_of_others_is_never_replaced(tmp_path):
    VECTORS.save(tmp_path / "s", format="spacy")
    (tmp_path / "s" / "ner").mkdir()
    (tmp_path / "s" / "ner" / "model").write_bytes(b"weights")
    with pytest.raises(OptionError, match=r"other files \(ner/model\)"):
        VECTORS.save(tmp_path / "s", format="spacy")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("key2row", b"\x81\x01", "cut short"),
        (
            "key2row",
            spacy.msgpack_table(spacy._keys(WORDS[:1], "f"), np.array([6], np.uint32)),
            "row 6, expected at most 5",
        ),
        ("key2row", spacy.msgpack_table(np.array([2**60], np.uint64), np.array([0], np.uint32)), "none of the 1 keys"),
        ("strings.json", b"[1]", "expected a list of strings"),
        ("strings.json", b"{", "damaged JSON"),
        ("vectors", b"\x93NUMPY", "not a matrix"),
        ("vectors.cfg", b'{"mode": "floret"}', "damaged settings"),
    ],
)
def test_damage(tmp_path, file, content, message):
    VECTORS.save(tmp_path / "s", format="spacy")
    (tmp_path / "s" / "vocab" / file).write_bytes(content)
    with pytest.raises(FormatError, match=message):
        firth.load(tmp_path / "s")
