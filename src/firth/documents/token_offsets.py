r"""The column MISC of CoNLL-U, and the places of tokens in the raw text that it holds.

The attributes are those of stanza and UDPipe: start_char and end_char; SpaceAfter=No; and SpacesBefore and SpacesAfter,
with `\n` for a line feed, where the space is not a single one. With them a file holds the whole raw text.
"""

from collections.abc import Iterator, Sequence

from firth.documents.document import Document, Span
from firth.readers.conllu import FORM, MISC, Changes, DependencySentence, Row, attributes, escaped, unescaped

START, END = "start_char", "end_char"
NO_SPACE, BEFORE, AFTER = "SpaceAfter", "SpacesBefore", "SpacesAfter"
LONGEST = 10_000  # characters between two tokens that the file leaves unsaid
KEYS = (START, END, NO_SPACE, BEFORE, AFTER)


def read_offsets(sentences: Sequence[DependencySentence]) -> tuple[str, tuple[Span, ...]]:
    """Return the raw text and the places of all tokens; "" and () where they are not known.

    They are known if every token, a multiword one as a whole, has a place and as many characters as its place says.
    Characters of which nothing is said become spaces, as before the first token of a chapter whose places count from
    the start of the book; with more than 10,000 of them in a row the places are taken as not known.

    Args:
        sentences: of one document.
    """
    pieces, length, after = list[str](), 0, ""
    offsets: list[Span] = []
    for row, words in (pair for sentence in sentences for pair in _written(sentence)):
        values = attributes(row)
        start, end = (
            int(value) if value.isdecimal() and len(value) < 16 else -1
            for value in (values.get(START, ""), values.get(END, ""))
        )
        if start < length or end - start != len(row[FORM]):
            return "", ()
        space = after or " " if offsets else unescaped(values.get(BEFORE, ""))
        width = start - length
        if len(space) != width > LONGEST:
            return "", ()
        pieces += [space if len(space) == width else " " * width, row[FORM]]
        offsets += [(start, end)] * words
        length, after = end, unescaped(values.get(AFTER, ""))
    return "".join([*pieces, after]), tuple(offsets)


def _written(sentence: DependencySentence) -> Iterator[tuple[Row, int]]:
    """Yield the rows of words and, in place of their words, of multiword tokens that have a place; and their words."""
    covered = 0
    for row in sentence.rows:
        first, dash, last = row[0].partition("-")
        if dash and START in row[MISC]:
            covered = int(last) - int(first) + 1
            yield row, covered
        elif covered and row[0].isdecimal():
            covered -= 1
        elif row[0].isdecimal():
            yield row, 1


def add_offsets(document: Document, changes: Sequence[Sequence[Changes]]) -> None:
    """Add the places of a document's tokens to the changes of its rows.

    Args:
        changes: of each row of each sentence; those of words get places, or that of the multiword token they share.
    """
    token = shared = 0  # words before `shared` have the place of their multiword token
    for sentence, of_rows in zip(document.sentences, changes, strict=True):
        for row, change in zip(sentence.rows, of_rows, strict=True):
            first, dash, last = row[0].partition("-")
            if dash:
                after = token + int(last) - int(first) + 1
                if len({*document.offsets[token:after]}) == 1:
                    change.update(_attributes(document, token, after))
                    shared = after
            elif row[0].isdecimal():
                change.update(_attributes(document, token, token + 1) if token >= shared else dict.fromkeys(KEYS))
                token += 1


def _attributes(document: Document, token: int, after: int) -> Changes:
    """The attributes of a written token, which stands for the tokens up to `after`."""
    text, (start, end), last = document.text, document.offsets[token], after == len(document)
    space = text[end : len(text) if last else max(end, document.offsets[after][0])]
    return {
        START: str(start),
        END: str(end),
        NO_SPACE: "No" if not space and not last else None,
        BEFORE: escaped(text[:start]) or None if token == 0 else None,
        AFTER: escaped(space) if space and (last or space != " ") else None,
    }
