"""Training that goes on from a trained tagger: with its words and tags, and those that the new sentences add.

New words begin with the vector of unknown words, as the tagger reads them so far; new tags begin at random. Characters
that the tagger does not know stay unknown.
"""

import logging
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import torch

from firth.errors import OptionError, counted
from firth.neural.layers.embedding import WordEmbedding
from firth.neural.models.classification.reader import UNKNOWN
from firth.neural.models.tagging.data import LEMMA
from firth.neural.models.tagging.lemmas import Lemmas
from firth.neural.models.tagging.network import TaggerModule
from firth.neural.models.tagging.predict import TaggerModel
from firth.neural.models.tagging.tag_set import TagSet
from firth.neural.models.tokens.reader import TokenReader
from firth.options import check_kind

FREE = ("dropout", "word_dropout")  # options that may change
_log = logging.getLogger("firth")


def started_options(options: Any, start: Any, **arguments: Any) -> Any:
    """Return the options of a tagger to go on from, with those that may change.

    Args:
        options: that the caller gives.
        start: the trained tagger.
        **arguments: arguments that cannot be given with it, by name.

    Raises:
        ArgumentTypeError: the start is no trained tagger.
        OptionError: an option or argument is given that cannot change.
    """
    check_kind("start", start, TaggerModel)
    for name, value in arguments.items():
        if value is not None:
            raise OptionError(f"{name} with start: the tagger has vectors of its own; leave it out")
    for field in fields(options):
        given, kept = getattr(options, field.name), getattr(start.options, field.name)
        if field.name not in FREE and given not in (field.default, kept):
            raise OptionError(
                f"{field.name}={given!r} with start: the tagger has {field.name}={kept!r}, which cannot change; "
                "leave it out"
            )
    changed = {name: getattr(options, name) for name in FREE}
    heads = {start.options.head_of(target, tags) for target, tags in zip(start.targets, start.sets, strict=True)}
    if len(heads) == 1:  # more tags would choose another one
        changed["head"] = heads.pop()
    return replace(start.options, **changed)


def extended_reader(start: TokenReader, learned: TokenReader) -> TokenReader:
    """Return a reader with new words and values of columns behind those that it knows."""
    added = dict(zip(learned.words, learned.counts.tolist(), strict=True))
    old = [count + added.pop(word, 0) for word, count in zip(start.words, start.counts.tolist(), strict=True)]
    columns = {name: [*dict.fromkeys([*values, *learned.columns[name]])] for name, values in start.columns.items()}
    counts = np.array([*old, *added.values()], np.int64)
    return replace(start, words=[*start.words, *added], counts=counts, columns=columns)


def extended_lemmas(start: TaggerModel, learned: Lemmas | None) -> Lemmas | None:
    """Return a dictionary of lemmas with those that the tagger knows; where both have one, the new one.

    Raises:
        OptionError: the tagger has lemmas as tags, from before there were edit scripts.
    """
    if learned is None:
        return None
    if start.lemmas is None:
        raise OptionError(f"start: the tags of {LEMMA!r} are no edit scripts; train it anew, without start")
    removals = {code: parts | start.lemmas.removals.get(code, frozenset()) for code, parts in learned.removals.items()}
    both = {**start.lemmas.removals, **removals} if start.lemmas.removals else {}
    return Lemmas({**start.lemmas.dictionary, **learned.dictionary}, both)


def extended_set(start: TagSet, learned: TagSet, target: str, name: str) -> TagSet:
    """Return the tags of a target with new ones behind those that are known.

    Raises:
        OptionError: tags mark spans in one of the two only.
    """
    if (start.scheme is None) != (learned.scheme is None):
        spans, none = ("start", name) if learned.scheme is None else (name, "start")
        raise OptionError(f"{name}: tags of {target!r} mark spans in {spans} and not in {none}; expected the same kind")
    return replace(start, names=[*dict.fromkeys([*start.names, *learned.names])], broken=learned.broken)


def tell_new(start: TaggerModel, reader: TokenReader, sets: Sequence[TagSet]) -> dict[str, Any]:
    """Log what the new sentences add, and return it for the metadata."""
    words = len(reader.words) - len(start.words)
    tags = [tag for old, new in zip(start.sets, sets, strict=True) for tag in new.shown if tag not in old.shown]
    named = f" ({', '.join(tags)})" if tags else ""
    _log.info("start: %s and %s%s are new", counted(words, "word"), counted(len(tags), "tag"), named)
    return {"new_words": words, "new_tags": tags, "name": start.metadata.get("name")}


@torch.no_grad()
def copy_parameters(module: TaggerModule, start: TaggerModule) -> None:
    """Set the parameters of a module to those of a smaller one; new rows of tables are those of unknown words."""
    old = start.state_dict()
    for name, tensor in module.state_dict().items():
        tensor[tuple(map(slice, old[name].shape))] = old[name]
    for name, part in module.named_modules():
        if isinstance(part, WordEmbedding):
            part.weight[len(old[f"{name}.weight"]) :] = part.weight[UNKNOWN]
