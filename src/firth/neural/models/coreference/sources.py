"""Documents with chains, from files and lists."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from firth.documents.coreference_files import read_coreference
from firth.documents.document import Document
from firth.documents.files import read_documents
from firth.errors import CorpusError, brief, counted
from firth.neural.supervised import split_rows
from firth.storage.skipping import STOP, check_on_error

FORMS = (
    "expected documents, or files of them: CoNLL-U, JSONL, or the columns of CoNLL-2012; "
    "Document.from_text(text) makes one of a text"
)


def documents_of(source: Any, name: str = "documents", on_error: str = STOP) -> list[Document]:
    """Return documents.

    Args:
        source: a path, a document, or several: `.conllu` and `.jsonl` as `firth.read_documents` reads them, anything
            else, also folders and archives, in the columns of CoNLL-2012.
        on_error: "stop" at the first damaged sentence, document or mention of a file, or "skip" them.
    """
    if isinstance(source, Document):
        return [source]
    if isinstance(source, str | os.PathLike):
        return list(_read(Path(source), on_error))
    if not isinstance(source, Iterable):
        raise CorpusError(f"{name}: found {brief(source)}; {FORMS}")
    documents: list[Document] = []
    for number, item in enumerate(source):
        if not isinstance(item, Document | str | os.PathLike):
            raise CorpusError(f"{name}: item {number} is {brief(item)}; {FORMS}")
        documents += documents_of(item, name, on_error)
    if not documents:
        raise CorpusError(f"{name}: no documents; {FORMS}")
    return documents


def training_documents(source: Any, name: str) -> list[Document]:
    """Return documents of which each has a mention, at least one of them a chain of two."""
    documents = [document for document in documents_of(source, name) if document.clusters]
    if not any(len(chain) > 1 for document in documents for chain in document.clusters):
        raise CorpusError(
            f"{name}: no chain of two mentions in {counted(len(documents), 'document')} with mentions; expected "
            "coreference chains to learn from"
        )
    return documents


def split_documents(documents: Any, held_out: Any, seed: int) -> tuple[list[Document], list[Document]]:
    """Return the documents to learn from, and those that select the model: held-out ones, or a random tenth."""
    train = training_documents(documents, "the training documents")
    if held_out is not None:
        return train, training_documents(held_out, "held_out")
    rows, held_out_rows = split_rows(len(train), seed, f"the training documents: {len(train)} document")
    return [train[row] for row in rows], [train[row] for row in held_out_rows]


def has_singletons(documents: Iterable[Document]) -> bool:
    """Return whether mentions without a partner are annotated as chains of one."""
    return any(len(chain) == 1 for document in documents for chain in document.clusters)


def _read(path: Path, on_error: str) -> Iterable[Document]:
    if not os.path.exists(path):  # noqa: PTH110  Path.exists fails for a text, which is too long for a name
        raise CorpusError(f"{brief(os.fspath(path))}: no such file; {FORMS}")
    name = path.name.removesuffix(".gz")
    if path.is_file() and name.endswith((".conllu", ".jsonl")):
        return read_documents(path, on_error=on_error)
    check_on_error(on_error)
    return read_coreference(path, strict=on_error == STOP)
