"""Readers of words in folders."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError
from firth.neural.models.tokens.reader import learn_token_reader, restored_reader, write_reader
from firth.storage.model_folder import ModelFolder

VECTORS = firth.WordVectors(["b", "Other"], [[1.0], [2.0]])


def folder(**changes):
    reader = learn_token_reader([["a", "b"], ["a"]], columns=("suffix",), vectors=VECTORS, tuned=False)
    saved = write_reader(reader)
    texts = dict(saved.texts)
    texts["tokens"] = {**texts["tokens"], **changes}
    return reader, ModelFolder(kind="firth-tagger", arrays=saved.arrays, texts=texts)


def test_a_reader_comes_back():
    reader, content = folder()
    again = restored_reader(content)
    for name in ("words", "characters", "given", "vector_dim", "columns", "lowercase"):
        assert getattr(again, name) == getattr(reader, name)
    assert again.counts.tolist() == reader.counts.tolist()
    one, other = (each.read(["B", "other", "zzz"]) for each in (reader, again))
    assert (one.words.tolist(), one.given.tolist()) == (other.words.tolist(), other.given.tolist())


@pytest.mark.parametrize(
    "changes",
    [{"columns": [["nothing", ["x"]]]}, {"columns": 3}, {"given": ["b", "b"]}, {"vector_dim": 0}, {"characters": [1]}],
)
def test_damage_is_refused(changes):
    with pytest.raises(FormatError, match=r"tokens\.json"):
        restored_reader(folder(**changes)[1])
