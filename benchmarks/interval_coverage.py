"""How often the intervals of `firth.bootstrap` hold what they promise to hold.

    python -m benchmarks.interval_coverage run counts skipgram    # or one of them
    python -m benchmarks.interval_coverage table

Corpora are generated: each document mixes four topics in shares of its own (Dirichlet, .4), and its 40 words are drawn
from the topics. Of each corpus a model is trained 40 times on documents drawn with replacement, and the 95 % intervals
of ten similarities are compared with what the model says of such corpora on average: the mean over 100 fresh corpora,
each trained once, or for `counts` the cosine of the expected co-occurrences of an endless corpus, which is known. 50
corpora are 500 cases. Rows go to results/small/intervals.jsonl, one a corpus; what is there is not trained again.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import firth
from benchmarks import records

ROWS = Path(__file__).parent / "results" / "small" / "intervals.jsonl"
TABLE = ROWS.with_suffix(".md")
WORDS, TOPICS, LENGTH, MIXED = 40, 4, 40, 0.4
PAIRS = [(2 * i, 2 * i + 1) for i in range(10)]
CORPORA, RUNS, FRESH = 50, 40, 100
MODELS: dict[str, tuple[Any, int]] = {  # options, documents
    "counts": (firth.AssociationVectors(dim=WORDS, association="counts", weights="flat", exponent=1.0), 2000),
    "skipgram": (firth.Word2Vec(dim=10, epochs=8, sample=0, lr=0.05), 300),
}

Floats = npt.NDArray[np.float64]


def topics() -> Floats:
    """The probabilities of words in each topic, (TOPICS, WORDS)."""
    return np.random.default_rng(99).dirichlet(np.full(WORDS, 0.3), TOPICS) * 0.7 + 0.3 / WORDS


def texts(seed: int, documents: int) -> Iterator[str]:
    """The documents of a corpus."""
    random, shares = np.random.default_rng(seed), topics()
    for _ in range(documents):
        mixed = random.dirichlet(np.full(TOPICS, MIXED)) @ shares
        yield " ".join(f"w{i}" for i in random.choice(WORDS, LENGTH, p=mixed))


def expected_counts() -> Floats:
    """The cosines of PAIRS in an endless corpus.

    Two places of a document hold the words i and j with the probability sum_kl E[m_k m_l] p_ki p_lj, where m are the
    shares of the topics: E[m_k m_l] = (a^2 + [k = l] a) / (K a (K a + 1)) for a symmetric Dirichlet distribution.
    """
    total = TOPICS * MIXED
    moments = (MIXED**2 + np.eye(TOPICS) * MIXED) / (total * (total + 1))
    matrix = topics().T @ moments @ topics()
    rows = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.array([rows[i] @ rows[j] for i, j in PAIRS])


def similarities(vectors: firth.WordVectors) -> list[float]:
    """The cosines of PAIRS."""
    return [float(vectors.similarity(f"w{i}", f"w{j}")) for i, j in PAIRS]


def truth(name: str, cache: str) -> Floats:
    """What a model says of such corpora on average."""
    if name == "counts":
        return expected_counts()
    model, documents = MODELS[name]
    fresh = [row for row in records.read(ROWS) if row["model"] == name and row["kind"] == "fresh"]
    for seed in range(len(fresh), FRESH):
        corpus = firth.Corpus.build(texts(10_000 + seed, documents), min_count=1, cache=cache)
        row = {"kind": "fresh", "model": name, "figures": similarities(model.train(corpus, seed=seed, threads=1))}
        records.append(ROWS, row)
        fresh.append(row)
    return np.mean([row["figures"] for row in fresh], axis=0)


def run(name: str) -> None:
    """Train the runs of each corpus."""
    model, documents = MODELS[name]
    with tempfile.TemporaryDirectory() as cache:
        truth(name, cache)
        done = {row["seed"] for row in records.read(ROWS) if row["model"] == name and row["kind"] == "corpus"}
        for seed in sorted(set(range(CORPORA)) - done):
            corpus = firth.Corpus.build(texts(seed, documents), min_count=1, cache=cache)
            runs = firth.bootstrap(model, corpus, runs=RUNS, seed=seed, progress=False)
            together = runs.estimate(lambda vectors: np.array(similarities(vectors)))
            figures = {name: getattr(together, name).tolist() for name in ("value", "low", "high")}
            records.append(ROWS, {"kind": "corpus", "model": name, "seed": seed, **figures})


def table() -> str:
    """The page of the results."""
    lines = [
        "# Intervals of runs",
        "",
        "`python -m benchmarks.interval_coverage`: how many of the 95 % intervals of similarities hold what the model",
        f"says of such corpora on average. {RUNS} runs a corpus, ten pairs of words; its docstring has the rest.",
        "",
        "| model | documents | corpora | cases | covered |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, (_, documents) in MODELS.items():
        rows = [row for row in records.read(ROWS) if row["model"] == name and row["kind"] == "corpus"]
        if rows:
            mean = truth(name, "")
            held = [(np.array(row["low"]) <= mean) & (mean <= np.array(row["high"])) for row in rows]
            share = f"{100 * np.mean(held):.1f} %"
            lines.append(f"| {name} | {documents:,} | {len(rows)} | {np.size(held)} | {share} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("models", nargs="*", choices=[*MODELS, []])
    arguments = parser.parse_args()
    if arguments.what == "table":
        TABLE.write_text(table(), encoding="utf-8")
        return
    for name in arguments.models or MODELS:
        run(name)


if __name__ == "__main__":
    main()
