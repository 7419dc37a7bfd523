"""How words change over several groups of documents in an order, such as periods: `firth.contrast_series`.

What: each group is contrasted with the next one, and the first with the last, as `firth.contrast` does with two. The
distances, intervals, chance levels and p of a pair are those of the two groups alone; `adjusted` and `q` are corrected
for the words of all pairs together (`firth.alignment.chance.corrected`).

Departures: options that depend on the size of the text are chosen once, from that of the smallest group, so that the
distances of all pairs can be compared.

Cost: P pairs for P groups, each 2 (1 + permutations + runs) trainings.
"""

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np

from firth import notebook
from firth.alignment.contrast import Design, contrasts
from firth.alignment.contrast_result import SHOWN, Contrast, check_order, save_table
from firth.arguments import explained
from firth.corpus.options import TextArguments
from firth.errors import OptionError, UnknownWordError, brief
from firth.options import check_whole, wrong_kind
from firth.progress import Progress
from firth.resampling import LEVEL

FEWEST = 3  # groups


@explained
def contrast_series(
    model: Any,
    groups: Mapping[str, Any],
    *,
    words: Sequence[str] = (),
    permutations: int = 20,
    runs: int = 20,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress = None,
    **text: Unpack[TextArguments],
) -> "ContrastSeries":
    """Compare what words mean in successive groups of documents, such as periods, with p-values and intervals.

    Args:
        model: the options of any model that learns word vectors, such as `firth.Word2Vec(dim=100)`.
        groups: documents by the name of their group, three groups or more in their order: {"1850": "novels/1850", ...}.
            `firth.contrast` says what documents are.
        words: see `firth.contrast`.
        permutations: see `firth.contrast`.
        runs: see `firth.contrast`.
        threads: trainings at one time, each with one thread; None is one per processor.
        **text: options of the text, see `firth.contrast`.

    Returns:
        A contrast of each group with the next one, and of the first with the last.

    Raises:
        OptionError: there are less than three groups; or see `firth.contrast`.
        CorpusError: a text cannot be read, or two groups have no common words.
        UnknownWordError: there are `words`, and none of them can be compared.
        KeyboardInterrupt: too few permutations were finished.
    """
    if not isinstance(groups, Mapping):
        raise wrong_kind(
            "groups", groups, "documents by the names of the groups, such as {'1850': texts, '1900': more}"
        )
    names = list(groups)
    if len(names) < FEWEST or not all(isinstance(name, str) and name for name in names):
        raise OptionError(
            f"groups {brief(names)}: expected the names of {FEWEST} groups or more; firth.contrast compares two"
        )
    pairs = [*itertools.pairwise(names), (names[0], names[-1])]
    design = Design(permutations, runs, seed, threads, progress, words)
    return ContrastSeries(tuple(names), contrasts(model, groups, pairs, design, text))


@dataclass(frozen=True, repr=False)
class ContrastSeries:
    """Words in several groups of documents in an order, made by `firth.contrast_series`.

    Attributes:
        names: of the P groups.
        pairs: P contrasts: of each group with the next one, then of the first with the last.

    Source: `firth.alignment.chance` says what the figures mean, and what they assume.
    """

    names: tuple[str, ...]
    pairs: list[Contrast]

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return any(word in pair for pair in self.pairs)

    def __repr__(self) -> str:
        return (
            f"<ContrastSeries: {', '.join(self.names)}, {len(self):,} words, {len(self.significant()):,} significant>"
        )

    def _repr_html_(self) -> str:
        steps = [" → ".join(pair.names) for pair in self.pairs]
        rows = []
        for facts in map(self.facts, self.most_changed(SHOWN)):
            cells = ["" if change["distance"] is None else f"{change['distance']:.3g}" for change in facts["changes"]]
            rows.append((facts["word"], *cells))
        return notebook.table(("word", *steps), rows, words=1, caption=self.summary())

    @cached_property
    def words(self) -> list[str]:
        """The words that two successive groups, or the first and the last, have often enough."""
        return list(dict.fromkeys(word for pair in self.pairs for word in pair.words))

    @property
    def metadata(self) -> dict[str, Any]:
        """Facts of the first pair; "training" says how it was made."""
        return dict(self.pairs[0].metadata)

    def summary(self) -> str:
        """Return a sentence on what was compared and found."""
        level, training = 1 - LEVEL, self.metadata["training"]
        changed, listed = self.significant(), self.significant(by="q")
        return (
            f"{', '.join(self.names)}: {len(changed):,} of {len(self):,} words change by more than chance (adjusted p "
            f"<= {level:.2g} over all {len(self.pairs)} pairs, {training['permutations']} random divisions of each), "
            f"{len(listed):,} with q <= {level:.2g}"
        )

    def most_changed(self, n: int = 10, by: str = "chance") -> list[str]:
        """Return the words that change most in any of the pairs; see `Contrast.order`.

        Raises:
            OptionError: `n` is below 1, or there is no such order.
        """
        check_whole("n", n)
        check_order(by)
        best: dict[str, float] = {}
        for pair in self.pairs:
            figures = pair.distance if by == "distance" else np.nan_to_num(pair.z, nan=-np.inf)
            for word, figure in zip(pair.words, figures.tolist(), strict=True):
                best[word] = max(figure, best.get(word, -np.inf))
        return sorted(self.words, key=lambda word: -best[word])[:n]

    def significant(self, level: float = 1 - LEVEL, by: str = "adjusted") -> list[str]:
        """Return the words that change by more than chance in any of the pairs, the most changed first.

        Args:
            level: the most that the figure may be.
            by: "adjusted" or "q", see `Contrast.significant`; both are corrected for the words of all pairs.

        Raises:
            OptionError: there is no such figure.
        """
        changed = {word for pair in self.pairs for word in pair.significant(level, by)}
        return [word for word in self.most_changed(max(len(self), 1)) if word in changed]

    def facts(self, word: str, near: int = 5) -> dict[str, Any]:
        """Return the counts of a word, its change in each pair, and its nearest words in each group, for JSON.

        The figures of a pair in which the word is too rare are None.

        Args:
            near: number of nearest words.

        Raises:
            RareWordError: the word is too rare in each pair.
            UnknownWordError: it is in none of the groups.
        """
        compared = [pair for pair in self.pairs if word in pair]
        if not compared:
            raise self.unknown(word)
        own = compared[0].facts(word, 1)["word"]
        neighbours: dict[str, list[str]] = {}
        for pair in compared:
            neighbours = {**pair.facts(own, near)["neighbours"], **neighbours}
        return {
            "word": own,
            "counts": self._counts(own),
            "changes": [self._change(pair, own) for pair in self.pairs],
            "neighbours": {name: neighbours[name] for name in self.names if name in neighbours},
        }

    def unknown(self, word: str) -> UnknownWordError:
        """Return the error for a word that is not compared: too rare in each pair, or in none of the groups."""
        errors = [pair.unknown(word) for pair in self.pairs]
        return next((error for error in errors if type(error) is not UnknownWordError), errors[0])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the figures of all words in a table, a row for each pair, the most changed words first.

        Args:
            path: a file that ends in .csv, .tsv or .jsonl.

        Raises:
            OptionError: it has another ending.
        """
        words = self.most_changed(max(len(self), 1))
        save_table(
            path,
            [
                {"word": word, **self._change(pair, word), "counts": self._counts(word)}
                for word in words
                for pair in self.pairs
            ],
        )

    def _counts(self, word: str) -> dict[str, int]:
        return {
            name: count for pair in self.pairs for name, count in zip(pair.names, pair.tally.in_each(word), strict=True)
        }

    def _change(self, pair: Contrast, word: str) -> dict[str, Any]:
        return {"from": pair.names[0], "to": pair.names[1], **pair.figures(word)}
