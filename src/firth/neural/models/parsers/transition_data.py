"""Sentences as a transition parser reads them: words, tags and labels as numbers, in arrays of many sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, OptionError
from firth.kernels.transition_states import Ints, Sentences
from firth.neural.models.classification.reader import frequent_words
from firth.neural.models.parsers.data import ranked_relations, root_number
from firth.neural.models.tokens.reader import COLUMNS
from firth.neural.saved import Saved
from firth.neural.training.batching import BatchOptions, Buckets
from firth.parsing.projective import projective
from firth.readers.conllu import DependencySentence
from firth.text.characters import fold
from firth.vectors.word_vectors import WordVectors

NOTHING, ROOT, UNKNOWN = 0, 1, 2  # numbers of words and tags: a node that is not there, the root; names follow
NAMED = 3


@dataclass(frozen=True, eq=False)
class TransitionVocabulary:
    """Words, tags and relations by number.

    Attributes:
        words: V names; the number of `words[i]` is i + 3.
        relations: L names, by number.
        columns: whose values are the tags, together: names of `firth.neural.models.tokens.reader.COLUMNS`.
        lowercase: whether words are looked up in lower case.
        counts: (V,) counts of the words in the training sentences; only training knows them.
    """

    words: list[str]
    tags: list[str]
    relations: list[str]
    columns: tuple[str, ...] = ("upos",)
    lowercase: bool = True
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    _words: dict[str, int] = field(init=False, repr=False)
    _tags: dict[str, int] = field(init=False, repr=False)
    _relations: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name, start in (("words", NAMED), ("tags", NAMED), ("relations", 0)):
            names = getattr(self, name)
            if len(set(names)) != len(names):
                raise OptionError(f"{name} occur twice; expected each once")
            object.__setattr__(self, f"_{name}", {text: number for number, text in enumerate(names, start)})
        if not self.relations:
            raise OptionError("no relations; expected at least one")

    @property
    def root(self) -> int:
        """Number of the relation that the word below the root has, and no other; -1 where there is none of the kind."""
        return root_number(self.relations)

    @property
    def saved(self) -> Saved:
        """What a folder holds: lists of words, tags and relations."""
        return Saved(texts={"vocab": self.words, "types": self.tags, "labels": self.relations})

    @property
    def table_words(self) -> list[str]:
        """The words in the order of their numbers; the first three have no name."""
        return ["", "\0", "\1", *self.words]

    def numbers(self, sentence: DependencySentence) -> tuple[Ints, Ints]:
        """Return the (T + 1,) numbers of the root and the words, and of their tags."""
        words, tags = self._words, self._tags
        forms = map(fold, sentence.words) if self.lowercase else sentence.words
        kinds = tags_of(sentence, self.columns)
        return (
            np.array([ROOT, *(words.get(form, UNKNOWN) for form in forms)], np.int32),
            np.array([ROOT, *(tags.get(kind, UNKNOWN) for kind in kinds)], np.int32),
        )

    def tree(self, sentence: DependencySentence) -> tuple[Ints, Ints]:
        """Return (T + 1,) heads of a projective tree and numbers of relations; -1 for the root, and unknown ones."""
        relations = [self._relations.get(relation, -1) for relation in sentence.relations]
        return np.array([-1, *projective(sentence.heads)], np.int32), np.array([-1, *relations], np.int32)


def tags_of(sentence: DependencySentence, columns: tuple[str, ...]) -> Sequence[str]:
    """Return T tags: the values of one column, or of several with "|" between them."""
    values = [COLUMNS[name](sentence) for name in columns]
    if len(values) == 1:
        return values[0]
    return ["|".join(row) for row in zip(*values, strict=True)] if values else [""] * len(sentence)


def learn_vocabulary(
    sentences: Sequence[DependencySentence],
    *,
    columns: tuple[str, ...],
    lowercase: bool,
    min_count: int,
    vectors: WordVectors | None = None,
    extra_words: int = 0,
) -> TransitionVocabulary:
    """Return the vocabulary of training sentences."""
    words, tags, relations = Counter[str](), Counter[str](), Counter[str]()
    for sentence in sentences:
        words.update(map(fold, sentence.words) if lowercase else sentence.words)
        tags.update(tags_of(sentence, columns))
        relations.update(sentence.relations)
    if set(relations) == {"_"}:
        raise CorpusError("no word has a relation; expected one in the eighth column of each word")
    names = frequent_words(words, min_count, vectors, extra_words)
    by_count = sorted(tags, key=lambda name: (-tags[name], name))
    counts = np.array([words[name] for name in names], dtype=np.int64)
    return TransitionVocabulary(names, by_count, ranked_relations(relations), columns, lowercase, counts)


@dataclass(frozen=True, eq=False)
class ParserItem:
    """A sentence to train on.

    Attributes:
        words: (T + 1,) numbers of the root and the words.
        tags: (T + 1,) numbers of their tags.
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
        sentences: whose words are rows of `vocabulary`.
        vocabulary: (U,) numbers of the distinct words.
        heads: of all nodes.
        relations: of all nodes.
    """

    sentences: Sentences
    vocabulary: npt.NDArray[np.int64]
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
    distinct, words = np.unique(
        np.concatenate([np.array([NOTHING], np.int32), *(item.words for item in items)]), return_inverse=True
    )
    tags, heads, labels = (np.concatenate(parts) for parts in zip(*map(_columns, items), strict=True))
    none = np.array([0, NOTHING, relations], dtype=np.int32)  # NOTHING is the least of the distinct words
    sentences = Sentences(np.cumsum(sizes), words[1:].astype(np.int32), tags, none)
    return ParserBatch(sentences, distinct.astype(np.int64), heads, labels)


def _columns(item: ParserItem) -> tuple[Ints, Ints, Ints]:
    return item.tags, item.heads, item.relations


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
