"""Options of taggers."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError


def test_targets_are_names_with_commas_or_a_list():
    assert firth.Tagger(targets=("upos", "feats")).target_names == ("upos", "feats")
    assert firth.Tagger(targets="upos, feats").target_names == ("upos", "feats")
    assert firth.Tagger(targets=2).target_names == ("2",)
    assert firth.Tagger().target_names == ()


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"targets": "upos,upos"}, "expected different names"),
        ({"targets": ""}, "expected different names"),
        ({"head": "margin"}, "needs encoder='window'"),
        ({"head": "hmm"}, "expected one of crf, softmax, margin"),
        ({"hidden": 0}, "hidden=0"),
    ],
)
def test_what_is_refused(options, problem):
    with pytest.raises(OptionError, match=problem):
        firth.Tagger(**options)
