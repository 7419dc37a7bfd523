"""Which words moved? Words are planted that did: a check of the measures where the answer is known.

The lines of a text go to two halves by turns. In the second half some pairs of words change places, each word with
another about as frequent, so that all of them have new company, and nothing else has. Both halves are trained by
themselves. Of the words that moved farthest, as many as were planted, the share is printed that was planted; the same
without planting says by what distance words move by chance alone.

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
    """Pairs of words, neighbours in frequency, from the 200th to the 3,000th word, which are unlike each other."""
    words = [word for word in vectors.words[200:3000] if len(word) > 3 and word.isalpha()]
    places = random.Random(seed).sample(range(0, len(words) - 1, 2), k=min(4 * count, len(words) // 2 - 1))
    pairs = [(words[place], words[place + 1]) for place in places]
    return [pair for pair in pairs if vectors.similarity(*pair) < 0.4][:count]


def swapped(lines, pairs):
    other = {a: b for pair in pairs for a, b in (pair, pair[::-1])}
    return [" ".join(other.get(word, word) for word in line.split()) for line in lines]


def train(lines, chosen):
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / "text.txt"
        text.write_text("\n".join(lines), encoding="utf-8")
        corpus = firth.Corpus.build(text, min_count=5, progress=False)
        model = firth.Word2Vec(dim=chosen.dim, epochs=chosen.epochs, sample=0.001)
        return model.train(corpus, seed=chosen.seed, threads=chosen.threads, progress=False)


def figures(found, planted):
    """How many of the words that moved farthest were planted, by each measure, and how far words move."""
    places = [found.words.index(word) for word in planted]
    others = np.setdiff1d(np.arange(len(found.words)), places)
    told = {"words": len(found.words), "planted": len(planted)}
    for by in ("distance", "neighbourhood"):
        top = set(found.most_changed(max(len(planted), 1), by))
        values = getattr(found, by)
        told[by] = {
            "found": len(top & set(planted)) / max(len(planted), 1),
            "of_planted": float(np.median(values[places])) if places else None,
            "of_others": float(np.median(values[others])),
            "of_others_99": float(np.quantile(values[others], 0.99)),
        }
    return told


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Words that changed places are found among those that moved.")
    parser.add_argument("text", help="a file of text, a sentence or a paragraph a line, in lower case")
    parser.add_argument("--pairs", type=int, default=25, help="pairs of words that change places")
    parser.add_argument("--least", type=int, default=20, help="times that a word must stand in each half")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", help="file of JSON lines to add the figures to")
    chosen = parser.parse_args(arguments)
    lines = Path(chosen.text).read_text(encoding="utf-8").lower().splitlines()
    old = train(lines[::2], chosen)
    planted = planted_pairs(old, chosen.pairs, chosen.seed)
    told = {}
    for what, pairs in (("words changed places", planted), ("nothing changed", [])):
        new = train(swapped(lines[1::2], pairs), chosen)
        found = firth.SemanticChange(least=chosen.least).measure(old, new)
        told[what] = figures(found, [word for pair in pairs for word in pair if word in found.new])
        print(f"{what}: {told[what]['words']:,} words in both halves, {told[what]['planted']} planted")
        for by in ("distance", "neighbourhood"):
            row = told[what][by]
            share = f"{100 * row['found']:5.1f} % of the farthest were planted" if pairs else ""
            print(f"  {by:13}  others {row['of_others']:.3f}, 99 % below {row['of_others_99']:.3f}  {share}")
    if chosen.results:
        with Path(chosen.results).open("a", encoding="utf-8") as file:
            for what, row in told.items():
                file.write(json.dumps({"what": what, "version": firth.__version__, "seed": chosen.seed, **row}) + "\n")
    return told


if __name__ == "__main__":
    main()
