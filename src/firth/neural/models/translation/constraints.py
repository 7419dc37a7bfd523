"""Constraints on translations in words: prefixes, forced phrases, and the terms of a glossary.

What: texts become ids of the target, and contradictions are found before the search. A term of a glossary that the
    source has adds its translation to the forced phrases of that text.
Source: Post and Vilar 2018, Fast Lexically Constrained Decoding with Dynamic Beam Allocation; see
    `firth.inference.phrases`.
Departures: none.
Cost: a look at each word of a source.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from firth.errors import OptionError, ShapeError, brief, counted, warn_caller
from firth.inference.constraints import Constraints, check_constraints
from firth.inference.generation_options import GenerationOptions
from firth.inference.logits_processor import LogitsProcessor
from firth.inference.search import BeamSearch
from firth.neural.models.translation.candidates import check_dictionary
from firth.neural.models.translation.units import EOS, Units
from firth.text.inputs import check_items, check_text
from firth.text.sentence_ends import SPACED, UNSPACED

_WORD = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+|[^\w\s]")  # characters of scripts without spaces one by one
_OPENING = frozenset("\"'“”„‘’‚«»¿¡([{*_—–-")  # marks before the first word of a sentence


class Glossary:
    """Terms of the source, each with the word or phrase that a translation must then contain.

    A term is found as whole words; of overlapping terms the longest. Capitals count, unless the model reads lower case,
    but a term in small letters is also found at the start of a sentence.

    Args:
        entries: translations by terms. Those that the model cannot write are left out, with a warning that counts them.
    """

    def __init__(self, entries: Mapping[str, str], source: Units, target: Units) -> None:
        check_dictionary(entries, "glossary")
        self._lowercase = source.lowercase
        if blank := [term for term, phrase in entries.items() if not phrase.strip()]:
            raise OptionError(f"glossary: {brief(blank[0])} has no translation; expected a word or phrase")
        written = {term: phrase for term, phrase in entries.items() if not _unknown(target, phrase)}
        if left := [phrase for term, phrase in entries.items() if term not in written]:
            example = f"such as {brief(left[0])}: the model does not know {_unknown(target, left[0])[0]!r}"
            advice = "models that are trained with target_units='subwords' write every word"
            warn_caller(f"glossary: {counted(len(left), 'translation')} left out, {example}; {advice}")
        self._terms: dict[str, dict[tuple[str, ...], str]] = {}
        for term, phrase in written.items():
            if words := tuple(self._words(term)):
                self._terms.setdefault(words[0], {})[words] = phrase

    def phrases(self, text: str) -> list[str]:
        """Return the phrases that the translation of a text must contain, each once."""
        words, phrases, start = self._words(text), dict[str, None](), 0
        while start < len(words):
            term, phrase = self._longest(words, start)
            if term:
                phrases[phrase] = None
            start += max(1, term)
        return list(phrases)

    def _words(self, text: str) -> list[str]:
        return _WORD.findall(text.lower() if self._lowercase else text)

    def _longest(self, words: Sequence[str], start: int) -> tuple[int, str]:
        """Return the number of words of the longest term that begins at a word, and its translation; 0 for none."""
        first = words[start]
        readings = (first, first[:1].lower() + first[1:]) if _begins_sentence(words, start) else (first,)
        matches = [
            (len(term), phrase)
            for reading in readings
            for term, phrase in self._terms.get(reading, {}).items()
            if tuple(words[start + 1 : start + len(term)]) == term[1:]
        ]
        return max(matches, key=lambda match: match[0], default=(0, ""))


def _begins_sentence(words: Sequence[str], start: int) -> bool:
    """Return whether a word is the first of its text, or only marks stand between it and the end of a sentence."""
    before = start - 1
    while before >= 0 and words[before] in _OPENING:
        before -= 1
    return before < 0 or words[before] in SPACED


def constraints_of(
    units: Units,
    prefixes: Sequence[str] | None,
    forced: Sequence[str] | Sequence[Sequence[str]] | None,
    count: int,
    options: GenerationOptions,
    terms: Sequence[Sequence[str]] | None = None,
) -> list[Constraints]:
    """Return the constraints of each translation.

    Args:
        terms: phrases of each text that a glossary asks for.

    Raises:
        ShapeError: there are not as many prefixes or lists of phrases as texts.
    """
    if prefixes is not None:
        prefixes = list(check_items(prefixes, "prefixes"))
    forced = None if forced is None else _by_text(forced, count)
    for name, given in (("prefixes", prefixes), ("lists of forced phrases", forced)):
        if given is not None and len(given) != count:
            raise ShapeError(f"{len(given):,} {name} for {count:,} texts; expected as many")
    if prefixes is None and forced is None and not any(terms or ()):
        return [Constraints()] * count
    processor, result = LogitsProcessor(options, (EOS,), units.banned), []
    for row in range(count):
        prefix = () if prefixes is None else _ids(units, prefixes[row], f"prefix {row + 1:,}")
        phrases = [] if forced is None else list(check_items(forced[row], "forced", "phrase"))
        phrases += [phrase for phrase in (terms[row] if terms else ()) if phrase not in phrases]
        ids = tuple(_ids(units, phrase, f"forced phrase of text {row + 1:,}") for phrase in phrases)
        result.append(Constraints(prefix, ids))
        what = f"text {row + 1:,}: "
        check_constraints(
            result[-1], (), processor, len(units), what=what, name=lambda ids: repr(units.text(units.tokens(ids)))
        )
    return result


def warn_unmet(unmet: int, total: int, beams: BeamSearch, item: str = "text") -> None:
    """Warn the caller that results lack forced phrases, if any do."""
    if unmet:
        warn_caller(
            f"{unmet:,} of {counted(total, item)}: no result with all forced phrases was found by beam={beams.beams}; "
            "expected more beams than forced words and subwords"
        )


def _by_text(forced: Any, count: int) -> list[Any]:
    """Return the phrases of each text; phrases that stand in no list are those of every text."""
    given = [forced] if isinstance(forced, str) else list(check_items(forced, "forced", "phrase"))
    return [given] * count if all(isinstance(phrase, str) for phrase in given) else given


def _ids(units: Units, text: str, name: str) -> tuple[int, ...]:
    check_text(text, name)
    if unknown := _unknown(units, text):
        raise OptionError(f"{name}: the model does not know {unknown[0]!r}; expected words that it writes")
    return tuple(units.ids(units.split(text)).tolist())


def _unknown(units: Units, text: str) -> list[str]:
    """Return the tokens of a text that a model does not write."""
    return [token for token in units.split(text) if token not in units.numbers]
