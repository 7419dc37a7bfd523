"""Files of documents: CoNLL-U, JSONL and raw text, by the names of the files."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from firth.documents.conllu_documents import conllu_lines, read_conllu_documents
from firth.documents.document import Document
from firth.documents.jsonl import document_json, read_jsonl_documents
from firth.errors import OptionError
from firth.storage.files import replacing_file, text_of

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
    return Path(name).stem


def read_documents(path: str | os.PathLike[str]) -> Iterator[Document]:
    """Yield the documents of a file, one in memory at a time.

    Args:
        path: CoNLL-U (`.conllu`), JSONL (`.jsonl`), or a raw text of any other name, which is one document, split by
            `Document.from_text`. UTF-8, plain or packed (`.gz`).

    Raises:
        FormatError: the file does not hold what its name says; the message gives the line.
        OSError: the file cannot be read.
    """
    if format_of(path) == CONLLU:
        yield from read_conllu_documents(path)
    elif format_of(path) == JSONL:
        yield from read_jsonl_documents(path)
    else:
        yield Document.from_text(text_of(path), name=stem_of(path))


def write_documents(path: str | os.PathLike[str], documents: Iterable[Document]) -> None:
    """Write documents to a file, in place of what it held.

    Args:
        path: its name ends in .conllu or .jsonl.
        documents: to write, in order.

    Raises:
        OptionError: the name has another ending.
        FormatError: CoNLL-U cannot hold the annotation: entities overlap, or three mentions of one chain cross.
        OSError: the file cannot be written.
    """
    format = check_written(path)
    with replacing_file(path) as file:
        if format == CONLLU:
            file.writelines(text.encode() for text in conllu_lines(documents))
        else:
            file.writelines(document_json(document) + b"\n" for document in documents)


def check_written(path: str | os.PathLike[str]) -> str:
    """Return the format of a file to write.

    Raises:
        OptionError: its name has another ending.
    """
    if Path(path).suffix not in (CONLLU, JSONL):
        raise OptionError(f"{path}: expected a name that ends in .conllu or .jsonl")
    return Path(path).suffix
