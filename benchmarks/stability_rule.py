"""What the overlap of a word's neighbours between runs says of other texts: the rule behind "stable" words.

    python -m benchmarks.stability_rule ARCHIVE        # litbank-novels.tar.gz

A hundred novels, 20,000 words of each in documents of a thousand, are divided into two halves, every other one. Runs
are trained on each half. A word's overlap is that of its ten nearest between the runs on the first half; what it is
compared with is how many of its ten nearest in the consensus of the first half are so in the consensus of the second,
among the words of both. Up to 400 words of each band of frequency are looked at.
"""

import sys
import tarfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

import firth
from firth.runs.stability import NEAREST, STABLE, bands_of, evenly

TABLE = Path(__file__).parent / "results" / "small" / "stability.md"
MODEL, RUNS, WORDS, DOCUMENT, ASKED = firth.Word2Vec(dim=50), 6, 20_000, 1_000, 400
EDGES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0)


def halves(archive: Path) -> tuple[list[str], list[str]]:
    """The documents of every other novel, and of the others."""
    texts: tuple[list[str], list[str]] = [], []
    with tarfile.open(archive) as files:
        members = sorted((m for m in files.getmembers() if m.name.endswith(".txt")), key=lambda m: m.name)
        for i, member in enumerate(members):
            words = files.extractfile(member).read().decode("utf-8").split()[:WORDS]  # type: ignore[union-attr]
            texts[i % 2].extend(" ".join(words[k : k + DOCUMENT]) for k in range(0, len(words), DOCUMENT))
    return texts


def nearest(vectors: firth.WordVectors, words: list[str], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The ten nearest of some words among all words."""
    matrix = vectors.get_vector(words)
    matrix = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    cosines = matrix[rows] @ matrix.T
    cosines[np.arange(len(rows)), rows] = -2
    return np.argsort(-cosines, axis=1)[:, :NEAREST]


def table(archive: Path) -> str:
    """Train, and return the page of the results."""
    texts = halves(archive)
    first, second = (firth.bootstrap(MODEL, half, runs=RUNS, seed=1, min_count=5, progress=False) for half in texts)
    words = [word for word in first.words if word in second]
    counts = np.array([first.counts[first.lexicon.rows[word]] for word in words])
    rows = np.concatenate([evenly(band, ASKED) for *_, band in bands_of(counts)])
    one, other = (nearest(runs.consensus, words, rows) for runs in (first, second))
    again = (one[:, :, None] == other[:, None, :]).any(axis=2).sum(axis=1)
    overlaps = first.overlaps([words[row] for row in rows])
    lines = [
        "# Stable words and other texts",
        "",
        "`python -m benchmarks.stability_rule`: the overlap of a word's ten nearest between runs on one half of a",
        "hundred novels, and how many of its ten nearest are among the ten nearest in the other half. The script's",
        "docstring has the rest.",
        "",
        f"{first.counts.sum() / 1e6:.2f} M and {second.counts.sum() / 1e6:.2f} M words, {RUNS} runs of each, "
        f"{len(words):,} words in both",
        "",
        "| overlap in the first half | words | of ten nearest, in the second half as well |",
        "|---|---:|---:|",
    ]
    parts = [(overlaps >= low) & (overlaps < high) for low, high in zip(EDGES, (*EDGES[1:-1], 1.1), strict=False)]
    names = [f"{low} to {high}" for low, high in pairwise(EDGES)]
    parts += [overlaps < STABLE]
    for name, part in zip([*names, f"below {STABLE}"], parts, strict=True):
        lines.append(f"| {name} | {part.sum()} | {again[part].mean():.1f} |" if part.any() else f"| {name} | 0 | |")
    lines += ["", "| occurrences | words | stable |", "|---|---:|---:|"]
    for band in first.stability():
        most = f"{band.least:,} or more" if band.most is None else f"{band.least:,} to {band.most:,}"
        lines.append(f"| {most} | {band.words:,} | {100 * band.stable:.0f} % |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TABLE.write_text(table(Path(sys.argv[1])), encoding="utf-8")
