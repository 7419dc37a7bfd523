"""What a user sees of training: figures as it goes, a row for each evaluation, and functions of the user's own."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from firth.storage.files import replacing_file

Callback = Callable[[Mapping[str, Any]], object]  # called with each row
METRICS = "metrics.jsonl"


@dataclass
class Tally:
    """Losses summed up where the tensors are: reading a figure makes a GPU wait, so that it is done rarely.

    Attributes:
        nats: scalar float64 tensor, or 0 before the first step.
        predictions: how many it is the loss of.
    """

    nats: torch.Tensor | float = 0.0
    predictions: int = 0

    def add(self, nats: torch.Tensor, predictions: int) -> None:
        """Take a step's loss in."""
        self.nats = self.nats + nats.double()
        self.predictions += predictions

    def mean(self) -> float:
        """Read the loss a prediction, in nats; 0 where there was none."""
        return float(self.nats) / max(self.predictions, 1)


@dataclass(frozen=True)
class History:
    """What came of training.

    Attributes:
        rows: one an evaluation: "epoch" (passes, with fractions), "step", "loss" (training, nats a prediction since the
            row before), "lr", "seconds", "predictions", and what held-out data gave as "held_out_loss" and so on.
        best: the row of the model that was kept; None where there was no held-out data, and the last was kept.
        ended: "epochs", "patience", "minutes", "interrupted" or "diverged".
        steps: updates made.
        predictions: in all of them.
        seconds: spent on them, evaluation left out.
        trouble: what went wrong, where it diverged.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    best: dict[str, Any] | None = None
    ended: str = "epochs"
    steps: int = 0
    predictions: int = 0
    seconds: float = 0.0
    trouble: str = ""

    @property
    def interrupted(self) -> bool:
        """Whether training ended before it was done, because somebody asked for it."""
        return self.ended == "interrupted"

    def described(self) -> dict[str, Any]:
        """Return everything as a value that JSON holds, for a model's metadata."""
        return {
            "rows": self.rows,
            "best": self.best,
            "ended": self.ended,
            "interrupted": self.interrupted,
            "steps": self.steps,
            "predictions": self.predictions,
            "seconds": round(self.seconds, 3),
            "trouble": self.trouble,
        }


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row as JSON can hold it: numbers that are not finite become None."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in row.items()
    }


def write_metrics(rows: list[dict[str, Any]], folder: Path) -> None:
    """Write rows as `metrics.jsonl`, one JSON object a line; a reader finds the old rows or the new.

    Args:
        rows: of a `History`.
        folder: where to.

    Raises:
        OSError: the folder cannot be written.
    """
    with replacing_file(folder / METRICS) as out:
        out.writelines(json.dumps(row).encode() + b"\n" for row in rows)
