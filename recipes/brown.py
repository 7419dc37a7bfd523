"""Brown as in Bengio et al. 2003: an n-gram model, a neural language model, and their mixture.

The first 800,000 tokens of the Brown corpus are for training, the next 200,000 for validation (early stopping and
mixture weights), the rest for testing. Words that occur at most three times in the whole corpus become `<unk>`. Three
models predict the same tokens: n-grams with modified Kneser-Ney smoothing, the feed-forward model (h = 100, m = 30,
n = 5), and the mixture of both. Bengio et al. report 321, 276 and 252.

Every token counts, including `<unk>`, punctuation, and the end of each paragraph. Ends of sentences are no tokens, as
in the paper, whose text marks paragraphs and texts. NLTK's text has fewer tokens than theirs (1,176,859 instead of
1,181,041) and another tokenisation, so that its vocabulary is larger (17,906 words instead of 16,383). As in the paper,
the vocabulary is that of the whole corpus; the models are trained on the first part only. The n-gram model starts again
at each paragraph; the neural model does not.

    python recipes/brown.py                                      # 15 to 30 minutes
    python recipes/brown.py --models kneser-ney feedforward --minutes 5
    python recipes/brown.py --toy                                # a fortieth of the text, seconds
"""

import argparse
import dataclasses
import json
import time
from pathlib import Path

import firth
from firth.data import path_of
from firth.language import UNK, training_text
from firth.readers import read_brown

TRAIN, VALID = 800_000, 200_000
NEURAL = ("feedforward", "direct")
HOW = {
    "feedforward": firth.FeedForwardLM(order=5, dim=30, hidden=100, dropout=0.15),
    "direct": firth.FeedForwardLM(order=5, dim=30, hidden=100, dropout=0.15, direct=True),
}


def parts(path, toy):
    """The three parts of the corpus, as texts of one vocabulary."""
    paragraphs = list(read_brown(path))
    if toy:
        paragraphs = paragraphs[::40]
    corpus = firth.Corpus.build(paragraphs, min_count=4, unknown=UNK, sentences="text")
    text = training_text(corpus)
    share = len(text) / 1_176_859
    train, valid = round(TRAIN * share), round(VALID * share)
    return text.part(0, train), text.part(train, train + valid), text.part(train + valid, len(text))


def trained(name, train, valid, options):
    """A model, and the seconds that it took to train."""
    began = time.monotonic()
    if name in NEURAL:
        usual = firth.FeedForwardLM.training
        training = dataclasses.replace(usual, epochs=options.epochs, minutes=options.minutes)
        model = HOW[name].train(train, held_out=valid, training=training, seed=options.seed, threads=options.threads)
    else:
        model = firth.NgramLM(order=options.order).train(train)
    return model, time.monotonic() - began


def told(name, model, seconds, valid, test, seed):
    """One row of the table."""
    perplexity = model.perplexity(test)
    low, high = perplexity.interval()
    return {
        "model": name,
        "valid": round(model.perplexity(valid).value, 2),
        "test": round(perplexity.value, 2),
        "low": round(low, 2),
        "high": round(high, 2),
        "without_unknown": round(perplexity.without_unknown, 2),
        "tokens": perplexity.tokens,
        "ends": perplexity.eos,
        "unknown": perplexity.unknown,
        "seconds": round(seconds, 1),
        "seed": seed,
    }


def table(rows):
    """The rows as Markdown."""
    lines = [
        "| model | validation | test | 95 % | without `<unk>` | training, s |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    lines += [
        f"| {row['model']} | {row['valid']:.1f} | {row['test']:.1f} | {row['low']:.0f} to {row['high']:.0f} | "
        f"{row['without_unknown']:.1f} | {row['seconds']:.0f} |"
        for row in rows
    ]
    return "\n".join(lines)


def main(arguments=None):
    """Train, mix and evaluate; print and save the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brown", type=Path, help="NLTK's brown.zip; default: firth's data set")
    parser.add_argument("--models", nargs="+", default=["kneser-ney", "feedforward"], choices=["kneser-ney", *NEURAL])
    parser.add_argument("--order", type=int, default=5, help="of the n-grams")
    parser.add_argument("--epochs", type=int, default=4, help="of neural models; more than four overfit")
    parser.add_argument("--minutes", type=float, help="for each neural model, evaluations included")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--toy", action="store_true", help="every fortieth paragraph")
    parser.add_argument("--results", type=Path, help="file of rows (.jsonl), and a table beside it (.md)")
    options = parser.parse_args(arguments)

    train, valid, test = parts(options.brown or path_of("brown"), options.toy)
    print(f"{len(train.vocabulary):,} words; {len(train):,} tokens to learn, {len(valid):,} to choose, {len(test):,}")
    models, rows = [], []
    for name in options.models:
        model, seconds = trained(name, train, valid, options)
        models.append(model)
        rows.append(told(name, model, seconds, valid, test, options.seed))
        print(json.dumps(rows[-1]), flush=True)
    if len(models) > 1:
        began = time.monotonic()
        mixture = firth.Mixture.fit(models, valid)
        row = told("mixture", mixture, time.monotonic() - began, valid, test, options.seed)
        rows.append({**row, "weights": [round(float(weight), 3) for weight in mixture.weights]})
    print(table(rows))
    if options.results:
        options.results.parent.mkdir(parents=True, exist_ok=True)
        options.results.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        options.results.with_suffix(".md").write_text(f"{HEAD}\n\n{table(rows)}\n", encoding="utf-8")
    return rows


HEAD = """# Brown: counts, a neural model, and both

`python recipes/brown.py --results benchmarks/results/language/brown.jsonl`; the recipe says what is counted. Bengio et
al. 2003 have 321 for Kneser-Ney, 276 for the neural model and 252 for the mixture, on a text of 16,383 words."""


if __name__ == "__main__":
    main()
