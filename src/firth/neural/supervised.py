"""The frame of every `train`: a task as a value, the part that selects the model, a digest of the data.

A model reads its examples, sets some of them aside (`split_examples`), builds a module (`new_module`), and runs
`firth.neural.training.loop.fit_model` on a `SupervisedTask`, with a digest of all that was read.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeVar

import numpy as np
import torch

from firth.errors import CorpusError
from firth.neural.layers.state import State
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import Batches, StepOutput
from firth.randomness import generator
from firth.vectors.word_vectors import WordVectors

SHARE = 0.1  # of the examples, that selects the model


@dataclass(eq=False, kw_only=True)
class SupervisedTask:
    """A module with its examples and its loss; implements `firth.neural.training.task.Task`.

    Attributes:
        module: to train.
        batches: to train on.
        loss: returns the loss of a batch, given the position in the run; see `mean_loss` and `loss_per_token`.
        figures: returns figures on held-out data, as `Task.evaluate` says; see `mean_figures`.
        unit: what a prediction is, for display: "words".
        eval_predictions: predictions per evaluation; 0 without held-out data.
        facts: about the data, for the model's metadata: JSON values.
        some_unused: whether the loss may leave out parameters.
    """

    module: torch.nn.Module
    batches: Batches
    loss: Callable[[Any, TrainingProgress], StepOutput]
    unit: str
    figures: Callable[[], Mapping[str, float]] = dict
    eval_predictions: int = 0
    facts: Mapping[str, Any] = field(default_factory=dict)
    some_unused: bool = False

    def step(self, batch: Any, state: State, progress: TrainingProgress) -> StepOutput:
        """Return the loss of a batch; see `Task.step`."""
        return self.loss(batch, progress)

    def evaluate(self) -> Mapping[str, float]:
        """Return figures on held-out data; see `Task.evaluate`."""
        return self.figures()


def mean_loss(losses: torch.Tensor) -> StepOutput:
    """Return the mean of (N,) losses in nats, one per prediction."""
    return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))


def loss_per_token(total: torch.Tensor, tokens: int) -> StepOutput:
    """Return a sum of losses in nats, divided by the number of tokens."""
    return StepOutput(total / tokens, total.detach().double(), tokens)


def on_device(batches: Batches, module: torch.nn.Module) -> Iterator[Any]:
    """Yield the batches of held-out data on the device of a module."""
    device = next(module.parameters()).device
    return (batch.to(device) for batch in batches.epoch(0))


@torch.no_grad()
def mean_figures(held_out: Batches, module: torch.nn.Module, losses: Callable[[Any], torch.Tensor]) -> dict[str, float]:
    """Return the mean loss in nats per prediction of held-out batches, given a function from a batch to (N,) losses."""
    parts = [losses(batch) for batch in on_device(held_out, module)]
    total = sum(float(part.sum(dtype=torch.float64)) for part in parts)
    return {"loss": total / max(sum(map(len, parts)), 1)}


def perplexity_of(loss: float) -> float:
    """Return the perplexity of a mean loss in nats, of hopeless models a large number."""
    return math.exp(min(loss, 700.0))


class Divisible(Protocol):
    """Examples in rows."""

    def __len__(self) -> int:
        """Return their number."""
        ...

    def rows(self, rows: Any, /) -> Self:
        """Return some of them."""
        ...


Examples = TypeVar("Examples", bound=Divisible)


def split_rows(count: int, seed: int, name: str) -> tuple[list[int], list[int]]:
    """Return the rows to train on, and a tenth of all, at random, to select the model by; both ascending.

    Args:
        name: what the examples are, for the message, such as "train.conllu: 1 sentence".

    Raises:
        CorpusError: there are fewer than two examples.
    """
    if count < 2:
        raise CorpusError(f"{name}; expected at least two, one of them to select the model by, or held_out")
    size = max(1, round(SHARE * count))
    order = generator(seed, "development part").permutation(count)
    return np.sort(order[size:]).tolist(), np.sort(order[:size]).tolist()


def split_examples(examples: Examples, seed: int, name: str) -> tuple[Examples, Examples]:
    """Return the examples to train on, and a tenth of all that selects the model; see `split_rows`."""
    train, held_out = split_rows(len(examples), seed, name)
    return examples.rows(train), examples.rows(held_out)


def digest(*parts: Any) -> str:
    """Return a digest of arrays, strings, bytes and word vectors, in lists or not, in their order.

    None adds nothing. A digest has 32 hexadecimal digits.
    """
    state = hashlib.blake2b(digest_size=16)
    for part in _flat(parts):
        state.update(part)
    return state.hexdigest()


def _flat(part: Any) -> Iterator[bytes]:
    if isinstance(part, str):
        yield part.encode("utf-8", "surrogatepass")
    elif isinstance(part, bytes):
        yield part
    elif isinstance(part, WordVectors):
        yield np.asarray(part.vectors).tobytes()
    elif isinstance(part, np.ndarray):
        yield part.tobytes()
    elif isinstance(part, Iterable):
        for item in part:
            yield from _flat(item)
    elif part is not None:
        raise TypeError(f"{type(part).__name__}: expected arrays, strings or bytes")
