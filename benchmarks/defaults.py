"""Defaults by corpus size: options chosen on one half of the evaluation sets and judged on the other; and peers'.

    python -m benchmarks.defaults grid [--sizes 100000 1000000] [--models skipgram cbow fasttext]
    python -m benchmarks.defaults peers [--gensim-python PYTHON] [--fasttext-python PYTHON]
    python -m benchmarks.defaults judge          # firth's own defaults, as they are now
    python -m benchmarks.defaults table

The text of each size is a random choice of Wikipedia's paragraphs in the manner of text8. A row holds one training: its
options, seconds, and a value per evaluation set, in which a pair or question with an unknown word counts as answered by
a model that knows nothing: options that keep more words are not punished for their harder questions. Rows go to
results/defaults.jsonl; what is there is not trained again.
"""

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import firth
from benchmarks import inputs, machine, records
from benchmarks.__main__ import _default_cache
from firth.comparison.models import vector_models

FILE = Path(__file__).parent / "results" / "defaults.jsonl"
SIZES = (100_000, 1_000_000, 5_000_000, 20_000_000)  # words; the last is all of the text
CHOOSE = {"similarity": ["wordsim-353", "simlex-999", "mturk-287", "yp-130"], "categorisation": ["ap"]}
JUDGE = {"similarity": ["men", "rare-words", "rg-65", "verb-143"], "categorisation": ["bless", "esslli-2008"]}
ANALOGIES = {"choose": "google-analogies/semantic", "judge": "google-analogies/syntactic"}
SAMPLES = (1e-5, 1e-4, 1e-3)
EPOCHS = (5, 10, 20, 40, 80, 160)
LONGEST = 200_000_000  # words of all epochs of one training
SHORT = 1_000_000  # words of a text that the grid is finer for
PEERS: dict[str, dict[str, Any]] = {  # what somebody gets who gives no option
    "gensim CBOW": {"job": "gensim_train", "model": {"epochs": 5}},
    "gensim skip-gram": {"job": "gensim_train", "model": {"epochs": 5, "sg": 1}},
    "gensim FastText": {"job": "gensim_train", "family": "FastText", "model": {"epochs": 5}},
    "fastText skip-gram": {"job": "fasttext_train", "epochs": 5, "model": {}},
    "fastText CBOW": {"job": "fasttext_train", "epochs": 5, "model": {"model": "cbow"}},
}

KINDS = {  # of models, as the table has them: firth's name, and the peers'
    "skip-gram": ("skipgram", ("gensim skip-gram",)),
    "CBOW": ("cbow", ("gensim CBOW",)),
    "fastText": ("fasttext", ("gensim FastText", "fastText skip-gram", "fastText CBOW")),
}
OURS = "firth's defaults"
FORMER = {"sample": 1e-4, "epochs": 5, "window": 5, "min_count": 5}  # firth's defaults for any size, once

Row = dict[str, Any]


def text_of_size(source: Path, words: int, folder: Path) -> Path:
    """Write a random choice of the lines of a text that holds as many words; return the file."""
    path = folder / f"text-{words}.txt"
    if not path.exists():
        lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
        random.Random(0).shuffle(lines)
        lengths = itertools.accumulate(len(line.split()) for line in lines)
        count = sum(length <= words for length in lengths)
        part = path.with_suffix(".part")
        part.write_text("".join(lines[:count]), encoding="utf-8")
        part.replace(path)
    return path


def scores(vectors: Any) -> dict[str, float]:
    """The value of each evaluation set by name."""
    suites: dict[str, Any] = {name: [*CHOOSE[name], *JUDGE[name]] for name in CHOOSE}
    report = firth.evaluate(
        vectors, suites={**suites, "analogies": ["google-analogies"]}, unknown="count", resamples=1, progress=False
    )
    wanted = {*itertools.chain(*CHOOSE.values(), *JUDGE.values()), *ANALOGIES.values()}
    return {row.set: round(row.value, 4) for row in report.rows if row.set in wanted and row.metric != "3cosmul"}


def half(values: Mapping[str, float], which: str) -> float:
    """The mean over one half of the sets, "choose" or "judge"."""
    suites = CHOOSE if which == "choose" else JUDGE
    return statistics.fmean(values[name] for name in [*itertools.chain(*suites.values()), ANALOGIES[which]])


def train(text: Path, model: str, options: Mapping[str, Any], min_count: int | None, threads: int, cache: Path) -> Row:
    """Train one of firth's models and judge it."""
    chosen = {} if min_count is None else {"min_count": min_count}
    corpus = firth.Corpus.build([text], tokens="whitespace", cache=cache, progress=False, **chosen)
    made = vector_models()[model].kind(**options, **vector_models()[model].preset)
    began = time.perf_counter()
    vectors = made.train(corpus, seed=1, threads=threads, progress=False)
    seconds = round(time.perf_counter() - began, 2)
    training = vectors.metadata["training"]
    facts = {
        "min_count": corpus.options.min_count,
        **{name: training["options"][name] for name in ("epochs", "sample")},
    }
    return {**facts, "seconds": seconds, "vocabulary": len(corpus.vocabulary), "scores": scores(vectors)}


def settings(words: int) -> Iterable[dict[str, Any]]:
    """The grid: subsampling and epochs; the smallest count and the window in its middle; for short texts both."""
    epochs = [each for each in EPOCHS if each * words <= LONGEST] or [EPOCHS[0]]
    for sample, passes in itertools.product(SAMPLES, epochs):
        yield {"sample": sample, "epochs": passes, "window": 5, "min_count": 5}
    middle = epochs[min(len(epochs) - 1, 2)]
    counts, windows = ((1, 2, 5, 10), (5, 10)) if words < SIZES[-1] else ((2, 5), (5,))
    for min_count, window in itertools.product(counts, windows):
        yield {"sample": 1e-3, "epochs": middle, "window": window, "min_count": min_count}
    if words <= SHORT:
        for sample, passes in itertools.product(SAMPLES, epochs[1:5]):
            yield {"sample": sample, "epochs": passes, "window": 5, "min_count": 2}


def grid(source: Path, cache: Path, sizes: Sequence[int], models: Sequence[str], threads: int) -> None:
    """Train and judge what the results do not hold yet."""
    for words, model in itertools.product(sizes, models):
        text = text_of_size(source, words, cache)
        for setting in settings(words):
            options = {name: value for name, value in setting.items() if name != "min_count"}
            facts = {"who": "firth", "model": model, "words": words, **setting}
            if not held(facts):
                keep({**facts, **train(text, model, options, setting["min_count"], threads, cache)})


def judge(source: Path, cache: Path, sizes: Sequence[int], models: Sequence[str], threads: int) -> None:
    """Train and judge with firth's own defaults, in this state of the source."""
    for words, model in itertools.product(sizes, models):
        facts = {"who": OURS, "model": model, "words": words, "source": machine.source_state()}
        if not held(facts):
            keep({**facts, **train(text_of_size(source, words, cache), model, {}, None, threads, cache)})


def peers(source: Path, cache: Path, sizes: Sequence[int], pythons: Mapping[str, str], threads: int) -> None:
    """Train and judge with the defaults of other programs."""
    for words, (name, job) in itertools.product(sizes, PEERS.items()):
        facts = {"who": name, "model": name, "words": words}
        program = pythons.get(job["job"].partition("_")[0])
        if held(facts) or program is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / ("model.bin" if job["job"].startswith("fasttext") else "vectors.w2v.bin")
            options = {**job, "text": str(text_of_size(source, words, cache)), "output": str(output)}
            options |= {"seed": 1, "threads": threads, "min_count": 5}
            script = Path(__file__).parent / "jobs" / f"{job['job']}.py"
            environment = {**os.environ, "PYTHONHASHSEED": "0"}
            done = subprocess.run(
                [program, str(script), json.dumps(options)], check=True, capture_output=True, text=True, env=environment
            )
            seconds = round(json.loads(done.stdout.splitlines()[-1])["seconds"], 2)
            vectors = firth.load(output)
            keep({**facts, "seconds": seconds, "vocabulary": len(vectors), "scores": scores(vectors)})


def held(facts: Mapping[str, Any]) -> bool:
    """Whether the results hold this training."""
    return any(facts.items() <= row.items() for row in records.read(FILE))


def keep(row: Row) -> None:
    """Add a row."""
    records.append(FILE, row)
    halves = {which: round(half(row["scores"], which), 3) for which in ("choose", "judge")}
    print({name: value for name, value in row.items() if name != "scores"} | halves, flush=True)


def table(rows: Sequence[Row]) -> str:
    """For each size and kind of model: peers' defaults, firth's, and the best of the grid by the first half."""
    lines = [
        "| words | model | defaults of | first half | second half | WordSim-353 | MEN | vocabulary |",
        "| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for words, (kind, (model, names)) in itertools.product(SIZES, KINDS.items()):
        there = [row for row in rows if row["words"] == words]
        runs = [row for row in there if (row["who"], row["model"]) == ("firth", model)]
        former = [row for row in runs if FORMER.items() <= row.items()]
        newest = [row for row in there if (row["who"], row["model"]) == (OURS, model)][-1:]
        best = sorted(runs, key=lambda row: half(row["scores"], "choose"))[-1:]
        shown = [(row, row["who"]) for name in names for row in there if row["who"] == name]
        shown += [(row, "firth before: " + _options(row)) for row in former]
        shown += [(row, "**firth**: " + _options(row)) for row in newest]
        shown += [(row, "best of the grid: " + _options(row)) for row in best]
        lines += [_line(row, kind, text) for row, text in shown]
    return "\n".join(lines) + "\n"


def _options(row: Row) -> str:
    return " ".join(f"{name}={row[name]:g}" for name in ("min_count", "epochs", "sample", "window") if name in row)


def _line(row: Row, kind: str, options: str) -> str:
    scores = row["scores"]
    values = [half(scores, "choose"), half(scores, "judge"), scores["wordsim-353"], scores["men"]]
    numbers = " | ".join(f"{value:.3f}" for value in values)
    return f"| {row['words']:,} | {kind} | {options} | {numbers} | {row['vocabulary']:,} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Train and judge, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("grid", "peers", "judge", "table"))
    parser.add_argument("--corpus", type=Path, metavar="FILE", help="words and spaces (default: Wikipedia as text8)")
    parser.add_argument("--cache", type=Path, default=_default_cache(), metavar="DIR", help="for what is made once")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, metavar="WORDS")
    parser.add_argument("--models", nargs="+", default=["skipgram", "cbow"], metavar="MODEL")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--gensim-python", metavar="PYTHON", help="a Python with gensim")
    parser.add_argument("--fasttext-python", metavar="PYTHON", help="a Python with fasttext")
    args = parser.parse_args(arguments)
    if args.what == "table":
        print(table(records.read(FILE)))
        return
    args.cache.mkdir(parents=True, exist_ok=True)
    source = inputs.tokenised(args.cache, args.corpus and args.corpus.resolve()).path
    if args.what == "peers":
        pythons = {"gensim": args.gensim_python, "fasttext": args.fasttext_python}
        peers(source, args.cache, args.sizes, {k: v for k, v in pythons.items() if v}, args.threads)
    else:
        run = grid if args.what == "grid" else judge
        run(source, args.cache, args.sizes, args.models, args.threads)


if __name__ == "__main__":
    main()
