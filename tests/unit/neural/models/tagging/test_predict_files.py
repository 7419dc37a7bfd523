"""Taggers in folders."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError
from tests.unit.neural.models.tagging.tiny import SIZES, sentences


def test_a_saved_tagger_predicts_the_same(tagger, tmp_path):
    tagger.save(tmp_path / "m")
    model = firth.load(tmp_path / "m")
    texts = [words for words, _ in sentences(6, 5)]
    for one, other in zip(tagger.marginals(texts), model.marginals(texts), strict=True):
        assert all(np.array_equal(one[target], other[target]) for target in ("pos", "ner"))
    assert (model.tags, model.options, list(model.words)) == (tagger.tags, tagger.options, list(tagger.words))
    assert model.metadata["training"]["sentences"] == 80


def test_a_window_with_vectors_that_are_kept(tmp_path):
    vectors = firth.WordVectors(["kara", "Mr"], np.eye(2, 3, dtype=np.float32))
    options = firth.Tagger(targets="ner", encoder="window", spelling=True, embedding="static", **SIZES)
    model = options.train(sentences(10), vectors=vectors, training=firth.TrainingOptions(epochs=1), progress=False)
    model.save(tmp_path / "m")
    again = firth.load(tmp_path / "m")
    assert again.reader.given == ["kara", "Mr"]
    assert np.array_equal(again.marginals(["in Kara"])[0]["ner"], model.marginals(["in Kara"])[0]["ner"])


@pytest.mark.parametrize(
    ("file", "change", "problem"),
    [
        ("config", lambda facts: facts["options"].update(hidden=4), "tensors of other shapes"),
        ("tags", lambda facts: facts.pop(), "1 sets of tags for the targets"),
        ("tags", lambda facts: facts[1].update(names=["O", "O"]), "do not describe a tagger"),
        ("tokens", lambda facts: facts["characters"].append("xy"), "characters that are longer than one"),
        ("tokens", lambda facts: facts.pop("given"), "does not describe the words"),
    ],
)
def test_a_damaged_folder_is_refused(tagger, tmp_path, file, change, problem):
    tagger.save(tmp_path / "m")
    path = tmp_path / "m" / f"{file}.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    change(facts)
    path.write_text(json.dumps(facts), encoding="utf-8")
    (tmp_path / "m" / "checksums.json").unlink()
    with pytest.raises(FormatError, match=problem):
        firth.load(tmp_path / "m")
