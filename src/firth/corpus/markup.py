"""The text of Markdown, HTML and XML files, without their markup: a line per block.

HTML is read by the standard library's parser, which takes whatever a page holds; Markdown by markdown-it, through HTML;
XML by expat, which opens no other file and refuses entities that grow. Of TEI only `text` is read, without its header.
Scripts, styles and templates are left out. Bytes become text as everywhere, but where they are not UTF-8 the encoding
that the file declares comes before a guess.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from firth.errors import CorpusError, MissingExtraError
from firth.storage.encodings import decoded_text, named_encoding
from firth.storage.files import unpacked

_LEFT_OUT = frozenset(("script", "style", "template", "noscript", "svg", "math"))
_INLINE_TAGS = """
    a abbr acronym b bdi bdo big cite code data dfn del em font i ins kbd label mark q s samp small span strike strong
    sub sup time tt u var wbr img
    hi foreign name persname placename orgname rs w c pc seg ref ptr add corr sic reg orig expan choice date num said
    socalled term title lb pb cb anchor g gap unclear supplied emph milestone
"""  # of HTML, then of TEI: they end no block
_INLINE = frozenset(_INLINE_TAGS.split())
_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_HEAD = 2048  # bytes in which a file declares its encoding


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._hidden += tag in _LEFT_OUT
        if tag not in _INLINE and tag not in _LEFT_OUT:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in _LEFT_OUT))
        if tag not in _INLINE and tag not in _LEFT_OUT:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(re.sub(r"\s+", " ", data))


def _html(text: str, name: str) -> Iterator[str]:
    page = _Page()
    page.feed(text)
    page.close()
    return iter(page.parts)


def _markdown(text: str, name: str) -> Iterator[str]:
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise MissingExtraError("markdown-it-py", "markup", "read .md files without their markup") from error
    front_matter = re.match(r"---\n.*?\n---\n", text, re.DOTALL)
    return _html(
        MarkdownIt("commonmark").enable("table").render(text[front_matter.end() if front_matter else 0 :]), name
    )


def _xml(text: str, name: str) -> Iterator[str]:
    try:
        root = ElementTree.fromstring(re.sub(r"^\s*<\?xml.*?\?>", "", text))  # which may declare what it was
    except ElementTree.ParseError as error:
        raise CorpusError(f"{name}: not XML ({error}); expected a whole document; leave it out or mend it") from None
    if _tag(root) == "html":
        return _html(text, name)
    body = (
        next((element for element in root.iter() if _tag(element) == "text"), root)
        if _tag(root).startswith("tei")
        else root
    )
    return _texts(body)


def _texts(root: Any) -> Iterator[str]:
    waiting: list[Any] = [root]
    while waiting:  # not recursive: documents may be deep
        item = waiting.pop()
        if isinstance(item, str):
            yield item
            continue
        inline = _tag(item) in _INLINE and item is not root
        yield "" if inline else "\n"
        yield re.sub(r"\s+", " ", item.text or "")
        waiting.append("" if inline else "\n")
        for child in reversed(item):
            waiting += [re.sub(r"\s+", " ", child.tail or ""), child]


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2].lower()


MARKUP: dict[str, Callable[[str, str], Iterator[str]]] = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".xml": _xml,
}


def blocks(path: Path, suffix: str, encoding: str | None) -> list[str]:
    """Return the blocks of a document, such as its paragraphs, each a line without markup.

    Args:
        path: the file, plain or packed by gzip.
        suffix: one of `MARKUP`.
    """
    content = unpacked(path)
    text = decoded_text(content, path, strict=False, encoding=named_encoding(encoding) or _declared(content))
    lines = (" ".join(line.split()) for line in "".join(MARKUP[suffix](text, str(path))).split("\n"))
    return [line for line in lines if line]


def _declared(content: bytes) -> str | None:
    """Return the encoding that a document declares, unless it is UTF-8 or begins with a byte order mark."""
    match = _DECLARED.search(content[:_HEAD])
    try:
        content.decode()
    except UnicodeDecodeError:
        if match is None or content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return None
        try:
            return codecs.lookup(match[1].decode("ascii", "ignore")).name
        except LookupError:
            return None
    return None
