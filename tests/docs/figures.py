"""Figures in pages of documentation, and the tables of measurements that they come from.

A paragraph, list or table of a page names its tables in one of two ways:

- a link into `benchmarks`, such as `[figures](../../benchmarks/results/phrases.md)`, or the path between backquotes;
- a comment above it: `<!-- figures: benchmarks/results/phrases.md -->`.

With an anchor (`phrases.md#quality`) only that section counts. A table or list without a name takes those of the
paragraph above it if that ends in a colon. Every figure of a passage that names tables has to be in them, as written or
with more digits. Further words of the comment:

- `by row`: the figures of each line of the passage have to be in one line of the tables; `by cell`: those of each cell,
  or of each part between `, `;
- `; 11 = 152.2 - 141.2`: a figure that is computed from others, which have to be in the tables.
"""

import ast
import functools
import itertools
import math
import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMENT = re.compile(r"<!-- figures: (.*?)\s*-->", re.DOTALL)
NAMED = re.compile(r"[(`](?:\.\./)*(benchmarks/[\w./-]+\.(?:md|jsonl)(?:#[\w-]+)?)[)`]")
NOT_FIGURES = re.compile(
    r"!?\[[^\]]*\]\((?=[^)]*\.png)[^)]*\)|`[^`]*`|\]\([^)]*\)|<!--.*?-->|"  # images, code, targets of links, comments
    r"\d+(?:\.\d+){2,}|"  # versions
    r"\b(?:Python|PyTorch|UDPipe|SQuAD|section|eq\.|chapter|decision|part|version|WordNet) \d[\d.]*|"
    r"95 %|\b(?:19|20)\d\d\b",  # level of intervals, years
    re.DOTALL,
)
NUMBER = re.compile(
    r"(?:(?<![\w.])|(?<=\dx))(?<![A-Za-z]-)"
    r"(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:(?!\w)|(?=x(?:\d|\b)))( (?:%|M)(?!\w))?"
)
UNITS = {
    "2",
    "3",
    "60",
    "100",
    "1000",
    "1000000",
}  # of a formula: counts of seeds, seconds of a minute, bytes of a megabyte
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


@dataclass(frozen=True)
class Passage:
    """A paragraph, list or table of a page that names tables.

    Attributes:
        line: its first line.
        text: its text.
        tables: paths from the root of the repository, with an anchor or without.
        by: what of the passage has to be in one line of the tables: "row", "cell", or nothing.
        computed: figure -> the formula it is computed by.
    """

    line: int
    text: str
    tables: tuple[str, ...]
    by: str = ""
    computed: dict[str, str] = field(default_factory=dict)


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Line and text of each run of lines without a blank one, outside fenced code."""
    lines: list[str] = []
    fenced = False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        fence = line.lstrip().startswith("```")
        if lines and (fence or not line.strip()):
            yield number - len(lines), "\n".join(lines)
            lines = []
        fenced ^= fence
        if line.strip() and not (fence or fenced):
            lines.append(line)


def passages(text: str) -> Iterator[Passage]:
    """The passages of a page that name tables."""
    given, before = "", Passage(0, "", ())
    for line, block in blocks(text):
        if (comment := COMMENT.fullmatch(block.strip())) is not None:
            given = comment[1]
            continue
        names, *formulas = (part.strip() for part in given.split(";"))
        names, _, by = names.partition(" by ")
        tables = (*names.split(), *NAMED.findall(block))
        if not tables and block.lstrip()[0] in "|-" and before.text.endswith(":"):
            tables = before.tables
        computed = dict(tuple(part.split(" = ", 1)) for part in formulas)
        given, before = "", Passage(line, block, tuple(tables), by, computed)
        if tables:
            yield before


def figures(text: str) -> list[str]:
    """The figures of a text, as they are written, with `%` or `M` behind them."""
    return [match[0] for match in NUMBER.finditer(NOT_FIGURES.sub(" ", text))]


def parsed(figure: str) -> tuple[float, int]:
    """Value of a figure and the number of decimals that it shows; negative where an integer ends in zeros."""
    digits = figure.split()[0].replace(",", "")
    scale = 6 if figure.endswith(" M") else 0
    decimals = len(digits.partition(".")[2]) or (len(digits.rstrip("0")) - len(digits) if float(digits) >= 1000 else 0)
    return float(digits) * 10**scale, decimals - scale


def holds(known: list[tuple[float, int]], figure: str) -> bool:
    """Whether a figure is one of the known ones, or one of them rounded to the digits it shows.

    Shares may be known where percentages are shown, and millions without the `M`.
    """
    value, decimals = parsed(figure)
    shifts = {" %": (0, 2), " M": (0, 6)}.get(figure[-2:], (0,))
    return any(_agrees(one, value / 10.0**shift, decimals + shift) for shift in shifts for one in known)


def _agrees(known: tuple[float, int], value: float, decimals: int) -> bool:
    exact = math.isclose(known[0], value, rel_tol=1e-12)
    return exact or (known[1] > decimals and abs(known[0] - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9))


@functools.cache
def known_figures(table: str) -> list[list[tuple[float, int]]]:
    """The figures of a table of measurements, line by line.

    Raises:
        ValueError: there is no such section in the file.
    """
    path, _, anchor = table.partition("#")
    text = (ROOT / path).read_text(encoding="utf-8")
    text = re.sub(r"\]\([^)]*\)", " ", _section(text, anchor) if anchor else text).replace("`", " ")
    found = ([parsed(match[0]) for match in NUMBER.finditer(line)] for line in text.splitlines())
    return [line for line in found if line]


def _section(text: str, anchor: str) -> str:
    """The section of a heading, without those of its own level or above that follow."""
    level, kept = 0, []
    for line in text.splitlines():
        heading = re.match(r"(#+) (.*)", line)
        if heading and level and len(heading[1]) <= level:
            break
        if heading and not level and re.sub(r"[^\w-]", "", heading[2].lower().replace(" ", "-")) == anchor:
            level = len(heading[1])
        if level:
            kept.append(line)
    if not kept:
        raise ValueError(f"no heading of the file has the anchor #{anchor}")
    return "\n".join(kept)


def missing(passage: Passage) -> list[str]:
    """The figures of a passage that its tables do not hold."""
    lines = [line for table in passage.tables for line in known_figures(table)]
    known = list(itertools.chain(*lines))
    if passage.by:
        parts = map(figures, re.split({"row": r"\n", "cell": r"\n|\||, "}[passage.by], passage.text))
        return list(itertools.chain(*(_beside(part, lines) for part in parts)))
    return [
        figure
        for figure in _absent(figures(passage.text), known)
        if not _computes(passage.computed.get(figure.split()[0], ""), figure, known)
    ]


def _beside(part: list[str], lines: list[list[tuple[float, int]]]) -> list[str]:
    """The figures of a part that the line with the most of them lacks."""
    nearest = part
    for line in lines:
        nearest = min(nearest, _absent(part, line), key=len)
        if not nearest:
            break
    return nearest


def _absent(shown: list[str], known: list[tuple[float, int]]) -> list[str]:
    return [figure for figure in shown if not holds(known, figure)]


def _computes(formula: str, figure: str, known: list[tuple[float, int]]) -> bool:
    if not formula or not all(number in UNITS or holds(known, number) for number in figures(formula)):
        return False
    value, decimals = parsed(figure)
    return abs(_value(ast.parse(formula.replace(",", ""), mode="eval").body) - value) <= 0.5 * 10.0**-decimals + 1e-9


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    return float(ast.literal_eval(node))
