"""A detector that is the generator itself, and pieces that are told from originals."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from benchmarks.replaced_pieces import areas
from tests.unit.neural.models.pretraining.encoders import trained
from tests.unit.neural.models.sentences.encoders import sentences


def test_figures():
    model = trained("masked")
    text = "\n".join(" ".join(sentences()[first : first + 30]) for first in range(0, 90, 30))
    found = areas(model, model, text, windows=8, length=24)
    assert found["windows"] == 8
    assert 0.02 < found["replaced"] < 0.25
    assert 0 < found["auc_seen"] < 1
    assert 0 < found["auc_hidden"] < 1
    assert found == areas(model, model, text, windows=8, length=24)
