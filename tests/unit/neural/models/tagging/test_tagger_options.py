"""Options of taggers."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from firth.neural.models.tagging.tag_set import TagSet


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


def test_heads_by_the_number_of_tags():
    """A CRF compares all pairs of tags; where tags mark spans it is needed, however many there are."""
    few, many = TagSet([f"T{n}" for n in range(64)]), TagSet([f"T{n}" for n in range(65)])
    spans = TagSet(["O", *(f"B-{n}" for n in range(100))], "bio", "bio")
    heads = [firth.Tagger().head_of(target, tags) for target, tags in (("x", few), ("x", many), ("x", spans))]
    assert heads == ["crf", "softmax", "crf"]
    assert firth.Tagger().head_of("lemma", few) == "softmax"
    assert firth.Tagger(head="crf").head_of("lemma", many) == "crf"
    assert firth.Tagger(head="softmax").head_of("x", few) == "softmax"
