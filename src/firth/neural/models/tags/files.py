"""Taggers from their folders."""

from typing import Any

from firth.neural.models.tags.predict import TAGS, TaggerModel
from firth.neural.models.tags.tag_set import TagSet
from firth.neural.models.tags.tagger import new_module
from firth.neural.models.tokens.files import COUNTS, restored_reader
from firth.neural.saved import read_module, read_options
from firth.readers.span_tags import BIO, BIOES
from firth.storage.model_folder import ModelFolder


def restore(content: ModelFolder) -> TaggerModel:
    """Return the tagger of a folder."""
    reader = restored_reader(content)
    try:
        options: Any = read_options(content, __package__)
        sets = [_tag_set(facts) for facts in content.texts[TAGS]]
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise content.damaged(f"config.json and {TAGS}.json do not describe a tagger ({error})") from error
    if len(sets) != len(options.target_names):
        raise content.damaged(f"{len(sets)} sets of tags for the targets {options.targets}")
    module = read_module(content, options, lambda: new_module(options, reader, sets, seed=0), other=(COUNTS,))
    return TaggerModel(module, options, reader, sets, content.metadata)


def _tag_set(facts: Any) -> TagSet:
    names, scheme, shown = facts["names"], facts["scheme"], facts["shown_scheme"]
    if not isinstance(names, list) or len(names) < 2 or not all(isinstance(name, str) for name in names):
        raise ValueError("expected a list of two tags or more")
    if len(set(names)) != len(names):
        raise ValueError("tags with duplicates")
    if scheme not in (None, BIO, BIOES) or shown not in (scheme, BIO) or (scheme is None) != (shown is None):
        raise ValueError(f"schemes {scheme!r}, {shown!r}")
    if scheme is not None and not all(name[:1] in "BIOES" for name in names):
        raise ValueError("tags that mark no spans")
    return TagSet(names, scheme, shown, int(facts["broken"]))
