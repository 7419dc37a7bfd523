"""Pages of a concordance: the text is read as pages are asked for, and for a moment longer, to count the others."""

import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from firth.corpus.encoded import Corpus
from firth.corpus.kwic import Occurrence
from firth.corpus.occurrences import Concordance
from firth.explorer import view_schemas as schema
from firth.explorer.endpoint import first_of, writable

KEPT = 10_000  # occurrences of which there are pages; the others are counted
COUNTING = 2.0  # seconds that a request reads beyond its page at most
FORMS = 8  # that are shown


class ConcordancePages:
    """Pages of the concordance that was asked for last.

    Args:
        corpora: texts by name.
    """

    def __init__(self, corpora: Mapping[str, Corpus]) -> None:
        self._corpora = corpora
        self._key: tuple[str, str, str, int] | None = None
        self._found: Concordance
        self._reading: Iterator[Occurrence]
        self._kept: list[Occurrence]
        self._notes: list[str]
        self._is_read: bool

    def page(self, request: schema.ConcordanceRequest) -> dict[str, Any]:
        """Return the occurrences of a page."""
        name, first = first_of(self._corpora, request.model), request.page * request.n
        key = name, request.query, request.sort, request.window
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                if key != self._key:
                    self._begin(self._corpora[name], request)
                self._read_on(first + request.n)
            self._notes += [str(warning.message) for warning in said]
        except BaseException:
            self._key = None  # a text that could not be read is read anew
            raise
        self._key = key
        kept, concordance = self._kept[first : first + request.n], self._found
        return {
            "model": name,
            "found": concordance.total,
            "complete": self._is_read,
            "more": first + request.n < len(self._kept),
            "kept": KEPT,
            "files": concordance.files,
            "unit": concordance.unit,
            "notes": writable(self._notes),
            "forms": [{"form": form, "count": count} for form, count in concordance.forms.most_common(FORMS)],
            "rows": _rows(kept, _folder(concordance.text.files)),
        }

    def _begin(self, corpus: Corpus, request: schema.ConcordanceRequest) -> None:
        limit = None if request.sort == "file" else KEPT
        self._found = corpus.concordance(request.query, window=request.window, sort=request.sort, limit=limit)
        self._notes, self._kept, self._is_read = [], [], False
        self._reading = iter(self._found)

    def _read_on(self, last: int) -> None:
        """Read until there is one more than a page holds, and on for a while."""
        if self._is_read:
            return
        until = time.monotonic() + COUNTING
        for occurrence in self._reading:
            if len(self._kept) < KEPT:
                self._kept.append(occurrence)
            if len(self._kept) > min(last, KEPT - 1) and time.monotonic() > until:
                return
        self._is_read = True


def pages(concordances: ConcordancePages, request: schema.ConcordanceRequest) -> dict[str, Any]:
    """Return a page of a concordance."""
    return concordances.page(request)


def _folder(files: Sequence[str]) -> str:
    """Return the folder in which all files are, with its separator; "" if there is none."""
    try:
        return f"{os.path.commonpath([Path(file).parent for file in files])}{os.sep}" if files else ""
    except ValueError:  # on several drives
        return ""


def _rows(occurrences: Sequence[Occurrence], folder: str) -> list[dict[str, Any]]:
    names = ("before", "match", "after", "sentence")
    return [
        {
            "line": occurrence.line,
            **dict(zip(("file", *names), writable([occurrence.file.removeprefix(folder), *texts]), strict=True)),
        }
        for occurrence in occurrences
        for texts in [[getattr(occurrence, name) for name in names]]
    ]
