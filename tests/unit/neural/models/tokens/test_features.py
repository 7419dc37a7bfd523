"""Vectors of a corpus on disk: the same as computed ones, read again, whatever stops their writing."""

import contextlib
import errno
import io

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.tokens import features
from firth.neural.models.tokens.features import ContextualVectors, cached_features, features_of
from firth.storage.files import replacing_folder
from tests.unit.neural.models.bidirectional.tiny import untrained

SENTENCES = [["Ada", "apples", "sees"], ["Bo"], ["Ada", "apples", "sees"], ["unseen", "words"]]


class Counting:
    """An encoder that counts the words it encodes."""

    def __init__(self, model):
        self.model, self.words = model, 0
        self.module, self.token_layers, self.token_width = model.module, model.token_layers, model.token_width
        self.fingerprint, self.save = model.fingerprint, model.save

    def token_states(self, sentences):
        self.words += sum(map(len, sentences))
        return self.model.token_states(sentences)


def test_a_corpus_is_encoded_once(tmp_path):
    encoder = Counting(untrained())
    first = features_of(encoder, SENTENCES, cache=tmp_path)
    assert encoder.words == 6  # a sentence that occurs twice is encoded once
    again = features_of(encoder, SENTENCES, cache=tmp_path)
    assert encoder.words == 6
    batch = [tuple(words) for words in SENTENCES[:2]]
    expected = untrained().token_states(batch).detach()
    for found in (first, again):
        torch.testing.assert_close(found.batch(batch), expected, atol=1e-5, rtol=0)
    assert first.batch([("not", "there")]) is None


def test_another_encoder_and_other_sentences_have_vectors_of_their_own(tmp_path):
    features_of(untrained(), SENTENCES, cache=tmp_path)
    other = Counting(untrained(seed=1))
    features_of(other, SENTENCES, cache=tmp_path)
    assert other.words == 6
    features_of(other, [*SENTENCES, ["more"]], cache=tmp_path)
    assert other.words == 13
    assert untrained().fingerprint() == untrained().fingerprint() != untrained(seed=1).fingerprint()


def test_a_full_disk_is_a_warning(tmp_path, monkeypatch):
    class Full(io.FileIO):
        def write(self, data):
            if self.tell() > 0:  # behind the header
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data)

    encoder, usual = untrained(), features.Path.open

    def full(path, *args, **named):
        return Full(path, "w") if path.name == features.ARRAY else usual(path, *args, **named)

    monkeypatch.setattr(features.Path, "open", full)
    with pytest.warns(UserWarning, match=r"vectors of 6 words, .* \(No space left on device\): they are computed"):
        assert features_of(encoder, SENTENCES, cache=tmp_path) is None
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_an_interruption_leaves_nothing_half_written(tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    encoder = Counting(untrained())
    with monkeypatch.context() as patch:
        patch.setattr(encoder.model, "token_states", interrupted, raising=False)
        with pytest.raises(KeyboardInterrupt):
            features_of(encoder, SENTENCES, cache=tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    encoder.words = 0
    assert features_of(encoder, SENTENCES, cache=tmp_path) is not None
    assert encoder.words == 6


def test_a_damaged_folder_is_written_again(tmp_path):
    features_of(untrained(), SENTENCES, cache=tmp_path)
    (path,) = tmp_path.rglob(features.ARRAY)
    path.write_bytes(path.read_bytes()[:-40])
    encoder = Counting(untrained())
    found = features_of(encoder, SENTENCES, cache=tmp_path)
    assert encoder.words == 6
    assert np.isfinite(found.vectors).all()


@pytest.mark.parametrize("what", ["float64", "shape", "altered", "empty"])
def test_other_contents_are_written_again(tmp_path, what):
    """Also those that are whole: numbers of another kind, or of other words; and an empty file."""
    expected = features_of(untrained(), SENTENCES, cache=tmp_path).vectors.copy()
    (path,) = tmp_path.rglob(features.ARRAY)
    if what in ("float64", "shape"):
        with replacing_folder(path.parent) as aside:
            np.save(aside / features.ARRAY, expected.astype(np.float64) if what == "float64" else expected[:-1])
    elif what == "altered":
        content = path.read_bytes()
        path.write_bytes(content[:-3] + bytes([content[-3] ^ 1]) + content[-2:])
    else:
        path.write_bytes(b"")
        (path.parent / "checksums.json").unlink()
    encoder = Counting(untrained())
    np.testing.assert_array_equal(features_of(encoder, SENTENCES, cache=tmp_path).vectors, expected)
    assert encoder.words == 6


def test_folders_of_other_sentences_have_other_names():
    """Whatever characters words hold."""
    texts = ([("a\nb",)], [("a", "b")], [("ab",)], [("a",), ("b",)], [("a\0b",)], [("\ud800",)], [("b", "a")])
    texts += ([("ab", "c")], [("a", "bc")])
    model, other = untrained(), untrained(seed=1)
    assert len({features._key(each, text) for text in texts for each in (model, other)}) == 2 * len(texts)


@pytest.mark.parametrize("fails", [False, True])
def test_frozen_encoders_of_a_module_have_features_while_it_trains(tmp_path, monkeypatch, fails):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path))
    part = ContextualVectors([firth.ELMo(untrained()), firth.ELMo(untrained(seed=1), tuned=True)])
    module = torch.nn.Sequential(torch.nn.Linear(2, 2), part)
    with contextlib.suppress(KeyError), cached_features(module, iter(SENTENCES)):
        frozen, tuned = part.features
        assert tuned is None
        assert set(frozen.starts) == {tuple(words) for words in SENTENCES}
        if fails:
            raise KeyError
    assert part.features == ()
