"""Groups of texts that mean the same, with texts that do not, for contrastive learning.

Two layouts are read: JSON lines with the keys `texts` and, optionally, `negatives`; and pairs of sentences with the
labels entailment and contradiction, such as SNLI (`firth.readers.sentence_pairs`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from firth.arguments import names_files
from firth.errors import FormatError, OptionError, brief, brief_repr
from firth.readers.lines import PathLike, numbered_lines
from firth.readers.sentence_pairs import SentencePairs, read_file
from firth.storage.untrusted import parse_json

ENTAILMENT, CONTRADICTION = "entailment", "contradiction"
_EXPECTED = 'expected {"texts": ["...", "..."], "negatives": ["..."]}, two texts or more; negatives may be left out'


@dataclass(frozen=True)
class TextGroup:
    """Texts that mean the same.

    Attributes:
        texts: two or more, such as the captions of a picture.
        negatives: texts that are like them and mean something else: hard negatives.
    """

    texts: tuple[str, ...]
    negatives: tuple[str, ...] = ()

    __repr__ = brief_repr


@names_files
def read_text_groups(path: PathLike) -> list[TextGroup]:
    """Read groups of texts.

    - JSON lines: objects with `texts`, a list of two strings or more, and optionally `negatives`, a list of strings.
    - Any file of `read_sentence_pairs` with the labels entailment and contradiction: a sentence, what it entails, and
      as negatives what contradicts it. Other labels are left out, and sentences that entail nothing.

    Args:
        path: the file, UTF-8, plain or gzip (`.gz`).
    """
    lines = numbered_lines(path, comments=False)
    if not (lines[0][1].startswith("{") and "texts" in _object(lines[0], path)):
        return entailed_groups(read_file(path, None), path)
    return [_group(_object(line, path), f"{path} line {line[0]}") for line in lines]


def entailed_groups(pairs: SentencePairs, path: PathLike = "pairs") -> list[TextGroup]:
    """Return a group for each first sentence that entails another.

    Args:
        pairs: with labels.
        path: where they are from, for the message.

    Raises:
        FormatError: no pair has the label entailment.
    """
    texts_of: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for first, second, label in zip(pairs.first, pairs.second, pairs.labels or (), strict=False):
        texts, negatives = texts_of.setdefault(first, ({first: None}, {}))
        kept = {ENTAILMENT: texts, CONTRADICTION: negatives}.get(label.lower())
        if kept is not None:
            kept[second] = None
    groups = [TextGroup(tuple(texts), tuple(negatives)) for texts, negatives in texts_of.values() if len(texts) > 1]
    if not groups:
        raise FormatError(f"{path}: none of {len(pairs):,} pairs has the label {ENTAILMENT!r}; {_EXPECTED}")
    return groups


def as_text_groups(source: Any) -> list[TextGroup]:
    """Return groups from a file, from pairs with labels, or from Python.

    Args:
        source: the path of a file (`read_text_groups`), `SentencePairs`, or groups: `TextGroup`, lists of strings, or
            dicts as in the file.
    """
    if isinstance(source, SentencePairs):
        return entailed_groups(source)
    if isinstance(source, (str, bytes)) or hasattr(source, "__fspath__"):
        return read_text_groups(source)
    if not isinstance(source, Iterable):
        raise OptionError(f"groups: found {brief(source)}, expected groups of texts that mean the same, or their file")
    try:
        return [_given(item, number) for number, item in enumerate(source)]
    except FormatError as error:
        raise OptionError(str(error)) from None


def _given(item: Any, number: int) -> TextGroup:
    if isinstance(item, TextGroup):
        item = {"texts": list(item.texts), "negatives": list(item.negatives)}
    elif isinstance(item, Sequence) and not isinstance(item, str):
        item = {"texts": list(item)}
    return _group(item, f"group {number}")


def _object(line: tuple[int, str], path: PathLike) -> Any:
    try:
        return parse_json(line[1])
    except ValueError as error:
        raise FormatError(f"{path} line {line[0]}: not JSON ({error}); expected one object per line") from None


def _group(item: Any, where: str) -> TextGroup:
    texts, negatives = (item.get("texts"), item.get("negatives", [])) if isinstance(item, dict) else (None, [])
    for values in (texts, negatives):
        if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
            raise FormatError(f"{where}: {brief(item)}; {_EXPECTED}")
    different = tuple(dict.fromkeys(text for text in texts or () if text.strip()))
    if len(different) < 2:
        raise FormatError(f"{where}: {len(different)} different text; {_EXPECTED}")
    return TextGroup(different, tuple(dict.fromkeys(text for text in negatives if text.strip())))
