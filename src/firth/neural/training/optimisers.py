"""Optimisers by name, with parameters in groups for weight decay, and embedding tables that are updated by row."""

import abc
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from firth.errors import OptionError
from firth.neural.training.row_updates import RowOptimiser, sparse_tables

FACTOR = "lr_factor"  # of a group of parameters


@dataclass(frozen=True)
class _Kind:
    """An optimiser: class, arguments of a momentum, its default, fixed arguments, whether it has a fused kernel."""

    make: Callable[..., torch.optim.Optimizer]
    momentum: Callable[[float], Mapping[str, Any]] | None = None
    default_momentum: float = 0.0
    fixed: Mapping[str, Any] | None = None
    fused: bool = False

    @property
    def takes_momentum(self) -> bool:
        """Whether the optimiser has a momentum."""
        return self.momentum is not None


class DiscriminativeRates(abc.ABC):
    """A module whose parts have learning rates of their own (Howard and Ruder 2018, section 3.2)."""

    @abc.abstractmethod
    def lr_factors(self) -> list[tuple[list[torch.nn.Parameter], float]]:
        """Return parameters with a factor on their learning rate; it is 1 for all that are not named."""


def _plain(momentum: float) -> Mapping[str, Any]:
    return {"momentum": momentum}


def _first_moment(momentum: float) -> Mapping[str, Any]:
    return {"betas": (momentum, 0.999)}


OPTIMISERS: dict[str, _Kind] = {
    "sgd": _Kind(torch.optim.SGD, _plain, fused=True),
    "nesterov": _Kind(torch.optim.SGD, _plain, 0.9, {"nesterov": True}, fused=True),  # Sutskever et al. 2013
    "adagrad": _Kind(torch.optim.Adagrad, fused=True),  # Duchi et al. 2011
    "rmsprop": _Kind(torch.optim.RMSprop, _plain),  # Tieleman and Hinton 2012
    "adadelta": _Kind(torch.optim.Adadelta),  # Zeiler 2012
    "adam": _Kind(torch.optim.Adam, _first_moment, 0.9, fused=True),  # Kingma and Ba 2015
    "amsgrad": _Kind(torch.optim.Adam, _first_moment, 0.9, {"amsgrad": True}, fused=True),  # Reddi et al. 2018
    "adamw": _Kind(torch.optim.AdamW, _first_moment, 0.9, fused=True),  # Loshchilov and Hutter 2019
    "adamax": _Kind(torch.optim.Adamax, _first_moment, 0.9),  # Kingma and Ba 2015, section 7.1
    "nadam": _Kind(torch.optim.NAdam, _first_moment, 0.9),  # Dozat 2016
    "radam": _Kind(torch.optim.RAdam, _first_moment, 0.9),  # Liu et al. 2020
}


def make_optimiser(
    module: torch.nn.Module, name: str, *, lr: float, momentum: float | None = None, weight_decay: float = 0.0
) -> torch.optim.Optimizer:
    """Return an optimiser of a module's trainable parameters, each of them once.

    Args:
        momentum: None for the optimiser's default.

    Raises:
        OptionError: the module has no trainable parameter; or nesterov with a momentum of 0.
    """
    kind = OPTIMISERS[name]
    tables = sparse_tables(module)
    groups = _groups(module, weight_decay, tables)
    if not groups and not tables:
        raise OptionError("the model has no trainable parameter: expected at least one that is not frozen")
    arguments: dict[str, Any] = {"lr": lr, **(kind.fixed or {})}
    if kind.momentum is not None:
        arguments |= kind.momentum(kind.default_momentum if momentum is None else momentum)
    if arguments.get("nesterov") and not arguments["momentum"]:
        raise OptionError("momentum=0: nesterov looks ahead along its momentum; use optimiser='sgd' without one")
    if kind.fused:
        arguments["fused"] = True  # one pass over the memory of a parameter; the same arithmetic
    dense = kind.make(groups, **arguments) if groups else None
    return RowOptimiser(dense, tables, name, lr=lr) if tables or dense is None else dense


def _groups(module: torch.nn.Module, weight_decay: float, tables: Sequence[torch.nn.Parameter]) -> list[dict[str, Any]]:
    # Biases and the gains of normalisation are vectors: shrinking them does not make a function smoother.
    by_row = set(tables)
    trainable = [p for p in module.parameters() if p.requires_grad and p not in by_row]
    factors = {
        p: factor
        for part in module.modules()
        if isinstance(part, DiscriminativeRates)
        for ps, factor in part.lr_factors()
        for p in ps
    }
    groups = [
        {
            "params": [p for p in trainable if factors.get(p, 1.0) == factor and (p.ndim > 1) == is_matrix],
            "weight_decay": weight_decay if is_matrix else 0.0,
            FACTOR: factor,
        }
        for factor in sorted({1.0, *factors.values()}, reverse=True)
        for is_matrix in (True, False)
    ]
    return [group for group in groups if group["params"]]
