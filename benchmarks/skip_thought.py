"""How fast skip-thought vectors train with a sampled softmax, and with a full one.

    python -m benchmarks.skip_thought run       # whole steps: loss, gradients, clipping, Adam
    python -m benchmarks.skip_thought table

The text has 20,000 words by Zipf's law and sentences of 18 words on average, like novels. One thread, whose own time on
the processor is what counts. Outputs take turns, round by round, on the same batches; a figure is the median of its
rounds. Rows go to results/sentences/skip_thought.jsonl; `table` takes the last rows.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

import firth
from benchmarks import machine, records
from firth.neural.layers.scratch import reuse_arrays
from firth.neural.models.sentences.data import TokenBatch, Triples
from firth.neural.training.batching import pad
from firth.neural.training.devices import new_module
from firth.neural.training.optimisers import make_optimiser
from firth.vocabulary import Vocabulary

FILE = Path(__file__).parent / "results" / "sentences" / "skip_thought.jsonl"
WORDS, MEAN_LENGTH, LONGEST = 20_000, 18, 64
OUTPUTS = ("full", "importance:samples=1024", "importance:samples=512", "nce", "negative")


def vocabulary() -> Vocabulary:
    """Return 20,000 words with counts by Zipf's law."""
    counts = (1e7 / np.arange(1, WORDS + 1)).astype(np.int64)
    return Vocabulary(["</s>", "<unk>", *(f"w{i}" for i in range(WORDS - 2))], counts, int(counts.sum()))


def batches(words: Vocabulary, count: int, size: int) -> list[Triples]:
    """Return batches of triples: sentences of one length with neighbours of random lengths."""
    random, share = np.random.default_rng(0), words.counts / words.counts.sum()

    def sentences(lengths: np.ndarray) -> TokenBatch:
        return TokenBatch(*pad([random.choice(WORDS, length, p=share) for length in lengths.tolist()]))

    def lengths() -> np.ndarray:
        return np.clip(random.geometric(1 / MEAN_LENGTH, size), 1, LONGEST)

    return [
        Triples(sentences(np.repeat(lengths()[:1], size)), sentences(lengths() + 2), sentences(lengths() + 2))
        for _ in range(count)
    ]


def step_of(output: str, words: Vocabulary, dim: int, hidden: int) -> Callable[[list[Triples]], int]:
    """Return a function that learns from batches, and returns the words that were predicted."""
    module = new_module(0, firth.SkipThought(dim=dim, hidden=hidden, output=output).build_module, words)
    optimiser = make_optimiser(module, "adam", lr=1e-3)

    def learn(some: list[Triples]) -> int:
        predicted = 0
        for batch in some:
            losses = module(batch)
            optimiser.zero_grad(set_to_none=True)
            losses.mean().backward()
            torch.nn.utils.clip_grad_norm_(module.parameters(), 5.0)
            optimiser.step()
            predicted += len(losses)
        return predicted

    return learn


def measure(outputs: list[str], *, rounds: int, count: int, size: int, dim: int, hidden: int) -> None:
    """Time the outputs in turns and append a row for each."""
    words = vocabulary()
    read = batches(words, count, size)
    steps = {output: step_of(output, words, dim, hidden) for output in outputs}
    speeds: dict[str, list[float]] = {output: [] for output in outputs}
    with reuse_arrays():
        for number in range(rounds + 1):  # the first round warms up
            for output, learn in steps.items():
                began = time.process_time()
                predicted = learn(read)
                if number:
                    speeds[output].append(predicted / (time.process_time() - began))
    where = {"machine": machine.describe(), "threads": 1, "torch": torch.__version__}
    about = {"vocabulary": WORDS, "dim": dim, "hidden": hidden, "batch_size": size, "rounds": rounds}
    for output, found in speeds.items():
        figures = {"words_per_second": statistics.median(found), "spread": max(found) / min(found)}
        records.append(FILE, {"output": output, **about, **figures, **where})
        print(output, figures, flush=True)


def table() -> None:
    """Write the table beside the rows."""
    last = {(row["batch_size"], row["hidden"], row["output"]): row for row in records.read(FILE)}
    first = next(iter(last.values()))
    lines = [
        "# Skip-thought vectors: sampled and full softmax\n",
        "Written by `python -m benchmarks.skip_thought table` from the rows beside it. Whole training steps on one",
        f"thread and its own time on the processor, single precision, V = {WORDS:,}; outputs take turns, medians.",
        "Words are those predicted: two neighbours for each sentence.\n",
        f"{first['machine']['processor']}, {first['machine']['cpus']} processors; torch {first['torch']}.\n",
        "| dim | hidden | sentences a batch | output | words/s | to full |",
        "|---|---|---|---|---|---|",
    ]
    for (size, hidden, output), row in last.items():
        ratio = row["words_per_second"] / last[size, hidden, "full"]["words_per_second"]
        speed = f"{row['words_per_second']:,.0f}"
        lines.append(f"| {row['dim']} | {hidden} | {size} | `{output}` | {speed} | {ratio:.1f}x |")
    FILE.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Measure, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batches", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--hidden", type=int, default=600)
    parser.add_argument("--outputs", nargs="+", default=list(OUTPUTS))
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    if options.what == "table":
        table()
    else:
        measure(
            options.outputs,
            rounds=options.rounds,
            count=options.batches,
            size=options.batch_size,
            dim=options.dim,
            hidden=options.hidden,
        )


if __name__ == "__main__":
    main()
