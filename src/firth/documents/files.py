"""Files of documents: CoNLL-U, JSONL and raw text, by the names of the files."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from firth.arguments import names_files
from firth.documents.conllu_documents import document_conllu, read_conllu_documents
from firth.documents.document import Document, check_document
from firth.documents.jsonl import document_json, read_jsonl_documents
from firth.errors import KindError, OptionError, brief
from firth.readers.skipping import STOP
from firth.storage.files import check_exists, replacing_file, text_of
from firth.text.inputs import check_items

PACKINGS = (".gz", ".bz2", ".xz")
CONLLU, JSONL = ".conllu", ".jsonl"


def format_of(path: str | os.PathLike[str]) -> str:
    """Return ".conllu", ".jsonl", or ".txt" for any other name; a packing such as ".gz" is left out."""
    name = Path(path).name
    for packing in PACKINGS:
        name = name.removesuffix(packing)
    return {".conllu": CONLLU, ".conll": CONLLU, ".jsonl": JSONL}.get(Path(name).suffix, ".txt")


def stem_of(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without its endings: "novel" of "books/novel.txt.gz"."""
    name = Path(path).name
    for packing in PACKINGS:
        name = name.removesuffix(packing)
    return Path(name).stem.encode(errors="surrogateescape").decode(errors="replace")  # a name need be no UTF-8


@names_files
def read_documents(path: str | os.PathLike[str], *, on_error: str = STOP) -> Iterator[Document]:
    """Yield the documents of a file, one in memory at a time.

    Args:
        path: CoNLL-U (`.conllu`), JSONL (`.jsonl`), or a raw text of any other name, which is one document, split by
            `Document.from_text`. UTF-8, plain or packed (`.gz`).
        on_error: "stop" at the first damaged sentence of CoNLL-U or line of JSONL, or "skip" them.

    Warns:
        UserWarning: sentences or lines were skipped, or heads form no tree; it gives their number.

    Raises:
        FormatError: the file does not hold what its name says; the message gives the line.
        KindError: it is no path.
        MissingFileError: no file is there.
        OptionError: `on_error` is something else.
        OSError: the file cannot be read.
    """
    check_path(path, "the path of a file of documents")
    check_exists(Path(path), "a file of documents: CoNLL-U, JSONL or raw text")
    if format_of(path) == CONLLU:
        yield from read_conllu_documents(path, on_error=on_error)
    elif format_of(path) == JSONL:
        yield from read_jsonl_documents(path, on_error=on_error)
    else:
        yield Document.from_text(text_of(path), name=stem_of(path))


def write_documents(path: str | os.PathLike[str], documents: Iterable[Document]) -> None:
    """Write documents to a file, in place of what it held.

    Args:
        path: its name ends in .conllu or .jsonl.
        documents: to write, in order.

    Raises:
        OptionError: the name has another ending.
        KindError: they are no documents, or the path is none.
        FormatError: CoNLL-U cannot hold the annotation: entities overlap, or go over the end of a sentence. Or a text
            holds lone surrogates.
        OSError: the file cannot be written.
    """
    format = check_written(path)
    if isinstance(documents, Document):
        raise KindError("documents: found one document, expected several; put it into a list")
    documents = map(check_document, check_items(documents, "documents", "document"))
    with replacing_file(path) as file:
        file.writelines(serialised(documents, format))


def serialised(documents: Iterable[Document], format: str) -> Iterator[bytes]:
    """Yield what a file holds of each document.

    Args:
        documents: in order.
        format: ".conllu" or ".jsonl".

    Raises:
        FormatError: as in `write_documents`.
    """
    for number, document in enumerate(documents):
        if format == CONLLU:
            yield document_conllu(document, alone=number == 0)  # the first needs no "# newdoc" where it has no name
        else:
            yield document_json(document) + b"\n"


def check_path(path: Any, expected: str) -> None:
    """Check that a value is a path.

    Args:
        path: to check.
        expected: for the message.

    Raises:
        KindError: it is none.
    """
    if not isinstance(path, str | os.PathLike):
        raise KindError(f"path: found {brief(path)}, expected {expected}")


def check_written(path: str | os.PathLike[str]) -> str:
    """Return the format of a file to write.

    Raises:
        OptionError: its name has another ending.
        KindError: it is no path.
    """
    check_path(path, "a name that ends in .conllu or .jsonl, before the documents")
    if Path(path).suffix not in (CONLLU, JSONL):
        raise OptionError(f"{path}: expected a name that ends in .conllu or .jsonl")
    return Path(path).suffix
