r"""Named entities of brat: NAME.txt holds a text, NAME.ann beside it a line for each annotation.

    T1  PER 0 9         Ada Byron       (a tab behind T1, and one before the text)
    T2  LOC 16 21;27 34 North America   (a span of two parts)

Offsets count the characters of the text, line breaks included. A part ends where a line does, so that a span over a
line break has two. Parts with nothing but white space between them are one span here; others are left out, as are
relations (R), events (E), attributes (A, M), normalisations (N), notes (#) and equivalences (*): a warning counts them.

Source: "brat standoff format", brat.nlplab.org/standoff.html.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from firth.arguments import names_files
from firth.documents.document import Document, Span
from firth.documents.entity_alignment import Alignment
from firth.documents.entity_shapes import MarkedSpan, MarkedText
from firth.documents.entity_writing import text_and_offsets
from firth.errors import FormatError, OptionError, brief, warn_caller
from firth.storage.files import as_utf8, check_exists, replacing_file, text_of
from firth.storage.skipping import STOP, Skipping
from firth.storage.untrusted import file_bytes

ANNOTATIONS, TEXT = ".ann", ".txt"
OTHERS = {
    "R": "relations", "E": "events", "A": "attributes", "M": "attributes", "N": "normalisations", "#": "notes",
    "*": "equivalences",
}  # fmt: skip
_SPAN = re.compile(r"T\S*\t(\S+) (\d+ \d+(?:;\d+ \d+)*)(?:\t(.*))?")
_OTHER = re.compile(r"(?:[REAMN#]\d\S*|\*)\t")
_LINE = re.compile(r"[^\r\n]+")
BETWEEN = "\n\n"  # texts of several documents in one file


@names_files
def read_brat_documents(path: str | os.PathLike[str], *, on_error: str = STOP) -> Iterator[Document]:
    """Yield the document of a file of annotations, with the text beside it; of a folder, those of all such files.

    Args:
        path: NAME.ann, beside NAME.txt, both UTF-8; or a folder of such files, also in folders inside it.
        on_error: "stop" at the first file that is damaged, or "skip" such files.

    Warns:
        UserWarning: there is other annotation than spans, which is left out; or files were skipped.
        LeftOutSpans: spans do not meet the tokens, or are in several parts; it lists them.

    Raises:
        FormatError: a line is damaged, or a folder holds no such files.
        MissingFileError: there is no text beside the annotations.
    """
    path = Path(path)
    files = sorted(path.rglob(f"*{ANNOTATIONS}")) if path.is_dir() else [path]
    if not files:
        raise FormatError(
            f"{path}: a folder without files named .ann; expected NAME.ann and NAME.txt, as brat has them"
        )
    alignment, skipping = Alignment(path), Skipping(path, on_error, "document", "file")
    for number, file in enumerate(files, 1):
        name = str(file.relative_to(path) if path.is_dir() else file.name)
        try:
            document = alignment.document(_marked(file, name.removesuffix(ANNOTATIONS)), name)
        except FormatError as error:
            skipping.add(number, str(error))
            continue
        skipping.read += 1
        yield document
    alignment.tell()
    skipping.tell("some, one a file")


def _marked(path: Path, name: str) -> MarkedText:
    """Return a text with its spans."""
    beside = path.with_name(path.name.removesuffix(ANNOTATIONS) + TEXT)
    check_exists(beside, f"the text of {path.name} beside it")
    text, spans, kinds = text_of(beside), list[MarkedSpan](), list[str]()
    for number, line in enumerate(text_of(path).split("\n"), 1):
        line = line.removesuffix("\r")
        if line.startswith("T"):
            spans.append(_span(line, text, f"line {number}"))
        elif _OTHER.match(line):
            kinds.append(OTHERS[line[:1]])
        elif line.strip():
            raise FormatError(f"{path.name} line {number}: {brief(line)}; expected an annotation of brat, such as T1")
    return MarkedText(text, tuple(spans), name, (), tuple(kinds))


def _span(line: str, text: str, where: str) -> MarkedSpan:
    match = _SPAN.fullmatch(line)
    if match is None:
        raise FormatError(f"{where}: {brief(line)}; expected a span, such as T1, a tab, PER 0 9, a tab, its text")
    label, offsets, written = match.groups()
    parts = [tuple(map(int, part.split())) for part in offsets.split(";")]
    in_parts = any(text[before[1] : after[0]].strip() or before[1] > after[0] for before, after in pairwise(parts))
    return MarkedSpan(parts[0][0], parts[-1][1], label, written, in_parts)


def write_brat(path: Path, documents: Iterable[Document], *, one_text: bool = False) -> None:
    """Write entities to NAME.ann, and the text to NAME.txt beside it.

    Several documents become one text, with an empty line between them, as brat has one text a file. A text that is
    there stays as it is.

    Args:
        one_text: whether that is expected.

    Warns:
        UserWarning: there are several documents, and it is not.

    Raises:
        FormatError: a label is empty or holds white space, which brat's cannot.
        OptionError: another text is there.
    """
    text, lines, count = "", list[str](), 0
    for count, document in enumerate(documents, 1):
        text += BETWEEN * (count > 1)
        own, offsets = text_and_offsets(document)
        for start, end, label in document.entities:
            span = offsets[start][0], offsets[end - 1][1]
            lines.append(f"T{len(lines) + 1}\t{_written(span, label, own, len(text))}\n")
        text += own
    if count > 1 and not one_text:
        warn_caller(f"{path}: {count:,} documents became one text, with an empty line between them")
    beside, content = path.with_name(path.name.removesuffix(ANNOTATIONS) + TEXT), as_utf8(text, "a text")
    annotations = as_utf8("".join(lines), "a label")
    if not beside.exists():
        with replacing_file(beside) as file:
            file.write(content)
    elif file_bytes(beside) != content:
        raise OptionError(f"{beside} is there, and is not the text in UTF-8: give another name, or delete it first")
    with replacing_file(path) as file:
        file.write(annotations)


def _written(span: Span, label: str, text: str, before: int) -> str:
    """Return the fields of a span: its label, its parts, one for each line, and its text.

    Args:
        before: characters before the text in its file.
    """
    if not label or label.split() != [label]:
        raise FormatError(f"the label {label!r}; expected one without white space, as brat's are")
    lines: Sequence[re.Match[str]] = list(_LINE.finditer(text, *span))
    parts = ";".join(f"{before + line.start()} {before + line.end()}" for line in lines)
    return f"{label} {parts}\t{' '.join(line.group() for line in lines)}"
