"""Documents in spaCy's binary format, `DocBin` (.spacy): what `spacy train` reads, and `spacy convert` writes.

Tokens of a raw text keep their places: white space beyond single spaces is in tokens of its own, as spaCy's tokeniser
has it. The name of a document is in the user data of its `Doc`. Confidences are not kept.

Source: spaCy 3.8, `spacy.tokens.DocBin`.
"""

import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from firth.arguments import names_files
from firth.documents.document import Document
from firth.errors import FormatError, MissingExtraError, counted, warn_caller
from firth.storage.skipping import STOP
from firth.storage.untrusted import file_bytes

NAME = "name"


def check_spacy(purpose: str = "read and write files named .spacy") -> Any:
    """Return spaCy.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import spacy
        import spacy.tokens
    except ImportError as error:
        raise MissingExtraError("spacy", "spacy", purpose) from error
    return spacy


@names_files
def read_docbin_documents(path: str | os.PathLike[str], *, on_error: str = STOP) -> Iterator[Document]:
    """Yield the documents of a file of spaCy's `DocBin`.

    Args:
        path: a file named .spacy; all of it is in memory.
        on_error: makes no difference: a file that is damaged in one place cannot be read at all.

    Raises:
        MissingExtraError: spaCy is not installed.
        FormatError: the file holds something else.
    """
    spacy = check_spacy()
    try:
        docs = list(spacy.tokens.DocBin().from_bytes(file_bytes(Path(path))).get_docs(spacy.blank("xx").vocab))
    except (zlib.error, ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise FormatError(f"{path}: no DocBin of spaCy ({error}); write it again with DocBin.to_disk") from error
    for doc in docs:
        name = doc.user_data.get(NAME, "")
        yield Document.from_spacy(doc, name=name if isinstance(name, str) else "")


def docbin(documents: Iterable[Document], path: str | os.PathLike[str]) -> bytes:
    """Return documents as the content of a file.

    Args:
        path: of the file, for messages.

    Warns:
        UserWarning: the text of some documents is not that of their tokens, such as with multiword tokens, or is not
            known.
    """
    spacy = check_spacy()
    vocab, content, changed = spacy.blank("xx").vocab, spacy.tokens.DocBin(store_user_data=True), 0
    for document in documents:
        doc = document.to_spacy(vocab, whitespace=True)
        changed += bool(document.text) and doc.text != document.text
        if document.name:
            doc.user_data[NAME] = document.name
        content.add(doc)
    if changed:
        warn_caller(
            f"{path}: the text of {counted(changed, 'document')} is made of its words, as spaCy has no multiword tokens"
        )
    packed: bytes = content.to_bytes()
    return packed
