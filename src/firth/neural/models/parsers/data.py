"""Sentences with trees: reading, tags, the part that selects the model."""

import abc
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, brief, counted, warn_caller
from firth.evaluation.baselines import most_frequent
from firth.neural.models.tokens.treebank_columns import share_filled
from firth.neural.saved import Saved
from firth.neural.supervised import SHARE
from firth.readers.conllu import DependencySentence, read_conllu
from firth.storage.skipping import SKIP, check_on_error

Sentences = Sequence[DependencySentence]
Numbers = npt.NDArray[np.integer]
NumberedTree = tuple[Numbers, Numbers]  # (T,) heads from 1, 0 for the root; (T,) numbers of relations
ROOT = "root"  # in Universal Dependencies the relation of the word below the root, and of no other
UNSPECIFIED = "dep"  # the relation that says nothing
FORMS = "expected a CoNLL-U file, several, or a list of firth.readers.conllu.DependencySentence"


class ParserVocabulary(Protocol):
    """What a parser knows, and how a folder keeps it (`firth.storage.model_folder.ModelFolder`)."""

    @property
    def relations(self) -> list[str]:
        """L relations, by number."""
        ...

    @property
    def saved(self) -> Saved:
        """What a folder holds of it."""
        ...


def ranked_relations(counts: Mapping[str, int]) -> list[str]:
    """Return the relations by their counts, and "dep" beside "root" alone, so that every arc can have one."""
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    return [*ranked, UNSPECIFIED] if ranked == [ROOT] else ranked


def root_number(relations: Sequence[str]) -> int:
    """Return the number of the relation "root" among several; -1 where the arc from the root may have any."""
    return relations.index(ROOT) if ROOT in relations and len(relations) > 1 else -1


def read_sentences(source: Any, *, trees: bool = True, on_error: str = SKIP) -> list[DependencySentence]:
    """Return annotated sentences."""
    check_on_error(on_error)
    sentences = list(_sentences(source, trees, on_error))
    if not sentences:
        raise CorpusError(f"no sentences; {FORMS}")
    bare = next((i for i, sentence in enumerate(sentences, 1) if trees and len(sentence.heads) != len(sentence)), None)
    if bare is not None:
        raise CorpusError(f"sentence {bare} has no tree; expected a head and a relation for each word")
    return sentences


def _sentences(source: Any, trees: bool, on_error: str) -> Iterable[DependencySentence]:
    if isinstance(source, str | os.PathLike):
        if not Path(source).exists():
            raise CorpusError(f"{source}: no such file; {FORMS}")
        yield from read_conllu(source, trees=trees, on_error=on_error)
        return
    if isinstance(source, DependencySentence) or not isinstance(source, Iterable):
        raise CorpusError(f"found {brief(source)}; {FORMS}")
    for number, item in enumerate(source, 1):
        if isinstance(item, DependencySentence):
            yield item
        elif isinstance(item, str | os.PathLike):
            yield from _sentences(item, trees, on_error)
        else:
            raise CorpusError(f"item {number} is {brief(item)}; {FORMS}")


def warn_of_empty_columns(sentences: Sentences, columns: Iterable[str]) -> None:
    """Warn of columns that a parser is told to read, and that no word has a value in."""
    empty = [name for name in columns if not share_filled(sentences, name)]
    if empty:
        warn_caller(
            f"no word of {counted(len(sentences), 'sentence')} has {' or '.join(empty)}, which the parser is to read: "
            "it learns nothing from them; leave tag= out for what the treebank has"
        )


def development_split(sentences: Sentences) -> tuple[list[DependencySentence], list[DependencySentence]]:
    """Return the sentences to train on, and the last tenth, which selects the model.

    The last ones, because neighbours come from one document.
    """
    if len(sentences) < 2:
        raise CorpusError(
            f"{len(sentences)} sentence to train on; expected at least two, one of them to select the model by, or "
            "held_out"
        )
    count = len(sentences) - max(1, round(SHARE * len(sentences)))
    return list(sentences[:count]), list(sentences[count:])


def chain_score(sentences: Sentences, held_out: Sentences) -> tuple[str, float]:
    """Return the better of two trees that need no model, and its LAS on held-out sentences, with subtypes.

    Every word depends on the next word, or on the one before it, with the relation that is the most frequent one in the
    training sentences; the word without such a neighbour is the root.
    """
    relation = (
        most_frequent(name for sentence in sentences for name in sentence.relations if name != ROOT)[0] or UNSPECIFIED
    )
    words = max(sum(map(len, held_out)), 1)

    def score(last: bool) -> float:
        return sum(_right_in_chain(sentence, relation, last) for sentence in held_out) / words

    scores = {"next": score(True), "previous": score(False)}
    side = max(scores, key=lambda name: scores[name])
    return f"a tree in which each word depends on the {side} one as {brief(relation)}", scores[side]


def _right_in_chain(sentence: DependencySentence, relation: str, last: bool) -> int:
    """Return the number of words of a sentence with the right head and relation in a chain from its last or first."""
    count, step = len(sentence), 1 if last else -1
    heads = [number + step if 0 < number + step <= count else 0 for number in range(1, count + 1)]
    return sum(
        gold == head and name == (relation if head else ROOT)
        for gold, name, head in zip(sentence.heads, sentence.relations, heads, strict=True)
    )


class TreeErrors:
    """Shares of words with a wrong head or label, and with a wrong head, in trees that are compared one by one."""

    def __init__(self) -> None:
        self._words = self._heads = self._right = 0

    def add(self, predicted: NumberedTree, gold: NumberedTree) -> None:
        """Compare the tree of a sentence with the gold tree."""
        same = predicted[0] == gold[0]
        self._words += len(same)
        self._heads += int(same.sum())
        self._right += int((same & (predicted[1] == gold[1])).sum())

    @property
    def figures(self) -> dict[str, float]:
        """For an evaluation: "error" and "head_error"."""
        return {"error": 1 - self._right / self._words, "head_error": 1 - self._heads / self._words}


class ParserModule(torch.nn.Module, abc.ABC):
    """A module that parses, with its vocabulary."""

    @abc.abstractmethod
    def parse(self, sentences: Sentences, *, beam: int | None = None) -> list[NumberedTree]:
        """Return the tree of each sentence: one root, no cycle."""
