"""Speed of recurrent layers and character encoders in steps per second, forward and backward, on one thread.

    python -m benchmarks.layers            measure, and write results/language/layers.jsonl and layers.md
    python -m benchmarks.layers --table    write the table again from the runs on disk

Each round runs every contender once, torch's layers of the same size included. A figure is the median over rounds, with
minimum and maximum.
"""

import argparse
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import nn

from benchmarks.turns import Contender, SpeedTable, counting, spread
from firth.neural.layers.cells import RecurrentLayer
from firth.neural.layers.characters import CharacterCNN, CharacterLSTM
from firth.neural.layers.dropout import Dropouts
from firth.neural.layers.qrnn import Qrnn
from firth.neural.layers.recurrent import RecurrentStack

RESULTS = Path(__file__).parent / "results" / "language"
BATCH, STEPS, ROUNDS = 20, 35, 7
PEERS = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
Job = Callable[[], None]

LEGEND = """One layer of H to H, batches of {batch} x {steps}, onward and back, one thread, float32. Contenders take
turns; a figure is the median of {rounds} rounds (least - greatest). "Several lengths" counts the real steps of
sequences of 5 to {steps}. Written by `python -m benchmarks.layers`.

{machine}; torch {torch}.
"""
TABLE = SpeedTable(
    title="# Recurrent layers and encoders of characters: tokens a second",
    legend=LEGEND,
    unit="tokens",
    columns={"hidden": "H", "layer": "layer"},
    clock=time.perf_counter,
)


def stepping(module: nn.Module, width: int, lengths: torch.Tensor | None = None) -> Job:
    """A job that runs a module over a batch and back."""
    x = torch.randn(BATCH, STEPS, width, requires_grad=True)

    def run() -> None:
        module.zero_grad()
        x.grad = None
        y, _ = module(x) if lengths is None else module(x, None, lengths)
        y.sum().backward()

    return run


def packing(module: nn.Module, width: int, lengths: torch.Tensor) -> Job:
    """The same by torch's packed sequences."""
    x = torch.randn(BATCH, STEPS, width, requires_grad=True)

    def run() -> None:
        module.zero_grad()
        x.grad = None
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        module(packed)[0].data.sum().backward()

    return run


def reading(encoder: nn.Module) -> Job:
    """A job that reads a batch of words of which half are distinct."""
    ids = torch.randint(0, BATCH * STEPS // 2, (BATCH, STEPS))

    def run() -> None:
        encoder.zero_grad()
        encoder(ids).sum().backward()

    return run


def contenders(hidden: int) -> dict[str, tuple[Job, int]]:
    """What runs at one width: a job, and the tokens that it reads, by name."""
    lengths = torch.arange(BATCH) * (STEPS - 5) // (BATCH - 1) + 5
    real, all_steps = int(lengths.sum()), BATCH * STEPS
    jobs: dict[str, tuple[Job, int]] = {}
    for kind, peer in PEERS.items():
        layer = partial(RecurrentLayer, kind, hidden, hidden)
        theirs = peer(hidden, hidden, batch_first=True)
        jobs[f"{kind}: torch's own layer"] = stepping(theirs, hidden), all_steps
        jobs[f"{kind}"] = stepping(layer(), hidden), all_steps
        jobs[f"{kind}, weights dropped"] = stepping(layer(dropout=Dropouts(weights=0.5)), hidden), all_steps
        variational = RecurrentStack(hidden, hidden, cell=kind, dropout=Dropouts.variational(0.5))
        jobs[f"{kind}, variational"] = stepping(variational, hidden), all_steps
        zoned = Dropouts(zoneout=0.1, zoneout_output=0.1)
        jobs[f"{kind}, zoneout"] = stepping(layer(dropout=zoned), hidden), all_steps
        jobs[f"{kind}, several lengths: torch's packed sequences"] = packing(theirs, hidden, lengths), real
        jobs[f"{kind}, several lengths"] = stepping(layer(), hidden, lengths), real
    for window in (1, 2):
        jobs[f"qrnn, window {window}"] = stepping(Qrnn(hidden, hidden, window=window), hidden), all_steps
    jobs["qrnn, window 2, zoneout"] = stepping(Qrnn(hidden, hidden, dropout=Dropouts(zoneout=0.1)), hidden), all_steps
    return jobs


def encoders() -> dict[str, tuple[Job, int]]:
    """Encoders of characters over words of 1 to 15 letters, as by chance."""
    chance = random.Random(1)
    words = ["".join(chance.choices("abcdefgh", k=1 + k % 15)) for k in range(BATCH * STEPS // 2)]
    named = {"CNN of Kim et al., 525 filters": CharacterCNN(words), "C2W, 2 x 150": CharacterLSTM(words)}
    return {name: (reading(encoder), BATCH * STEPS) for name, encoder in named.items()}


def table(file: Path) -> str:
    """The runs as Markdown, a column for each width."""
    runs: dict[str, dict[int, list[float]]] = {}
    for (width, name), speeds in TABLE.speeds(file).items():
        runs.setdefault(name, {})[width] = speeds
    widths = sorted({width for by_width in runs.values() for width in by_width})
    columns = [f"H = {width}" if width else "words, half distinct" for width in widths]
    lines = [*TABLE.above(file), f"| layer | {' | '.join(columns)} |", "|---|" + "---|" * len(widths)]
    for name, by_width in runs.items():
        cells = [spread(by_width[width]) if width in by_width else "" for width in widths]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description="tokens a second of recurrent layers")
    parser.add_argument("--table", action="store_true", help="write the table from the runs on disk alone")
    parser.add_argument("--widths", type=int, nargs="*", default=[200, 650])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    file = options.out / "layers.jsonl"
    if not options.table:
        torch.set_num_threads(1)
        torch.manual_seed(1)
        sizes = {"batch": BATCH, "steps": STEPS, "rounds": options.rounds}
        TABLE.begin(file, sizes, torch=torch.__version__)
        for hidden in (*options.widths, 0):
            jobs = contenders(hidden) if hidden else encoders()
            turns = [Contender((hidden, name), partial(counting, *each)) for name, each in jobs.items()]
            TABLE.measure(turns, options.rounds, file)
    (options.out / "layers.md").write_text(table(file), encoding="utf-8")


if __name__ == "__main__":
    main()
