"""The raw text of a treebank: tokens with the spaces between them, and paragraphs apart."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firth.readers.conllu import FORM, DependencySentence, Row, attributes

_TEXT = re.compile(r"#\s*text\s*=(.*)")
_NEW_PARAGRAPH = re.compile(r"#\s*new(?:doc|par)\b")


@dataclass(frozen=True)
class RawText:
    """The text of sentences, and where its tokens are.

    Attributes:
        text: with a space between tokens, but after `SpaceAfter=No`; between sentences likewise. Paragraphs and
            documents have an empty line between them.
        tokens: (start, end) of each token of each sentence; a multiword token is one.
        rows: of each token of each sentence, the rows of its words: one, or those of a multiword token.
    """

    text: str
    tokens: list[list[tuple[int, int]]]
    rows: list[list[tuple[Row, ...]]]


def raw_text(sentences: Sequence[DependencySentence]) -> RawText:
    """Return the raw text of sentences in their order."""
    pieces, length, space = list[str](), 0, ""
    tokens, rows = list[list[tuple[int, int]]](), list[list[tuple[Row, ...]]]()
    for number, sentence in enumerate(sentences):
        if number and any(map(_NEW_PARAGRAPH.match, sentence.comment_lines)):
            space = "\n\n"
        spans, of_tokens = list[tuple[int, int]](), list[tuple[Row, ...]]()
        for row, words in written_tokens(sentence):
            form = row[FORM]
            pieces += [space, form]
            length += len(space)
            spans.append((length, length + len(form)))
            of_tokens.append(words)
            length += len(form)
            space = "" if attributes(row).get("SpaceAfter") == "No" else " "
        tokens.append(spans)
        rows.append(of_tokens)
    return RawText("".join(pieces), tokens, rows)


def differing_texts(sentences: Sequence[DependencySentence], raw: RawText) -> list[tuple[int, str, str]]:
    """Return sentences whose comment `# text` is not their text: number from 1, the comment, and the text.

    White space may differ in its kind and number.
    """
    differing = list[tuple[int, str, str]]()
    for number, (sentence, spans) in enumerate(zip(sentences, raw.tokens, strict=True), 1):
        written = " ".join(raw.text[spans[0][0] : spans[-1][1]].split())
        said = next(filter(None, map(_TEXT.fullmatch, sentence.comment_lines)), None)
        if said and " ".join(said[1].split()) != written:
            differing.append((number, said[1], written))
    return differing


def written_tokens(sentence: DependencySentence) -> list[tuple[Row, tuple[Row, ...]]]:
    """Return the row of each token as it is written, with the rows of its words."""
    words = [row for row in sentence.rows if row[0].isdecimal()]
    written, position = list[tuple[Row, tuple[Row, ...]]](), 0
    for row in sentence.rows:
        first, dash, last = row[0].partition("-")
        if dash:
            written.append((row, tuple(words[int(first) - 1 : int(last)])))
            position = int(last)
        elif row[0].isdecimal() and int(row[0]) > position:
            written.append((row, (row,)))
            position = int(row[0])
    return written
