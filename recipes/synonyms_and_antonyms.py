"""Do vectors tell synonyms from antonyms? As they are, retrofitted, and counter-fitted with lists of both.

Opposites stand in the same places of a text, so in a space learned from text hot is as near to cold as to warm. Lists
can mend that for the words that stand in them. Asked are labelled pairs, such as AntSynNET's, "word word 0" for
synonyms and "word word 1" for antonyms: how often a pair of synonyms is nearer than a pair of antonyms (0.5 is chance),
and the average precision of ranking the antonyms first, furthest pairs first. In further rows stand only the pairs that
no list holds: what the lists taught about other pairs.

    python recipes/synonyms_and_antonyms.py wiki.firth --synonyms ppdb_synonyms.txt --antonyms wordnet_antonyms.txt \
        --pairs adjective-pairs.test
"""

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

import firth
from firth import postprocess


def labelled_pairs(path, vectors):
    """Pairs of known words, and which are antonyms."""
    rows = [line.split() for line in Path(path).read_text("utf-8").splitlines()]
    rows = [row for row in rows if len(row) == 3 and row[0] in vectors and row[1] in vectors]
    return [(row[0], row[1]) for row in rows], np.array([row[2] == "1" for row in rows])


def judged(vectors, pairs, antonyms):
    """The share of synonyms that are nearer than an antonym, and the average precision of antonyms."""
    cosines = vectors.similarity([one for one, _ in pairs], [other for _, other in pairs])
    synonyms = int((~antonyms).sum())
    if synonyms in (0, len(pairs)):
        return float("nan"), float("nan")
    above = rankdata(cosines)[~antonyms].sum() - synonyms * (synonyms + 1) / 2
    hits = antonyms[np.argsort(cosines, kind="stable")]
    precision = (np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean()
    return float(above / (synonyms * (len(pairs) - synonyms))), float(precision)


def evaluate(vectors, synonyms, antonyms, asked):
    """One row a space, a set of pairs, and all or the unlisted ones of it."""
    spaces = {
        "as they are": vectors,
        "retrofitted": postprocess.retrofit(postprocess.normalise(vectors), synonyms),
        "counter-fitted": postprocess.counter_fit(vectors, synonyms, antonyms),
    }
    listed = {frozenset(pair) for pair in [*synonyms, *antonyms]}
    rows = []
    for name, (pairs, labels) in asked.items():
        unlisted = np.array([frozenset(pair) not in listed for pair in pairs])
        for which, kept in (("all", np.ones(len(pairs), bool)), ("unlisted", unlisted)):
            some = [pair for pair, keep in zip(pairs, kept, strict=True) if keep]
            for space, one in spaces.items():
                share, precision = judged(one, some, labels[kept])
                rows.append({"pairs": name, "which": which, "count": len(some), "vectors": space,
                             "synonyms_nearer": share, "antonyms_precision": precision})  # fmt: skip
    return rows


def toy():
    """Forty places of a text with five words each, three against two; the lists leave some pairs to be found."""
    random = np.random.default_rng(0)
    words = [f"{side}{place}" for place in range(40) for side in ("hot", "warm", "mild", "cold", "cool")]
    rows = np.repeat(random.normal(size=(40, 30)), 5, axis=0) + 0.6 * random.normal(size=(200, 30))

    def everywhere(*pairs):
        return [(f"{one}{place}", f"{other}{place}") for place in range(40) for one, other in pairs]

    synonyms, antonyms = everywhere(("hot", "warm"), ("warm", "mild"), ("cold", "cool")), everywhere(("hot", "cold"))
    near = everywhere(("hot", "warm"), ("warm", "mild"), ("cold", "cool"), ("hot", "mild"))
    apart = everywhere(("hot", "cold"), ("warm", "cool"), ("mild", "cool"), ("mild", "cold"))
    labels = np.arange(len(near) + len(apart)) >= len(near)
    return firth.WordVectors(words, rows), synonyms, antonyms, {"toy": (near + apart, labels)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", nargs="?", help="vectors of words")
    parser.add_argument("--synonyms", action="append", default=[], help="file of synonyms, a pair a line")
    parser.add_argument("--antonyms", action="append", default=[], help="file of antonyms, a pair a line")
    parser.add_argument("--pairs", action="append", default=[], help="file of labelled pairs: word word 0 or 1")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("--toy", action="store_true", help="made-up vectors and lists, in a second")
    chosen = parser.parse_args(arguments)
    if chosen.toy:
        rows = evaluate(*toy())
    elif not (chosen.vectors and chosen.synonyms and chosen.antonyms and chosen.pairs):
        parser.error("expected vectors, --synonyms, --antonyms and --pairs, or --toy")
    else:
        vectors = firth.load(chosen.vectors)
        synonyms, antonyms = (
            [pair for file in files for pair in postprocess.read_word_pairs(file)]
            for files in (chosen.synonyms, chosen.antonyms)
        )
        asked = {Path(file).stem: labelled_pairs(file, vectors) for file in chosen.pairs}
        rows = evaluate(vectors, synonyms, antonyms, asked)
    for row in rows:
        if chosen.json:
            print(json.dumps(row))
        else:
            share, precision = row["synonyms_nearer"], row["antonyms_precision"]
            print(f"{row['pairs']:16} {row['which']:9} {row['count']:6,}  {row['vectors']:15}"
                  f"synonyms nearer {share:.3f}  antonyms {precision:.3f}")  # fmt: skip
    return rows


if __name__ == "__main__":
    main()
