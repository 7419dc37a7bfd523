"""Models of trees in folders."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError
from tests.unit.neural.models.trees.tiny import sentiments


def test_a_saved_model_predicts_the_same(sentiment_model, tmp_path):
    sentiment_model.save(tmp_path / "m")
    model = firth.load(tmp_path / "m")
    trees = sentiments(6, 5)
    assert np.array_equal(model.probabilities(trees), sentiment_model.probabilities(trees))
    assert (model.labels, model.options) == (sentiment_model.labels, sentiment_model.options)
    assert model.metadata["training"]["texts"] == 60


def test_a_damaged_folder_is_refused(sentiment_model, tmp_path):
    sentiment_model.save(tmp_path / "m")
    path = tmp_path / "m" / "config.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["options"]["hidden"] = 4
    path.write_text(json.dumps(facts), encoding="utf-8")
    (tmp_path / "m" / "checksums.json").unlink()
    with pytest.raises(FormatError, match="tensors of other shapes"):
        firth.load(tmp_path / "m")
