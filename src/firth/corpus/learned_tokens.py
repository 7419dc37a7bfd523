"""Tokens learned from the text that a corpus is built from: `tokens="subwords"`, "characters" and "wordpieces".

What: the text is read twice, first to learn the tokens, then to encode it. What can be read only once (standard
    input, a generator, a pipe) is copied to a temporary file first. The corpus stores the tokens as if they were given.
Objective: for subwords, byte-pair encoding (`firth.text.subwords`) with V = 256 + 2 sqrt(C) subwords, at most
    32,000, where C is the number of characters of the text; 256 are the bytes. For characters, one token each, bytes
    for characters rarer than `min_count`. For word pieces (`firth.text.wordpieces`), 8,000 pieces.
Source: by bits per character of LSTMs on held-out text, short texts want fewer subwords than long ones,
    benchmarks/results/language/subword_sizes.md.
Departures: from more than 16 million characters, subwords are learned from texts that are spread evenly over all.
Cost: a second reading of the text, and about a second per million characters.
"""

import contextlib
import json
import math
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from firth.corpus.contents import TextStream, contents, sentences, with_errors
from firth.corpus.options import CorpusOptions, is_learned
from firth.corpus.reading_progress import ReadingProgress
from firth.corpus.size_defaults import RARE_SUBWORDS
from firth.corpus.sources import Files, Items, Source, StandardInput
from firth.errors import OptionError
from firth.progress import Report, Status
from firth.storage.user_files import naming, open_file
from firth.text.byte_level import CHARACTERS
from firth.text.subwords import Subwords
from firth.text.wordpieces import LEAST, SPECIAL, WordPieces

SAMPLE = 1 << 24  # characters that subwords are learned from, at most
BYTES, MAX_SIZE = len(CHARACTERS), 32_000
PIECES, RARE_PIECES = 8000, 2  # word pieces, and the least count of a pair to be merged


def vocabulary_size(characters: int) -> int:
    """Return the number of subwords for a text, the 256 bytes included.

    Args:
        characters: number of characters of the text.
    """
    return max(BYTES + 1, min(MAX_SIZE, BYTES + round(2 * math.sqrt(characters))))


@contextlib.contextmanager
def with_tokens(source: Source, options: CorpusOptions, report: Report) -> Iterator[tuple[Source, CorpusOptions]]:
    """Yield the source and options of a corpus, with learned tokens in place of their names.

    Args:
        options: with `tokens="subwords"` or another name of `LEARNED`; others are yielded as they are.
    """
    if not is_learned(options.tokens):
        yield source, options
        return
    _check_size(options)
    with tempfile.TemporaryDirectory(prefix="firth-") as folder, naming(folder):
        read = _readable_again(source, Path(folder))
        subwords = _learned(read(), options, report)
        yield read(), replace(options, tokens=subwords, min_count=1, max_size=None)


def _check_size(options: CorpusOptions) -> None:
    pieces = "wordpieces" in str(options.tokens)
    least = LEAST + len(SPECIAL) if pieces else BYTES + 1
    if options.max_size is not None and options.max_size < least:
        why = "" if pieces else f", as {BYTES} of them are the bytes, which any text consists of"
        raise OptionError(f"max_size={options.max_size} with tokens={options.tokens!r}: expected at least {least}{why}")


def _learned(source: Source, options: CorpusOptions, report: Report) -> Subwords | WordPieces:
    meter = ReadingProgress(report, source.size() if isinstance(source, Files) else None)
    texts = (text for name, content in contents(source, meter) for text in sentences(content.texts(name), options))
    min_count = options.min_count or RARE_SUBWORDS
    if options.tokens == "characters":
        return Subwords.characters(texts, options.max_size, min_count=min_count)
    sample, characters = sample_evenly(texts, SAMPLE)
    report(Status(stage="learning subwords"))
    if options.tokens != "subwords":
        lowercase, count = options.tokens == "wordpieces", options.min_count or RARE_PIECES
        return WordPieces.train(sample, options.max_size or PIECES, lowercase=lowercase, min_count=count)
    size = options.max_size or vocabulary_size(characters)
    return Subwords.train(sample, size, min_count=min_count)


def sample_evenly(texts: Iterable[str], limit: int) -> tuple[list[str], int]:
    """Return texts that are spread evenly over all, and the number of characters of all.

    Args:
        texts: read once.
        limit: characters that are returned, at most; at least one text is.
    """
    kept: list[str] = []
    held, total, every = 0, 0, 1
    for i, text in enumerate(texts):
        total += len(text)
        if i % every:
            continue
        kept.append(text)
        held += len(text)
        while held > limit and len(kept) > 1:
            kept, every = kept[::2], 2 * every
            held = sum(map(len, kept))
    return kept, total


def _readable_again(source: Source, folder: Path) -> Callable[[], Source]:
    """Return a function that returns the source at its beginning; what can be read only once is copied to a folder."""
    if isinstance(source, Items):
        path, name = folder / "texts", source.name
        with path.open("w", encoding="ascii") as file:
            for (text,) in TextStream(with_errors(source.items), lambda: None).texts("the source"):
                file.write(json.dumps(text) + "\n")
        return lambda: Items(_texts(path), tokenised=False, name=name)
    if isinstance(source, StandardInput):
        path = folder / "standard input"
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        files = Files((path,), None, (source.name,))
    else:
        paths = (_copied(path, folder / str(i)) for i, path in enumerate(source.paths))
        files = replace(source, paths=tuple(paths))
    return lambda: files


def _texts(path: Path) -> Iterator[str]:
    with path.open(encoding="ascii") as file:
        for line in file:
            yield json.loads(line)


def _copied(path: Path, folder: Path) -> Path:
    """Return the path of a file that can be read twice: a copy of a pipe, or the file itself."""
    if stat.S_ISREG(path.stat().st_mode):
        return path
    folder.mkdir()
    copy = folder / path.name
    with open_file(path) as pipe, copy.open("wb") as file:
        shutil.copyfileobj(pipe, file)
    return copy
