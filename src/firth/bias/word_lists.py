"""Word lists of the literature on bias: the ten WEAT tests, and the gender lists of Bolukbasi et al. 2016.

Files are JSON as published: an object of named word lists (`WEAT.json`), a list of pairs, or a list of words or of
entries that start with one (`professions.json`). Pairs can also be text, one per line, as in
`postprocess.read_word_pairs`.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firth import data as named
from firth.arguments import names_files
from firth.bias.query import Query
from firth.bias.word_pairs import Pair
from firth.errors import FormatError, OptionError
from firth.postprocess.word_pairs import read_word_pairs
from firth.storage.files import text_of
from firth.storage.untrusted import parse_json

PathLike = str | os.PathLike[str]

# Of Caliskan et al. 2017, table 1: the sets of targets, then of attributes. "first" and "second" are those of the file.
WEAT_TESTS: Mapping[str, tuple[str, str, str, str]] = {
    "weat-1": ("flowers", "insects", "pleasant_5", "unpleasant_5a"),
    "weat-2": ("instruments", "weapons", "pleasant_5", "unpleasant_5a"),
    "weat-3": ("european_american_names_5", "african_american_names_5", "pleasant_5", "unpleasant_5b"),
    "weat-4": ("european_american_names_7", "african_american_names_7", "pleasant_5", "unpleasant_5b"),
    "weat-5": ("european_american_names_7", "african_american_names_7", "pleasant_9", "unpleasant_9"),
    "weat-6": ("male_names", "female_names", "career", "family"),
    "weat-7": ("math", "arts", "male_terms", "female_terms"),
    "weat-8": ("science", "arts_2", "male_terms_2", "female_terms_2"),
    "weat-9": ("mental_disease", "physical_disease", "temporary", "permanent"),
    "weat-10": ("young_people_names", "old_people_names", "pleasant_9", "unpleasant_9"),
}


def weat_queries(tests: Sequence[str] | None = None, data: PathLike | None = None) -> list[Query]:
    """Return tests of Caliskan et al. 2017 as queries.

    Args:
        tests: names of `WEAT_TESTS`; None is all ten.
        data: folder with local copies of the named sets; by default FIRTH_DATA, or a download.

    Raises:
        OptionError: a test does not exist.
        DataError: the named set "weat" is not available.
    """
    for name in tests or ():
        if name not in WEAT_TESTS:
            raise OptionError(f"test {name!r}: expected one of {', '.join(WEAT_TESTS)}")
    sets = read_sets(named.path_of("weat", data))
    return [query_of(sets, *_halves(WEAT_TESTS[name]), name=name) for name in tests or WEAT_TESTS]


def query_of(
    sets: Mapping[str, Sequence[str]], targets: Sequence[str], attributes: Sequence[str], name: str = ""
) -> Query:
    """Return a query of named sets.

    Args:
        sets: words by the name of their set.
        targets: names of the target sets.
        attributes: names of the attribute sets.
        name: of the query; by default the names of its sets.

    Raises:
        OptionError: there is no such set.
    """
    for set_name in (*targets, *attributes):
        if set_name not in sets:
            raise OptionError(f"no word set {set_name!r}: expected one of {', '.join(sets)}")
    return Query(
        {set_name: sets[set_name] for set_name in targets}, {set_name: sets[set_name] for set_name in attributes}, name
    )


@names_files
def read_sets(path: PathLike) -> dict[str, list[str]]:
    """Return sets of words by name, from an object of JSON.

    Raises:
        FormatError: the file holds something else, or a set is empty.
        OSError: it cannot be read.
    """
    content = _json(path)
    if not isinstance(content, dict) or not content:
        raise FormatError(f"{path}: expected a JSON object of word lists by name")
    for name, words in content.items():
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            raise FormatError(f"{path}: {name!r} has {str(words)[:60]}; expected a list of words")
    return content


@names_files
def read_pairs(path: PathLike) -> list[Pair]:
    """Return pairs of words: a JSON list of two words each, or a text file with a pair a line.

    Raises:
        FormatError: the file holds something else.
        OSError: it cannot be read.
    """
    if not _is_json(path):
        return read_word_pairs(path)
    content = _json(path)
    if not isinstance(content, list) or not all(_is_pair(item) for item in content):
        raise FormatError(f"{path}: expected a JSON list of pairs of words")
    if not content:
        raise FormatError(f"{path}: no pair of words; expected one or more")
    return [(first, second) for first, second in content]


@names_files
def read_words(path: PathLike) -> list[str]:
    """Return words: a JSON list of words, or of entries that begin with one, or a text file with a word a line.

    Raises:
        FormatError: the file holds something else, or no word.
        OSError: it cannot be read.
    """
    content = _json(path) if _is_json(path) else [line.strip() for line in text_of(path).splitlines() if line.strip()]
    if not isinstance(content, list):
        raise FormatError(f"{path}: expected a JSON list of words")
    words = list(_words_of(content, path))
    if not words:
        raise FormatError(f"{path}: no words; expected one or more")
    return words


def definitional_pairs(data: PathLike | None = None) -> list[Pair]:
    """Return the ten pairs that define the direction from women to men, such as (she, he); see `weat_queries`."""
    return read_pairs(named.path_of("definitional-pairs", data))


def equalise_pairs(data: PathLike | None = None) -> list[Pair]:
    """Return the pairs that should differ in gender alone, such as (grandma, grandpa); see `weat_queries`."""
    return read_pairs(named.path_of("equalize-pairs", data))


def gender_specific(data: PathLike | None = None) -> list[str]:
    """Return words that have a gender by their meaning, such as queen, and should keep it; see `weat_queries`."""
    return read_words(named.path_of("gender-specific", data))


def professions(data: PathLike | None = None) -> list[str]:
    """Return professions, most of which have no gender by their meaning; see `weat_queries`."""
    return read_words(named.path_of("professions", data))


def _halves(names: tuple[str, str, str, str]) -> tuple[tuple[str, str], tuple[str, str]]:
    return names[:2], names[2:]


def _words_of(entries: Sequence[Any], path: PathLike) -> Iterator[str]:
    for entry in entries:
        word = entry[0] if isinstance(entry, list) and entry else entry
        if not isinstance(word, str):
            raise FormatError(f"{path}: {str(entry)[:60]!r}; expected a word, or a list that begins with one")
        yield word


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(word, str) for word in value)


def _is_json(path: PathLike) -> bool:
    return text_of(path).lstrip()[:1] in ("[", "{")


def _json(path: PathLike) -> Any:
    try:
        return parse_json(text_of(path))
    except ValueError as error:
        raise FormatError(f"{path}: not valid JSON ({error}); expected lists of words") from None
