"""Sentences with tags, from CoNLL-U, files of columns, and Python objects."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.documents.document import Document
from firth.errors import CorpusError, FormatError, OptionError, brief
from firth.neural.models.tokens.reader import COLUMNS, Sentence, words_of
from firth.readers.columns import ColumnSentence, read_columns
from firth.readers.conllu import DependencySentence, read_conllu
from firth.readers.span_tags import span_tags

ANNOTATED = ("upos", "xpos", "feats")  # targets that a DependencySentence holds
ENTITIES = "ner"  # the target that a Document holds
FORMS = (
    "expected a file of CoNLL-U (.conllu) or of columns, or a list of sentences with tags, such as "
    "(['He', 'eats'], ['PRON', 'VERB'])"
)
Tags = tuple[str, ...]


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


def listed(source: Any) -> Any:
    """Return the items of an iterator as a list, so that they can be read twice; all else as it is."""
    return list(source) if isinstance(source, Iterator) else source


def default_target(source: Any) -> str:
    """Return what is tagged where nobody says: upos, of documents with entities ner, of other sources tag.

    Args:
        source: as for `read_tagged`.
    """
    items = [source] if _is_path(source) else source
    first = next(iter(items), None) if isinstance(items, Iterable) else None
    if isinstance(first, Document):
        return ENTITIES if any(isinstance(each, Document) and each.entities for each in items) else ANNOTATED[0]
    annotated = isinstance(first, DependencySentence)
    annotated |= isinstance(first, str | os.PathLike) and is_conllu(first)
    return ANNOTATED[0] if annotated else "tag"


def read_tagged(source: Any, targets: Sequence[str]) -> TaggedExamples:
    """Read sentences with tags.

    Args:
        source: a path or several, or a list of `DependencySentence`, `firth.Document`, `ColumnSentence` or of tuples of
            words and tags; the tags of several targets are a dict. A file named .conllu is CoNLL-U, any other one a
            file of columns.
        targets: what is tagged. In CoNLL-U: upos, xpos, feats. In columns: the number of the column, from 1; a single
            target with another name is the last column. In a document: ner, its entities.

    Raises:
        CorpusError: the source is missing or holds no sentence, or an item has another form.
        FormatError: a file is damaged; the message names the line.
        OptionError: the source has no such target.
    """
    name = str(source) if isinstance(source, str | os.PathLike) else "sentences"
    if isinstance(source, str | os.PathLike):
        items: Iterable[Any] = [source]
    elif isinstance(source, Iterable):
        items = source = list(source)
        name = ", ".join(str(item) for item in source) if source and all(map(_is_path, source)) else name
    else:
        raise CorpusError(f"found {brief(source)}; {FORMS}")
    pairs = [
        pair
        for number, item in enumerate(items)
        for pair in (_of_file(Path(item), targets) if _is_path(item) else _of_item(item, targets, f"item {number}"))
        if len(words_of(pair[0]))
    ]
    if not pairs:
        raise CorpusError(f"{name}: no sentences; {FORMS}")
    return TaggedExamples(
        [sentence for sentence, _ in pairs],
        {target: [tags[i] for _, tags in pairs] for i, target in enumerate(targets)},
        name,
    )


Pair = tuple[Sentence, list[Tags]]


def _is_path(item: Any) -> bool:
    return isinstance(item, str | os.PathLike)


def _of_file(path: Path, targets: Sequence[str]) -> list[Pair]:
    if not path.exists():
        raise CorpusError(f"{path}: no such file; {FORMS}")
    if is_conllu(path):
        return [_annotated(sentence, targets, str(path)) for sentence in read_conllu(path, trees=False)]
    return [_columns(sentence, targets, str(path)) for sentence in read_columns(path)]


def is_conllu(path: str | os.PathLike[str]) -> bool:
    """Return whether a file is named as CoNLL-U."""
    return ".conllu" in Path(path).name


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
        raise OptionError(f"{where}: the target {odd!r}; CoNLL-U has {', '.join(ANNOTATED)}")
    return sentence, [tuple(COLUMNS[target](sentence)) for target in targets]


def _columns(sentence: ColumnSentence, targets: Sequence[str], where: str) -> Pair:
    width = len(sentence.columns)
    numbers = []
    for target in targets:
        if target.isdecimal():
            numbers.append(int(target) - 1)
        elif len(targets) == 1:
            numbers.append(width - 1)
        else:
            raise OptionError(
                f"{where}: the target {target!r}; expected numbers of columns, such as targets=('2', '3')"
            )
        if not 1 <= numbers[-1] < width:
            raise OptionError(f"{where}: the target {target!r}; expected a column from 2 to {width}, behind the words")
    return sentence.words, [sentence.columns[number] for number in numbers]


def _document(document: Document, targets: Sequence[str], where: str) -> list[Pair]:
    if ENTITIES not in targets:
        return [_annotated(sentence, targets, where) for sentence in document.sentences]
    starts = (*document.sentence_starts, len(document))
    pairs: list[Pair] = []
    for i, sentence in enumerate(document.sentences):
        first, end = starts[i], starts[i + 1]
        spans, last = [], first
        for entity in document.entities:  # of nested ones the outer comes first, and is kept
            if last <= entity.start and entity.end <= end:
                spans.append((entity.start - first, entity.end - first, entity.label))
                last = entity.end
        tags = [
            tuple(span_tags(spans, len(sentence)))
            if target == ENTITIES
            else _annotated(sentence, [target], where)[1][0]
            for target in targets
        ]
        pairs.append((sentence, tags))
    return pairs


def _tuple(item: Any, targets: Sequence[str], where: str) -> Pair:
    if not isinstance(item, tuple | list) or len(item) != 2:
        raise CorpusError(f"{where} is {brief(item)}; {FORMS}")
    sentence, tags = item
    if isinstance(sentence, str):
        sentence = sentence.split()
    words = words_of(sentence)
    by_target = tags if isinstance(tags, Mapping) else {targets[0]: tags}
    missing = next((target for target in targets if target not in by_target), None)
    if missing is not None:
        raise OptionError(f"{where} has no tags for the target {missing!r}; expected a dict with {', '.join(targets)}")
    columns = [tuple(map(str, by_target[target])) for target in targets]
    odd = next((column for column in columns if len(column) != len(words)), None)
    if odd is not None:
        raise CorpusError(f"{where}: {len(odd)} tags for {len(words)} words; expected one each")
    if not all(isinstance(word, str) and word for word in words):
        raise FormatError(f"{where}: {brief(words)}; expected words that are not empty")
    return sentence, columns
