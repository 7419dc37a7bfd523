"""How often `firth.contrast` finds words that do not differ, and how well it finds those that do.

    python -m benchmarks.contrast_errors run random planted planted-zipf    # or some of them
    python -m benchmarks.contrast_errors table

Two groups of 100 documents are generated in the same way: 200 words of five topics, by Zipf's law, six lines of one
topic each. In random studies nothing differs. In planted ones twelve pairs of words, frequent and rare, stand for each
other in a part of the documents of the second group: three pairs each in an eighth, a quarter, a half and all of them.
planted-zipf has 250 documents of 300 words, whose law is steeper: 1 / rank in place of 1 / (4 + rank).
Rows go to results/small/contrast.jsonl, one a study; what is there is not trained again.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.stats import spearmanr

import firth
from benchmarks import records

ROWS = Path(__file__).parent / "results" / "small" / "contrast.jsonl"
TABLE = ROWS.with_suffix(".md")
MODEL = firth.Word2Vec(dim=10, epochs=3, sample=0, lr=0.05, window=8)
TOPICS, LINES, LENGTH = 5, 6, 12
FIGURES = ("distance", "z", "q", "adjusted")
SHARES = (0.125, 0.25, 0.5, 1.0)
PAIRS = [(12 * i + 10, 12 * i + 11) for i in range(12)]  # of two topics; pair i is swapped in SHARES[i % 4]
STUDIES = {"random": 100, "planted": 40, "planted-zipf": 20}
SIZES = {
    "random": (200, 100, 5),
    "planted": (200, 100, 5),
    "planted-zipf": (300, 250, 1),
}  # words, documents, least rank

Floats = npt.NDArray[np.float64]


def documents(kind: str, seed: int, planted: bool) -> list[str]:
    """The documents of a group."""
    random, (words, number, least) = np.random.default_rng(seed), SIZES[kind]
    law = np.where(np.arange(words) % TOPICS == np.arange(TOPICS)[:, None], 20, 1) / (least + np.arange(words))
    law /= law.sum(axis=1, keepdims=True)
    texts = []
    for _ in range(number):
        names = np.arange(words)
        for i, pair in enumerate(PAIRS if planted else ()):
            if random.random() < SHARES[i % len(SHARES)]:
                names[list(pair)] = names[list(pair)][::-1]
        lines = [random.choice(words, LENGTH, p=law[topic]) for topic in random.integers(TOPICS, size=LINES)]
        texts.append("\n".join(" ".join(f"w{names[i]}" for i in line) for line in lines))
    return texts


def run(kind: str) -> None:
    """Contrast the groups of each study."""
    done = {row["seed"] for row in records.read(ROWS) if row["kind"] == kind}
    for seed in sorted(set(range(STUDIES[kind])) - done):
        groups = documents(kind, 2 * seed, planted=False), documents(kind, 2 * seed + 1, kind != "random")
        contrast = firth.contrast(MODEL, *groups, runs=0, seed=seed, progress=False)
        row: records.Row = {"kind": kind, "seed": seed}
        if kind == "random":
            row |= {"p": float(np.mean(contrast.p <= 0.05)), "q": contrast.q.min(), "adjusted": contrast.adjusted.min()}
        else:
            row |= {name: [float(f"{f:.4g}") for f in getattr(contrast, name)] for name in FIGURES}
            row |= {"truth": truth(contrast.words).tolist()}
        records.append(ROWS, row)


def truth(words: list[str]) -> Floats:
    """In what share of the documents each word is swapped."""
    shares = {f"w{word}": SHARES[i % len(SHARES)] for i, pair in enumerate(PAIRS) for word in pair}
    return np.array([shares.get(word, 0.0) for word in words])


def auc(scores: Floats, positive: npt.NDArray[np.bool_]) -> float:
    """The share of pairs in which a positive word has the higher score."""
    higher = scores[positive][:, None] - scores[~positive]
    return float(((higher > 0) + 0.5 * (higher == 0)).mean())


def restricted(row: dict[str, Floats], mask: npt.NDArray[np.bool_]) -> dict[str, Floats]:
    """The figures of some words of a study."""
    return {name: figures[mask] for name, figures in row.items()}


def planted_table(kind: str, rows: list[records.Row]) -> list[str]:
    """The lines of the studies with swapped words of one size."""
    planted = [{name: np.array(row[name]) for name in (*FIGURES, "truth")} for row in rows if row["kind"] == kind]
    words, number, _ = SIZES[kind]
    lines = [
        "",
        f"{kind}: {len(planted)} studies with swapped words, {number} documents a group, {words} words",
        "",
        "| swapped in | AUC, distance | AUC, z | found, adjusted <= 0.05 | found, q <= 0.05 |",
        "|---|---:|---:|---:|---:|",
    ]
    for share in SHARES:
        kept = [restricted(row, np.isin(row["truth"], (0, share))) for row in planted]
        cells = [f"{np.mean([auc(row[by], row['truth'] > 0) for row in kept]):.3f}" for by in ("distance", "z")]
        for by in ("adjusted", "q"):
            found = np.concatenate([row[by][row["truth"] > 0] <= 0.05 for row in kept])
            cells.append(f"{100 * found.mean():.0f} %")
        lines.append(f"| {100 * share:g} % of the documents | {' | '.join(cells)} |")
    false = [
        np.mean(np.concatenate([row["truth"][row[by] <= 0.05] for row in planted]) == 0) for by in ("adjusted", "q")
    ]
    ranks = [np.mean([spearmanr(row["truth"], row[by]).statistic for row in planted]) for by in ("distance", "z")]
    return [
        *lines,
        f"| false ones | | | {100 * false[0]:.1f} % | {100 * false[1]:.1f} % |",
        f"| rank correlation with the share | {ranks[0]:.3f} | {ranks[1]:.3f} | | |",
    ]


def table() -> str:
    """The page of the results."""
    rows = records.read(ROWS)
    random = [row for row in rows if row["kind"] == "random"]
    lines = [
        "# Errors of contrasts",
        "",
        "`python -m benchmarks.contrast_errors`: groups in which nothing differs, and groups in which some words are",
        "swapped in a share of the documents of one of them. The script's docstring has the rest.",
        "",
        f"| {len(random)} studies in which nothing differs | |",
        "|---|---:|",
        f"| words with p <= 0.05 | {100 * np.mean([row['p'] for row in random]):.1f} % |",
        f"| studies with a word with adjusted <= 0.05 | {sum(row['adjusted'] <= 0.05 for row in random)} |",
        f"| studies with a word with q <= 0.05 | {sum(row['q'] <= 0.05 for row in random)} |",
        "",
        "AUC: swapped words against all others, by the distance alone and by how far it is above chance (z). Found:",
        "the share of swapped words, and below it the share of false ones among all that were found.",
        "",
        "planted-zipf was added after planted had been seen, in which the distance alone is the better order. A word",
        "that is swapped in some documents moves further in random divisions, too, and z takes this from its distance:",
        "the price of p-values that hold for each word. What is found by q or adjusted has few false ones throughout.",
        *planted_table("planted", rows),
        *planted_table("planted-zipf", rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    records.run_or_table(__doc__, STUDIES, run, TABLE, table)
