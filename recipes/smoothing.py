"""Compares smoothing methods of n-gram models, orders 1 to 5, on the Brown corpus.

The first 800,000 tokens of Brown train and about the last 177,000 test. Words that occur at most three times become
`<unk>`, as in Bengio et al. 2003; `recipes/brown.py` explains what is counted. Only add-k has a parameter set by hand:
Laplace's k = 1 and a small one are shown.

    python recipes/smoothing.py                       # half a minute
    python recipes/smoothing.py --toy                 # a twentieth of the text, seconds
"""

import argparse
import json
from pathlib import Path

import firth
from firth.data import path_of
from firth.language import UNK, training_text
from firth.readers import read_brown

TRAIN, VALID, ALL = 800_000, 200_000, 1_176_859
ORDERS = range(1, 6)
SMOOTHINGS = {
    "modified Kneser-Ney": {"smoothing": "kneser-ney"},
    "Kneser-Ney": {"smoothing": "kneser-ney", "discounts": 1},
    "Jelinek-Mercer": {"smoothing": "jelinek-mercer"},
    "Katz": {"smoothing": "katz"},
    "absolute, backing off": {"smoothing": "absolute", "interpolated": False},
    "absolute, interpolated": {"smoothing": "absolute"},
    "Good-Turing": {"smoothing": "good-turing"},
    "add-k, k = 0.01": {"smoothing": "add-k", "add": 0.01},
    "add-k, k = 1": {"smoothing": "add-k"},
}


def parts(path, toy):
    """The first and the last part of the corpus, as texts of one vocabulary."""
    paragraphs = list(read_brown(path))
    if toy:
        paragraphs = paragraphs[::20]
    text = training_text(firth.Corpus.build(paragraphs, min_count=4, unknown=UNK, sentences="text"))
    share = len(text) / ALL
    return text.part(0, round(TRAIN * share)), text.part(round((TRAIN + VALID) * share), len(text))


def row(name, order, train, test, toy):
    """One model's perplexity of the test part."""
    options = firth.NgramLM(order=order, discount_fallback=toy, **SMOOTHINGS[name])
    perplexity = options.train(train, progress=False).perplexity(test)
    low, high = perplexity.interval()
    return {
        "smoothing": name,
        "order": order,
        "perplexity": round(perplexity.value, 2),
        "low": round(low, 2),
        "high": round(high, 2),
        "tokens": perplexity.tokens,
        "unknown": perplexity.unknown,
    }


def table(rows):
    """The rows as Markdown, the best smoothing first."""
    lines = ["| perplexity | " + " | ".join(f"n = {n}" for n in ORDERS) + " |", "|---" * (1 + len(ORDERS)) + "|"]
    names = sorted(SMOOTHINGS, key=lambda name: min(r["perplexity"] for r in rows if r["smoothing"] == name))
    for name in names:
        own = {r["order"]: r["perplexity"] for r in rows if r["smoothing"] == name}
        lines.append(f"| {name} | " + " | ".join(f"{own[n]:,.1f}" for n in ORDERS) + " |")
    return "\n".join(lines)


HEAD = """# Smoothings of n-gram models on Brown

`python recipes/smoothing.py --results benchmarks/results/language/smoothing.jsonl`, whose rows also have
the bootstrap's intervals of 95 %; the recipe says what is counted. Good-Turing and add-k know no shorter contexts, and
so lose by every word of context beyond the first."""


def main(arguments=None):
    """Train and evaluate all models; print and save the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brown", type=Path, help="NLTK's brown.zip; default: firth's data set")
    parser.add_argument("--toy", action="store_true", help="every twentieth paragraph")
    parser.add_argument("--results", type=Path, help="file of rows (.jsonl), and a table beside it (.md)")
    options = parser.parse_args(arguments)
    train, test = parts(options.brown or path_of("brown"), options.toy)
    print(f"{len(train.vocabulary):,} words; {len(train):,} tokens to learn, {len(test):,} to judge by")
    rows = [row(name, order, train, test, options.toy) for name in SMOOTHINGS for order in ORDERS]
    print(table(rows))
    if options.results:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        options.results.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
        options.results.with_suffix(".md").write_text(f"{HEAD}\n\n{table(rows)}\n", encoding="utf-8")
    return rows


if __name__ == "__main__":
    main()
