"""Vectors, other models and lists of words that a command line names, and words that they lack."""

import functools
import sys
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from firth import registry
from firth.cli.flag_messages import RUNNING, in_flags
from firth.cli.output import complain, note, working
from firth.errors import FirthError, FormatError, OptionError
from firth.loading import instead, load, load_vectors
from firth.sentences.encoded_texts import TextEncoder
from firth.storage.encodings import decoded_text
from firth.storage.files import text_of
from firth.storage.untrusted import parse_json
from firth.text.byte_level import UNITS, shown
from firth.training_facts import rule_of
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors


def open_vectors(path: str, quiet: bool, *, documents: bool = False, runs: bool = False) -> Any:
    """Return the vectors of a file, with progress; see `firth.loading.load_vectors`."""
    with working(f"reading {path}", quiet):
        return load_vectors(path, documents=documents, runs=runs)


def open_model(path: Path, *kinds: str) -> Any:
    """Return a model.

    Args:
        *kinds: of which it must be one, such as "a tagger".
    """
    content: Any = load(path)
    if registry.plain_name(content) not in kinds:
        advice = instead(content)
        raise OptionError(f"{path} holds {registry.plain_name(content)}, expected {' or '.join(kinds)}{advice}")
    return content


def open_encoder(path: str, quiet: bool) -> Any:
    """Return word vectors, or another model that gives texts vectors."""
    with working(f"reading {path}", quiet):
        model: Any = load(path)
    if not isinstance(model, WordVectors | SubwordVectors | TextEncoder):
        raise OptionError(
            f"{path} holds {registry.plain_name(model)}, expected word vectors or a model that encodes "
            f"texts{instead(model)}"
        )
    return model


def open_word_vectors(path: str, quiet: bool) -> WordVectors:
    """Return the word vectors of a file; n-grams are dropped with a note."""
    vectors = open_vectors(path, quiet)
    if isinstance(vectors, SubwordVectors):
        note(f"{path}: its n-grams are dropped; the {len(vectors):,} words of the vocabulary stay")
        return vectors.known
    return typing.cast(WordVectors, vectors)


def shown_words(vectors: Any) -> Callable[[str], str]:
    """Return a function from a key of vectors to the word as people read it: subwords without their byte characters."""
    unit = rule_of(vectors.metadata)
    return functools.partial(shown, unit=unit) if unit in UNITS else str


def keys_of_shown(vectors: Any, words: Sequence[str]) -> list[str]:
    """Return the keys of words that are written as `shown_words` shows them."""
    if rule_of(vectors.metadata) not in UNITS:
        return list(words)
    show = shown_words(vectors)
    keys = {show(key): key for key in vectors.lexicon.words}
    return [keys.get(word, word) for word in words]


def refuse_unknown(words: Iterable[str], vectors: Any) -> None:
    """Raise an error for words without a vector; called last, so that one misspelt word does not hide other answers."""
    refuse((word for word in words if word not in vectors), lambda word: vectors.lexicon.unknown(word))


def refuse(unknown: Iterable[str], error: Callable[[str], FirthError]) -> None:
    """Say what is wrong with each of some words, and fail; without words do nothing."""
    words = list(unknown)
    for word in words[:-1]:
        complain(in_flags(str(error(word)), RUNNING))
    if words:
        raise error(words[-1])


def read_words(path: str) -> list[str]:
    """Return the words of a file, one per line; - is standard input. Text after a tab is ignored."""
    return [word for _, line in lines(path) if (word := line.partition("\t")[0].strip())]


def chosen_words(words: Sequence[str] | None, path: str | None) -> list[str]:
    """Return the words that are named, and those of --words."""
    more = read_words(path) if path else []
    if path and not more:
        raise OptionError(f"{path} holds no words; expected one per line")
    return [*(words or []), *more]


def read_poles(text: str) -> tuple[list[str], list[str]]:
    """Return the two poles of an axis, such as `woman:man` or `she,her:he,him`."""
    first, colon, second = text.partition(":")
    ends = [[word.strip() for word in end.split(",") if word.strip()] for end in (first, second)]
    if not (colon and all(ends)):
        raise OptionError(f"--poles {text}: expected two poles separated by a colon, such as woman:man")
    return ends[0], ends[1]


def read_groups(path: str) -> dict[str, list[str]]:
    """Return groups of words by their names.

    The file has a word, a tab and its group per line, or it is a JSON object: lists of words by group, or groups by
    word.
    """
    content = list(lines(path))
    if content and content[0][1].startswith("{"):
        return _groups_of_json(path, "\n".join(line for _, line in content))
    groups: dict[str, list[str]] = {}
    for number, line in content:
        word, tab, group = line.partition("\t")
        if not (tab and word.strip() and group.strip()):
            raise FormatError(f"{path} line {number}: {line[:60]!r}; expected a word, a tab and its group")
        groups.setdefault(group.strip(), []).append(word.strip())
    return groups


def _groups_of_json(path: str, content: str) -> dict[str, list[str]]:
    try:
        value = parse_json(content)
    except ValueError as error:
        raise FormatError(f"{path}: no JSON object ({error}); expected lists of words by group") from None
    groups: dict[str, list[str]] = {}
    for name, entry in value.items():
        if isinstance(entry, str):
            groups.setdefault(entry, []).append(name)
        elif isinstance(entry, list) and all(isinstance(word, str) for word in entry):
            groups[name] = entry
        else:
            raise FormatError(f"{path}: {name!r} has {entry!r}; expected a list of words, or the name of a group")
    return groups


def read_objects(path: str) -> list[dict[str, Any]]:
    """Return the JSON objects of a file, one per line; - is standard input."""
    objects = []
    for number, line in lines(path):
        try:
            objects.append(dict(parse_json(line)))
        except (ValueError, TypeError):
            raise FormatError(f"{path} line {number}: {line[:60]!r}; expected one JSON object per line") from None
    return objects


def lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are not empty, with their numbers from 1."""
    text = decoded_text(sys.stdin.buffer.read(), "standard input") if path == "-" else text_of(path)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r")
