"""What a look at the beginning of a source shows, before it is read, and at the words, after it is: warnings.

Markup and annotation that would become words, and scripts without spaces, whose words nobody has divided.
"""

import contextlib
import itertools
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth.corpus.columns import ANNOTATED, TABLES, cells
from firth.corpus.options import CorpusOptions
from firth.corpus.reader import HEAD, inner_suffix, lines_of, opened, reading
from firth.corpus.sources import Files, Items, Source
from firth.corpus.table_options import TableOptions
from firth.errors import FirthError, brief, install_command, warn_caller
from firth.text.markup import known_markup
from firth.text.tokenise import DIVIDED, SEGMENT, are_words, decode

FILES, TEXTS = 50, 500  # looked at
_SCRIPTS = {
    "Thai": (0x0E00, 0x0E7F), "Lao": (0x0E80, 0x0EFF), "Tibetan": (0x0F00, 0x0FFF), "Burmese": (0x1000, 0x109F),
    "Khmer": (0x1780, 0x17FF),
}  # fmt: skip
_MUCH = 0.2  # of all tokens
_ANNOTATED_ROWS = {
    ".conllu": re.compile(r"\d+([-.]\d+)?(\t[^\t]+){9}\r?"),
    ".conll": re.compile(r"\S+([ \t]\S+)*[ \t]([BIESLU]-\S+|O)[ \t]*\r?"),
}  # the last column has tags of spans
_DOTLESS = 0.05  # the share of Turkish is a fifth; of other languages, names alone have it


def look_for_markup(source: Source, options: CorpusOptions) -> Source:
    """Warn if a source begins with markup that nobody removes; return the source, with everything still to be read."""
    if options.markup or not are_words(options.tokens) or (isinstance(source, Items) and source.tokenised):
        return source  # text of other tokens is prepared for them, and may hold <unk> on purpose
    if isinstance(source, Items):
        first = list(itertools.islice(source.items, TEXTS))
        source = replace(source, items=itertools.chain(first, source.items))
        _warn({"the texts": "\n".join(text for text in first if isinstance(text, str))[:HEAD]})
    elif isinstance(source, Files):
        step = -(-len(source.paths) // FILES)
        paths = [path for path in source.paths if inner_suffix(path) not in ANNOTATED]
        beginnings = {str(path): _beginning(path, source.column, source.how) for path in paths[::step]}
        _warn(beginnings)
        _warn_of_columns(beginnings)
    return source


def _beginning(path: Path, column: str | int | None, options: TableOptions) -> str:
    # What is wrong, and what is assumed, is said when the file is read.
    with contextlib.suppress(FirthError, OSError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not path.is_file():
            return ""  # what can be read only once is not read here
        if inner_suffix(path) in TABLES:
            with contextlib.closing(cells(path, column, lambda raw: None, options)) as values:
                return "\n".join(cell for cell in itertools.islice(values, TEXTS) if isinstance(cell, str))[:HEAD]
        with opened(path) as (_, stream), reading(path), lines_of(stream) as lines:
            return decode(lines.read(HEAD))
    return ""


def _warn(beginnings: dict[str, str]) -> None:
    marks = {name: counts for name, text in beginnings.items() if (counts := known_markup(text))}
    if not marks:
        return
    name, counts = max(marks.items(), key=lambda item: item[1].total())
    examples = ", ".join(brief(mark) for mark, _ in counts.most_common(3))
    more = f" and {len(marks) - 1:,} more of {len(beginnings):,} files" if len(marks) > 1 else ""
    warn_caller(
        f"{name}{more}: markup, such as {examples} ({counts.total():,} marks in the first {HEAD // 1024} KB), becomes "
        "words; markup=True leaves tags out, resolves entities, and ends sentences at </s> and <br/>"
    )


def _warn_of_columns(beginnings: dict[str, str]) -> None:
    for name, text in beginnings.items():
        rows = [line for line in text.split("\n")[:-1] if line.strip() and not line.startswith(("#", "-DOCSTART-"))]
        for kind, row in _ANNOTATED_ROWS.items():
            same = kind == ".conllu" or len({len(line.split()) for line in rows}) == 1
            if len(rows) > 1 and same and all(map(row.fullmatch, rows)):
                warn_caller(
                    f"{name}: a word a line, with its annotation, such as {brief(rows[0])}: all columns become words; "
                    f"to read those of the text alone, give the file a name that ends in {kind}"
                )
                return


def look_for_undivided_words(words: list[str], counts: npt.NDArray[np.int64], options: CorpusOptions) -> None:
    """Warn if many words are of a script that puts no spaces between them, or of a language with rules of its own."""
    if not are_words(options.tokens) or not len(counts):
        return
    order = np.argsort(-counts, kind="stable")[:2000].tolist()
    total = sum(int(counts[i]) for i in order)
    dotless = [i for i in order if "ı" in words[i]]
    if options.language is None and sum(int(counts[i]) for i in dotless) > _DOTLESS * total:
        warn_caller(
            f"words such as {brief(words[dotless[0]])} have the dotless ı of Turkish and Azerbaijani, and a capital I "
            "became i; language='tr' (or 'az') makes it ı"
        )
    for script, (first, last) in _SCRIPTS.items():
        own = [i for i in order if any(first <= ord(character) <= last for character in words[i])]
        if sum(int(counts[i]) for i in own) > _MUCH * total:
            if options.tokens == SEGMENT and script in DIVIDED:
                return
            unit = "what stands between two spaces" if script in DIVIDED else "syllables"
            remedy = (
                f"tokens='segment' divides them ({install_command('segment')})" if script in DIVIDED else "divide them"
            )
            warn_caller(
                f"{script} puts no spaces between words, so that {unit} became words, such as "
                f"{brief(words[own[0]])}; expected divided words: {remedy}; or put spaces between them; or use "
                "tokens='subwords', or train FastText, which reads their n-grams"
            )
            return
