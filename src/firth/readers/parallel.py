"""Parallel texts: sentences and their translations, or any texts that are generated from others.

Two files with a sentence per line, a table, JSON lines and TMX are read. `ParallelTexts.cleaned` leaves out pairs that
spoil training, and counts them by reason.
"""

import io
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack
from xml.etree import ElementTree

import numpy as np

from firth.arguments import explained
from firth.corpus.dialects import Dialect, name_of
from firth.corpus.reader import inner_suffix
from firth.corpus.separated import Separated
from firth.corpus.table_options import USUAL, TableArguments, TableOptions
from firth.errors import ArgumentTypeError, FormatError, OptionError, ShapeError, brief, counted, warn_caller
from firth.options import wrong_kind
from firth.readers.lines import PathLike
from firth.storage.files import check_exists, text_of
from firth.storage.skipping import Skipping
from firth.storage.untrusted import parse_json
from firth.text.inputs import table_columns

Pair = tuple[str, str]
Lines = Sequence[tuple[int, str]]
Columns = tuple[str | int, str | int] | None
NAMES = (("source", "target"), ("src", "tgt"), ("src", "trg"), ("text", "summary"), ("document", "summary"))
_TABLES = "tables of pairs"
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True)
class ParallelTexts:
    """n texts with what is to be generated from them.

    Attributes:
        targets: n texts, such as translations.
        name: where they are from, for messages.
        dropped: pairs left out by reason: "empty", "long", "ratio", "duplicate".

    Raises:
        ShapeError: there are not as many sources as targets.
    """

    sources: tuple[str, ...]
    targets: tuple[str, ...]
    name: str = "pairs"
    dropped: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.sources) != len(self.targets):
            raise ShapeError(
                f"{self.name}: {len(self.sources):,} sources and {len(self.targets):,} targets; expected as many, in "
                "the same order"
            )

    def __len__(self) -> int:
        return len(self.sources)

    def cleaned(
        self, *, max_length: int | None = None, max_ratio: float | None = None, duplicates: bool = True
    ) -> "ParallelTexts":
        """Return the pairs that are worth training on; `dropped` counts the others.

        Args:
            max_length: longest text in words, on either side; None for any.
            max_ratio: how many times as many words one side may have as the other; None for any.
            duplicates: whether a pair may occur more than once.

        Raises:
            OptionError: `max_length` or `max_ratio` is below 1.
        """
        if max_length is not None and max_length < 1:
            raise OptionError(f"max_length={max_length}: expected at least 1 word")
        if max_ratio is not None and max_ratio < 1:
            raise OptionError(f"max_ratio={max_ratio}: expected at least 1")
        kept, dropped, seen = list[Pair](), Counter(self.dropped), set[Pair]()
        for pair in zip(self.sources, self.targets, strict=True):
            reason = _fault(pair, max_length, max_ratio)
            if not reason and not duplicates:
                reason = "duplicate" if pair in seen else ""
                seen.add(pair)
            if reason:
                dropped[reason] += 1
            else:
                kept.append(pair)
        return _of_pairs(kept, self.name, dropped)

    def reversed(self) -> "ParallelTexts":
        """Return the pairs for the other direction."""
        return ParallelTexts(self.targets, self.sources, self.name, self.dropped)


def _fault(pair: Pair, max_length: int | None, max_ratio: float | None) -> str:
    shorter, longer = sorted(len(text.split()) for text in pair)
    if not shorter:
        return "empty"
    if max_length is not None and longer > max_length:
        return "long"
    return "ratio" if max_ratio is not None and longer > max_ratio * shorter else ""


@explained
def read_parallel(
    source: Any,
    target: Any = None,
    *,
    languages: tuple[str, str] | None = None,
    columns: tuple[str | int, str | int] | None = None,
    name: str = "pairs",
    **table: Unpack[TableArguments],
) -> ParallelTexts:
    """Read parallel texts.

    - Two files with a text per line, in the same order: `read_parallel("train.de", "train.en")`. In the layout of
      Moses, the files differ in their endings: `read_parallel("train", languages=("de", "en"))` reads `train.de` and
      `train.en`, or `train.de.gz` and `train.en.gz`.
    - A table separated by tabs (`.tsv`, `.txt`), with quotation marks as text, or by commas or semicolons (`.csv`): the
      first two columns; with `columns` they are taken by their names in the first line, or by their numbers from 1.
      The first line of a table with a header "source", "target" is no pair.
    - JSON lines (`.jsonl`): objects with the keys source and target (also src and tgt, document and summary), or those
      in `columns`; `{"translation": {"de": ..., "en": ...}}` with `languages`.
    - TMX (`.tmx`), translation memories, with `languages`; "en" also takes "en-GB".
    - In Python: a list of pairs, two lists of texts, or `ParallelTexts`.

    Files are UTF-8, plain or gzip (`.gz`). Pairs with an empty side are left out and counted in `dropped`; a warning
    counts those that have a text on the other side.

    Args:
        source: a path, a list of pairs, or a list of texts.
        target: a path or a list of texts; None where the source holds both.
        languages: of source and target, such as ("de", "en").
        columns: names of the columns or keys of source and target; of columns also numbers.
        name: of texts that come from no file, for messages.
        **table: how a table is read; see `firth.corpus.table_options.TableOptions`.

    Raises:
        FormatError: a file is damaged, or holds no pair; the message gives the line.
        ShapeError: the two sides differ in length; the message gives both.
        OptionError: `languages` is needed, or a column is not there.
        ArgumentTypeError: the source is none of these.
        MissingFileError: a file is not there.
        OSError: a file cannot be read.
    """
    return parallel_texts(source, target, languages, columns, name, TableOptions(**table).normalised())


def parallel_texts(
    source: Any,
    target: Any,
    languages: tuple[str, str] | None,
    columns: Columns,
    name: str,
    options: TableOptions | None,
) -> ParallelTexts:
    """Return what `read_parallel` returns; without options of tables an error names none."""
    if isinstance(source, ParallelTexts):
        return source
    sides = _moses(source, languages) if target is None and languages is not None else None
    if sides is not None:
        source, target = sides
    if isinstance(source, tuple) and len(source) == 2 and all(isinstance(side, list) for side in source):
        source, target = source  # a pair would be a tuple
    if target is not None or not isinstance(source, str | os.PathLike):
        (options or USUAL).check_unused(name if sides is None else f"{sides[0]} with {sides[1]}", _TABLES)
        if columns is not None:
            raise OptionError(f"columns={brief(columns)}: expected one file of pairs, whose columns have names")
    argument, name = name, str(source) if isinstance(source, str | os.PathLike) else name
    if target is not None:
        texts = ParallelTexts(tuple(_side(source, "sources")), tuple(_side(target, "targets")), name)
    elif isinstance(source, str | os.PathLike):
        texts = _of_pairs(_pairs_of_file(Path(source), languages, columns, options), name)
    else:
        texts = _of_pairs(_given(source, argument), name)
    kept = texts.cleaned()
    if not len(kept):
        raise FormatError(f"{name}: no pair of texts; expected at least one with both sides")
    _warn_one_sided(texts)
    return kept


def _warn_one_sided(texts: ParallelTexts) -> None:
    """Warn the caller of pairs that lack one side: where both are blank, nothing is lost."""
    pairs = enumerate(zip(texts.sources, texts.targets, strict=True), 1)
    rows = [number for number, pair in pairs if len(list(filter(str.strip, pair))) == 1]
    if rows:
        left_out = f"{len(rows):,} of {counted(len(texts), 'pair')} left out, because one side is empty"
        warn_caller(f"{texts.name}: {left_out}; the first is pair {rows[0]:,}")


def _of_pairs(pairs: Iterable[Pair], name: str, dropped: Mapping[str, int] | None = None) -> ParallelTexts:
    sources, targets = tuple(zip(*pairs, strict=True)) or ((), ())
    return ParallelTexts(sources, targets, name, dict(dropped or {}))


def _moses(source: Any, languages: tuple[str, str]) -> tuple[Path, Path] | None:
    if not isinstance(source, str | os.PathLike) or Path(source).is_file():
        return None
    for ending in ("", ".gz"):
        files = tuple(Path(f"{os.fspath(source)}.{language}{ending}") for language in languages)
        if any(file.is_file() for file in files):
            return files[0], files[1]
    return None


def _side(texts: Any, what: str) -> Sequence[str]:
    if isinstance(texts, str | os.PathLike):
        return [line for _, line in _lines(texts)]
    if not isinstance(texts, Sequence):
        raise wrong_kind(what, texts, "a path or a list of texts")
    odd = next((number for number, text in enumerate(texts, 1) if not isinstance(text, str)), 0)
    if odd:
        raise wrong_kind(f"{what}, text {odd:,}", texts[odd - 1], "a text (str)")
    return texts


def _lines(path: PathLike) -> Lines:
    check_exists(Path(path), "a file of texts, or of pairs of texts")
    content = text_of(path).removesuffix("\n")
    # Not splitlines, which also breaks at U+2028 and the like: the other side would have other lines.
    return [(number, line.removesuffix("\r")) for number, line in enumerate(content.split("\n"), 1)] if content else []


def _given(source: Any, name: str) -> list[Pair]:
    columns = table_columns(source)
    if isinstance(source, Mapping):
        raise wrong_kind(name, source, f"a list of pairs of texts, such as list({name}.items())")
    if columns is not None:
        first, second = (repr(name) for name in [*columns, "source", "target"][:2])
        problem = f"{name}: found a table with the columns {', '.join(map(repr, columns))}"
        raise ArgumentTypeError(
            f"{problem}; expected pairs of texts, such as list(zip(table[{first}], table[{second}]))"
        )
    if isinstance(source, bytes) or not isinstance(source, Iterable):
        raise wrong_kind(name, source, "a path, or a list of pairs of texts")
    given = list(source)
    if given and all(isinstance(item, os.PathLike) for item in given):
        files = ", ".join(map(str, given))
        raise ArgumentTypeError(
            f"{name}: {len(given)} files ({files}); expected one of pairs, or two: sources and targets"
        )
    return [_pair(item, f"{name}, pair {number:,}") for number, item in enumerate(given, 1)]


def _pair(item: Any, where: str) -> Pair:
    item = item.tolist() if isinstance(item, np.ndarray) else item  # a row of a table
    if not isinstance(item, list | tuple) or len(item) != 2:
        raise wrong_kind(where, item, "a pair of texts: (source, target)")
    for side, text in zip(("source", "target"), item, strict=True):
        if not isinstance(text, str):
            raise wrong_kind(f"{where}: {side}", text, "a text (str)")
    return item[0], item[1]


def _pairs_of_file(
    path: Path, languages: tuple[str, str] | None, columns: Columns, options: TableOptions | None
) -> Sequence[Pair]:
    ending = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if ending.lower() == ".tmx":
        (options or USUAL).check_unused(str(path), _TABLES)
        return _tmx(path, _needed(languages, path))
    lines = [(number, line) for number, line in _lines(path) if line.strip()]
    if lines and lines[0][1].lstrip().startswith("{"):
        (options or USUAL).check_unused(str(path), _TABLES)
        skipping = Skipping(path, None if options is None else options.on_error, "pair")
        return list(_json(lines, skipping, languages, columns))
    return _table(path, columns, options) if lines else []


def _needed(languages: tuple[str, str] | None, path: Path) -> tuple[str, str]:
    if languages is None:
        raise OptionError(f"{path}: which languages? Give languages, source and target, such as 'de' and 'en'")
    return languages


def _table(path: Path, columns: Columns, options: TableOptions | None) -> list[Pair]:
    # What a table of tabs quotes is not looked for, as in published corpora.
    csv = inner_suffix(path) == ".csv"
    tabs = None if csv else "\t"
    text = io.StringIO(text_of(path), newline="")
    table = Separated(
        text, str(path), Dialect("," if csv else "\t", "none"), options, header=False, separator=tabs, error=FormatError
    )
    if len(table.names) < 2:
        raise FormatError(
            f"{path} line 1: 1 column, expected two between {name_of(table.dialect.separator)}; of two files with a "
            "text per line, give both"
        )
    rows = [cells for _, cells in table.numbered()]
    header = [name.strip().lower() for name in rows[0]]
    default = next((pair for pair in NAMES if all(name in header for name in pair)), None)
    numbers = columns is not None and all(str(name).isdecimal() and str(name) not in header for name in columns)
    given = None if options is None else options.header
    if given is False or (given is None and (numbers or (columns is None and default is None))):
        header = [str(i + 1) for i in range(len(header))]
        at = [_column(name, header, path) for name in columns or ("1", "2")]
        return [(row[at[0]], row[at[1]]) for row in rows]
    at = [_column(name, header, path) for name in columns or default or ("1", "2")]
    return [(row[at[0]], row[at[1]]) for row in rows[1:]]


def _column(name: str | int, header: Sequence[str], path: Path) -> int:
    if str(name).lower() in header:
        return header.index(str(name).lower())
    if str(name).isdecimal() and 1 <= int(name) <= len(header):
        return int(name) - 1
    raise OptionError(f"{path}: no column {name!r}; expected one of {', '.join(header)}, or a number from 1")


def _json(lines: Lines, skipping: Skipping, languages: tuple[str, str] | None, columns: Columns) -> Iterator[Pair]:
    for number, line in lines:
        try:
            item = parse_json(line)
        except ValueError as error:
            skipping.add(number, f"{error}; expected JSON lines, an object per line")
            continue
        if isinstance(item, dict) and isinstance(item.get("translation"), dict):
            item, wanted = item["translation"], [_needed(languages, Path(skipping.path))]
        else:
            wanted = [(str(columns[0]), str(columns[1]))] if columns else list(NAMES)
        if not isinstance(item, dict):
            skipping.add(number, f"{brief(item)}; expected an object with the keys source and target")
            continue
        names = next((pair for pair in wanted if all(name in item for name in pair)), None)
        if names is None or not all(isinstance(item[name], str) for name in names):
            skipping.add(number, f"the keys {', '.join(item)}; expected texts under {' and '.join(wanted[0])}")
            continue
        skipping.read += 1
        yield item[names[0]], item[names[1]]
    skipping.tell()


def _tmx(path: Path, languages: tuple[str, str]) -> list[Pair]:
    try:
        root = ElementTree.fromstring(text_of(path))  # expat refuses entities that grow
    except ElementTree.ParseError as error:
        raise FormatError(f"{path}: {error}; expected TMX, an XML file of translation units") from None
    return [
        (segments[0], segments[1])
        for unit in root.iter("tu")
        if (segments := [_segment(unit, _is(language)) for language in languages])
    ]


def _is(language: str) -> Callable[[str], bool]:
    wanted = language.lower()
    return lambda code: code == wanted or code.startswith(f"{wanted}-")


def _segment(unit: ElementTree.Element, is_wanted: Callable[[str], bool]) -> str:
    """Return the text of one language in a translation unit, without inline tags; "" for none."""
    for variant in unit.iter("tuv"):
        code = (variant.get(_LANGUAGE) or variant.get("lang") or "").lower()
        segment = variant.find("seg")
        if segment is not None and is_wanted(code):
            return " ".join("".join(segment.itertext()).split())
    return ""
