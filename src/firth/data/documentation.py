"""English that every installation of firth carries: the documentation of Python, NumPy, SciPy and what else it needs.

Python's language topics come from `pydoc_data`. The rest is read from source files, which are not imported: all
strings in triple quotes, which are docstrings but for a few, and in NumPy's case also the documentation of what is
written in C.
"""

import itertools
import os
import re
import sysconfig
from collections.abc import Iterable, Iterator
from importlib import import_module, util
from pathlib import Path

# What firth needs, what that needs, and what draws the map; the same everywhere, so that one demo is like another.
PACKAGES = (
    "numpy", "scipy", "numba", "llvmlite", "matplotlib", "contourpy", "fontTools", "kiwisolver", "PIL", "dateutil",
    "pooch", "requests", "urllib3", "rich", "pygments", "typer", "safetensors",
)  # fmt: skip

# A small lexer: comments and simple strings are matched only so that a quote inside them opens nothing.
_STRINGS = re.compile(
    r"""
      \"\"\" ((?: [^"\\]+ | \\. | "(?!"") )*) \"\"\"
    | \'\'\' ((?: [^'\\]+ | \\. | '(?!'') )*) \'\'\'
    | " (?: [^"\\\n]+ | \\. )* "
    | ' (?: [^'\\\n]+ | \\. )* '
    | \# [^\n]*
    """,
    re.DOTALL | re.VERBOSE,
)
_LEFT_OUT = {"test", "tests", "testing", "site-packages", "__pycache__", "_vendor", "vendored"}
_IDENTIFIER = re.compile(r"\S*(?:[_\\=@<>|{}]|\(\)|:\w)\S*")  # code within prose, which would crowd out words
_PROMPT = ("In [", ">>> ", "... ", "Traceback", ".. ", "+-", "==", "--")
_FEWEST_WORDS = 4
_LEAST_LETTERS = 0.7  # minimum share of letters and spaces in prose, unlike tables and code


def paragraphs() -> list[str]:
    """Return the different paragraphs of prose, each once, in an order that depends only on the installed packages."""
    return _different(itertools.chain(_topics(), *map(_docstrings, _roots())))


def language_paragraphs() -> list[str]:
    """Return the paragraphs of Python's language reference."""
    return _different(_topics())


def library_paragraphs() -> list[str]:
    """Return the paragraphs of the docstrings of Python's standard library."""
    return _different(_docstrings(_library()))


def _different(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(part for text in texts for part in _prose(text)))


def _topics() -> Iterable[str]:
    topics: dict[str, str] = import_module("pydoc_data.topics").topics
    return topics.values()


def _docstrings(root: Path) -> Iterator[str]:
    for path in sorted(_source_files(root)):
        yield from _strings_in(path)


def _source_files(root: Path) -> Iterator[Path]:
    for folder, subfolders, names in os.walk(root):
        subfolders[:] = [name for name in subfolders if name not in _LEFT_OUT]  # site-packages may be large
        yield from (Path(folder, name) for name in names if name.endswith(".py"))


def _roots() -> Iterator[Path]:
    yield _library()
    for name in PACKAGES:
        spec = util.find_spec(name)
        if spec is not None and spec.origin is not None:
            yield Path(spec.origin).parent


def _library() -> Path:
    return Path(sysconfig.get_path("stdlib"))


def _strings_in(path: Path) -> Iterator[str]:
    source = path.read_bytes().decode("utf-8", "replace")
    if '"""' in source or "'''" in source:
        yield from (match[1] or match[2] or "" for match in _STRINGS.finditer(source))


def _prose(text: str) -> Iterator[str]:
    """The paragraphs of a docstring that are sentences, without code, tables, headings and lists of names."""
    for block in re.split(r"\n\s*\n", text):
        if len(block.split()) <= _FEWEST_WORDS:
            continue
        lines = [line.strip() for line in block.split("\n")]
        text = " ".join(line for line in lines if line and not line.startswith(_PROMPT))
        letters = sum(map(str.isalpha, text)) + text.count(" ")
        words = _IDENTIFIER.sub(" ", text).split()
        if len(words) > _FEWEST_WORDS and letters >= _LEAST_LETTERS * len(text):
            yield " ".join(words)
