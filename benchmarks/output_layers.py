"""How fast output layers are: each alone, and in the models that are owed a speed.

    python -m benchmarks.output_layers layers     # loss, gradients and Adam's step of each kind, V = 16,383
    python -m benchmarks.output_layers models     # log-bilinear and LSTM models on a part of Brown, whole steps
    python -m benchmarks.output_layers table

One thread, whose own time on the processor is what counts, so that other work on the machine matters less. Kinds take
turns, round by round; a figure is the median of its rounds. Rows go to
results/language/output_layers.jsonl, and nothing there is ever rewritten; `table` takes the last rows of each kind.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

import firth
from benchmarks import machine, records
from firth.data import path_of
from firth.language.text import UNK, training_text
from firth.neural.layers.output.base import OutputConfig
from firth.neural.layers.output.registry import OUTPUTS, make_output
from firth.readers.brown import read_brown

FILE = Path(__file__).parent / "results" / "language" / "output_layers.jsonl"
WORDS = 16_383
BROWN_EPOCH = 800_000  # tokens that Bengio et al. 2003 train on
MODELS: dict[str, Mapping[str, tuple[Any, int]]] = {  # options, and the tokens that a round learns
    "log-bilinear, d = 100, 4 words of context": {
        "full": (firth.LogBilinearLM(output="full"), 17_920),
        "tree": (firth.LogBilinearLM(output="tree"), 102_400),
        "tree:tree=random": (firth.LogBilinearLM(output="tree:tree=random"), 102_400),
    },
    "LSTM, 2 x 200": {
        "full": (firth.RecurrentLM(output="full"), 17_500),
        "adaptive": (firth.RecurrentLM(output="adaptive"), 35_000),
    },
}


def layers(rounds: int, kinds: list[str] | None, widths: list[int], tokens: list[int]) -> None:
    """Time every kind alone, on hidden vectors of no model and targets by Zipf's law."""
    counts = (1e6 / np.arange(1, WORDS + 1)).astype(np.int64) + 1
    share = torch.from_numpy(counts / counts.sum())
    for width in widths:
        for count in tokens:
            torch.manual_seed(0)
            hidden = torch.randn(count, width, requires_grad=True)
            targets = torch.multinomial(share, count, replacement=True)
            steps = {
                kind: _step(make_output(kind, OutputConfig(width, WORDS, counts)), hidden, targets)
                for kind in kinds or OUTPUTS
            }
            for step in steps.values():
                step()  # the first call allocates
            _take_turns(rounds, steps, {"subject": "layer", "width": width, "tokens": count})


def _step(layer: Any, hidden: torch.Tensor, targets: torch.Tensor) -> Callable[[], Mapping[str, float]]:
    optimiser = torch.optim.Adam(layer.parameters(), lr=1e-3, fused=True)

    def step() -> Mapping[str, float]:
        optimiser.zero_grad()
        hidden.grad = None
        times = [time.process_time()]
        loss = layer.loss(hidden, targets).mean()
        times.append(time.process_time())
        loss.backward()
        times.append(time.process_time())
        optimiser.step()
        times.append(time.process_time())
        parts = dict(zip(("forward", "backward", "update"), np.diff(times).tolist(), strict=True))
        return {**parts, "seconds": times[-1] - times[0]}

    return step


def models(rounds: int, kinds: list[str] | None) -> None:
    """Time whole training, on as many tokens of Brown as a round has."""
    paragraphs = list(read_brown(path_of("brown")))
    text = training_text(firth.Corpus.build(paragraphs, min_count=1, max_size=WORDS, unknown=UNK, sentences="text"))
    for name, contenders in MODELS.items():
        steps = {
            kind: _training(how, text.part(0, tokens))
            for kind, (how, tokens) in contenders.items()
            if kinds is None or kind in kinds
        }
        _take_turns(rounds, steps, {"subject": name, "vocabulary": len(text.vocabulary)})


def _training(how: Any, text: Any) -> Callable[[], Mapping[str, float]]:
    training = firth.TrainingOptions(epochs=1, batch_size=how.training.batch_size, optimiser="adam", lr=1e-3)

    def step() -> Mapping[str, float]:
        began = time.process_time()
        found = how.train(text, training=training, threads=1, progress=False).metadata["training"]
        return {"seconds": time.process_time() - began, "tokens": found["predictions"]}

    return step


def _take_turns(rounds: int, steps: Mapping[str, Callable[[], Mapping[str, float]]], about: records.Row) -> None:
    runs: dict[str, list[Mapping[str, float]]] = {kind: [] for kind in steps}
    for _ in range(rounds):
        for kind, step in steps.items():
            runs[kind].append(step())
    where = {"machine": machine.describe(), "threads": 1, "torch": torch.__version__}
    for kind, rows in runs.items():
        found = {name: statistics.median(row[name] for row in rows) for name in rows[0]}
        found["spread"] = max(row["seconds"] for row in rows) / min(row["seconds"] for row in rows)
        records.append(FILE, {**about, "kind": kind, **found, "rounds": rounds, **where})
        print(kind, about, found, flush=True)


def table() -> None:
    """Write the table beside the rows."""
    last = {(r["subject"], r["kind"], r.get("width"), r.get("tokens", 0) * (r["subject"] == "layer")): r
            for r in records.read(FILE)}  # fmt: skip
    rows = list(last.values())
    lines = [
        "# Output layers\n",
        "Written by `python -m benchmarks.output_layers table` from the rows beside it. One thread and its",
        "own time on the processor, single precision, kinds taking turns; medians.\n",
        f"{rows[0]['machine']['processor']}, {rows[0]['machine']['cpus']} processors; torch {rows[0]['torch']}.\n",
        f"## Each alone: V = {WORDS:,}, loss, gradients and Adam's step\n",
        "| D | tokens a batch | kind | forward, ms | backward, ms | update, ms | tokens/s | to full |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in (row for row in rows if row["subject"] == "layer"):
        full = last["layer", "full", row["width"], row["tokens"]]
        parts = " | ".join(f"{1000 * row[name]:.1f}" for name in ("forward", "backward", "update"))
        lines.append(
            f"| {row['width']} | {row['tokens']:,} | {row['kind']} | {parts} | {row['tokens'] / row['seconds']:,.0f} | "
            f"{full['seconds'] / row['seconds']:.1f}x |"
        )
    lines += [
        "\n## In models, on Brown: a whole training step\n",
        f"An epoch is {BROWN_EPOCH:,} tokens; its seconds are those of a part, in proportion.\n",
        "| model | V | output | tokens/s | seconds an epoch | to full |",
        "|---|---|---|---|---|---|",
    ]
    for row in (row for row in rows if row["subject"] != "layer"):
        full = last[row["subject"], "full", None, 0]
        speed, whole = (each["tokens"] / each["seconds"] for each in (row, full))
        lines.append(
            f"| {row['subject']} | {row['vocabulary']:,} | {row['kind']} | {speed:,.0f} | {BROWN_EPOCH / speed:.0f} | "
            f"{speed / whole:.1f}x |"
        )
    FILE.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Measure, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["layers", "models", "table"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--width", type=int, nargs="+", default=[100, 200])
    parser.add_argument("--tokens", type=int, nargs="+", default=[1000, 4000])
    parser.add_argument("--kinds", nargs="+", help="only these")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    if options.what == "layers":
        layers(options.rounds, options.kinds, options.width, options.tokens)
    elif options.what == "models":
        models(options.rounds, options.kinds)
    else:
        table()


if __name__ == "__main__":
    main()
