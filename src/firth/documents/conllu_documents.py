"""Documents in CoNLL-U: sentences under `# newdoc`, with entities, chains and places in the column MISC.

- `# newdoc id = NAME` begins a document; a file without it is one document. One that no sentence follows is empty.
- `NER=B-PER` marks entities (BIO or BIOES, and `ner` as stanza has it); they do not overlap.
- `Entity=(e1-person-1)` marks coreference chains: see `chains`.
- `start_char=0|end_char=3` are places in the raw text: see `token_offsets`.

Attributes are written where they say something else than the rows of the sentences do, so what was read and not changed
has the same bytes.
"""

import os
import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from firth.arguments import names_files
from firth.documents import chains, token_offsets
from firth.documents.document import Document, Entity, Span
from firth.errors import FormatError, ShapeError, counted, warn_caller
from firth.readers.conllu import COLUMNS, Changes, DependencySentence, attributes, read_blocks, with_attributes
from firth.readers.span_tags import OUTSIDE, span_tags, spans_of
from firth.storage.files import as_utf8
from firth.storage.skipping import STOP

NER = ("NER", "ner")  # the first is written
NEW = "# newdoc"
_NEW = re.compile(r"#\s*newdoc(?:(?:\s+id)?\s*=(?P<name>.*)|\s.*)?", re.DOTALL)
_ODD = re.compile(r"[|\t\r\n]")


@names_files
def read_conllu_documents(path: str | os.PathLike[str], *, on_error: str = STOP) -> Iterator[Document]:
    """Yield the documents of a CoNLL-U file, one in memory at a time.

    Args:
        path: UTF-8, plain or packed. Sentences need no trees.
        on_error: "stop" at the first damaged sentence, or "skip" such sentences.

    Warns:
        UserWarning: sentences were skipped, or the heads of some form no tree; it gives their number.
    """
    treeless = 0
    for document in _documents(path, on_error):
        treeless += sum(bool(sentence.tree_problem) for sentence in document.sentences)
        yield document
    if treeless:
        warn_caller(f"{path}: read {counted(treeless, 'sentence')} without heads, which form no tree")


def _documents(path: str | os.PathLike[str], on_error: str) -> Iterator[Document]:
    group: list[DependencySentence] = []
    alone: tuple[str, ...] = ()  # comments that begin a document, with an empty line behind them
    for block in read_blocks(path, trees=False, on_error=on_error):
        if any(map(_NEW.fullmatch, block.comment_lines)):
            if group or alone:
                yield _document(group, alone, path)
            group, alone = [], () if block.rows else block.comment_lines
        if block.rows:
            group.append(DependencySentence(block.rows, (*alone, *block.comment_lines)) if alone else block)
            alone = ()
    if not group and not alone:
        raise FormatError(f"{path}: no sentences; expected lines of {COLUMNS} columns between tabs (CoNLL-U)")
    yield _document(group, alone, path)


def _document(sentences: Sequence[DependencySentence], alone: Sequence[str], path: str | os.PathLike[str]) -> Document:
    return document_of(sentences, path) if sentences else Document((), _name(alone))


def document_of(sentences: Sequence[DependencySentence], path: str | os.PathLike[str]) -> Document:
    """Return the document whose annotation the sentences have in their rows.

    Args:
        sentences: of one document.
        path: where they are from, for the message.
    """
    name = name_of(sentences)
    where = f"{path}{f' document {name}' if name else ''}"
    text, offsets = token_offsets.read_offsets(sentences)
    clusters = tuple(tuple(spans) for spans in chains.read_chains(sentences, where))
    try:
        return Document(tuple(sentences), name, text, offsets, tuple(_entities(sentences)), clusters)
    except (FormatError, ShapeError) as error:
        raise FormatError(f"{where}: {error}") from None


def name_of(sentences: Sequence[DependencySentence]) -> str:
    """Return the name that `# newdoc id = NAME` gives, or ""."""
    return _name(sentences[0].comment_lines if sentences else ())


def _name(comments: Sequence[str]) -> str:
    match = next(filter(None, map(_NEW.fullmatch, comments)), None)
    return (match["name"] or "").strip() if match else ""


def _entities(sentences: Sequence[DependencySentence]) -> Iterator[Entity]:
    first = 0
    for sentence in sentences:
        if any("NER=" in row[9] or "ner=" in row[9] for row in sentence.rows):
            rows = [attributes(row) for row in sentence.rows if row[0].isdecimal()]
            tags = [row.get(NER[0], row.get(NER[1], OUTSIDE)) for row in rows]
            yield from (Entity(first + start, first + end, label) for start, end, label in spans_of(tags))
        first += len(sentence)


def conllu_sentences(document: Document) -> list[DependencySentence]:
    """Return the sentences of a document with all of its annotation in their rows."""
    said = _said(document)
    changes: list[list[Changes]] = [[{} for _ in sentence.rows] for sentence in document.sentences]
    words = [
        change
        for sentence, of_rows in zip(document.sentences, changes, strict=True)
        for row, change in zip(sentence.rows, of_rows, strict=True)
        if row[0].isdecimal()
    ]
    comments = list[str]()
    if said is None or said.entities != document.entities:
        _add_entities(document, words)
    if said is None or said.clusters != document.clusters:
        comments = [f"# {chains.HEADER} = {chains.FIELDS}"] if document.clusters else []
        for change in chain.from_iterable(changes):
            change[chains.KEY] = None
        for token, mark in chains.chain_attributes(document.clusters, document.entities, _heads(document)).items():
            words[token][chains.KEY] = mark
    if document.offsets and (said is None or (said.offsets, said.text) != (document.offsets, document.text)):
        token_offsets.add_offsets(document, changes)
    sentences = [_changed(sentence, changed) for sentence, changed in zip(document.sentences, changes, strict=True)]
    if sentences and (comments or name_of(sentences) != document.name):
        sentences[0] = _with_comments(sentences[0], document.name, comments)
    return [*sentences[:1], *map(_within, sentences[1:])]


def _said(document: Document) -> Document | None:
    """What the rows of a document's sentences say, or None if that is no sound annotation."""
    try:
        return document_of(document.sentences, "")
    except FormatError:
        return None


def _within(sentence: DependencySentence) -> DependencySentence:
    """Return a sentence behind the first, which begins no document."""
    kept = tuple(line for line in sentence.comment_lines if not _NEW.fullmatch(line))
    return sentence if kept == sentence.comment_lines else DependencySentence(sentence.rows, kept)


def _add_entities(document: Document, words: list[Changes]) -> None:
    where = document.name or "a document"
    for before, entity in pairwise(document.entities):
        if entity.start < before.end:
            raise FormatError(f"{where}: {entity} overlaps {before}; write JSONL, which holds both")
    starts = {*document.sentence_starts}
    for entity in document.entities:
        over = next((token for token in range(entity.start + 1, entity.end) if token in starts), None)
        if over is not None:
            raise FormatError(
                f"{where}: an entity goes over the end of a sentence at token {over:,}; write JSONL, which can say so"
            )
        if _ODD.search(entity.label):
            raise FormatError(f"{where}: the label {entity.label!r}; expected no '|', tabs or line breaks")
    for tag, change in zip(span_tags(document.entities, len(document)), words, strict=True):
        change.update({NER[0]: None if tag == OUTSIDE else tag, NER[1]: None})


def _heads(document: Document) -> dict[Span, int]:
    """The head word of each mention of a parsed sentence, from 1: the first whose head is outside the mention."""
    heads: dict[int, int] = {}  # token to its head's token, -1 for the root
    for first, sentence in zip(document.sentence_starts, document.sentences, strict=True):
        heads.update({first + i: first + head - 1 if head else -1 for i, head in enumerate(sentence.heads)})
    columns = {}
    for start, end in document.mentions:
        inside = (token for token in range(start, end) if token in heads and not start <= heads[token] < end)
        if (head := next(inside, None)) is not None:
            columns[start, end] = head - start + 1
    return columns


def _changed(sentence: DependencySentence, changes: list[Changes]) -> DependencySentence:
    if not any(changes):
        return sentence
    rows = (with_attributes(row, change) for row, change in zip(sentence.rows, changes, strict=True))
    return DependencySentence(tuple(rows), sentence.comment_lines)


def _with_comments(sentence: DependencySentence, name: str, further: list[str]) -> DependencySentence:
    replaced = f"# {chains.HEADER}" if further else "\n"  # which begins no comment
    kept = [line for line in _within(sentence).comment_lines if not line.startswith(replaced)]
    return DependencySentence(sentence.rows, (_new_document(name), *further, *kept))


def _new_document(name: str) -> str:
    name = " ".join(name.split())  # a comment is one line
    return f"{NEW} id = {name}" if name else NEW


def document_conllu(document: Document, *, alone: bool = False) -> bytes:
    """Return a document as CoNLL-U.

    Args:
        document: to write; one without sentences is its comment "# newdoc" alone.
        alone: whether it is the only one of its file; all others begin with "# newdoc", whether they have a name or
            not.
    """
    what = f"the document {document.name!r}"
    if not document.sentences:
        return as_utf8(f"{_new_document(document.name)}\n\n", what)
    sentences = conllu_sentences(document)
    if not alone and not any(map(_NEW.fullmatch, sentences[0].comment_lines)):
        sentences[0] = _with_comments(sentences[0], document.name, [])
    return as_utf8("".join(chain.from_iterable((str(sentence), "\n\n") for sentence in sentences)), what)
