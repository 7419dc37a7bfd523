"""Batches of sentences with tags, and the sentences that select the model."""

import os
import warnings
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Unpack

import torch

from firth.documents.conllu_documents import read_conllu_documents
from firth.documents.document import Document
from firth.documents.files import CONLLU, RAW, TABLE, format_of, read_documents
from firth.errors import CorpusError, FormatError, OptionError, brief, counted, warn_caller
from firth.neural.models.tagging.tag_set import Ids, TagSet
from firth.neural.models.tokens.reader import (
    COLUMNS,
    ReadSentence,
    Sentence,
    TokenInputs,
    TokenReader,
    sentence_batches,
    words_of,
)
from firth.neural.models.tokens.treebank_columns import default_columns
from firth.neural.training.batching import BatchOptions, Buckets, TensorBatch, pad
from firth.readers.columns import ColumnSentence, read_columns
from firth.readers.conllu import NONE, DependencySentence, read_conllu
from firth.readers.span_tags import OUTSIDE, Span, span_tags
from firth.readers.word_tables import is_word_table, read_table, read_word_table
from firth.storage.skipping import SKIP, check_on_error
from firth.text.inputs import table_columns

ANNOTATED = ("upos", "xpos", "feats", "lemma")  # targets that a DependencySentence holds
LEMMA = "lemma"  # the one that is learned as edit scripts
ENTITIES = "ner"  # the target that a Document holds
FORMS = (
    "expected a file of CoNLL-U (.conllu), of documents (.jsonl) or of columns, or a list of sentences with tags, such "
    "as (['He', 'eats'], ['PRON', 'VERB']) or [('He', 'PRON'), ('eats', 'VERB')]"
)
Tags = tuple[str, ...]
Pair = tuple[Sentence, list[Tags]]


@dataclass(frozen=True, eq=False)
class TaggedExamples:
    """Sentences with tags.

    Attributes:
        sentences: N, each of at least one word.
        tags: of each target, the tags of each sentence.
        name: of the source, for error messages.
    """

    sentences: list[Sentence]
    tags: dict[str, list[Tags]]
    name: str

    def __len__(self) -> int:
        return len(self.sentences)

    def rows(self, rows: Iterable[int]) -> "TaggedExamples":
        """Return some of the sentences."""
        rows = list(rows)
        tags = {target: [column[i] for i in rows] for target, column in self.tags.items()}
        return TaggedExamples([self.sentences[i] for i in rows], tags, self.name)


@dataclass(frozen=True)
class Reading:
    """How files of sentences with tags are read.

    Attributes:
        on_error: "skip" damaged sentences and documents, count and list them; or "stop" at the first.
        word_column: of files of columns; see `firth.readers.columns.read_columns`.

    Raises:
        OptionError: a value is something else.
    """

    on_error: str = SKIP
    word_column: int | str | None = None

    def __post_init__(self) -> None:
        check_on_error(self.on_error)


def listed(source: Any) -> Any:
    """Return the items of an iterator as a list, so that they can be read twice; all else as it is."""
    return list(source) if isinstance(source, Iterator) else source


def default_targets(source: Any) -> tuple[str, ...]:
    """Return what is tagged where nobody says.

    Of documents with entities ner; of CoNLL-U and other documents the tags that they have, which a parser of the same
    sentences reads by default: upos and feats, upos, or xpos; of other sources tag.
    """
    items = [source] if _is_path(source) else source
    items = list(items) if isinstance(items, Iterable) else []
    with warnings.catch_warnings(action="ignore"):  # files are read again
        if items and _is_path(items[0]) and _holds_documents(items[0]):
            paths = [item for item in items if _is_path(item) and Path(item).exists() and _holds_documents(item)]
            items = [document for path in paths for document in read_documents(path, on_error=SKIP)]
        elif items and _is_path(items[0]) and is_conllu(items[0]):
            paths = [Path(item) for item in items if _is_path(item) and Path(item).exists()]
            items = [sentence for path in paths for sentence in read_conllu(path, trees=False, on_error=SKIP)]
    documents = [item for item in items if isinstance(item, Document)]
    if any(document.entities for document in documents):
        return (ENTITIES,)
    sentences = [item for item in items if isinstance(item, DependencySentence)]
    sentences += [sentence for document in documents for sentence in document.sentences]
    return default_columns(sentences) or (ENTITIES,) * bool(documents) or ANNOTATED[:1] if sentences else ("tag",)


def read_tagged(source: Any, targets: Sequence[str], reading: Reading = Reading()) -> TaggedExamples:
    """Read sentences with tags.

    Args:
        source: a path or several, or a list of `DependencySentence`, `firth.Document`, `ColumnSentence`, of tuples of
            words and tags, or of lists of (word, tag); the tags of several targets are a dict. A file named .conllu is
            CoNLL-U, one named .jsonl documents, any other one a file of columns.
        targets: what is tagged. In CoNLL-U and documents: upos, xpos, feats, lemma, and ner, the entities. In columns:
            the number or name of the column, from 1; a single target with another name is the last column.

    Returns:
        The sentences that have words.

    Warns:
        UserWarning: sentences of CoNLL-U are left out, for a word has no tag: its upos or xpos is "_", or all its
            lemmas are; or damaged sentences were skipped.
    """
    name = str(source) if isinstance(source, str | os.PathLike) else "sentences"
    if isinstance(source, str | os.PathLike):
        items: list[Any] = [source]
    elif (columns := table_columns(source)) is not None:
        raise CorpusError(f"found a {type(source).__name__} with the columns {', '.join(map(repr, columns))}; {FORMS}")
    elif isinstance(source, Iterable):
        items = source = list(source)
        name = ", ".join(str(item) for item in source) if source and all(map(_is_path, source)) else name
    else:
        raise CorpusError(f"found {brief(source)}; {FORMS}")
    if ENTITIES in targets:
        _tell_lost((item for item in items if isinstance(item, Document)), name)
    of_pairs = all(map(_holds_pairs, items)) and any(map(_is_of_pairs, items))
    pairs = [
        pair
        for number, item in enumerate(items)
        for pair in (
            _of_file(Path(item), targets, reading, alone=len(items) == 1)
            if _is_path(item)
            else _of_item(_unzipped(item) if of_pairs else item, targets, f"item {number}")
        )
        if len(words_of(pair[0]))
    ]
    if not pairs:
        raise CorpusError(f"{name}: no sentences; {FORMS}")
    pairs = _fully_tagged(pairs, targets, name)
    if ENTITIES in targets and any(map(_is_path, items)):
        column = list(targets).index(ENTITIES)
        if all(set(tags[column]) <= {OUTSIDE} for _, tags in pairs):
            raise OptionError(
                f"{name}: the target {ENTITIES!r}, and no entities; expected texts with spans marked in them"
            )
    return TaggedExamples(
        [sentence for sentence, _ in pairs],
        {target: [tags[i] for _, tags in pairs] for i, target in enumerate(targets)},
        name,
    )


def _is_path(item: Any) -> bool:
    return isinstance(item, str | os.PathLike)


def _of_file(path: Path, targets: Sequence[str], reading: Reading, *, alone: bool) -> list[Pair]:
    if not path.exists():
        raise CorpusError(f"{path}: no such file; {FORMS}")
    if _holds_documents(path) or (is_conllu(path) and ENTITIES in targets):
        read = read_conllu_documents if is_conllu(path) else read_documents
        documents = list(read(path, on_error=reading.on_error))
        if ENTITIES in targets and not any(document.entities for document in documents):
            _tell_without_entities(path, sum(len(document.sentences) for document in documents), alone)
        if ENTITIES in targets:
            _tell_lost(documents, str(path))
        return [pair for document in documents for pair in _document(document, targets, str(path))]
    if is_conllu(path):
        return [
            _annotated(sentence, targets, str(path))
            for sentence in read_conllu(path, trees=False, on_error=reading.on_error)
        ]
    read_sentences = read_word_table if _is_word_table(path) else read_columns
    sentences = list(read_sentences(path, **vars(reading)))
    pairs = [_columns(sentence, targets, str(path)) for sentence in sentences]
    first, behind = sentences[0], len(sentences[0].columns) - 1 - sentences[0].word_column
    nobody_chose = len(targets) == 1 and not targets[0].isdecimal() and not first.names
    if first.word_column and behind > 1 and nobody_chose and reading.word_column is None:  # GermEval's nested entities
        width = len(first.columns)
        warn_caller(f"{path}: tags are read from the last of {behind} columns, {width}; number another one (targets)")
    return pairs


def _tell_without_entities(path: Path, sentences: int, alone: bool) -> None:
    """Refuse a file without entities, or, where others may have some and somebody marked it, say how it is read."""
    if is_conllu(path):
        raise OptionError(
            f"{path}: the target {ENTITIES!r}, and no entities; CoNLL-U has them as NER=B-PER in the column MISC"
        )
    if alone:
        raise OptionError(f"{path}: the target {ENTITIES!r}, and no entities; expected texts with spans marked in them")
    warn_caller(f"{path}: no entities; read as {counted(sentences, 'sentence')} without any")


def is_conllu(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is named as CoNLL-U."""
    return ".conllu" in Path(path).name


def _holds_documents(path: str | os.PathLike[str]) -> bool:
    return not _is_word_table(path) if format_of(path) == TABLE else format_of(path) not in (CONLLU, RAW)


def _is_word_table(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is a table with a word a row; one that is not there, or is no table, is none."""
    return format_of(path) == TABLE and Path(path).is_file() and is_word_table(read_table(path))


def _is_of_pairs(item: Any) -> bool:
    """Return whether an item is surely a list of (word, tag): two lists of two strings may be words and their tags."""
    if not _holds_pairs(item) or not item:
        return False
    return len(item) != 2 or (isinstance(item, list) and all(isinstance(pair, tuple) for pair in item))


def _holds_pairs(item: Any) -> bool:
    return isinstance(item, list | tuple) and all(
        isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)
        for pair in item
    )


def _unzipped(pairs: Sequence[Sequence[str]]) -> Any:
    """Return the words and the tags of a list of (word, tag)."""
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _fully_tagged(pairs: list[Pair], targets: Sequence[str], name: str) -> list[Pair]:
    """Return the sentences whose words all have the tags that CoNLL-U leaves out by "_".

    Features may be none, and a word may lack a lemma, such as a part of one that was written apart.
    """
    columns = [column for column, target in enumerate(targets) if target in ("upos", "xpos", LEMMA)]
    kept = [
        pair
        for pair in pairs
        if not isinstance(pair[0], DependencySentence)
        or not any(_lacking(targets[column], pair[1][column]) for column in columns)
    ]
    lacking = len(pairs) - len(kept)
    what = " or ".join(targets[column] for column in columns)
    if not kept:
        raise CorpusError(f"{name}: every sentence has words without {what} ({NONE!r}); choose another target")
    if lacking:
        warn_caller(f"{name}: left out {counted(lacking, 'sentence')} with words without {what} ({NONE!r})")
    return kept


def _lacking(target: str, tags: Tags) -> bool:
    return set(tags) == {NONE} if target == LEMMA else NONE in tags


def _of_item(item: Any, targets: Sequence[str], where: str) -> list[Pair]:
    if isinstance(item, DependencySentence):
        return [_annotated(item, targets, where)]
    if isinstance(item, ColumnSentence):
        return [_columns(item, targets, where)]
    if isinstance(item, Document):
        return _document(item, targets, where)
    return [_tuple(item, targets, where)]


def _annotated(sentence: DependencySentence, targets: Sequence[str], where: str) -> Pair:
    odd = next((target for target in targets if target not in ANNOTATED), None)
    if odd is not None:
        raise OptionError(f"{where}: the target {odd!r}; CoNLL-U has {', '.join(ANNOTATED)}, documents also {ENTITIES}")
    return sentence, [tuple(COLUMNS[target](sentence)) for target in targets]


def _columns(sentence: ColumnSentence, targets: Sequence[str], where: str) -> Pair:
    width, names = len(sentence.columns), [name.lower() for name in sentence.names]
    numbers = []
    for target in targets:
        if target.lower() in names:
            numbers.append(names.index(target.lower()))
        elif target.isdecimal():
            numbers.append(int(target) - 1)
        elif len(targets) == 1:
            numbers.append(width - 1)
        else:
            raise OptionError(
                f"{where}: the target {target!r}; expected numbers of columns, such as targets=('2', '3')"
            )
        if not 0 <= numbers[-1] < width or numbers[-1] == sentence.word_column:
            words = f"except that of the words, {sentence.word_column + 1}"
            raise OptionError(f"{where}: the target {target!r}; expected a column from 1 to {width}, {words}")
    return sentence.words, [sentence.columns[number] for number in numbers]


def _document(document: Document, targets: Sequence[str], where: str) -> list[Pair]:
    if ENTITIES not in targets:
        return [_annotated(sentence, targets, where) for sentence in document.sentences]
    pairs: list[Pair] = []
    for sentence, spans in zip(document.sentences, _entities_of_sentences(document), strict=True):
        tags = [
            tuple(span_tags(spans, len(sentence)))
            if target == ENTITIES
            else _annotated(sentence, [target], where)[1][0]
            for target in targets
        ]
        pairs.append((sentence, tags))
    return pairs


def _entities_of_sentences(document: Document) -> list[list[Span]]:
    """Return the entities that tags can mark: within a sentence, and of nested ones the outer."""
    starts = (*document.sentence_starts, len(document))
    entity_starts = [entity.start for entity in document.entities]
    result: list[list[Span]] = []
    for first, end in pairwise(starts):
        spans, last = [], first
        within = document.entities[bisect_left(entity_starts, first) : bisect_left(entity_starts, end)]
        for entity in within:  # of nested ones the outer comes first
            if last <= entity.start and entity.end <= end:
                spans.append((entity.start - first, entity.end - first, entity.label))
                last = entity.end
        result.append(spans)
    return result


def _tell_lost(documents: Iterable[Document], name: str) -> None:
    """Warn of entities that tags cannot mark."""
    total = kept = 0
    for document in documents:
        total += len(document.entities)
        kept += sum(map(len, _entities_of_sentences(document)))
    if kept < total:
        warn_caller(
            f"{name}: left out {total - kept:,} of {total:,} entities, which are inside or across "
            "others or go over the end of a sentence"
        )


def _tuple(item: Any, targets: Sequence[str], where: str) -> Pair:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise CorpusError(f"{where} is {brief(item)}; {FORMS}")
    sentence, tags = item
    if isinstance(sentence, str):
        sentence = sentence.split()
    words = words_of(sentence)
    if isinstance(tags, str):
        raise CorpusError(f"{where}: the tags {brief(tags)} are one string; expected a list of them; {FORMS}")
    by_target = tags if isinstance(tags, Mapping) else {targets[0]: tags}
    missing = next((target for target in targets if target not in by_target), None)
    if missing is not None:
        raise OptionError(f"{where} has no tags for the target {missing!r}; expected a dict with {', '.join(targets)}")
    no_list = next((target for target in targets if not isinstance(by_target[target], Iterable)), None)
    if no_list is not None:
        raise CorpusError(f"{where}: the tags {brief(by_target[no_list])}; expected a list of them; {FORMS}")
    given = [list(by_target[target]) for target in targets]
    if any(tag is None for column in given for tag in column):
        raise CorpusError(f"{where}: a word has the tag None; expected a tag for each word, or leave the sentence out")
    columns = [tuple(map(str, column)) for column in given]
    odd = next((column for column in columns if len(column) != len(words)), None)
    if odd is not None:
        raise CorpusError(f"{where}: {counted(len(odd), 'tag')} for {counted(len(words), 'word')}; expected one each")
    if not all(isinstance(word, str) and word for word in words):
        raise FormatError(f"{where}: {brief(words)}; expected words that are not empty")
    return sentence, columns


@dataclass(frozen=True, eq=False)
class TagBatch(TensorBatch):
    """A batch of sentences with tags.

    Attributes:
        inputs: B sentences.
        tags: of each target (B, T) int64 numbers of tags; 0 at padding.
    """

    inputs: TokenInputs
    tags: tuple[torch.Tensor, ...]


def tag_batches(
    reader: TokenReader,
    sentences: Sequence[ReadSentence],
    tags: Sequence[tuple[Ids, ...]],
    **options: Unpack[BatchOptions],
) -> Buckets[tuple[ReadSentence, tuple[Ids, ...]]]:
    """Return sentences with tags in batches of similar length."""

    def collate(rows: list[ReadSentence], numbers: list[tuple[Ids, ...]]) -> TagBatch:
        return TagBatch(reader.collate(rows), tuple(pad(column)[0] for column in zip(*numbers, strict=True)))

    return sentence_batches(sentences, tags, collate, **options)


def encoded(examples: TaggedExamples, sets: Sequence[TagSet]) -> list[tuple[Ids, ...]]:
    """Return for each sentence the numbers of its tags for each target; -1 for unknown tags."""
    columns = zip(sets, examples.tags.values(), strict=True)
    return list(zip(*(map(tags.encode, sequences) for tags, sequences in columns), strict=True))
