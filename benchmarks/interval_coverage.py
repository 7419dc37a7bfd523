"""How often the intervals of `firth.bootstrap` hold what they promise to hold.

    python -m benchmarks.interval_coverage run counts counts-long skipgram    # or some of them
    python -m benchmarks.interval_coverage table

Corpora are generated: each document mixes four topics in shares of its own (Dirichlet, .4), and its 40 words (200 for
counts-long) are drawn from the topics. Of each corpus a model is trained 40 times on documents drawn with replacement.
The 95 % intervals of ten similarities are compared with two truths: what the model says on average of corpora of this
size, the mean over 100 fresh ones, each trained once; and for counts the cosines of the expected co-occurrences of an
endless corpus, which are known. They are compared with each of the fresh trainings, too. 50 corpora are 500 cases. Rows
go to results/small/intervals.jsonl, one a corpus; what is there is not trained again.
"""

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
WORDS, TOPICS, MIXED = 40, 4, 0.4
PAIRS = [(2 * i, 2 * i + 1) for i in range(10)]
CORPORA, RUNS, FRESH = 50, 40, 100
COUNTS = firth.AssociationVectors(dim=WORDS, association="counts", weights="flat", exponent=1.0)
MODELS: dict[str, tuple[Any, int, int]] = {  # options, documents, words of a document
    "counts": (COUNTS, 2000, 40),
    "counts-long": (COUNTS, 2000, 200),
    "skipgram": (firth.Word2Vec(dim=10, epochs=8, sample=0, lr=0.05), 300, 40),
}

Floats = npt.NDArray[np.float64]


def topics() -> Floats:
    """The probabilities of words in each topic, (TOPICS, WORDS)."""
    return np.random.default_rng(99).dirichlet(np.full(WORDS, 0.3), TOPICS) * 0.7 + 0.3 / WORDS


def texts(seed: int, documents: int, length: int) -> Iterator[str]:
    """The documents of a corpus."""
    random, shares = np.random.default_rng(seed), topics()
    for _ in range(documents):
        mixed = random.dirichlet(np.full(TOPICS, MIXED)) @ shares
        yield " ".join(f"w{i}" for i in random.choice(WORDS, length, p=mixed))


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


def average(name: str) -> Floats:
    """What a model says on average of corpora of this size."""
    return np.asarray(np.mean([row["figures"] for row in rows(name, "fresh")], axis=0))


def rows(name: str, kind: str) -> list[records.Row]:
    """The rows of a model so far."""
    return [row for row in records.read(ROWS) if row["model"] == name and row["kind"] == kind]


def run(name: str) -> None:
    """Train once on each fresh corpus, and the runs of each other."""
    model, *size = MODELS[name]
    with tempfile.TemporaryDirectory() as cache:
        for seed in range(len(rows(name, "fresh")), FRESH):
            corpus = firth.Corpus.build(texts(10_000 + seed, *size), min_count=1, cache=cache)
            figures = similarities(model.train(corpus, seed=seed, threads=1))
            records.append(ROWS, {"kind": "fresh", "model": name, "figures": figures})
        done = {row["seed"] for row in rows(name, "corpus")}
        for seed in sorted(set(range(CORPORA)) - done):
            corpus = firth.Corpus.build(texts(seed, *size), min_count=1, cache=cache)
            runs = firth.bootstrap(model, corpus, runs=RUNS, seed=seed, progress=False)
            together = runs.estimate(lambda vectors: np.array(similarities(vectors)))
            ends = {end: getattr(together, end).tolist() for end in ("value", "low", "high")}
            records.append(ROWS, {"kind": "corpus", "model": name, "seed": seed, **ends})


def covered(name: str, figures: Floats) -> str:
    """How many intervals hold figures of the PAIRS, (10,) or several of them, (N, 10)."""
    several = rows(name, "corpus")
    low, high = (np.array([row[end] for row in several])[:, None] for end in ("low", "high"))
    return f"{100 * np.mean((low <= figures) & (figures <= high)):.1f} %"


def table() -> str:
    """The page of the results."""
    lines = [
        "# Intervals of runs",
        "",
        "`python -m benchmarks.interval_coverage`: how many of the 95 % intervals of similarities hold what the model",
        f"says on average of corpora of this size, and what it would say of an endless one. {RUNS} runs a corpus, ten",
        "pairs of words. The last column is how far the mean of the runs is from this average, in standard deviations",
        "over corpora: the mean over pairs of absolute values. The script's docstring has the rest.",
        "",
        "`counts-long` was added after `counts` had been seen to miss the endless corpus: more words a document make",
        "the bias of a cosine smaller beside its interval, as the last column shows. The interval of skip-gram holds",
        "the average too often, because each run has the chance of a single training besides: it is as wide as what",
        "one training on another text of this kind says, which `training covered` counts, and the mean of the runs,",
        "which is shown, is nearer to the average than that.",
        "",
        "| model | documents | words of each | cases | average covered | training covered | endless covered "
        "| mean off by |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, (_, documents, length) in MODELS.items():
        if not (several := rows(name, "corpus")) or not rows(name, "fresh"):
            continue
        fresh = np.array([row["figures"] for row in rows(name, "fresh")])
        off = np.mean([row["value"] for row in several], axis=0) - average(name)
        endless = covered(name, expected_counts()) if name.startswith("counts") else "not known"
        cells = [
            name,
            f"{documents:,}",
            str(length),
            str(len(several) * len(PAIRS)),
            covered(name, average(name)),
            covered(name, fresh),
            endless,
        ]
        lines.append(f"| {' | '.join(cells)} | {np.abs(off / fresh.std(axis=0)).mean():.2f} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    records.run_or_table(__doc__, MODELS, run, TABLE, table)
