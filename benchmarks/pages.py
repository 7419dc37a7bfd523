"""Figures of pages of documentation that take a minute to make and belong to no other benchmark.

    python -m benchmarks.pages tokens walks lengths trees losses directions    # or some of them
    python -m benchmarks.pages table

Each function says what it measures. One thread; rows go to results/pages.jsonl, and the tables to results/pages.md.
"""

import argparse
import csv
import itertools
import random
import re
import runpy
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import firth
from benchmarks import inputs, machine, records
from benchmarks.__main__ import _default_cache
from firth.readers.conllu import DependencySentence, read_conllu

RESULTS = Path(__file__).parent / "results"
RECIPES = Path(__file__).resolve().parents[1] / "recipes"
ROWS = RESULTS / "pages.jsonl"
TREEBANKS = (
    "English-EWT/en_ewt", "English-LinES/en_lines", "French-Sequoia/fr_sequoia", "German-GSD/de_gsd",
    "Spanish-GSD/es_gsd", "Turkish-IMST/tr_imst",
)  # fmt: skip
WALKS, STEPS = 10, 10  # from each node, and nodes of a walk

Row = dict[str, Any]


def tokens(data: Path, cache: Path) -> Iterator[Row]:
    """F1 of the tokens of `firth.Document.from_text` against those of a treebank's development file.

    The text of a sentence is its comment `text`. Of a multiword token the parts are expected where they spell it
    (`do` `n't`), else the token as a whole (`au`).
    """
    for treebank in TREEBANKS:
        right = found = expected = 0
        for sentence in read_conllu(data / "dependencies" / f"UD_{treebank}-ud-dev.conllu.gz"):
            text = next(line for line in sentence.comments if line.startswith("text = "))[7:]
            gold = _places(_surface(sentence))
            own = _places([word for each in firth.Document.from_text(text).sentences for word in each.words])
            right, found, expected = right + len(gold & own), found + len(own), expected + len(gold)
        yield {"treebank": treebank.partition("/")[0], "tokens": expected, "F1": 200 * right / (found + expected)}


def _surface(sentence: DependencySentence) -> list[str]:
    """The tokens as they are written."""
    written, inside = [], 0
    for row in sentence.rows:
        number, form = row[0], row[1]
        if "-" in number:
            first, last = map(int, number.split("-"))
            parts = [each[1] for each in sentence.rows if each[0].isdigit() and first <= int(each[0]) <= last]
            if "".join(parts).lower() != form.lower():
                written.append(form)
                inside = last
        elif number.isdigit() and int(number) > inside:
            written.append(form)
    return written


def _places(words: Sequence[str]) -> set[tuple[int, int]]:
    """First and last character of each word, white space not counted."""
    ends = list(itertools.accumulate(len(re.sub(r"\s", "", word)) for word in words))
    return set(itertools.pairwise([0, *ends]))


def walks(data: Path, cache: Path) -> Iterator[Row]:
    """Hit-rate@10 of the last node of random walks on Cora, ten of ten nodes from each paper."""
    edges = _recipe("graphs")["planetoid"](data / "graphs" / "planetoid" / "planetoid.tar.gz", "cora")[0]
    neighbours = [[str(node) for node in edges.indices[a:b]] for a, b in itertools.pairwise(edges.indptr)]
    drawn, baskets = random.Random(0), []
    for start, _ in itertools.product(range(len(neighbours)), range(WALKS)):
        walk = [str(start)]
        while len(walk) < STEPS and neighbours[int(walk[-1])]:
            walk.append(drawn.choice(neighbours[int(walk[-1])]))
        baskets.append(list(dict.fromkeys(walk)))
    evaluate = _recipe("item_recommendation")["evaluate"]
    for exponent in (-0.5, 0.0, 0.75):
        hits, popular = evaluate(baskets, exponent, 50, 20, 0)
        yield {"walks": len(baskets), "noise exponent": exponent, "hit-rate@10, %": hits, "most popular, %": popular}


def _recipe(name: str) -> dict[str, Any]:
    return runpy.run_path(str(RECIPES / f"{name}.py"))


def losses(data: Path, cache: Path) -> Iterator[Row]:
    """Loss by epoch, of predictions as they are learned and of the fixed sample; the first 12 MB of Wikipedia."""
    corpus = firth.Corpus.build(_beginning(cache, 12_000_000), progress=False)
    for model, options in itertools.product((firth.FastText, firth.Word2Vec), ({}, {"lr_end_factor": 1.0})):
        vectors = model(epochs=5, **options).train(corpus, seed=1, threads=1, progress=False)
        facts = vectors.metadata["training"]
        row = {"model": f"{model.__name__}{', constant rate' if options else ''}", "words": corpus.num_tokens}
        yield {**row, "loss": facts["loss"], "sample loss": facts["sample_loss"]}


def trees(data: Path, cache: Path) -> Iterator[Row]:
    """Loss of the last of five epochs by the tree of hierarchical softmax, 50 dimensions, three million characters."""
    corpus = firth.Corpus.build(_beginning(cache, 3_000_000), progress=False)
    for architecture, tree in itertools.product(("skipgram", "cbow"), ("random", "huffman", "wordnet", "learned")):
        model = firth.Word2Vec(architecture=architecture, objective="hierarchical", tree=tree, dim=50, epochs=5)
        facts = model.train(corpus, seed=1, threads=1, progress=False).metadata["training"]
        yield {"model": architecture, "tree": tree, "words": corpus.num_tokens, "loss": facts["loss"][-1]}


def _beginning(cache: Path, characters: int) -> list[str]:
    with inputs.written(cache, None).path.open(encoding="utf-8") as file:
        return file.read(characters).splitlines()


def lengths(data: Path, cache: Path) -> Iterator[Row]:
    """Median length of R8's document vectors: trained, inferred, and trained with the trained output vectors."""
    texts = [text for _, text in inputs.articles().train]
    for options in ({"architecture": "dbow"}, {"architecture": "dbow", "words": True}, {"architecture": "dm"}):
        model = firth.ParagraphVectors(dim=100, epochs=10, **options)
        first = model.train(texts, seed=1, threads=1, progress=False)
        start = firth.WordVectors(first.words.words, first.words.vectors, output_vectors=first.outputs)
        again = model.train(texts, seed=1, threads=1, start=start, progress=False)
        vectors = (first.documents.vectors, first.infer(texts, seed=1), again.documents.vectors)
        trained, inferred, both = (float(np.median(np.linalg.norm(each, axis=1))) for each in vectors)
        name = " ".join(f"{option}={value}" for option, value in options.items())
        yield {"model": name, "trained": trained, "inferred": inferred, "trained with trained outputs": both}


def directions(data: Path, cache: Path) -> Iterator[Row]:
    """Pearson's r of cosines of averages with scores, by the texts that the common direction is learned from.

    The vectors are skip-gram of Wikipedia, 100 dimensions, 5 epochs.
    """
    wikipedia = inputs.written(cache, None).path.read_text(encoding="utf-8").splitlines()
    vectors = firth.Word2Vec(dim=100, epochs=5).train(wikipedia, seed=1, threads=1, progress=False)
    sets = {"SICK, test": _sick(data, "SICK_test_annotated.txt"), "STS-B, development": _stsb(data, "dev")}
    sets["STS-B, test"] = _stsb(data, "test")
    sick = _sick(data, "SICK_train.txt")[0]
    for name, (texts, scores) in sets.items():
        row: Row = {"set": name, "pairs": len(scores)}
        plain = firth.SentenceAverages(vectors)
        row["plain mean"] = _pearson(firth.sentence_vectors(vectors, texts, weighting="mean"), scores)
        row["SIF without a direction"] = _pearson(plain.encode(texts), scores)
        for like, of in (("its own texts", texts), ("SICK's training sentences", sick), ("Wikipedia", wikipedia)):
            row[like] = _pearson(firth.sentence_vectors(vectors, texts, like=of), scores)
        yield row


def _sick(data: Path, name: str) -> tuple[list[str], list[float]]:
    with (data / "sentence" / "sick" / name).open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [row[side] for row in rows for side in ("sentence_A", "sentence_B")], [
        float(row["relatedness_score"]) for row in rows
    ]


def _stsb(data: Path, part: str) -> tuple[list[str], list[float]]:
    with (data / "sentence" / "stsb" / f"stsb-en-{part}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return [text for row in rows for text in row[:2]], [float(row[2]) for row in rows]


def _pearson(rows: Any, scores: Sequence[float]) -> float:
    units = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return float(np.corrcoef((units[::2] * units[1::2]).sum(1), scores)[0, 1])


JOBS: dict[str, Callable[[Path, Path], Iterator[Row]]] = {
    job.__name__: job for job in (tokens, walks, lengths, trees, losses, directions)
}


def table(rows: Sequence[Row]) -> str:
    """A section for each job, from its newest rows."""
    parts = [
        "# Figures of pages of documentation\n",
        f"Written by `python -m benchmarks.pages table` from `{ROWS.name}`.\n",
    ]
    for name, job in JOBS.items():
        own = [row for row in rows if row["job"] == name]
        if own:
            parts.append(f"## {name.capitalize()}\n\n{_paragraph(job)}")
            parts.append(f"`python -m benchmarks.pages {name}`, one thread of {own[-1]['machine']['processor']}.\n")
            figures = [row["figures"] for row in own if row["source"] == own[-1]["source"]]
            for columns, lines in itertools.groupby(figures, key=lambda row: tuple(row)):
                cells = [columns, ["---"] * len(columns), *([_cell(row[name]) for name in columns] for row in lines)]
                parts.append("\n".join(f"| {' | '.join(line)} |" for line in cells) + "\n")
    return "\n".join(parts)


def _paragraph(job: Callable[..., Any]) -> str:
    return "\n".join(line.strip() for line in (job.__doc__ or "").strip().splitlines()) + "\n"


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(f"{each:.2f}" for each in value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}" if isinstance(value, float) else str(value)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, or write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="+", choices=(*JOBS, "table"))
    args = parser.parse_args(arguments)
    data, cache = inputs.public_data(), _default_cache()
    if data is None:
        raise SystemExit("no data: set FIRTH_DATA to the folder of public data sets")
    cache.mkdir(parents=True, exist_ok=True)
    for name in args.jobs:
        source = machine.source_state()
        for figures in JOBS[name](data, cache) if name != "table" else ():
            row = {"job": name, "figures": figures, "machine": machine.describe(), "source": source}
            records.append(ROWS, row)
            print(name, figures, flush=True)
    (RESULTS / "pages.md").write_text(table(records.read(ROWS)), encoding="utf-8")


if __name__ == "__main__":
    main()
