"""Contenders that take turns within one process, and the table of their speeds.

A contender does its work once a call and returns how many units (words, nodes, questions) that was. Every round runs
each of them once, after a round that is thrown away; a run is a line of JSON. In the table, a speed is the median of
the rounds (least - greatest), a ratio the median over the rounds of the ratio to another contender in the same round.
"""

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine import describe
from benchmarks.records import append, read

Job = Callable[[], int]  # does the work once; how many units it was
Clock = Callable[[], float]


def counting(work: Callable[[], object], units: int) -> int:
    """Do work of so many units: a job, once both are given."""
    work()
    return units


@dataclass(frozen=True)
class Contender:
    """What takes turns with others.

    Attributes:
        names: what stands in the columns of its row.
        job: the work.
        warm_up: whether it takes part in the round that is thrown away.
    """

    names: tuple[Any, ...]
    job: Job
    warm_up: bool = True


@dataclass(frozen=True)
class SpeedTable:
    """A comparison of speeds.

    Attributes:
        title: heading of the table.
        legend: text above the table, with the sizes, {machine} and {torch} to fill in.
        unit: what a job counts, in the plural.
        columns: keys of the names of a contender in the file, and the headings above them.
        other: from the names of a contender to those of the one that its ratio refers to; None for no ratios.
        inverse: whether a ratio is that of the other contender to this one.
        clock: processor time, or time.
    """

    title: str
    legend: str
    unit: str
    columns: Mapping[str, str]
    other: Callable[[tuple[Any, ...]], tuple[Any, ...]] | None = None
    inverse: bool = False
    clock: Clock = time.process_time

    @property
    def figure(self) -> str:
        """The key of a speed in the file."""
        return f"{self.unit.split()[-1]}_a_second"

    def begin(self, file: Path, sizes: Mapping[str, Any], **versions: str) -> None:
        """Begin a file, in place of an older one, with the machine, the sizes and the versions of libraries."""
        file.unlink(missing_ok=True)
        append(file, {"kind": "series", "machine": describe(), **versions, "sizes": dict(sizes)})

    def measure(self, contenders: Iterable[Contender], rounds: int, file: Path) -> None:
        """Run every contender once a round, after one round that is thrown away."""
        contenders = list(contenders)
        for number in range(-1, rounds):
            for each in contenders:
                if number < 0 and not each.warm_up:
                    continue
                start = self.clock()
                units = each.job()
                speed = units / (self.clock() - start)
                if number >= 0:
                    names = dict(zip(self.columns, each.names, strict=True))
                    append(file, {**names, "round": number, self.figure: round(speed, 2)})

    def speeds(self, file: Path) -> dict[tuple[Any, ...], list[float]]:
        """The speeds of each contender, by its names, in the order of the rounds."""
        found: dict[tuple[Any, ...], list[float]] = {}
        for row in read(file)[1:]:
            found.setdefault(tuple(row[key] for key in self.columns), []).append(row[self.figure])
        return found

    def above(self, file: Path) -> list[str]:
        """The title and the legend, as lines."""
        header = read(file)[0]
        machine = header["machine"]["processor"]
        filled = self.legend.format(**header["sizes"], machine=machine, torch=header.get("torch"))
        return [self.title, "", filled.rstrip(), ""]

    def markdown(self, file: Path) -> str:
        """The runs as Markdown."""
        headings = [*self.columns.values(), f"{self.unit} a second"] + ["ratio"] * (self.other is not None)
        lines = [*self.above(file), f"| {' | '.join(headings)} |", "|" + "---|" * len(headings)]
        speeds = self.speeds(file)
        for names, own in speeds.items():
            cells = [*names, spread(own)]
            if self.other is not None:
                cells.append(self._ratio(own, speeds.get(self.other(names))))
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines) + "\n"

    def _ratio(self, own: Sequence[float], other: Sequence[float] | None) -> str:
        if other is None:
            return ""
        ratios = (a / b for a, b in zip(own, other, strict=False))  # an interrupted file has fewer runs of some
        return f"{statistics.median(1 / ratio if self.inverse else ratio for ratio in ratios):.2f}"


def spread(speeds: Sequence[float]) -> str:
    """The median of speeds, the least and the greatest."""
    middle = statistics.median(speeds)
    digits = 0 if middle >= 100 else 1
    return f"{middle:,.{digits}f} ({min(speeds):,.{digits}f} - {max(speeds):,.{digits}f})"
