"""Exposure bias and scheduled sampling: a model trained only on true inputs trusts its own outputs too much.

The task is to copy a sequence from a noisy observation. Each symbol is the successor of the previous one, except for
one in twenty, which is random. Half of the observed symbols are right, the others random. A model that is trained with
the true previous symbol as input learns to follow it and hardly uses the observation. With its own output as input, an
error then persists. A model trained on its own outputs learns to correct errors. Figures: the share
of sequences with the right symbol at step 20, with true inputs (teacher forcing) and running free.

    python recipes/scheduled_sampling.py                 # three seeds, five kinds of input
    python recipes/scheduled_sampling.py --toy           # one seed, seconds
"""

import argparse
import json
import statistics
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

import firth
from firth.neural import FeedingOptions, RunConfig, StepOutput, fit, inverse_sigmoid_share, scheduled_scores
from firth.randomness import generator

SYMBOLS, STEPS, JUDGED = 20, 25, 20
FOLLOWS, SEEN = (
    0.95,
    0.5,
)  # probabilities that a symbol follows from the previous one, and that it is observed correctly
WAYS = {
    "teacher forcing": None,
    "draws": FeedingOptions(own="draw"),
    "soft": FeedingOptions(own="soft"),
    "peaked": FeedingOptions(own="soft", temperature=0.2),
    "gumbel": FeedingOptions(own="gumbel"),
}


def sequences(count, random):
    """(count, STEPS) symbols and their noisy observations."""
    jumps = random.random((count, STEPS)) >= FOLLOWS
    jumps[:, 0] = True
    last = np.maximum.accumulate(np.where(jumps, np.arange(STEPS), 0), axis=1)
    first = np.take_along_axis(random.integers(SYMBOLS, size=(count, STEPS)), last, axis=1)
    symbols = (first + np.arange(STEPS) - last) % SYMBOLS
    noisy = np.where(random.random((count, STEPS)) < SEEN, symbols, random.integers(SYMBOLS, size=(count, STEPS)))
    return torch.from_numpy(symbols), torch.from_numpy(noisy)


@dataclass(frozen=True)
class Copies:
    """A batch: symbols and their noisy observations."""

    symbols: torch.Tensor
    noisy: torch.Tensor
    fresh: bool = True
    scale: float = 1.0

    def to(self, device):
        return replace(self, symbols=self.symbols.to(device), noisy=self.noisy.to(device))


@dataclass(frozen=True)
class Stream:
    """New random batches for every step of the run."""

    batches: int
    seed: int

    def count(self, epoch):
        return self.batches

    def epoch(self, number, start=0):
        for place in range(number * self.batches + start, (number + 1) * self.batches):
            yield Copies(*sequences(64, generator(self.seed, f"batch {place}")))


class Copier(torch.nn.Module):
    """Predicts each symbol from the previous one, its observation, and the history."""

    def __init__(self, width):
        super().__init__()
        self.words = torch.nn.Parameter(0.3 * torch.randn(SYMBOLS + 1, width))  # the last is the start symbol
        self.sight = torch.nn.Embedding(SYMBOLS, width)
        self.memory = torch.nn.GRU(2 * width, width, batch_first=True)
        self.scores = torch.nn.Linear(width, SYMBOLS + 1)

    def read(self, before, state):
        """Scores of the next steps from the vectors of their previous symbols; the state holds the observations."""
        hidden, noisy = state
        steps = before.shape[1]
        output, hidden = self.memory(torch.cat((before, self.sight(noisy[:, :steps])), -1), hidden)
        return self.scores(output), (hidden, noisy[:, steps:])

    def forward(self, symbols, noisy, feeding):
        before = torch.nn.functional.pad(symbols[:, :-1], (1, 0), value=SYMBOLS)
        return scheduled_scores(self.read, self.words, before, (None, noisy), feeding)[0]


class CopyTask:
    """The training task: cross entropy of every symbol, with a decreasing share of true inputs."""

    unit = "symbols"

    def __init__(self, module, stream, way, slope):
        self.module, self.batches, self.way, self.slope = module, stream, way, slope

    def step(self, batch, state, progress):
        share = 1.0 if self.way is None else inverse_sigmoid_share(progress.step, k=self.slope)
        feeding = replace(self.way or FeedingOptions(), share=share)
        scores = self.module(batch.symbols, batch.noisy, feeding).flatten(0, 1)
        losses = torch.nn.functional.cross_entropy(scores, batch.symbols.flatten(), reduction="none")
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self):
        return {}


def right(module, symbols, noisy, free):
    """The share of sequences with the right symbol at step 20."""
    with torch.no_grad():
        if not free:
            predictions = module(symbols, noisy, FeedingOptions()).argmax(-1)
        else:
            last, state, steps = torch.full((len(symbols), 1), SYMBOLS), (None, noisy), []
            for _ in range(JUDGED):
                scores, state = module.read(torch.nn.functional.embedding(last, module.words), state)
                last = scores.argmax(-1)
                steps.append(last)
            predictions = torch.cat(steps, 1)
    return (predictions[:, JUDGED - 1] == symbols[:, JUDGED - 1]).double().mean().item()


def trained(way, seed, args):
    """The figures of one model."""
    torch.manual_seed(seed)
    module = Copier(args.width)
    task = CopyTask(module, Stream(args.batches, seed), WAYS[way], args.batches / 10)
    training = firth.TrainingOptions(epochs=1, lr=0.003, schedule="cosine", clip_norm=1.0)
    config = RunConfig(training, seed=seed, progress=False)
    fit(task, config, identity={"recipe": "scheduled sampling"})
    symbols, noisy = sequences(4000, generator(seed, "held out"))
    module.eval()
    free, forced = (right(module, symbols, noisy, free) for free in (True, False))
    return {"way": way, "seed": seed, "free": round(100 * free, 2), "forced": round(100 * forced, 2)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Scheduled sampling on a copy task with noise.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="each kind trains once per seed")
    parser.add_argument("--batches", type=int, default=1000, help="of 64 sequences")
    parser.add_argument("--width", type=int, default=64, help="of the model")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--results", type=Path, help="JSON lines file to append figures to")
    parser.add_argument("--toy", action="store_true", help="one seed, fewer batches, two ways")
    args = parser.parse_args(arguments)
    if args.toy:
        args.seeds, args.batches, args.ways = [0], 100, ["teacher forcing", "draws"]
    rows = [trained(way, seed, args) for seed in args.seeds for way in args.ways]
    for way in args.ways:
        free, forced = (statistics.mean(row[name] for row in rows if row["way"] == way) for name in ("free", "forced"))
        print(f"{way:16} right at step {JUDGED}: {free:5.1f} % running free, {forced:5.1f} % with true inputs")
    if args.results:
        args.results.parent.mkdir(parents=True, exist_ok=True)
        with args.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({**row, "batches": args.batches, "width": args.width}) + "\n" for row in rows)
    return rows


if __name__ == "__main__":
    main()
