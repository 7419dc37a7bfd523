"""Two small tasks that train in a blink: a line through points, and an LSTM that reads a stream of numbers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch

from firth.neural.layers.state import State
from firth.neural.layers.torch_kernels import run_torch
from firth.neural.models.language.data import TextBatch, TextStream
from firth.neural.training.schedules import TrainingProgress
from firth.neural.training.task import StepOutput
from firth.randomness import torch_seed


@dataclass(frozen=True)
class Points:
    """A batch of points; every point is a prediction."""

    x: torch.Tensor
    y: torch.Tensor
    fresh: bool = True
    scale: float = 1.0

    def to(self, device: torch.device) -> "Points":
        return Points(self.x.to(device), self.y.to(device), self.fresh, self.scale)


class Cloud:
    """All points in one batch, or a number of them a batch."""

    def __init__(self, x: torch.Tensor, y: torch.Tensor, size: int) -> None:
        self.x, self.y, self.size = x, y, size

    def count(self, epoch: int) -> int:
        return -(-len(self.x) // self.size)

    def epoch(self, number: int, start: int = 0) -> Iterator[Points]:
        for i in range(start, self.count(number)):
            rows = slice(i * self.size, (i + 1) * self.size)
            yield Points(self.x[rows], self.y[rows])

    def shard(self, rank: int, of: int) -> "Cloud":
        return Cloud(self.x[rank::of], self.y[rank::of], self.size // of)


class Line:
    """y = w x + b by squared error; held-out losses may be told beforehand."""

    unit = "points"

    def __init__(self, *, size: int = 4, held_out: Callable[[int], float] | None = None) -> None:
        self.module = torch.nn.Linear(1, 1)
        with torch.no_grad():
            self.module.weight.fill_(0.0)
            self.module.bias.fill_(0.0)
        x = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
        self.batches = Cloud(x, 2 * x + 1, size)
        self.held_out = held_out
        self.eval_predictions = 0 if held_out is None else 4
        self.evaluations = 0

    def step(self, batch: Points, state: State, progress: TrainingProgress) -> StepOutput:
        error = (self.module(batch.x) - batch.y) ** 2
        return StepOutput(error.mean(), error.detach().double().sum(), len(batch.x))

    def evaluate(self) -> Mapping[str, float]:
        if self.held_out is None:
            return {}
        self.evaluations += 1
        return {"loss": self.held_out(self.evaluations)}


class Reader(torch.nn.Module):
    """An LSTM with dropout, so that random state matters."""

    def __init__(self, words: int, width: int, seed: int, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(torch_seed(seed, "weights"))
            self.embedding = torch.nn.Embedding(words, width)
            self.lstm = torch.nn.LSTM(width, width, batch_first=True)
            self.output = torch.nn.Linear(width, words)
        self.output.weight = self.embedding.weight

    def forward(self, ids: torch.Tensor, state: State) -> tuple[torch.Tensor, State]:
        nothing = torch.zeros(len(ids), self.lstm.hidden_size)
        carried = (nothing, nothing) if state is None else state
        x = torch.nn.functional.dropout(self.embedding(ids), self.dropout, self.training)
        weights = (self.lstm.weight_ih_l0, self.lstm.weight_hh_l0, self.lstm.bias_ih_l0, self.lstm.bias_hh_l0)
        # In bf16 not every processor has an LSTM: firth's way of calling torch's knows.
        return run_torch("lstm", x, weights, carried)


class Stream:
    """A language model of a text of numbers in which each depends on the two before it."""

    unit = "words"

    def __init__(self, *, seed: int = 0, tokens: int = 1203, words: int = 11, width: int = 24,
                 dropout: float = 0.2, **how: int) -> None:  # fmt: skip
        ids = [1, 2]
        random = np.random.default_rng(seed)
        while len(ids) < tokens:
            ids.append((ids[-1] + ids[-2]) % words if random.random() < 0.9 else int(random.integers(words)))
        text = np.array(ids, dtype=np.int32)
        cut = len(text) * 4 // 5
        shape = {"batch_size": 5, "bptt": 7, "bos": 0} | how
        self.module = Reader(words, width, seed, dropout)
        self.batches = TextStream(ids=text[:cut], **shape)
        self.held_out = TextStream(ids=text[cut:], batch_size=1, bptt=50, bos=0)
        self.eval_predictions = len(text) - cut

    def step(self, batch: TextBatch, state: State, progress: TrainingProgress | None) -> StepOutput:
        hidden, state = self.module(batch.inputs, state)
        hidden, targets = batch.predicted_rows(hidden)
        losses = torch.nn.functional.cross_entropy(self.module.output(hidden), targets, reduction="none")
        return StepOutput(losses.mean(), losses.detach().double().sum(), len(targets), state)

    def evaluate(self) -> Mapping[str, float]:
        nats, state, count = 0.0, None, 0
        for batch in self.held_out.epoch(0):
            outcome = self.step(batch, state, None)
            nats, state, count = nats + float(outcome.nats), outcome.state, count + outcome.predictions
        return {"loss": nats / count, "perplexity": float(np.exp(nats / count))}
