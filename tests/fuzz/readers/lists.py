"""Word lists, lexicons, dictionaries, and what commands read and write as text."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import firth
from tests.fuzz.outcomes import Reader, near
from tests.fuzz.readers import seeds

W = seeds.WORDS


def written(text: str) -> Callable[[Path], None]:
    """Write a text."""
    return lambda path: path.write_text(text, encoding="utf-8")  # type: ignore[func-returns-value]


def use_pairs(path: Path) -> Any:
    """A lexicon that retrofits vectors, and a dictionary that aligns them."""
    from firth.postprocess.retrofitting import retrofit
    from firth.postprocess.word_pairs import read_word_pairs

    pairs = read_word_pairs(path)
    fitted, vectors = retrofit(seeds.vectors(), pairs), seeds.vectors()
    aligned = firth.Procrustes().align(vectors, vectors, pairs, progress=False)
    return [pairs, near(fitted.vectors), aligned.translate("w0", 2)]


def use_sets(path: Path) -> Any:
    """Sets of words for tests of bias."""
    from firth.bias.word_lists import read_sets

    return {name: list(words) for name, words in read_sets(path).items()}


def use_bias_pairs(path: Path) -> Any:
    """Pairs whose differences are a direction."""
    from firth.bias.word_lists import read_pairs

    return [list(map(str, pair)) for pair in read_pairs(path)]


def use_bias_words(path: Path) -> Any:
    """A list of words."""
    from firth.bias.word_lists import read_words

    return list(read_words(path))


def use_labelled_pairs(path: Path) -> Any:
    """Antonyms and others."""
    from firth.relations.labelled import read_labelled_pairs

    found = read_labelled_pairs(path)
    return [list(map(str, pair)) for pair in found.pairs]


def use_groups(path: Path) -> Any:
    """Groups of words that a plot colours."""
    from firth.cli.vectors import read_groups

    return read_groups(str(path))


def use_words(path: Path) -> Any:
    """Words that a plot shows."""
    from firth.cli.vectors import read_words

    return read_words(str(path))


def use_objects(path: Path) -> Any:
    """Figures that a plot draws."""
    from firth.cli.vectors import read_objects

    return read_objects(str(path))


RUN = {"format": "firth comparison", "version": 1, "seed": 1, "threads": 1, "tokens": 100, "corpus": {"name": "x"}}
FIGURE = {"set": "pairs", "metric": "spearman", "value": 0.5, "low": 0.4, "high": 0.6, "covered": 9, "total": 10}
ROW = {
    "model": "skipgram", "options": {"dim": 4}, "seconds": 12.5, "counting_seconds": 0.0, "compiling_seconds": 0.1,
    "resumed": False, "words_per_second": 1000, "peak_bytes": 10**8, "file_bytes": 10**6, "loss": [2.0, 1.5],
    "figures": [FIGURE, {**FIGURE, "set": "questions", "metric": "3cosadd", "value": None}],
}  # fmt: skip


def make_comparison(path: Path) -> None:
    """The folder of a comparison."""
    path.mkdir()
    (path / "run.json").write_text(json.dumps(RUN), encoding="utf-8")
    rows = [ROW, {**ROW, "model": "cbow"}]
    (path / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def use_gap(path: Path) -> Any:
    """Pronouns with two names, and their scores."""
    from firth.evaluation.gap import score_gap
    from firth.readers.gap import read_gap

    examples = list(read_gap(path))
    return [str(score_gap(examples, [(True, False)] * len(examples))), [each.text for each in examples]]


GAP = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL\n" + "".join(
    f"x-{i}\tAnn met Eve; she left.\tshe\t13\tAnn\t0\tTRUE\tEve\t8\tFALSE\thttp://x\n" for i in range(5)
)


def use_comparison(path: Path) -> Any:
    """Every table of it, and its picture."""
    from firth.comparison.saved import read_comparison
    from firth.plots.models import models_by_time

    found = read_comparison(path)
    return [str(found), found.to_markdown(), found.to_json(), found._repr_html_(), repr(models_by_time(found).rows)]


BIAS = json.dumps({"pleasant": list(W[:4]), "unpleasant": list(W[4:8])})
READERS = (
    Reader(name="word-pairs", make=written("".join(f"{W[i]} {W[i + 1]} {W[i + 2]}\n" for i in range(8))), use=use_pairs,
           path="seed.txt", cost=0.002),
    Reader(name="word-pairs-tabs", make=written("".join(f"{W[i]}\t{W[i + 1]}\n" for i in range(8))), use=use_pairs,
           path="seed.txt", cost=0.002),
    Reader(name="bias-sets", make=written(BIAS), use=use_sets, path="sets.json"),
    Reader(name="bias-pairs-text", make=written("he she\nw0 w1\n"), use=use_bias_pairs, path="pairs.txt"),
    Reader(name="bias-pairs", make=written(json.dumps([["he", "she"], ["w0", "w1"]])), use=use_bias_pairs,
           path="p.json"),
    Reader(name="bias-words", make=written(json.dumps(list(W))), use=use_bias_words, path="words.json"),
    Reader(name="labelled-pairs", make=written("hot cold 1\nbig large 0\nup down 1\nw0 w1 0\n"), use=use_labelled_pairs,
           path="seed.txt"),
    Reader(name="groups-json", make=written(BIAS), use=use_groups, path="groups.json"),
    Reader(name="groups-text", make=written("".join(f"{w}\t{'xy'[i % 2]}\n" for i, w in enumerate(W))), use=use_groups,
           path="groups.tsv"),
    Reader(name="word-list", make=written("\n".join(W) + "\n"), use=use_words, path="words.txt"),
    Reader(name="figures", make=written((json.dumps(FIGURE) + "\n") * 3), use=use_objects, path="figures.jsonl"),
    Reader(name="gap", make=written(GAP), use=use_gap, path="gap.tsv"),
    Reader(name="comparison", make=make_comparison, use=use_comparison),
)  # fmt: skip
