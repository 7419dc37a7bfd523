"""Sentences as a transition parser reads them: words, tags and labels as numbers, in arrays of many sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, OptionError
from firth.kernels.transition_states import Ints, Sentences
from firth.neural.models.classification.reader import frequent_words
from firth.neural.models.parsers.data import ranked_relations, root_number
from firth.neural.models.tokens.reader import COLUMNS, capitals
from firth.neural.saved import Saved
from firth.neural.training.batching import BatchOptions, Buckets
from firth.parsing.projective import projective
from firth.readers.conllu import NONE, DependencySentence
from firth.text.characters import fold
from firth.vectors.coverage import tell_coverage
from firth.vectors.word_vectors import WordVectors

NOTHING, ROOT, UNKNOWN = 0, 1, 2  # numbers of words and tags: a node that is not there, the root; names follow
NAMED = 3
ENDS = 2, 3  # characters of the ends of words that are read
RARE = 3  # count of distinct words from which on a piece of words is known


@dataclass(frozen=True, eq=False)
class TransitionVocabulary:
    """Words, tags and relations by number.

    Attributes:
        words: V names; the number of `words[i]` is i + 3.
        tags: names of tags, or of their parts; the number of `tags[i]` is i + 3.
        relations: L names, by number.
        columns: whose values are the tags, together: names of `firth.neural.models.tokens.reader.COLUMNS`.
        lowercase: whether words are looked up in lower case.
        counts: (V,) counts of the words in the training sentences; only training knows them.
        parts: whether the parts of a tag have a number each, such as NOUN, Case=Nom and Number=Sing.
        pieces: P pieces of words, `pieces_of`; the number of `pieces[i]` is i + 1. None are read if there are none.
    """

    words: list[str]
    tags: list[str]
    relations: list[str]
    columns: tuple[str, ...] = ("upos",)
    lowercase: bool = True
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    parts: bool = False
    pieces: list[str] = field(default_factory=list)
    _numbers: dict[str, dict[str, int]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        numbers: dict[str, dict[str, int]] = {}
        for name, start in (("words", NAMED), ("tags", NAMED), ("relations", 0), ("pieces", 1)):
            names = getattr(self, name)
            numbers[name] = {text: number for number, text in enumerate(names, start)}
            if len(numbers[name]) != len(names):
                raise OptionError(f"{name} occur twice; expected each once")
        object.__setattr__(self, "_numbers", numbers)
        if not self.relations:
            raise OptionError("no relations; expected at least one")

    @property
    def root(self) -> int:
        """Number of the relation that the word below the root has, and no other; -1 where there is none of the kind."""
        return root_number(self.relations)

    @property
    def saved(self) -> Saved:
        """What a folder holds: lists of words, pieces of words, tags and relations."""
        texts = {"vocab": self.words, "types": self.tags, "labels": self.relations}
        return Saved(
            texts={**texts, **({"attributes": self.pieces} if self.pieces else {})}, config={"parts": self.parts}
        )

    @property
    def table_words(self) -> list[str]:
        """The words in the order of their numbers; the first three have no name."""
        return ["", "\0", "\1", *self.words]

    def numbers(self, sentence: DependencySentence) -> tuple[Ints, Ints]:
        """Return (T + 1, .) numbers of the root and the words, and of their tags.

        The first column of the words has the word, the others its pieces; the columns of the tags have their parts.
        0 fills rows.
        """
        words, pieces = self._numbers["words"], self._numbers["pieces"]
        forms = map(fold, sentence.words) if self.lowercase else sentence.words
        rows = [[words.get(form, UNKNOWN)] for form in forms]
        if pieces:
            for row, word in zip(rows, sentence.words, strict=True):
                row += [pieces.get(piece, NOTHING) for piece in pieces_of(word)]
        return filled([[ROOT], *rows]), filled([[ROOT], *map(self._tag, tags_of(sentence, self.columns))])

    def _tag(self, values: tuple[str, ...]) -> list[int]:
        """Return the numbers of a tag, given its value in each column."""
        tags = self._numbers["tags"]
        if not self.parts:
            return [tags.get("|".join(values), UNKNOWN)]
        first, *features = parts_of(values)
        return [tags.get(first, UNKNOWN), *(tags[part] for part in features if part in tags)]

    def tree(self, sentence: DependencySentence) -> tuple[Ints, Ints]:
        """Return (T + 1,) heads of a projective tree and numbers of relations; -1 for the root, and unknown ones."""
        relations = [self._numbers["relations"].get(relation, -1) for relation in sentence.relations]
        return np.array([-1, *projective(sentence.heads)], np.int32), np.array([-1, *relations], np.int32)


def filled(rows: Sequence[Sequence[int]]) -> Ints:
    """Return rows of numbers as an array, with 0 after those that are shorter."""
    width = max(map(len, rows))
    return np.array([[*row, *[NOTHING] * (width - len(row))] for row in rows], np.int32)


def pieces_of(word: str) -> list[str]:
    """Return the pieces of a word that stand for its spelling: how it is written, and its ends.

    >>> pieces_of("Cats")
    ['first', '-ts', '-ats']
    """
    text = fold(word)
    return [capitals(word), *(f"-{text[-size:]}" for size in ENDS if size <= len(text))]


def parts_of(values: tuple[str, ...]) -> list[str]:
    """Return the parts of a tag: the value of the first column, and the morphological features of others."""
    first, *columns = values
    return [first, *(part for value in columns for part in value.split("|") if part != NONE)]


def tags_of(sentence: DependencySentence, columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return T tags: the values of each column."""
    if not columns:
        return [("",)] * len(sentence)
    return list(zip(*(COLUMNS[name](sentence) for name in columns), strict=True))


def learn_vocabulary(
    sentences: Sequence[DependencySentence],
    *,
    columns: tuple[str, ...],
    lowercase: bool,
    min_count: int,
    spelling: bool = False,
    vectors: WordVectors | None = None,
    extra_words: int = 0,
) -> TransitionVocabulary:
    """Return the vocabulary of training sentences."""
    forms, tags, relations = Counter[str](), Counter[str](), Counter[str]()
    for sentence in sentences:
        forms.update(sentence.words)
        tags.update(part for values in tags_of(sentence, columns) for part in parts_of(values))
        relations.update(sentence.relations)
    if set(relations) == {"_"}:
        raise CorpusError("no word has a relation; expected one in the eighth column of each word")
    words, folded = Counter[str](), fold if lowercase else str
    for form, count in forms.items():
        words[folded(form)] += count
    if vectors is not None:
        tell_coverage(forms, lambda form: folded(form) in vectors.key_to_index)
    names = frequent_words(words, min_count, vectors, extra_words)
    counts = np.array([words[name] for name in names], dtype=np.int64)
    pieces = Counter(piece for form in forms for piece in pieces_of(form)) if spelling else Counter[str]()
    frequent = _by_count({piece: count for piece, count in pieces.items() if count >= RARE})
    of_tags, several = _by_count(tags), len(columns) > 1
    return TransitionVocabulary(
        names, of_tags, ranked_relations(relations), columns, lowercase, counts, several, frequent
    )


def _by_count(counts: Mapping[str, int]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))


@dataclass(frozen=True, eq=False)
class ParserItem:
    """A sentence to train on.

    Attributes:
        words: (T + 1, .) numbers of the root and the words; see `TransitionVocabulary.numbers`.
        tags: (T + 1, .) numbers of their tags.
        heads: (T + 1,) gold heads of a projective tree, -1 of the root.
        relations: (T + 1,) numbers of gold relations.
    """

    words: Ints
    tags: Ints
    heads: Ints
    relations: Ints


@dataclass(frozen=True, eq=False)
class ParserBatch:
    """Sentences in arrays.

    Attributes:
        sentences: whose words are rows of `words`, their tags rows of `tags`.
        words: (U, .) int64 numbers of the distinct words, with their pieces; the first is `NOTHING`.
        tags: (U', .) int64 numbers of the distinct tags, likewise.
        heads: of all nodes.
        relations: of all nodes.
    """

    sentences: Sentences
    words: npt.NDArray[np.int64]
    tags: npt.NDArray[np.int64]
    heads: Ints
    relations: Ints
    fresh: bool = True
    scale: float = 1.0

    def to(self, device: torch.device) -> "ParserBatch":
        """Return the batch as it is."""
        return self


def collate(items: Sequence[ParserItem], relations: int) -> ParserBatch:
    """Return sentences in arrays."""
    sizes = np.array([0, *(len(item.words) for item in items)], dtype=np.int64)
    words, of_words = _distinct([item.words for item in items])
    tags, of_tags = _distinct([item.tags for item in items])
    heads, labels = (np.concatenate([getattr(item, name) for item in items]) for name in ("heads", "relations"))
    none = np.array([0, 0, relations], dtype=np.int32)
    return ParserBatch(Sentences(np.cumsum(sizes), of_words, of_tags, none), words, tags, heads, labels)


def _distinct(parts: Sequence[Ints]) -> tuple[npt.NDArray[np.int64], Ints]:
    """Return the distinct rows of arrays, a row of `NOTHING` first, and the number of each row of theirs."""
    width = max(part.shape[1] for part in parts)
    rows = np.zeros((1 + sum(map(len, parts)), width), np.int64)  # NOTHING is the least of all
    start = 1
    for part in parts:
        rows[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    distinct, numbers = np.unique(rows, axis=0, return_inverse=True)
    return distinct, numbers.reshape(-1)[1:].astype(np.int32)


def read_item(sentence: DependencySentence, vocabulary: TransitionVocabulary, *, tree: bool = True) -> ParserItem:
    """Return a sentence as numbers, with its tree or without."""
    words, tags = vocabulary.numbers(sentence)
    heads, relations = vocabulary.tree(sentence) if tree else (np.full(len(words), -1, np.int32),) * 2
    return ParserItem(words, tags, heads, relations)


def sentence_batches(
    items: Sequence[ParserItem], relations: int, **options: Unpack[BatchOptions]
) -> Buckets[ParserItem]:
    """Return sentences in batches of any lengths."""
    return Buckets.of(items, lambda rows: collate(rows, relations), **options)
