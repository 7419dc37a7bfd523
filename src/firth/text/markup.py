"""Markup in text: tags of web pages, markers of sentences and unknown words, entities, lines of WikiExtractor.

Read as text, they become words: `s`, `unk`, `br`, `eacute`, `doc`, `id`. Without markup `&eacute;` is é, what ends a
line or paragraph of a page ends a line (`<br/>`, `</p>`, `</s>`, `<doc id="12">`), and other tags are spaces.

Source: the HTML Standard, section 13.5, for the names of characters, by way of Python's `html`.
"""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator

_MORE = r"""(?:\s(?:[^<>"']|"[^"]*"|'[^']*')*)?"""  # attributes
_ENDS = re.compile(rf"</?(?:s|doc|p|div|li|tr|h[1-6]|title){_MORE}>|<br\s*/?>", re.IGNORECASE)
_TAGS = re.compile(rf"</?[A-Za-z][A-Za-z0-9:-]*{_MORE}/?>")
_COMMENT, _COMMENT_END = re.compile("<!--.*?-->", re.DOTALL), "-->"
_OPEN = re.compile(r"</?[A-Za-z][A-Za-z0-9:-]*(?:\s[^<>]*)?")
_MOST = 200  # lines of a comment or tag
_ENTITIES = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# What is surely markup, in the text of whatever subject.
_KNOWN = re.compile(
    r"</?(?:s|unk|doc|p|b|i|em|strong|a|div|span|ref|li|td|tr)(?:\s[^<>]*)?/?>|<br\s*/?>"
    r"|&(?:#\d+|#[xX][0-9a-fA-F]+|amp|lt|gt|quot|nbsp|[A-Za-z](?:acute|grave|circ|uml|tilde|cedil));",
    re.IGNORECASE,
)
FEW, OFTEN = 5, 2_000  # fewer marks than this, or one in more characters, may be quoted


def without_markup(text: str) -> str:
    """Return text without tags, with the characters that entities stand for.

    >>> without_markup("<s> caf&eacute; <b>noir</b> </s> <s> &lt;br&gt; </s>").split()
    ['café', 'noir', '<br>']
    """
    if "<" in text:
        end = text.rfind(_COMMENT_END) + len(_COMMENT_END)  # behind it, each beginning would be searched for an end
        text = _COMMENT.sub(" ", text[:end]) + text[end:]
        text = _TAGS.sub(" ", _ENDS.sub("\n", text))
    return _ENTITIES.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text


def with_whole_tags(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines; those over which a tag or a comment goes on are one, with line feeds inside."""
    waiting, end = list[str](), ""
    for line in lines:
        waiting.append(line)
        if end not in line and len(waiting) < _MOST:
            continue
        text = "\n".join(waiting)
        end = _missing_end(text)
        if not end or len(waiting) == _MOST:
            yield text
            waiting, end = [], ""
    if waiting:
        yield "\n".join(waiting)


def _missing_end(text: str) -> str:
    """Return what would end the tag or comment that a text does not end; "" if there is none."""
    if text.rfind("<!--") > text.rfind(_COMMENT_END):
        return _COMMENT_END
    last = text.rfind("<")
    return ">" if last >= 0 and _OPEN.fullmatch(text, last) else ""


def known_markup(text: str) -> Counter[str]:
    """Return the marks that a text holds, with their counts; none if they are so few that they may be quoted."""
    counts = Counter(match[0] for match in _KNOWN.finditer(text))
    return counts if counts.total() >= max(FEW, len(text) // OFTEN) else Counter()
