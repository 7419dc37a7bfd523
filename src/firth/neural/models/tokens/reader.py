"""Sentences to ids: words, characters, given vectors, and columns such as part-of-speech tags.

What
    A reader knows the words, the characters and the values of columns of its training sentences. Words are looked up
    in lower case where the options say so; characters are always those of the word as it is written.
Objective
    Each token has an id in every table: 0 pads, 1 is unknown, and what is known follows.
Source
    Lample et al. 2016, "Neural architectures for named entity recognition", sections 4.1 to 4.3; Collobert et al. 2011,
    "Natural language processing (almost) from scratch", section 4.1.2 (capitalisation) and 6.2 (suffixes).
Cost
    A look-up per token and table; each distinct word of a batch is spelled once.
"""

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError
from firth.neural.layers.spelling import Spelling
from firth.neural.models.classification.reader import PAD, UNKNOWN
from firth.neural.models.tokens.embedders import Embedders, embedder_config, embedder_folders, restored_embedders
from firth.neural.saved import Field, Saved, describing
from firth.neural.training.batching import BatchOptions, Buckets, TensorBatch, pad
from firth.readers.conllu import DependencySentence
from firth.storage.model_folder import ModelFolder
from firth.text.characters import fold
from firth.vectors.coverage import tell_coverage
from firth.vectors.word_vectors import WordVectors

Ids = npt.NDArray[np.int64]
Sentence = DependencySentence | Sequence[str]
FIRST = UNKNOWN + 1  # id of the first word, or value of a column
LONGEST = 30  # characters that are read of a word
COUNTS = "word_counts"  # array of the counts of words in folders
Gold = TypeVar("Gold")


def words_of(sentence: Sentence) -> Sequence[str]:
    """Return the words of a sentence."""
    return sentence.words if isinstance(sentence, DependencySentence) else sentence


def lower(word: str) -> str:
    """Return a word as it is looked up without regard to case."""
    return word.lower() if word.isascii() else fold(word)


def capitals(word: str) -> str:
    """Return how a word is written: lower, Capitalised, UPPER, miXed or without letters, and whether it has digits."""
    letters = "".join(filter(str.isalpha, word))
    if not letters:
        kind = "none"
    elif letters.islower():
        kind = "lower"
    elif letters.isupper():
        kind = "upper" if len(letters) > 1 else "letter"
    else:
        kind = "first" if word[0].isupper() and letters[1:].islower() else "mixed"
    return f"{kind}-digit" if any(map(str.isdigit, word)) else kind


AFFIXES = {  # name: the part of a word
    "suffix_1": slice(-1, None),
    "suffix": slice(-2, None),
    "long_suffix": slice(-3, None),
    "suffix_4": slice(-4, None),
    "suffix_5": slice(-5, None),
    "prefix_3": slice(3),
    "prefix_4": slice(4),
}


def _parts(sentence: Any, part: slice) -> list[str]:
    """Return a part of each word in lower case."""
    return [lower(word)[part] for word in words_of(sentence)]


COLUMNS: dict[str, Callable[[Any], Sequence[str]]] = {  # name: its values of a sentence
    "upos": lambda sentence: sentence.tags,
    "xpos": lambda sentence: sentence.language_tags,
    "feats": lambda sentence: sentence.features,
    "lemma": lambda sentence: sentence.lemmas,
    "capitals": lambda sentence: [capitals(word) for word in words_of(sentence)],
    **{name: functools.partial(_parts, part=part) for name, part in AFFIXES.items()},
}
SPELLING = ("capitals", "suffix", "long_suffix")  # what tells how a word is written
MORPHOLOGY = ("capitals", *AFFIXES)  # what tells its forms


@dataclass(frozen=True, eq=False)
class TokenInputs(TensorBatch):
    """A batch of B sentences of up to T words, padded on the right.

    Attributes:
        words: (B, T) int64 ids of words.
        lengths: (B,) int64 on the CPU, at least 1.
        given: (B, T) int64 rows of given vectors; None if there are none.
        columns: of each column (B, T) int64 ids.
        forms: (B, T) int64 numbers of distinct words; None if no characters are read.
        spellings: (U, C) int32 character ids of the U distinct words, likewise.
        sentences: the words of each, for embedders; none if there are no embedders.
    """

    words: torch.Tensor
    lengths: torch.Tensor
    given: torch.Tensor | None
    columns: tuple[torch.Tensor, ...]
    forms: torch.Tensor | None
    spellings: torch.Tensor | None
    sentences: tuple[tuple[str, ...], ...] = ()

    on_cpu: ClassVar = ("lengths", "sentences")


@dataclass(frozen=True, eq=False)
class ReadSentence:
    """A sentence of T words as ids.

    Attributes:
        words: (T,) ids of words.
        given: (T,) rows of given vectors; empty if there are none.
        columns: of each column (T,) ids.
        forms: T words as they are written.
    """

    words: Ids
    given: Ids
    columns: tuple[Ids, ...]
    forms: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False)
class TokenReader:
    """Reads sentences as ids.

    Attributes:
        words: V words that are looked up; the id of `words[i]` is i + 2.
        counts: (V,) their counts in the training sentences.
        characters: characters that are known; none if the model reads no characters.
        given: words with a given vector that is kept; the row of `given[i]` is i + 2.
        vector_dim: width of those vectors; 0 if there are none.
        columns: the values of each column that is read, by the name of the column.
        lowercase: whether `words` are in lower case.
        embedders: of words in context.
    """

    words: list[str]
    counts: Ids
    characters: list[str]
    given: list[str]
    vector_dim: int
    columns: Mapping[str, list[str]]
    lowercase: bool
    embedders: Embedders = ()
    _ids: dict[str, int] = field(init=False, repr=False)
    _given_ids: dict[str, int] = field(init=False, repr=False)
    _column_ids: dict[str, dict[str, int]] = field(init=False, repr=False)
    _spelling: Spelling | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        derived = {
            "_ids": _numbers(self.words),
            "_given_ids": case_insensitive(self.given, FIRST),
            "_column_ids": {name: _numbers(values) for name, values in self.columns.items()},
            "_spelling": Spelling(self.characters, longest=LONGEST) if self.characters else None,
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """Return the number of ids of words, V + 2."""
        return len(self.words) + FIRST

    def knows(self, word: str) -> bool:
        """Return whether a word is among those that are looked up."""
        return (lower(word) if self.lowercase else word) in self._ids

    def read(self, sentence: Sentence) -> ReadSentence:
        """Return a sentence as ids."""
        forms = tuple(words_of(sentence))
        keys = list(map(lower, forms))
        looked_up = keys if self.lowercase else forms
        words = np.array([self._ids.get(word, UNKNOWN) for word in looked_up], np.int64)
        given = np.empty(0, np.int64)
        if self.given:
            rows = self._given_ids
            pairs = zip(forms, keys, strict=True)
            given = np.array([rows.get(form) or rows.get(key, UNKNOWN) for form, key in pairs], np.int64)
        columns = tuple(
            np.array([ids.get(value, UNKNOWN) for value in COLUMNS[name](sentence)], np.int64)
            for name, ids in self._column_ids.items()
        )
        return ReadSentence(words, given, columns, forms)

    def collate(self, sentences: Sequence[ReadSentence]) -> TokenInputs:
        """Return a batch of sentences, each of at least one word."""
        words, lengths = pad([read.words for read in sentences], PAD)
        given = pad([read.given for read in sentences], PAD)[0] if self.given else None
        columns = tuple(pad([read.columns[i] for read in sentences], PAD)[0] for i in range(len(self.columns)))
        written = tuple(read.forms for read in sentences) if self.embedders else ()
        if self._spelling is None:
            return TokenInputs(words, lengths, given, columns, None, None, written)
        numbers: dict[str, int] = {}
        forms = pad([[numbers.setdefault(form, len(numbers)) for form in read.forms] for read in sentences])[0]
        return TokenInputs(words, lengths, given, columns, forms, self._spelling.character_ids(list(numbers)), written)


def _numbers(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names, FIRST)}


def case_insensitive(words: Sequence[str], first: int = 0) -> dict[str, int]:
    """Return the number of each word, from `first` on, also by its lower case where that is not a word itself."""
    rows: dict[str, int] = {}
    for number, word in enumerate(words, first):
        rows.setdefault(lower(word), number)
    return rows | {word: number for number, word in enumerate(words, first)}


def learn_token_reader(
    sentences: Iterable[Sentence],
    *,
    min_count: int = 1,
    lowercase: bool = True,
    characters: bool = True,
    columns: Sequence[str] = (),
    vectors: WordVectors | None = None,
    extra_words: int = 50_000,
    tuned: bool = True,
    embedders: Embedders = (),
) -> TokenReader:
    """Return a reader of what training sentences hold.

    Args:
        characters: whether characters are read; those that occur once are unknown, so that their vector is trained.
        columns: names of `COLUMNS` that are read.
        extra_words: most frequent words of `vectors` that are known, too.
        tuned: whether `vectors` start the table of words, which then knows theirs; otherwise they are a second table.
    """
    forms: Counter[str] = Counter()
    values: dict[str, Counter[str]] = {name: Counter() for name in columns}
    for sentence in sentences:
        forms.update(words_of(sentence))
        for name, counter in values.items():
            counter.update(COLUMNS[name](sentence))
    if not forms:
        raise CorpusError("no words in the training sentences; expected at least one")
    counts: Counter[str] = Counter()
    for form, count in forms.items():
        counts[lower(form) if lowercase else form] += count
    words = {word: count for word, count in counts.items() if count >= min_count}
    given: list[str] = []
    if vectors is not None:
        rows = case_insensitive(vectors.index_to_key)
        tell_coverage(forms, lambda form: form in rows or lower(form) in rows)
        in_text = {rows[key] for form in forms for key in (form, lower(form)) if key in rows}
        given = [vectors.index_to_key[row] for row in sorted({*in_text, *range(min(extra_words, len(vectors)))})]
        if tuned:
            keys = (lower(word) if lowercase else word for word in given)
            words, given = {**words, **{key: counts.get(key, 0) for key in keys}}, []
    names = sorted(words, key=lambda word: (-words[word], word))
    return TokenReader(
        words=names,
        counts=np.array([words[name] for name in names], np.int64),
        characters=_frequent_characters(forms) if characters else [],
        given=given,
        vector_dim=vectors.dim if given and vectors is not None else 0,
        columns={name: _by_count(counter) for name, counter in values.items()},
        lowercase=lowercase,
        embedders=embedders,
    )


def _frequent_characters(forms: Mapping[str, int]) -> list[str]:
    counts: Counter[str] = Counter()
    for form, count in forms.items():
        for character in form:
            counts[character] += count
    return sorted(character for character, count in counts.items() if count > 1) or sorted(counts)


def _by_count(counter: Mapping[str, int]) -> list[str]:
    return sorted(counter, key=lambda value: (-counter[value], value))


def sentence_batches(
    sentences: Sequence[ReadSentence],
    gold: Sequence[Gold],
    collate: Callable[[list[ReadSentence], list[Gold]], Any],
    **options: Unpack[BatchOptions],
) -> Buckets[tuple[ReadSentence, Gold]]:
    """Return sentences with their annotation in batches of similar length."""

    def batch(items: list[tuple[ReadSentence, Gold]]) -> Any:
        rows, annotations = zip(*items, strict=True)
        return collate(list(rows), list(annotations))

    return Buckets.of(list(zip(sentences, gold, strict=True)), batch, lambda item: len(item[0]), **options)


def write_reader(reader: TokenReader) -> Saved:
    """Return what a folder holds of a reader: words, characters, and the encoders of its embedders."""
    rules = {
        "characters": reader.characters,
        "given": reader.given,
        "vector_dim": reader.vector_dim,
        "columns": [[name, values] for name, values in reader.columns.items()],
        "lowercase": reader.lowercase,
    }
    return Saved(
        arrays={COUNTS: reader.counts},
        texts={"vocab": reader.words, "tokens": rules},
        config=embedder_config(reader.embedders),
        subfolders=embedder_folders(reader.embedders),
    )


def reader_field(name: str) -> Field:
    """Return the field of a reader of sentences."""
    return Field(name, write_reader, lambda content, options: restored_reader(content), (COUNTS,))


def restored_reader(content: ModelFolder) -> TokenReader:
    """Return the reader of a folder."""
    words = content.words()
    counts = content.counts(COUNTS, len(words))
    with describing(content, "the words of a model", "tokens.json does"):
        facts = content.texts["tokens"]
        reader = TokenReader(
            words=words,
            counts=counts.astype(np.int64),
            characters=_names(facts["characters"]),
            given=_names(facts["given"]),
            vector_dim=int(facts["vector_dim"]),
            columns={str(name): _names(values) for name, values in facts["columns"]},
            lowercase=bool(facts["lowercase"]),
            embedders=restored_embedders(content),
        )
    if any(len(character) != 1 for character in reader.characters) or not set(reader.columns) <= set(COLUMNS):
        raise content.damaged("tokens.json holds unknown columns, or characters that are longer than one")
    if bool(reader.given) != (reader.vector_dim > 0):
        raise content.damaged(f"tokens.json: {len(reader.given):,} given vectors of width {reader.vector_dim}")
    return reader


def _names(values: Any) -> list[str]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError("expected a list of texts")
    if len(set(values)) != len(values):
        raise ValueError("a list with duplicates")
    return values
