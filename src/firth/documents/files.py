"""Files of documents: CoNLL-U, JSONL, JSON, tables, brat, DocBin and raw text, by the names of the files."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from firth.arguments import names_files
from firth.documents.brat import ANNOTATIONS, read_brat_documents, write_brat
from firth.documents.conllu_documents import document_conllu, read_conllu_documents
from firth.documents.docbin import check_spacy, docbin, read_docbin_documents
from firth.documents.document import Document, check_document
from firth.documents.entity_files import (
    read_entity_table,
    read_json_documents,
    read_jsonl_documents,
    read_parquet_documents,
)
from firth.documents.entity_writing import CONFIDENT_SHAPES, SHAPES, TABLE_HEADER, entity_lines
from firth.documents.jsonl import document_json
from firth.errors import ArgumentTypeError, OptionError, brief
from firth.storage.files import check_exists, replacing_file, text_of
from firth.storage.skipping import STOP
from firth.text.inputs import check_items

PACKINGS = (".gz", ".bz2", ".xz")
CONLLU, JSONL, JSON, TABLE, PARQUET, RAW = ".conllu", ".jsonl", ".json", ".csv", ".parquet", ".txt"
BRAT, DOCBIN = ANNOTATIONS, ".spacy"
WHOLE = (BRAT, DOCBIN)  # formats that are written whole, of all documents
CONFIDENT = (JSONL, *(f"{ending}:{shape}" for ending in (JSONL, JSON) for shape in CONFIDENT_SHAPES))
_BY_ENDING = {
    ".conll": CONLLU, **{ending: ending for ending in (CONLLU, JSONL, JSON, TABLE, PARQUET, BRAT, DOCBIN)},
}  # fmt: skip
_READERS = {
    CONLLU: read_conllu_documents,
    JSONL: read_jsonl_documents,
    JSON: read_json_documents,
    TABLE: read_entity_table,
    PARQUET: read_parquet_documents,
    BRAT: read_brat_documents,
    DOCBIN: read_docbin_documents,
}


def format_of(path: str | os.PathLike[str]) -> str:
    """Return ".conllu", ".jsonl", ".json", ".csv", ".parquet", ".ann", ".spacy", or ".txt" for others.

    A packing is left out. A folder stands for the files of brat in it.
    """
    if Path(path).is_dir():
        return BRAT
    name = Path(path).name
    for packing in PACKINGS:
        name = name.removesuffix(packing)
    return _BY_ENDING.get(Path(name).suffix, RAW)


def stem_of(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without its endings: "novel" of "books/novel.txt.gz"."""
    name = Path(path).name
    for packing in PACKINGS:
        name = name.removesuffix(packing)
    return Path(name).stem.encode(errors="surrogateescape").decode(errors="replace")  # a name need be no UTF-8


@names_files
def read_documents(
    path: str | os.PathLike[str], *, language: str | None = None, lines: str | None = None, on_error: str = STOP
) -> Iterator[Document]:
    """Yield the documents of a file, one in memory at a time.

    Args:
        path: CoNLL-U (`.conllu`), JSONL (`.jsonl`), or a raw text of any other name, which is one document, split by
            `Document.from_text`. UTF-8, plain or packed (`.gz`). JSONL, JSON (`.json`), Parquet and tables (`.csv`) may
            hold named entities as spaCy, Prodigy, doccano, Label Studio or datasets of Hugging Face have them. `.ann`
            is brat's, with its text in `.txt` beside it, or a folder of such files; `.spacy` is spaCy's `DocBin`.
        language: of raw text, as for `Document.from_text`.
        lines: of raw text, as for `Document.from_text`.
        on_error: "stop" at the first damaged sentence of CoNLL-U or line of JSONL, or "skip" them.

    Warns:
        UserWarning: sentences or lines were skipped, or heads form no tree; it gives their number.
        LeftOutSpans: spans of characters do not meet the tokens; its `spans` are a list of them.

    Raises:
        FormatError: the file does not hold what its name says; the message gives the line.
        ArgumentTypeError: it is no path.
        MissingFileError: no file is there.
        MissingExtraError: a `.spacy` file needs spaCy, and Parquet PyArrow.
        OptionError: `on_error` is something else.
        OSError: the file cannot be read.
    """
    check_path(path, "the path of a file of documents")
    check_exists(Path(path), "a file of documents: CoNLL-U, JSONL or raw text")
    if reader := _READERS.get(format_of(path)):
        yield from reader(path, on_error=on_error)
    else:
        yield Document.from_text(text_of(path), name=stem_of(path), language=language, lines=lines)


def write_documents(path: str | os.PathLike[str], documents: Iterable[Document], *, shape: str | None = None) -> None:
    """Write documents to a file, in place of what it held.

    Args:
        path: its name ends in .conllu, .jsonl, .json, .csv, .ann for brat, whose text becomes .txt beside it, or .spacy
            for spaCy's `DocBin`.
        documents: to write, in order.
        shape: of a .jsonl or .json file of named entities: "spacy", "prodigy", "doccano", "label-studio",
            "label-studio-predictions" (to be corrected) or "hugging-face". None is firth's own JSONL, and Label
            Studio's JSON; .csv has a word and its tag a row.

    Warns:
        UserWarning: brat has one text a file, and there are several documents; or .spacy has other texts.

    Raises:
        OptionError: the name has another ending, or the shape is another.
        ArgumentTypeError: they are no documents, or the path is none.
        FormatError: CoNLL-U cannot hold the annotation: entities overlap, or go over the end of a sentence. Or a text
            holds lone surrogates, or a label is none of brat's.
        MissingExtraError: `.spacy` needs spaCy.
        OSError: the file cannot be written.
    """
    format = check_written(path, shape)
    if isinstance(documents, Document):
        raise ArgumentTypeError("documents: found one document, expected several; put it into a list")
    documents = map(check_document, check_items(documents, "documents", "document"))
    if format == BRAT:
        write_brat(Path(path), documents)
        return
    content = [docbin(documents, path)] if format == DOCBIN else serialised(documents, format)
    with replacing_file(path) as file:
        file.writelines(content)


def serialised(documents: Iterable[Document], format: str) -> Iterator[bytes]:
    """Yield what a file holds of each document.

    Args:
        format: as `check_written` returns it.
    """
    number = -1
    for number, document in enumerate(documents):
        yield document_bytes(document, format, first=number == 0)
    yield closing(format, empty=number < 0)


def document_bytes(document: Document, format: str, *, first: bool) -> bytes:
    """Return what a file holds of a document.

    Args:
        format: as `check_written` returns it.
        first: whether it is the first of the file.
    """
    if format == CONLLU:
        return document_conllu(document, alone=first)  # the first needs no "# newdoc" where it has no name
    if format == JSONL:
        return document_json(document) + b"\n"
    ending, _, shape = format.partition(":")
    lines = entity_lines(document, shape)
    if ending == JSON:
        return (b"[\n" if first else b",\n") + b",\n".join(lines)
    return TABLE_HEADER * (first and ending == TABLE) + b"".join(line + b"\n" for line in lines)


def closing(format: str, *, empty: bool) -> bytes:
    """Return what a file holds behind its documents, of which there may be none."""
    if format.startswith(f"{JSON}:"):
        return b"[]\n" if empty else b"\n]\n"
    return b""


def check_path(path: Any, expected: str) -> None:
    """Check that a value is a path."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentTypeError(f"path: found {brief(path)}, expected {expected}")


def check_written(path: str | os.PathLike[str], shape: str | None = None) -> str:
    """Return the format of a file to write: an ending such as ".conllu", or one with a shape, such as ".jsonl:spacy".

    Args:
        shape: as in `write_documents`.
    """
    check_path(path, "a name that ends in .conllu or .jsonl, before the documents")
    ending = Path(path).suffix
    if ending not in (CONLLU, JSONL, JSON, TABLE, *WHOLE):
        raise OptionError(
            f"{path}: expected a name that ends in .conllu or .jsonl; of entities alone, .json, .csv or .ann; for "
            "spaCy, .spacy"
        )
    if ending == DOCBIN:
        check_spacy()
    if ending in (CONLLU, TABLE, *WHOLE) and shape is not None:
        raise OptionError(f"shape={shape!r}: {path} is not JSON; expected a name that ends in .jsonl or .json")
    shapes = {
        JSONL: [name for name in SHAPES if name != "table"],
        JSON: [name for name in SHAPES if name not in ("table", "hugging-face")],
    }.get(ending, [])
    if shape is not None and shape not in shapes:
        raise OptionError(f"shape={shape!r}: expected one of {', '.join(shapes)} for a file named {ending}")
    shape = shape or {JSON: "label-studio", TABLE: "table"}.get(ending)
    return f"{ending}:{shape}" if shape else ending
