"""Early stopping, learning-rate decay on a plateau, and snapshots of the best model."""

import math
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass
class EarlyStopping:
    """State of early stopping and of the learning-rate decay on a plateau.

    Attributes:
        patience: evaluations in a row without improvement after which training stops; 0 for never.
        plateau_factor: factor on the learning rate at each of them.
        best: lowest held-out error or loss.
        waited: evaluations since.
        lr_factor: product of all factors so far.
    """

    patience: int
    plateau_factor: float
    best: float = math.inf
    waited: int = 0
    lr_factor: float = 1.0

    def improves(self, figure: float) -> bool:
        """Record a held-out error or loss and return whether it is the lowest; NaN never is."""
        if figure < self.best:
            self.best, self.waited = figure, 0
            return True
        self.waited += 1
        self.lr_factor *= self.plateau_factor
        return False

    @property
    def should_stop(self) -> bool:
        """Whether patience has run out."""
        return 0 < self.patience <= self.waited


@dataclass(frozen=True)
class Snapshot:
    """Copy of the best model.

    Attributes:
        weights: copies of `weights_of`.
        optimiser: copies of the optimiser's statistics, if a rollback needs them.
        row: figures of its evaluation.
    """

    weights: dict[str, torch.Tensor]
    optimiser: dict[int, dict[str, Any]] = field(default_factory=dict)
    row: dict[str, Any] = field(default_factory=dict)


def weights_of(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return parameters and buffers by name, not copied; a tied weight appears once, under its first name."""
    tensors: dict[str, torch.Tensor] = module.state_dict(keep_vars=True)
    first_name: dict[int, str] = {}
    return {name: tensor.data for name, tensor in tensors.items() if first_name.setdefault(id(tensor), name) == name}


def copy_tensors(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return copies that later training does not change."""
    return {name: tensor.clone() for name, tensor in tensors.items()}


def restore_weights(module: torch.nn.Module, weights: dict[str, torch.Tensor]) -> None:
    """Copy earlier weights of `weights_of` into a module."""
    for name, tensor in weights_of(module).items():
        tensor.copy_(weights[name])


def optimiser_statistics(optimiser: torch.optim.Optimizer) -> dict[int, dict[str, Any]]:
    """Return copies of an optimiser's statistics by the number of the parameter."""
    state: dict[int, dict[str, Any]] = optimiser.state_dict()["state"]
    return {number: {name: _copy(value) for name, value in values.items()} for number, values in state.items()}


def set_optimiser_statistics(optimiser: torch.optim.Optimizer, state: dict[int, dict[str, Any]]) -> None:
    """Replace an optimiser's statistics, or clear them with an empty `state`; learning rates stay."""
    copies = {number: {name: _copy(value) for name, value in values.items()} for number, values in state.items()}
    optimiser.load_state_dict({"state": copies, "param_groups": optimiser.state_dict()["param_groups"]})


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value
