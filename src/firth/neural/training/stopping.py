"""When held-out data says that training got no better: stop, slow down, or go back to the best model."""

import math
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass
class Watch:
    """What the evaluations so far have shown.

    Attributes:
        patience: evaluations in a row without a new best after which training ends; 0 for never.
        plateau: what the learning rate is multiplied by at each of them.
        best: the lowest held-out loss.
        waited: evaluations since then.
        factor: what the learning rate is multiplied by, all in all.
    """

    patience: int
    plateau: float
    best: float = math.inf
    waited: int = 0
    factor: float = 1.0

    def improves(self, loss: float) -> bool:
        """Take note of a held-out loss, and return whether it is the lowest; NaN never is."""
        if loss < self.best:
            self.best, self.waited = loss, 0
            return True
        self.waited += 1
        self.factor *= self.plateau
        return False

    @property
    def lost(self) -> bool:
        """Whether patience is at its end."""
        return 0 < self.patience <= self.waited


@dataclass(frozen=True)
class Snapshot:
    """A model as it was at its best.

    Attributes:
        weights: copies of what `weights_of` gives.
        optimiser: copies of the optimiser's statistics, where a rollback will ask for them.
        row: figures of the evaluation.
    """

    weights: dict[str, torch.Tensor]
    optimiser: dict[int, dict[str, Any]] = field(default_factory=dict)
    row: dict[str, Any] = field(default_factory=dict)


def weights_of(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return the tensors that make a module what it is, by name; one that is used in two places has its first name.

    They are the module's own, not copies.
    """
    named: dict[str, torch.Tensor] = module.state_dict(keep_vars=True)
    seen: dict[int, str] = {}
    return {name: tensor.data for name, tensor in named.items() if seen.setdefault(id(tensor), name) == name}


def copied(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return copies that later training leaves alone."""
    return {name: tensor.clone() for name, tensor in tensors.items()}


def put_back(module: torch.nn.Module, weights: dict[str, torch.Tensor]) -> None:
    """Give a module weights that it had before.

    Args:
        module: the one they are of.
        weights: what `weights_of` gave, copied.
    """
    for name, tensor in weights_of(module).items():
        tensor.copy_(weights[name])


def statistics(optimiser: torch.optim.Optimizer) -> dict[int, dict[str, Any]]:
    """Return copies of an optimiser's statistics, by the number of the parameter."""
    state: dict[int, dict[str, Any]] = optimiser.state_dict()["state"]
    return {number: {name: _copy(value) for name, value in values.items()} for number, values in state.items()}


def set_statistics(optimiser: torch.optim.Optimizer, state: dict[int, dict[str, Any]]) -> None:
    """Give an optimiser statistics that it had before, or none; learning rates stay.

    Args:
        optimiser: the one they are of.
        state: what `statistics` gave; empty for a fresh start.
    """
    copies = {number: {name: _copy(value) for name, value in values.items()} for number, values in state.items()}
    optimiser.load_state_dict({"state": copies, "param_groups": optimiser.state_dict()["param_groups"]})


def _copy(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value
