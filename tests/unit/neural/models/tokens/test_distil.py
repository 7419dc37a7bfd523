"""Static vectors of contextual encoders: means over occurrences, which words have one, and what is refused."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, MissingFileError, OptionError
from tests.unit.neural.models.bidirectional.tiny import untrained

TEXT = [["Ada", "sees", "apples"], ["Bo", "sees", "Ada", "and", "sees", "Bo"], [], ["Ada"]] * 2


@pytest.mark.parametrize("layer", [None, 0, -1])
def test_vectors_are_means_over_occurrences(layer):
    """Each sentence by itself, each occurrence by itself."""
    encoder = untrained()
    found = firth.distil(encoder, TEXT, layer=layer, min_count=4)
    assert list(zip(found.index_to_key, found.counts.tolist(), strict=True)) == [("Ada", 6), ("sees", 6), ("Bo", 4)]
    for word in found.index_to_key:
        vectors = []
        for words in filter(None, TEXT):
            states = encoder.token_states([words])[0].detach().double().numpy()  # (T, L, D)
            each = states.mean(1) if layer is None else states[:, layer]
            vectors += [each[step] for step, other in enumerate(words) if other == word]
        np.testing.assert_allclose(found[word], np.mean(vectors, axis=0), atol=1e-6)


def test_the_first_occurrences_count():
    encoder = untrained()
    sentences = [["Ada", "runs"]] * 1024 + [["Bo", "sees", "Ada"]] * 1024  # in two parts
    found = firth.distil(encoder, sentences, contexts=500, min_count=1)
    alone = firth.distil(encoder, [["Ada", "runs"]], min_count=1)
    np.testing.assert_allclose(found["Ada"], alone["Ada"], atol=1e-6)
    every = firth.distil(encoder, sentences, contexts=5000, min_count=1)
    assert np.abs(every["Ada"] - alone["Ada"]).max() > 1e-3


def test_folders_texts_and_limits(tmp_path):
    untrained().save(tmp_path / "lm")
    (tmp_path / "text.txt").write_text("Ada sees apples\nBo sees Ada\n", encoding="utf-8")
    found = firth.distil(tmp_path / "lm", tmp_path / "text.txt", tokens="cased", min_count=1, max_size=2)
    assert found.index_to_key == ["Ada", "sees"]
    corpus = firth.Corpus.build(tmp_path / "text.txt", tokens="cased", min_count=1)
    np.testing.assert_array_equal(firth.distil(tmp_path / "lm", corpus, min_count=2).vectors, found.vectors)
    found.save(tmp_path / "vectors.vec")
    assert firth.load(tmp_path / "vectors.vec").index_to_key == ["Ada", "sees"]


def test_what_is_refused(tmp_path):
    encoder = untrained()
    with pytest.raises(OptionError, match="layer=3: expected -3 to 2, or None for the mean of all"):
        firth.distil(encoder, TEXT, layer=3)
    for layer in ("last", True, 1.0):
        with pytest.raises(OptionError, match="expected -3 to 2"):
            firth.distil(encoder, TEXT, layer=layer)
    assert len(firth.distil(encoder, TEXT, layer=np.int64(1))) == 2
    for name, value in (("contexts", -1), ("min_count", 0), ("max_size", 0), ("contexts", True)):
        with pytest.raises(OptionError, match=rf"{name}={value}: expected a whole number of at least 1"):
            firth.distil(encoder, TEXT, **{name: value})
    with pytest.raises(CorpusError, match="no word occurs 100 times; give more text, or lower min_count=100"):
        firth.distil(encoder, TEXT, min_count=100)
    words = firth.WordVectors(["a"], np.ones((1, 2)))
    words.save(tmp_path / "v")
    for other in (tmp_path / "v", words, None, firth.MaskedLM()):
        with pytest.raises(OptionError, match="expected a model that gives words vectors in their context"):
            firth.distil(other, TEXT)
    with pytest.raises(MissingFileError, match="expected the folder of a model that gives words vectors"):
        firth.distil(tmp_path / "w", TEXT)
