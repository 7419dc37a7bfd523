"""Coreference files in the columns of CoNLL-2012: OntoNotes, LitBank, GUM and others like them.

A line is a token; the last column opens and closes mentions, `(7` `7)` `(7)`, with the number of the chain, several of
them between bars or without anything between. Mentions may nest and cross. With three columns the word is the second,
as in GUM, where a bracket may also name the type of the entity and what it is, `(person-7-Ada_Lovelace`; with more it
is the fourth, as in CoNLL-2012.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from firth.arguments import names_files
from firth.documents.document import Document, Entity, Span
from firth.errors import CorpusError, FormatError, warn_caller
from firth.readers.conllu import NONE, DependencySentence
from firth.storage.encodings import decoded_text
from firth.storage.files import as_utf8, replacing_file, text_of
from firth.storage.untrusted import tar_members

EXPECTED = "expected brackets with the numbers of chains in the last column, such as (7 or 7)|(8)"
_BEGIN = re.compile(
    r"#\s*begin document\b\s*(?:\((?P<name>.*)\)|(?P<bare>.*?))\s*;?(?:\s*part\s+(?P<part>[0-9]{1,9}))?\s*"
)
_BRACKET = re.compile(r"(\()?([^()|]+)(\))?")
_LABEL = re.compile(r"(?:(.*?)-)?(\d+)(?:-.*)?")
_TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
_TAGS, _GUM_COLUMNS, _CONLL_COLUMNS = 4, 3, 6  # column of tags in CoNLL-2012; columns of GUM; fewest of CoNLL-2012


@names_files
def read_coreference(path: str | os.PathLike[str], *, strict: bool = True) -> Iterator[Document]:
    """Yield the documents of files in the columns of CoNLL-2012.

    Each part of a document is a document, as in the shared task; parts after the first have their number in the name.
    Sentences end at empty lines; a file without any, as GUM's, has one sentence. Tags of parts of speech become
    `language_tags`, and the types in GUM's brackets entities. Singletons stay.

    Args:
        path: a file, plain or gzip (`.gz`); or a folder or a tar archive, whose files with "conll" at the end of their
            names, or after their last dot but one, are read in the order of their names.
        strict: whether an unsound mention is an error. False leaves it out with a warning, and keeps one that is in two
            chains in the one whose bracket closes first: some published files have a few of these. An empty word, too,
            is an error or becomes "_".

    Raises:
        FormatError: a line has too few columns; or a mention is opened and not closed, closed and not opened, or in two
            chains; the message gives the line. Or there is no document.
        OSError: a file cannot be read.

    Warns:
        UserWarning: mentions were left out.
    """
    empty = True
    for name, text in _texts(Path(path)):
        for document in _documents(text, name, strict):
            empty = False
            yield document
    if empty:
        raise FormatError(f"{path}: no documents; expected lines of columns in the form of CoNLL-2012")


def write_coreference(path: str | os.PathLike[str], documents: Iterable[Document]) -> None:
    """Write documents in the columns of CoNLL-2012, for the programs that score such files.

    Args:
        path: file to write; it is replaced when all is written.
        documents: to write, in order.

    Raises:
        FormatError: two mentions of one chain cross; brackets with the number of a chain cannot say so.
        OSError: the file cannot be written.
    """
    with replacing_file(path) as file:
        for number, document in enumerate(documents):
            name = " ".join(document.name.split()) or str(number)
            _check_crossing(document, name)
            file.write(as_utf8("".join(f"{line}\n" for line in _lines(document, name)), f"the document {name!r}"))


def _check_crossing(document: Document, name: str) -> None:
    for cluster in document.clusters:
        around: list[Span] = []
        for span in sorted(cluster, key=lambda bounds: (bounds[0], -bounds[1])):
            while around and around[-1][1] <= span[0]:
                around.pop()
            if around and span[1] > around[-1][1]:
                raise FormatError(
                    f"document {name!r}: the mentions {around[-1]} and {span} of one chain cross, which the columns of "
                    "CoNLL-2012 cannot hold; write JSONL"
                )
            around.append(span)


def _lines(document: Document, name: str) -> Iterator[str]:
    brackets = _brackets(document)
    yield f"#begin document ({name}); part 000"
    for start, sentence in zip(document.sentence_starts, document.sentences, strict=True):
        for number, word in enumerate(sentence.words):
            tag = sentence.language_tags[number]
            yield "\t".join((name, "0", str(number), word, tag, *"_" * 6, "-", brackets.get(start + number, "-")))
        yield ""
    yield "#end document"


def _brackets(document: Document) -> dict[int, str]:
    """Return the last column by token: a mention closes before another opens, the shortest first."""
    spans = [(span, number) for number, cluster in enumerate(document.clusters) for span in cluster]
    opened: dict[int, list[str]] = defaultdict(list)
    closed: dict[int, list[str]] = defaultdict(list)
    for (start, end), number in sorted(spans, key=lambda item: (item[0][0] - item[0][1], item[0])):  # longest first
        opened[start].append(f"({number})" if end == start + 1 else f"({number}")
        if end > start + 1:
            closed[end - 1].insert(0, f"{number})")
    return {token: "|".join([*closed[token], *opened[token]]) for token in {*opened, *closed}}


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and _is_named(file.name))
        yield from ((str(file), text_of(file)) for file in files)
    elif path.name.endswith(_TARS):
        members = sorted(tar_members(path, _is_named, "an archive of coreference files"))
        yield from ((f"{path}: {name}", decoded_text(content, f"{path}: {name}")) for name, content in members)
    elif not path.exists():
        raise CorpusError(f"{path}: no such file; expected a file, folder or archive in the columns of CoNLL-2012")
    else:
        yield str(path), text_of(path)


def _is_named(name: str) -> bool:
    return name.removesuffix(".gz").endswith("conll")


@dataclass
class _Reading:
    """A document that is being read."""

    name: str
    strict: bool
    sentences: list[DependencySentence] = field(default_factory=list)
    rows: list[tuple[str, str]] = field(default_factory=list)  # word and tag of the sentence that is being read
    tokens: int = 0
    opened: dict[str, list[tuple[int, int]]] = field(default_factory=dict)  # chain: (token, line)
    clusters: dict[str, list[Span]] = field(default_factory=dict)
    chain_of: dict[Span, str] = field(default_factory=dict)
    entities: list[Entity] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def end_sentence(self) -> None:
        if self.rows:
            words, tags = zip(*self.rows, strict=True)
            sentence = DependencySentence.of(words)
            self.sentences.append(sentence if {*tags} == {NONE} else sentence.annotated(language_tags=tags))
            self.rows = []

    def add(self, word: str, tag: str, cell: str, where: str, line: int) -> None:
        for opens, label, closes in _BRACKET.findall("" if cell in "_-*" else cell):
            match = _LABEL.fullmatch(label)
            if match is None or not (opens or closes):
                raise FormatError(f"{where}: {cell[:40]!r} in the last column; {EXPECTED}")
            kind, chain = match.groups()
            if opens:
                self.opened.setdefault(chain, []).append((self.tokens, line))
            if closes:
                self._close(chain, kind, where)
        if not word:
            self._report(f"{where}: an empty word")
        self.rows.append((word or "_", tag))
        self.tokens += 1

    def _close(self, chain: str, kind: str | None, where: str) -> None:
        if not self.opened.get(chain):
            self._report(f"{where}: a mention of chain {chain} is closed that was not opened; {EXPECTED}")
            return
        span = self.opened[chain].pop()[0], self.tokens + 1
        if span in self.chain_of:
            self._report(
                f"{where}: the mention that ends here, of {span[1] - span[0]} tokens, is in the chains "
                f"{self.chain_of[span]} and {chain}; expected one chain, and one pair of brackets"
            )
            return
        self.chain_of[span] = chain
        self.clusters.setdefault(chain, []).append(span)
        if kind is not None:
            self.entities.append(Entity(*span, kind))

    def _report(self, problem: str) -> None:
        if self.strict:
            raise FormatError(problem)
        self.problems.append(problem)

    def finished(self, path: str) -> Document:
        self.end_sentence()
        left = [(line, chain) for chain, opened in self.opened.items() for _, line in opened]
        for line, chain in sorted(left):
            self._report(f"{path} line {line}: a mention of chain {chain} is opened and not closed; {EXPECTED}")
        if self.problems:
            warn_caller(
                f"{len(self.problems):,} problems in {path}; the first, as an error would have it: {self.problems[0]}"
            )
        clusters = tuple(tuple(cluster) for cluster in self.clusters.values())
        if all(tag in "-_" for sentence in self.sentences for tag in sentence.language_tags):  # as some write no tags
            self.sentences = [DependencySentence.of(sentence.words) for sentence in self.sentences]
        return Document(tuple(self.sentences), self.name, entities=tuple(self.entities), clusters=clusters)


def _documents(text: str, path: str, strict: bool) -> Iterator[Document]:
    stem = re.split(r"[/\\]", path)[-1].removesuffix(".gz").rpartition(".")[0]
    reading: _Reading | None = None
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if line.startswith("#") and "\t" not in line:
            begins = _BEGIN.fullmatch(line)
            if begins or line[1:].strip().startswith("end document"):
                if reading is not None and reading.tokens:
                    yield reading.finished(path)
                reading = _Reading(_name(begins, stem), strict) if begins else None
        elif not line.strip():
            if reading is not None:
                reading.end_sentence()
        else:
            reading = reading or _Reading(stem, strict)
            reading.add(*_columns(line, f"{path} line {number}"), f"{path} line {number}", number)
    if reading is not None and reading.tokens:
        yield reading.finished(path)


def _name(begins: re.Match[str], stem: str) -> str:
    name, part = (begins["name"] or begins["bare"] or "").strip() or stem, int(begins["part"] or 0)
    return f"{name} part {part}" if part else name


def _columns(line: str, where: str) -> tuple[str, str, str]:
    """Return word, tag and brackets of a line."""
    columns = line.split("\t") if "\t" in line else line.split(" ")
    columns = [column for column in columns if column] if "\t" not in line else columns
    if len(columns) != _GUM_COLUMNS and len(columns) < _CONLL_COLUMNS:
        raise FormatError(
            f"{where}: {len(columns)} columns, expected {_GUM_COLUMNS} (number, word, brackets) or at least "
            f"{_CONLL_COLUMNS} (document, part, number, word, tag, ..., brackets)"
        )
    word, tag = (columns[1], NONE) if len(columns) == _GUM_COLUMNS else (columns[3], columns[_TAGS])
    return word, tag or NONE, columns[-1].strip()
