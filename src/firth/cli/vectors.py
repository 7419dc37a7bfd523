"""Vectors and other models that a command line names, and words that they lack."""

import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from firth import registry
from firth.cli.output import complain, note, working
from firth.errors import OptionError
from firth.loading import load, load_vectors
from firth.sentences.encoder import TextEncoder
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors


def open_vectors(path: str, quiet: bool, *, documents: bool = False) -> Any:
    """Return the vectors of a file, with progress; see `firth.loading.load_vectors`."""
    with working(f"reading {path}", quiet):
        return load_vectors(path, documents=documents)


def open_model(path: Path, *kinds: str) -> Any:
    """Return a model.

    Args:
        *kinds: of which it must be one, such as "a tagger".
    """
    content: Any = load(path)
    if registry.plain_name(content) not in kinds:
        raise OptionError(f"{path} holds {registry.plain_name(content)}, expected {' or '.join(kinds)}")
    return content


def open_encoder(path: str, quiet: bool) -> Any:
    """Return word vectors, or another model that gives texts vectors."""
    with working(f"reading {path}", quiet):
        model: Any = load(path)
    if not isinstance(model, WordVectors | SubwordVectors | TextEncoder):
        raise OptionError(
            f"{path} holds {registry.plain_name(model)}, expected word vectors or a model that encodes texts"
        )
    return model


def open_word_vectors(path: str, quiet: bool) -> WordVectors:
    """Return the word vectors of a file; n-grams are dropped with a note."""
    vectors = open_vectors(path, quiet)
    if isinstance(vectors, SubwordVectors):
        note(f"{path}: its n-grams are dropped; the {len(vectors):,} words of the vocabulary stay")
        return vectors.known
    return typing.cast(WordVectors, vectors)


def refuse_unknown(words: Iterable[str], vectors: Any) -> None:
    """Raise an error for words without a vector; called last, so that one misspelt word does not hide other answers."""
    unknown = [word for word in words if word not in vectors]
    for word in unknown[:-1]:
        complain(str(vectors.lexicon.unknown(word)))
    if unknown:
        raise vectors.lexicon.unknown(unknown[-1])
