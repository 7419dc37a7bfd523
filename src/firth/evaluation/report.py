"""Judge word vectors on gold sets: the one place of this folder that knows `WordVectors`.

Words are looked up as the gold file writes them, then lower-cased. A pair or a question of which a word has no vector
is left out of the figure and shows in its coverage.
"""

import html
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from firth import data as named
from firth.errors import DataError, OptionError
from firth.evaluation.analogy import METHODS, solve
from firth.evaluation.files import Questions, ScoredPairs, read_pairs, read_questions
from firth.evaluation.significance import wilson_interval
from firth.evaluation.similarity import RESAMPLES, spearman, spearman_interval
from firth.vectors.neighbours import unit
from firth.vectors.subword_vectors import SubwordVectors
from firth.vectors.word_vectors import WordVectors

PathLike = str | os.PathLike[str]
Given = PathLike | Sequence[PathLike] | None

DEFAULT_SIMILARITY = ("wordsim-353", "simlex-999", "men", "rare-words")
DEFAULT_ANALOGIES = ("google-analogies",)


@dataclass(frozen=True, kw_only=True)
class Row:
    """One figure.

    Attributes:
        vectors: the name of the vectors judged.
        set: the gold set; a section of it stands behind a slash, as in "google-analogies/capital-world".
        metric: "spearman", or "3cosadd" or "3cosmul" for the share of analogies answered right.
        value: from -1 to 1 (spearman) or 0 to 1; NaN where nothing could be measured.
        low: lower end of the 95 % interval: bootstrap over pairs (spearman), Wilson's (analogies).
        high: upper end of the interval.
        covered: pairs or questions of which every word has a vector.
        total: pairs or questions in the set.
    """

    vectors: str
    set: str
    metric: str
    value: float
    low: float
    high: float
    covered: int
    total: int

    @property
    def is_section(self) -> bool:
        """Whether this is one part of a set, other than the halves that are usually printed."""
        return "/" in self.set and not self.set.endswith(("/semantic", "/syntactic"))


@dataclass(frozen=True)
class Report:
    """Figures, one a row.

    Attributes:
        rows: in the order of the vectors, then of the sets.
    """

    rows: Sequence[Row]

    def __str__(self) -> str:
        return self.table()

    def table(self, *, sections: bool = False) -> str:
        """Return an aligned table.

        Args:
            sections: whether the sections of analogy sets have lines of their own.
        """
        cells = [list(_HEADINGS), *(_cells(row) for row in self._shown(sections))]
        widths = [max(len(line[i]) for line in cells) for i in range(len(_HEADINGS))]
        return "\n".join(
            "  ".join(
                cell.ljust(width) if i < _TEXT_COLUMNS else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in cells
        )

    def to_json(self) -> str:
        """Return one JSON object a line, sections included; a figure that could not be measured is null."""
        return "\n".join(json.dumps(_jsonable(row), ensure_ascii=False) for row in self.rows)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{heading}</th>" for heading in _HEADINGS)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(row)) + "</tr>"
            for row in self._shown(False)
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _shown(self, sections: bool) -> list[Row]:
        return [row for row in self.rows if sections or not row.is_section]


_HEADINGS = ("vectors", "set", "metric", "value", "95 % interval", "covered")
_TEXT_COLUMNS = 3  # the first columns are words, to the left; figures stand to the right


def _cells(row: Row) -> list[str]:
    measured = not np.isnan(row.value)
    return [
        row.vectors,
        row.set,
        row.metric,
        f"{row.value:.3f}" if measured else "-",
        f"{row.low:.3f} to {row.high:.3f}" if measured else "-",
        f"{row.covered:,}/{row.total:,}",
    ]


def _jsonable(row: Row) -> dict[str, object]:
    return {name: None if value != value else value for name, value in asdict(row).items()}


def evaluate(
    vectors: WordVectors | SubwordVectors | Mapping[str, WordVectors | SubwordVectors],
    *,
    similarity: Given = None,
    analogies: Given = None,
    data: PathLike | None = None,
    restrict_vocab: int = 300_000,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Report:
    """Judge vectors on word similarity and analogies.

    Args:
        vectors: the vectors, or several by name. Of vectors with subwords, the known words are judged.
        similarity: files of scored pairs, or names of `firth.data.SETS`.
        analogies: files of questions, or names. When neither is given: WordSim-353, SimLex-999, MEN, Rare Words, and
            Google's analogies.
        data: a folder of local copies of the named sets; by default the environment variable FIRTH_DATA names it, and
            without that the sets are downloaded.
        restrict_vocab: analogies are asked of, and answered by, this many words from the front, the most frequent ones
            where the vectors are in that order; as in gensim.
        resamples: of the bootstrap.
        seed: of the bootstrap.

    Returns:
        A report that prints as a table.

    Raises:
        DataError: a name is unknown, or a named set is absent or not the pinned one.
        FormatError: a gold file is not in its format.
        OptionError: `restrict_vocab` or `resamples` is below one.
    """
    for option, value in (("restrict_vocab", restrict_vocab), ("resamples", resamples)):
        if value < 1:
            raise OptionError(f"{option}={value}: expected a whole number of at least 1")
    if similarity is None and analogies is None:
        similarity, analogies = DEFAULT_SIMILARITY, DEFAULT_ANALOGIES
    # Every file is read before the first figure is made: a mistake in the last name should not cost the work on the
    # others.
    pairs = [(name, read_pairs(path)) for name, path in _resolve(similarity, data)]
    questions = [(name, read_questions(path)) for name, path in _resolve(analogies, data)]
    several = vectors if isinstance(vectors, Mapping) else {_name(vectors): vectors}
    rows: list[Row] = []
    for name, one in several.items():
        find = _finder(one.words)
        rows += [_judge_pairs(one.vectors, find, gold, (name, label), resamples, seed) for label, gold in pairs]
        for label, asked in questions:
            rows += _judge_questions(one.vectors[:restrict_vocab], find, asked, (name, label))
    return Report(rows)


def _name(vectors: WordVectors | SubwordVectors) -> str:
    return str(vectors.metadata.get("name", "vectors"))


def _resolve(given: Given, data: PathLike | None) -> list[tuple[str, Path]]:
    """The label and the file of each set asked for."""
    if given is None:
        return []
    wanted: Iterable[PathLike] = [given] if isinstance(given, str | os.PathLike) else given
    return [_resolve_one(item, data) for item in wanted]


def _resolve_one(item: PathLike, data: PathLike | None) -> tuple[str, Path]:
    if str(item) in named.SETS:
        return str(item), named.path_of(str(item), data)
    path = Path(item)
    if not path.exists():
        raise DataError(f"{path}: no such file, and no named set; expected a path or one of {', '.join(named.SETS)}")
    return path.stem, path


Find = Callable[[str], int]


def _finder(words: Sequence[str]) -> Find:
    """Look a word up as written, then lower-cased; -1 where neither is there."""
    ids: dict[str, int] = {}
    for i, word in enumerate(words):
        ids.setdefault(word, i)
    return lambda word: ids.get(word, ids.get(word.lower(), -1))


def _judge_pairs(
    matrix: npt.NDArray[np.floating],
    find: Find,
    gold: ScoredPairs,
    names: tuple[str, str],
    resamples: int,
    seed: int,
) -> Row:
    ids = np.array([(find(one), find(other)) for one, other in gold.pairs]).reshape(-1, 2)
    covered = (ids >= 0).all(axis=1)
    one, other = unit(matrix[ids[covered, 0]]), unit(matrix[ids[covered, 1]])
    cosines = np.einsum("nd,nd->n", one, other, dtype=np.float64)
    low, high = spearman_interval(cosines, gold.scores[covered], resamples=resamples, seed=seed)
    return Row(
        vectors=names[0],
        set=names[1],
        metric="spearman",
        value=spearman(cosines, gold.scores[covered]),
        low=low,
        high=high,
        covered=int(covered.sum()),
        total=len(ids),
    )


def _judge_questions(
    matrix: npt.NDArray[np.floating], find: Find, gold: Questions, names: tuple[str, str]
) -> list[Row]:
    ids = np.array([[find(word) for word in words] for words in gold.words]).reshape(-1, 4)
    covered = ((ids >= 0) & (ids < len(matrix))).all(axis=1)
    parts = _parts(np.array(gold.sections))
    rows = []
    for method in METHODS:
        right = np.zeros(len(ids), dtype=bool)
        right[covered] = solve(matrix, ids[covered, :3], method=method) == ids[covered, 3]
        for part, members in parts.items():
            asked = int((members & covered).sum())
            correct = int((members & right).sum())
            low, high = wilson_interval(correct, asked)
            rows.append(
                Row(
                    vectors=names[0],
                    set=names[1] + part,
                    metric=method,
                    value=correct / asked if asked else float("nan"),
                    low=low,
                    high=high,
                    covered=asked,
                    total=int(members.sum()),
                )
            )
    return rows


def _parts(sections: npt.NDArray[np.str_]) -> dict[str, npt.NDArray[np.bool_]]:
    """Which questions are in the whole set, in its halves (of a set with `gram...` sections) and in each section."""
    parts = {"": np.ones(len(sections), dtype=bool)}
    syntactic = np.char.startswith(sections, "gram")
    if syntactic.any() and not syntactic.all():
        parts |= {"/semantic": ~syntactic, "/syntactic": syntactic}
    names = [str(name) for name in dict.fromkeys(sections.tolist()) if name]
    return parts | {f"/{name}": sections == name for name in names}
