"""The consensus of runs beside a single run: word vectors on the sets of `benchmarks.defaults`.

    python -m benchmarks.consensus run 1000000 3000000 8000000 17000000    # words, or some of them
    python -m benchmarks.consensus table

Texts are random paragraphs of Wikipedia, each a document. Five runs of skip-gram at firth's defaults are trained on
documents drawn with replacement, and their consensus is compared with the mean of the five, three times with other
seeds. Rows go to results/small/consensus.jsonl; what is there is not trained again.
"""

import statistics
import tempfile
from pathlib import Path

import firth
from benchmarks import inputs, records
from benchmarks.__main__ import _default_cache
from benchmarks.defaults import scores, text_of_size

ROWS = Path(__file__).parent / "results" / "small" / "consensus.jsonl"
TABLE = ROWS.with_suffix(".md")
SIZES = (1_000_000, 3_000_000, 8_000_000, 17_000_000)
RUNS, REPETITIONS = 5, 3


def run(size: str) -> None:
    """Train and judge what the results do not hold yet."""
    cache = _default_cache()
    text = text_of_size(inputs.tokenised(cache, None).path, int(size), cache)
    done = {(row["words"], row["seed"]) for row in records.read(ROWS)}
    for seed in range(REPETITIONS):
        if (int(size), seed) in done:
            continue
        with tempfile.TemporaryDirectory() as folder, text.open(encoding="utf-8") as lines:
            corpus = firth.Corpus.build(lines, tokens="whitespace", cache=folder, progress=False)
            runs = firth.bootstrap(firth.Word2Vec(), corpus, runs=RUNS, seed=seed, threads=2, progress=False)
            single, together = [scores(each) for each in runs], scores(runs.consensus)
        records.append(ROWS, {"words": int(size), "seed": seed, "runs": single, "consensus": together})
        means = [f"{statistics.fmean(each.values()):.3f}" for each in [*single, together]]
        print(size, seed, *means, flush=True)


def table() -> str:
    """The page of the results."""
    rows = records.read(ROWS)
    sets = list(rows[0]["consensus"])
    lines = [
        "# Consensus of runs",
        "",
        f"`python -m benchmarks.consensus`: the mean of {RUNS} runs / their consensus, as means of repetitions; in the",
        "last column the repetitions in which the consensus is at least as good as the mean of the runs. The script's",
        "docstring has the rest.",
        "",
        "| words | repetitions | mean | " + " | ".join(sets) + " | at least as good |",
        "|---:|---:|---:|" + "---:|" * (len(sets) + 1),
    ]
    for size in SIZES:
        if not (there := [row for row in rows if row["words"] == size]):
            continue
        pairs = {
            name: [(statistics.fmean(each[name] for each in row["runs"]), row["consensus"][name]) for row in there]
            for name in sets
        }
        means = [
            (statistics.fmean(pairs[name][i][0] for name in sets), statistics.fmean(pairs[name][i][1] for name in sets))
            for i in range(len(there))
        ]
        cells = [
            " / ".join(f"{100 * statistics.fmean(pair[side] for pair in several):.1f}" for side in (0, 1))
            for several in (means, *pairs.values())
        ]
        lines.append(
            f"| {size:,} | {len(there)} | {' | '.join(cells)} | {sum(b >= a for a, b in means)} of {len(there)} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    records.run_or_table(__doc__, [str(size) for size in SIZES], run, TABLE, table)
