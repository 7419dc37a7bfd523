"""Values of targets."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import FirthError
from firth.neural.models.tagging.tag_set import ByTarget


def test_another_target_is_named_with_those_there_are():
    tags = ByTarget(upos=("NOUN",), feats=("_",))
    assert tags == {"upos": ("NOUN",), "feats": ("_",)}
    with pytest.raises(KeyError) as error:
        tags["ner"]
    assert isinstance(error.value, FirthError)
    assert str(error.value) == "no target 'ner' here; expected one of upos, feats"
    assert tags.get("ner") is None


def test_print_shows_one_target_after_the_other():
    assert str(ByTarget(upos="accuracy 90", ner="F1 80\nPER 70")) == "upos: accuracy 90\nner:\nF1 80\nPER 70"
