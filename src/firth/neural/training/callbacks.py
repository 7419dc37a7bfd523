"""Callbacks that log training to TensorBoard, Weights & Biases or MLflow.

A callback is any function of a row (`firth.neural.training.monitor.History.rows`). These open their target at the first
row, in the process that writes.
"""

import importlib
import importlib.util
import os
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from firth.errors import MissingExtraError


def figures(row: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a row, without the step and values that are not finite."""
    return {name: float(value) for name, value in row.items() if name != "step" and isinstance(value, int | float)}


class TensorBoard:
    """Writes rows as TensorBoard scalars.

    Args:
        folder: for this run; show it with `tensorboard --logdir`.

    Raises:
        MissingExtraError: `tensorboard` is not installed.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        _require("tensorboard", "write for TensorBoard")
        self._folder = os.fspath(folder)

    def __call__(self, row: Mapping[str, Any]) -> None:
        """Log a row."""
        for name, value in figures(row).items():
            self._writer.add_scalar(name, value, row["step"])
        self._writer.flush()

    @cached_property
    def _writer(self) -> Any:
        from torch.utils.tensorboard import SummaryWriter

        return SummaryWriter(self._folder)


class WeightsAndBiases:
    """Logs rows to a run of Weights & Biases.

    Args:
        settings: of `wandb.init`: project, name, mode and so on.

    Raises:
        MissingExtraError: `wandb` is not installed.
    """

    def __init__(self, **settings: Any) -> None:
        _require("wandb", "log to Weights & Biases")
        self._settings = settings

    def __call__(self, row: Mapping[str, Any]) -> None:
        """Log a row."""
        self._run.log(figures(row), step=row["step"])

    @cached_property
    def _run(self) -> Any:
        return importlib.import_module("wandb").init(**self._settings)


class MLflow:
    """Logs rows to the active run of MLflow, or to a new one.

    Raises:
        MissingExtraError: `mlflow` is not installed.
    """

    def __init__(self) -> None:
        _require("mlflow", "log to MLflow")

    def __call__(self, row: Mapping[str, Any]) -> None:
        """Log a row."""
        self._mlflow.log_metrics(figures(row), step=row["step"])

    @cached_property
    def _mlflow(self) -> Any:
        return importlib.import_module("mlflow")


def _require(package: str, purpose: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise MissingExtraError(package, package, purpose)
