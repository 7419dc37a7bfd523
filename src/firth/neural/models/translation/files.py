"""Translators from their folders."""

from collections.abc import Callable
from typing import Any

import numpy as np

from firth.neural.models.translation.candidates import CandidateTable
from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.predict import UNITS, TranslationModel
from firth.neural.models.translation.units import KINDS, SPECIAL, Units
from firth.neural.saved import describing, read_module, read_options
from firth.neural.training.devices import new_module
from firth.storage.model_folder import ModelFolder
from firth.text.subwords import Subwords

COUNTS = ("source_counts", "target_counts")
CANDIDATES = ("candidates", "frequent_candidates")
_, SUBWORDS, SPELLED = KINDS


def restore(content: ModelFolder) -> TranslationModel:
    """Return the translator of a folder."""
    return restored(content, __package__, lambda options: options)


def restored(content: ModelFolder, package: str, translator_of: Callable[[Any], Any]) -> TranslationModel:
    """Return the encoder-decoder of a folder."""
    with describing(content, "a translator", f"config.json and {UNITS}.json do"):
        options = translator_of(read_options(content, package))
        source, target = (
            read_units(content, side, kind, lowercase=options.lowercase)
            for side, kind in (("source", options.source_units), ("target", options.target_units))
        )
        if options.joint and list(source.words) != list(target.words):
            raise ValueError("joint, and different words on both sides")
        candidates = _candidates(content, len(source), len(target))
    if options.joint:
        source = target
    other = (*COUNTS, *CANDIDATES)
    module = read_module(content, options, lambda: new_module(0, options.build, source, target), other=other)
    reader = PairReader(source, target, options.reverse_source, options.copying, options.spelling)
    return TranslationModel(module, options, reader, content.metadata, candidates)


def _candidates(content: ModelFolder, sources: int, targets: int) -> CandidateTable | None:
    """Return the candidate lists of a folder, if it has any."""
    if not any(name in content.arrays for name in CANDIDATES):
        return None
    table, frequent = (np.array(content.arrays[name]) for name in CANDIDATES)
    shapes = table.ndim == 2 and len(table) == sources and frequent.ndim == 1 and len(frequent) > 0
    if not shapes or any(
        each.dtype != np.int32 or (each < 0).any() or (each >= targets).any() for each in (table, frequent)
    ):
        raise ValueError(f"candidates: expected int32 numbers of {targets} target tokens, for {sources} source tokens")
    return CandidateTable(table, frequent)


def read_units(content: ModelFolder, side: str, kind: str, *, lowercase: bool) -> Units:
    """Return the units of a side of a folder.

    Raises:
        KeyError, TypeError, ValueError: the folder does not hold them.
    """
    facts, words = content.texts[UNITS][side], content.texts[f"{side}-vocab"]
    _check_rules(facts, side, kind, lowercase)
    if tuple(words[: len(SPECIAL)]) != SPECIAL:
        raise ValueError(f"the first words of the {side} are {words[: len(SPECIAL)]}; expected {', '.join(SPECIAL)}")
    if len(set(words)) != len(words) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"words of the {side} with duplicates")
    rules = facts["subwords"]
    subwords = None if rules is None else Subwords(str(rules))
    if subwords is not None and list(words[len(SPECIAL) :]) != subwords.vocabulary:
        raise ValueError(f"the words of the {side} are not its subwords")
    counts = np.array(content.arrays[f"{side}_counts"])
    if counts.dtype.kind not in "iu" or counts.shape != (len(words),) or (counts < 0).any():
        raise ValueError(f"{counts.size} counts for {len(words)} words of the {side}, none below 0")
    characters = facts.get("characters", "")
    return Units(words, counts.astype(np.int64), facts["lowercase"], subwords, facts["spelled"], characters)


def _check_rules(facts: Any, side: str, kind: str, lowercase: bool) -> None:
    """Check that the rules of a side are those of the options."""
    found = (facts["lowercase"], facts["spelled"], facts["subwords"] is not None)
    if found != (lowercase, kind == SPELLED, kind == SUBWORDS) or not all(isinstance(each, bool) for each in found):
        raise ValueError(f"{UNITS}.json does not describe the {side} as the options do: {kind}, lowercase={lowercase}")
    if not isinstance(facts.get("characters", ""), str):
        raise ValueError(f"the characters of the {side} are no text")
