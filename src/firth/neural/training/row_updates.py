"""Updates of the rows that a batch has used: the optimiser of embedding tables with sparse gradients.

What
    Of a table with thousands of rows a batch uses some hundred. A dense update passes over the whole table and its
    statistics several times per batch; here only the rows with a gradient, and their statistics, are read and written.
Objective
    With g the gradient of a row that was last updated k updates ago (k = 1: in the update before this one),

        adadelta  s = rho^k s + (1 - rho) g^2;  u = rho^(k-1) u;  d = sqrt(u + e) / sqrt(s + e) g
                  u = rho u + (1 - rho) d^2;  row -= lr d
        adam      m = b_1 m + (1 - b_1) g;  v = b_2 v + (1 - b_2) g^2;  row -= lr m' / (sqrt(v') + e)
        adagrad   s = s + g^2;  row -= lr g / (sqrt(s) + e)
        sgd       row -= lr g
Source
    Zeiler 2012, algorithm 1; Kingma and Ba 2015, algorithm 1; Duchi, Hazan and Singer 2011, section 1.1.
Departures
    Adadelta, Adagrad and SGD give what a dense update gives: a gradient of 0 moves nothing, and the powers of rho make
    up for the updates that were left out. Adam's statistics do not decay, and no row moves, while its word does not
    occur, as in PyTorch's SparseAdam; m' and v' are corrected for the number of updates of the table.
Cost
    Some passes over the rows that occur.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from firth.neural.layers.embedding import WordEmbedding

RHO, BETAS, EPSILON = 0.9, (0.9, 0.999), {"adadelta": 1e-6, "adam": 1e-8, "adagrad": 1e-10}  # PyTorch's defaults

Rule = Callable[[dict[str, Any], torch.Tensor, torch.Tensor, float], torch.Tensor]  # state, rows, gradient, lr: change


class RowOptimiser(torch.optim.Optimizer):
    """A dense optimiser, and updates by row for tables.

    Args:
        dense: of all other parameters; None if there are none.
        tables: parameters with sparse gradients.
        name: of the rule for tables, one of `ROW_RULES`.
        lr: learning rate.
    """

    def __init__(
        self, dense: torch.optim.Optimizer | None, tables: Iterable[torch.nn.Parameter], name: str, *, lr: float
    ) -> None:
        super().__init__([{"params": list(tables)}], {"lr": lr})
        self._dense, self._rule = dense, ROW_RULES[name]
        if dense is not None:
            self.param_groups = [*dense.param_groups, *self.param_groups]
        self._share()

    def _share(self) -> None:
        """Let the dense optimiser work on this one's groups and statistics, which loading replaces."""
        if self._dense is not None:
            self._dense.param_groups, self._dense.state = self.param_groups[:-1], self.state

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]  # no closure returns a loss here
        """Make one update."""
        self._share()
        if self._dense is not None:
            self._dense.step()
        group = self.param_groups[-1]
        for table in group["params"]:
            if table.grad is not None:
                gradient = table.grad.coalesce()
                rows = gradient.indices()[0]
                change = self._rule(self._state_of(table), rows, gradient.values(), float(group["lr"]))
                table.index_add_(0, rows, change, alpha=-1)

    def _state_of(self, table: torch.nn.Parameter) -> dict[str, Any]:
        state: dict[str, Any] = self.state[table]
        if not state:
            # Numbers of updates are fractions, exact to 2^24: loading gives statistics the type of their parameter.
            state["updates"] = table.new_zeros(())
            state["last"] = table.new_zeros(len(table))
            state["first"], state["second"] = torch.zeros_like(table), torch.zeros_like(table)
        state["updates"] += 1
        return state


def _adadelta(state: dict[str, Any], rows: torch.Tensor, gradient: torch.Tensor, lr: float) -> torch.Tensor:
    missed = (state["updates"] - 1 - state["last"][rows]).unsqueeze(1)
    decay, epsilon = RHO**missed, EPSILON["adadelta"]
    squares = (state["second"][rows] * (decay * RHO)).addcmul_(gradient, gradient, value=1 - RHO)
    changes = state["first"][rows].mul_(decay)
    change: torch.Tensor = (changes + epsilon).sqrt_().div_((squares + epsilon).sqrt_()).mul_(gradient)
    state["second"][rows] = squares
    state["first"][rows] = changes.mul_(RHO).addcmul_(change, change, value=1 - RHO)
    state["last"][rows] = state["updates"]
    return change.mul_(lr)


def _adam(state: dict[str, Any], rows: torch.Tensor, gradient: torch.Tensor, lr: float) -> torch.Tensor:
    first, second, (beta_1, beta_2) = state["first"], state["second"], BETAS
    means = first[rows].lerp_(gradient, 1 - beta_1)
    squares = (second[rows] * beta_2).addcmul_(gradient, gradient, value=1 - beta_2)
    first[rows], second[rows] = means, squares
    updates = int(state["updates"])
    root = (squares / (1 - beta_2**updates)).sqrt_().add_(EPSILON["adam"])
    change: torch.Tensor = means.mul_(lr / (1 - beta_1**updates)).div_(root)
    return change


def _adagrad(state: dict[str, Any], rows: torch.Tensor, gradient: torch.Tensor, lr: float) -> torch.Tensor:
    squares = state["second"][rows].addcmul_(gradient, gradient)
    state["second"][rows] = squares
    return gradient.mul(lr).div_(squares.sqrt_().add_(EPSILON["adagrad"]))


def _sgd(state: dict[str, Any], rows: torch.Tensor, gradient: torch.Tensor, lr: float) -> torch.Tensor:
    return gradient * lr


ROW_RULES: dict[str, Rule] = {"adadelta": _adadelta, "adam": _adam, "adamw": _adam, "adagrad": _adagrad, "sgd": _sgd}


def sparse_tables(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    """Return the weights of a module's embedding tables whose gradients are sparse, each once."""
    tables = [part.weight for part in module.modules() if isinstance(part, WordEmbedding) and part.sparse]
    return [weight for weight in dict.fromkeys(tables) if weight.requires_grad]


@contextmanager
def sparse_gradients(module: torch.nn.Module, training: Any) -> Iterator[None]:
    """Let the embedding tables of a module have sparse gradients where the training options allow updates by row.

    Args:
        training: `firth.neural.training.options.TrainingOptions`. Momentum, weight decay and several processes need
            dense gradients, as do optimisers without a rule here.
    """
    plain = training.momentum is None and not training.weight_decay and training.processes == 1
    allowed = plain and training.optimiser in ROW_RULES and training.precision != "fp16"
    tables = [part for part in module.modules() if isinstance(part, WordEmbedding)]
    before = [table.sparse for table in tables]
    try:
        for table in tables:
            table.sparse = allowed
        yield
    finally:
        for table, was in zip(tables, before, strict=True):
            table.sparse = was


def clip_norm(parameters: Iterable[torch.nn.Parameter], limit: float) -> None:
    """Scale gradients so that their total norm is at most `limit`; PyTorch's function lacks sparse gradients."""
    with_gradient = [parameter for parameter in parameters if parameter.grad is not None]
    sparse = [parameter for parameter in with_gradient if parameter.grad is not None and parameter.grad.is_sparse]
    if not sparse:
        torch.nn.utils.clip_grad_norm_(with_gradient, limit)
        return
    gradients = []
    for parameter in with_gradient:
        assert parameter.grad is not None
        if parameter.grad.is_sparse:
            parameter.grad = parameter.grad.coalesce()
            gradients.append(parameter.grad.values())
        else:
            gradients.append(parameter.grad)
    total = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(gradient) for gradient in gradients]))
    factor = (limit / (total + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
