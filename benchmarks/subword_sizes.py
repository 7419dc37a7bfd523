"""How many subwords suit a text: bits per character of held-out text, by the size of text and vocabulary.

    python -m benchmarks.subword_sizes train --text wiki.txt.xz --characters 1000000 --sizes 512 1024 2048 --epochs 2
    python -m benchmarks.subword_sizes table

Every model is an LSTM with the default options, trained for the same number of passes over the text on one thread;
"characters" stands for a vocabulary without subwords. Training texts are the first paragraphs of a file; the held-out
text, HELD_OUT characters, comes from paragraphs far behind them. Rows go to results/language/subword_sizes.jsonl, and
nothing there is rewritten.
"""

import argparse
import dataclasses
import lzma
import statistics
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import torch

import firth
from benchmarks import machine, records
from firth.corpus.learned_tokens import vocabulary_size

FILE = Path(__file__).parent / "results" / "language" / "subword_sizes.jsonl"
HELD_OUT, FAR = 60_000, 20_000_000  # characters of held-out text, and where it begins


def train(path: Path, characters: int, sizes: list[str], epochs: int, seed: int) -> None:
    """Train a model with each vocabulary size, and keep what it predicts held-out text with."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        lines = (line.rstrip("\n") for line in file if line.strip())
        text = list(_first(lines, characters))
        list(_first(lines, FAR - characters))
        held_out = list(_first(lines, HELD_OUT))
    model = firth.RecurrentLM(cell="lstm")
    training = dataclasses.replace(model.training, epochs=epochs)
    for size in sizes:
        tokens = {"tokens": "characters"} if size == "characters" else {"tokens": "subwords", "max_size": int(size)}
        corpus = firth.Corpus.build(text, **tokens, progress=False)
        began = time.process_time()
        trained = model.train(corpus, training=training, seed=seed, threads=1, progress=False)
        seconds = time.process_time() - began
        figure = trained.perplexity(held_out)
        row = {
            "text": path.name.split(".")[0],
            "characters": corpus.characters,
            "size": size,
            "vocabulary": len(trained.vocabulary),
            "tokens": corpus.num_tokens,
            "seed": seed,
            "epochs": epochs,
            "bits_per_character": figure.bits_per_character,
            "perplexity": figure.value,
            "seconds": round(seconds, 1),
        }
        records.append(FILE, {**row, "machine": machine.describe(), "torch": torch.__version__})
        print(row, flush=True)


def _first(lines: Iterable[str], characters: int) -> Iterator[str]:
    """Yield lines up to a number of characters in all."""
    for line in lines:
        yield line
        characters -= len(line)
        if characters <= 0:
            return


def table() -> None:
    """Write the table beside the rows: a line per text, a column per vocabulary size."""
    rows = records.read(FILE)
    sizes = sorted({row["size"] for row in rows}, key=lambda size: 0 if size == "characters" else int(size))
    lines = [
        "# Vocabulary size of subwords\n",
        "Written by `python -m benchmarks.subword_sizes table` from the rows beside it: bits per character of",
        "held-out Wikipedia, LSTM of 2 x 200; in brackets the seconds of training on one thread. The rule of",
        "`firth.corpus.learned_tokens` is 256 + 2 sqrt(characters).\n",
        f"{rows[0]['machine']['processor']}, {rows[0]['machine']['cpus']} processors; torch {rows[0]['torch']}.\n",
        f"| characters | epochs | rule | {' | '.join(sizes)} |",
        f"|---|---|---|{'---|' * len(sizes)}",
    ]
    for characters, epochs in sorted({(row["characters"], row["epochs"]) for row in rows}):
        cells = []
        for size in sizes:
            found = [r for r in rows if (r["characters"], r["epochs"], r["size"]) == (characters, epochs, size)]
            bits = [row["bits_per_character"] for row in found]
            cells.append(f"{statistics.mean(bits):.3f} ({found[0]['seconds']:.0f})" if found else "")
        lines.append(f"| {characters:,} | {epochs} | {vocabulary_size(characters):,} | {' | '.join(cells)} |")
    FILE.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Measure, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["train", "table"])
    parser.add_argument("--text", type=Path, help="paragraphs, one a line (.xz)")
    parser.add_argument("--characters", type=int, default=1_000_000, help="of the training text")
    parser.add_argument("--sizes", nargs="+", default=["characters", "512", "1024", "2048", "4096"])
    parser.add_argument("--epochs", type=int, default=2, help="passes over the text, for each model")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    if options.what == "table":
        table()
    elif options.text is None:
        parser.error("train needs --text")
    else:
        train(options.text, options.characters, options.sizes, options.epochs, options.seed)


if __name__ == "__main__":
    main()
