"""Exposure bias: a model that has only ever been fed the truth trusts its own words too much; scheduled sampling.

The task is to copy a sequence that is seen through noise. Each symbol is the one after the symbol before, but for one
in twenty, which is any; half of what the model sees of it is right, the rest is any symbol. A model that is fed the
true symbol before learns that the next one follows from it, and need hardly look at the noise. Once it is fed its own,
an error is carried on; a model that was fed its own words in training has learned to notice, from what it has seen
since. Figures: the share of sequences whose symbol at step 20 is right, fed with the truth and running free.

    python recipes/scheduled_sampling.py                 # three seeds, five ways of feeding
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
from firth.neural.layers.scheduled_sampling import Feeding, inverse_sigmoid_share, scheduled_scores
from firth.neural.training.loop import fit
from firth.neural.training.options import RunConfig
from firth.neural.training.task import StepOutput
from firth.randomness import generator

SYMBOLS, STEPS, JUDGED = 20, 25, 20
FOLLOWS, SEEN = 0.95, 0.5  # chances that a symbol follows from the one before, and that it is seen as it is
WAYS = {
    "teacher forcing": None,
    "draws": Feeding(own="draw"),
    "soft": Feeding(own="soft"),
    "peaked": Feeding(own="soft", temperature=0.2),
    "gumbel": Feeding(own="gumbel"),
}


def sequences(count, random):
    """(count, STEPS) symbols, and as many as they are seen."""
    jumps = random.random((count, STEPS)) >= FOLLOWS
    jumps[:, 0] = True
    last = np.maximum.accumulate(np.where(jumps, np.arange(STEPS), 0), axis=1)
    begun = np.take_along_axis(random.integers(SYMBOLS, size=(count, STEPS)), last, axis=1)
    symbols = (begun + np.arange(STEPS) - last) % SYMBOLS
    seen = np.where(random.random((count, STEPS)) < SEEN, symbols, random.integers(SYMBOLS, size=(count, STEPS)))
    return torch.from_numpy(symbols), torch.from_numpy(seen)


@dataclass(frozen=True)
class Copies:
    """A batch: symbols, and how they are seen."""

    symbols: torch.Tensor
    seen: torch.Tensor
    fresh: bool = True
    scale: float = 1.0

    def to(self, device):
        return replace(self, symbols=self.symbols.to(device), seen=self.seen.to(device))


@dataclass(frozen=True)
class Stream:
    """Batches that are drawn anew for every place of the run."""

    batches: int
    seed: int

    def count(self, epoch):
        return self.batches

    def epoch(self, number, start=0):
        for place in range(number * self.batches + start, (number + 1) * self.batches):
            yield Copies(*sequences(64, generator(self.seed, f"batch {place}")))


class Copier(torch.nn.Module):
    """Predicts each symbol from the one before, what is seen of it, and all before that."""

    def __init__(self, width):
        super().__init__()
        self.words = torch.nn.Parameter(0.3 * torch.randn(SYMBOLS + 1, width))  # the last stands before the first step
        self.sight = torch.nn.Embedding(SYMBOLS, width)
        self.memory = torch.nn.GRU(2 * width, width, batch_first=True)
        self.scores = torch.nn.Linear(width, SYMBOLS + 1)

    def read(self, before, state):
        """Scores of the steps whose symbols before are given as vectors; what is seen waits in the state."""
        hidden, seen = state
        steps = before.shape[1]
        output, hidden = self.memory(torch.cat((before, self.sight(seen[:, :steps])), -1), hidden)
        return self.scores(output), (hidden, seen[:, steps:])

    def forward(self, symbols, seen, feeding):
        before = torch.nn.functional.pad(symbols[:, :-1], (1, 0), value=SYMBOLS)
        return scheduled_scores(self.read, self.words, before, (None, seen), feeding)[0]


class CopyTask:
    """What the loop trains: cross entropy of every symbol, fed with a share of true ones that falls."""

    unit = "symbols"

    def __init__(self, module, stream, way, slope):
        self.module, self.batches, self.way, self.slope = module, stream, way, slope

    def step(self, batch, state, progress):
        share = 1.0 if self.way is None else inverse_sigmoid_share(progress.step, k=self.slope)
        feeding = replace(self.way or Feeding(), share=share)
        scores = self.module(batch.symbols, batch.seen, feeding).flatten(0, 1)
        losses = torch.nn.functional.cross_entropy(scores, batch.symbols.flatten(), reduction="none")
        return StepOutput(losses.mean(), losses.detach().sum(dtype=torch.float64), len(losses))

    def evaluate(self):
        return {}


def right(module, symbols, seen, free):
    """The share of sequences whose symbol at step 20 is the most likely one."""
    with torch.no_grad():
        if not free:
            chosen = module(symbols, seen, Feeding()).argmax(-1)
        else:
            last, state, steps = torch.full((len(symbols), 1), SYMBOLS), (None, seen), []
            for _ in range(JUDGED):
                scores, state = module.read(torch.nn.functional.embedding(last, module.words), state)
                last = scores.argmax(-1)
                steps.append(last)
            chosen = torch.cat(steps, 1)
    return (chosen[:, JUDGED - 1] == symbols[:, JUDGED - 1]).double().mean().item()


def trained(way, seed, chosen):
    """The figures of one model."""
    torch.manual_seed(seed)
    module = Copier(chosen.width)
    task = CopyTask(module, Stream(chosen.batches, seed), WAYS[way], chosen.batches / 10)
    training = firth.TrainingOptions(epochs=1, lr=0.003, schedule="cosine", clip_norm=1.0)
    config = RunConfig(training, seed=seed, progress=False)
    fit(task, config, identity={"recipe": "scheduled sampling"})
    symbols, seen = sequences(4000, generator(seed, "held out"))
    module.eval()
    free, forced = (right(module, symbols, seen, free) for free in (True, False))
    return {"way": way, "seed": seed, "free": round(100 * free, 2), "forced": round(100 * forced, 2)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Scheduled sampling on a copy task with noise.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="one model of each way a seed")
    parser.add_argument("--batches", type=int, default=1000, help="of 64 sequences")
    parser.add_argument("--width", type=int, default=64, help="of the model")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--results", type=Path, help="a file to append figures to")
    parser.add_argument("--toy", action="store_true", help="one seed, fewer batches, two ways")
    chosen = parser.parse_args(arguments)
    if chosen.toy:
        chosen.seeds, chosen.batches, chosen.ways = [0], 100, ["teacher forcing", "draws"]
    rows = [trained(way, seed, chosen) for seed in chosen.seeds for way in chosen.ways]
    for way in chosen.ways:
        free, forced = (statistics.mean(row[name] for row in rows if row["way"] == way) for name in ("free", "forced"))
        print(f"{way:16} right at step {JUDGED}: {free:5.1f} % running free, {forced:5.1f} % fed with the truth")
    if chosen.results:
        chosen.results.parent.mkdir(parents=True, exist_ok=True)
        with chosen.results.open("a", encoding="utf-8") as file:
            file.writelines(
                json.dumps({**row, "batches": chosen.batches, "width": chosen.width}) + "\n" for row in rows
            )
    return rows


if __name__ == "__main__":
    main()
