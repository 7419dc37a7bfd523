"""Checks measures of semantic change with planted changes.

Odd and even lines of a text form two halves. In the second half some pairs of words of similar frequency are swapped:
exactly these words have new contexts. Both halves are trained separately. The figure is the share of planted words
among the words with the greatest change, as many as were planted. The same without swaps shows how far words move by
chance.

    python recipes/semantic_change.py text.txt
"""

import argparse
import json
import random
import tempfile
from pathlib import Path

import numpy as np

import firth


def planted_pairs(vectors, count, seed):
    """Dissimilar pairs of words of similar frequency, from the 200th to the 3,000th word."""
    words = [word for word in vectors.words[200:3000] if len(word) > 3 and word.isalpha()]
    places = random.Random(seed).sample(range(0, len(words) - 1, 2), k=min(4 * count, len(words) // 2 - 1))
    pairs = [(words[place], words[place + 1]) for place in places]
    return [pair for pair in pairs if vectors.similarity(*pair) < 0.4][:count]


def swapped(lines, pairs):
    other = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
    return [" ".join(other.get(word, word) for word in line.split()) for line in lines]


def train(lines, args):
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        text.write_text("\n".join(lines), encoding="utf-8")
        corpus = firth.Corpus.build(text, min_count=5, progress=False)
        model = firth.Word2Vec(dim=args.dim, epochs=args.epochs, sample=0.001)
        return model.train(corpus, seed=args.seed, threads=args.threads, progress=False)


def figures(change, planted):
    """The share of planted words among those with the greatest change, and the changes, by each measure."""
    places = [change.words.index(word) for word in planted]
    others = np.setdiff1d(np.arange(len(change.words)), places)
    row = {"words": len(change.words), "planted": len(planted)}
    for by in ("distance", "neighbourhood"):
        top = set(change.most_changed(max(len(planted), 1), by))
        values = getattr(change, by)
        row[by] = {
            "found": len(top & set(planted)) / max(len(planted), 1),
            "of_planted": float(np.median(values[places])) if places else None,
            "of_others": float(np.median(values[others])),
            "of_others_99": float(np.quantile(values[others], 0.99)),
        }
    return row


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Words that changed places are found among those that moved.")
    parser.add_argument("text", help="a file of text, a sentence or a paragraph a line, in lower case")
    parser.add_argument("--pairs", type=int, default=25, help="pairs of words that change places")
    parser.add_argument("--min-count", type=int, default=20, help="times that a word must stand in each half")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", help="file of JSON lines to add the figures to")
    args = parser.parse_args(arguments)
    lines = Path(args.text).read_text(encoding="utf-8").lower().splitlines()
    old = train(lines[::2], args)
    planted = planted_pairs(old, args.pairs, args.seed)
    results = {}
    for what, pairs in (("words changed places", planted), ("nothing changed", [])):
        new = train(swapped(lines[1::2], pairs), args)
        change = firth.SemanticChange(min_count=args.min_count).measure(old, new)
        results[what] = figures(change, [word for pair in pairs for word in pair if word in change.new])
        print(f"{what}: {results[what]['words']:,} words in both halves, {results[what]['planted']} planted")
        for by in ("distance", "neighbourhood"):
            row = results[what][by]
            share = f"{100 * row['found']:5.1f} % of the farthest were planted" if pairs else ""
            print(f"  {by:13}  others {row['of_others']:.3f}, 99 % below {row['of_others_99']:.3f}  {share}")
    if args.results:
        with Path(args.results).open("a", encoding="utf-8") as file:
            for what, row in results.items():
                file.write(json.dumps({"what": what, "version": firth.__version__, "seed": args.seed, **row}) + "\n")
    return results


if __name__ == "__main__":
    main()
