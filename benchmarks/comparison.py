"""What is compared: contenders that do the same job, and what firth owes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Contender:
    """One program that does the job.

    Attributes:
        name: as the tables show it.
        command: the command line; its last line of output is a JSON object that holds at least `seconds`.
        environment: variables set for this program alone; `FRESH_FOLDER` stands for a new, empty folder each run.
        warm_up: whether one run goes uncounted, before the first round, to fill caches on disk.
    """

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    warm_up: bool = False


FRESH_FOLDER = "fresh folder"


@dataclass(frozen=True)
class Target:
    """`ours` shall be `at_least` times as fast as `peer`."""

    ours: str
    peer: str
    at_least: float


@dataclass(frozen=True)
class Limit:
    """A figure of `ours` shall not exceed `at_most`."""

    ours: str
    figure: str
    at_most: float
    unit: str


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One job done by several contenders in turn.

    Attributes:
        key: the name in the results; never used for another job.
        title: as the tables show it.
        contenders: in the order in which they take turns.
        options: what all of them were told; a change starts a new series of runs.
        words: how many words a run goes through, the same number for all, so that words/s compare; None where words are
            not what is counted.
        targets: the ratios owed.
        limits: the figures owed.
    """

    key: str
    title: str
    contenders: tuple[Contender, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    words: int | None = None
    targets: tuple[Target, ...] = ()
    limits: tuple[Limit, ...] = ()
