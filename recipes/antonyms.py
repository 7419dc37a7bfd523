"""Antonyms or synonyms: a classifier of pairs with its controls, and vectors that lists of both have moved.

Opposites stand in the same places of a text, so in a space learned from text hot is as near to cold as to warm. Two
ways out, each judged on AntSynNET's labelled pairs, a part of speech at a time:

    classify   a classifier learns from training pairs by vectors, spelling, and patterns of a corpus. Judged on the
               published test; on those of its pairs that training does not hold the other way round; and on pairs of
               words that stand in no pair of training ("disjoint", three divisions). Controls: one word of the pair
               alone, shuffled labels, and "antonyms" to everything.
    rank       antonyms first, by distance: vectors as they are, counter-fitted to lists, to lists without any pair that
               is tested (with the control of shuffled partners), and to these and AntSynNET's training pairs. With
               SimLex-999, whose pairs are taken out too.

With lists, the classifier also sees cosines of vectors counter-fitted to what the lists hold beside AntSynNET's pairs.

    python recipes/antonyms.py one.firth two.firth three.firth --corpus text.txt \
        --synonyms ppdb_synonyms.txt --antonyms ppdb_antonyms.txt --antonyms wordnet_antonyms.txt \
        --results antonyms.jsonl --table antonyms.md --picture antonyms.png

Without --corpus no patterns are looked at, and without lists nothing is counter-fitted. Vectors of several seeds are
judged one by one, and the table has their means.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np

import firth
from firth import data, plots, postprocess, relations
from firth.readers.scored_pairs import read_scored_pairs

PARTS = ("adjective", "verb", "noun")
DIVISIONS = 3  # into disjoint words
LOOKS = {  # families of features, by name
    "all": relations.FAMILIES,
    "vectors": ("vectors", "cosine"),
    "spelling": ("spelling",),
    "patterns": ("patterns",),
    "one word": ("word",),
}
DRAWN = ("all", "vectors", "one word", "all, counter-fitted", "all, labels shuffled")
FIGURES = ("f1", "precision", "recall", "accuracy", "average_precision")


def figures(log_odds, pairs):
    """Figures with their intervals, rounded for a file."""
    found = relations.evaluate_pairs(log_odds, pairs.antonyms)
    return {name: [round(number, 4) for number in figure] for name, figure in found.items()}


def splits(train, validation, test):
    """Names of ways to part the pairs; for each, pairs to learn from, to choose with, and to judge on."""
    yield "published", train, validation, test
    yield "unseen pairs", train, validation, test.without(train + validation).once()
    for division in range(DIVISIONS):
        first, second = relations.lexical_split(train + validation + test, seed=division)
        yield "disjoint words", first, None, second


def classify(vectors, counts, fitted, part, sets):
    """Yield a row for each split and look of a part of speech."""
    looks = {name: relations.PairFeatures(vectors, counts, families=families) for name, families in LOOKS.items()
             if counts is not None or name != "patterns"}  # fmt: skip
    if fitted is not None:
        looks["all, counter-fitted"] = relations.PairFeatures(vectors, counts, others=(fitted,))
    for split, train, validation, test in splits(*sets):
        told = {"table": "classify", "part": part, "split": split, "pairs": len(test), "trained": len(train),
                "antonyms": round(float(test.antonyms.mean()), 4)}  # fmt: skip
        for name, features in looks.items():
            began = time.perf_counter()
            classifier = relations.train_classifier(features, train, validation)
            found = figures(classifier.log_odds(test.pairs), test)
            yield {**told, "by": name, "penalty": classifier.penalty, **found,
                   "seconds": round(time.perf_counter() - began, 2)}  # fmt: skip
        once = train.once()
        shuffled = relations.LabelledPairs(once.pairs, np.random.default_rng(0).permutation(once.antonyms))
        classifier = relations.train_classifier(looks["all"], shuffled, penalties=(0.1,))
        yield {**told, "by": "all, labels shuffled", **figures(classifier.log_odds(test.pairs), test)}
        yield {**told, "by": "antonyms to all", **figures(np.ones(len(test)), test)}


def counter_fitted(vectors, lists, sets):
    """Vectors moved by lists that hold none of the labelled pairs."""
    taken = {pair for parts in sets.values() for some in parts for pair in some.sets}
    return postprocess.counter_fit(vectors, *([pair for pair in one if frozenset(pair) not in taken] for one in lists))


def rank(vectors, synonyms, antonyms, sets, simlex):
    """Yield a row for each space and part of speech, and one of SimLex for each space."""
    asked = read_scored_pairs(simlex).pairs if simlex else []
    tested = {frozenset(pair) for pair in asked}.union(*(test.sets for _, _, test in sets.values()))
    taught = relations.LabelledPairs([], np.zeros(0, dtype=bool))
    for train, validation, _ in sets.values():
        taught += train + validation
    with_train = ([*synonyms, *taught.among(~taught.antonyms).pairs], [*antonyms, *taught.among(taught.antonyms).pairs])

    # The control: a word's standing in a list of antonyms at all tells something of it, whatever its partner.
    ends = np.array(list(antonyms)).reshape(-1, 2)
    mixed = list(zip(ends[:, 0].tolist(), np.random.default_rng(0).permutation(ends[:, 1]).tolist(), strict=True))

    def fitted(lists, taken=frozenset()):
        return postprocess.counter_fit(
            vectors, *([pair for pair in one if frozenset(pair) not in taken] for one in lists)
        )

    spaces = {
        "as they are": vectors,
        "lists": fitted((synonyms, antonyms)),
        "lists without tested pairs": fitted((synonyms, antonyms), tested),
        "the same, partners of antonyms shuffled": fitted((synonyms, mixed), tested),
        "lists and training pairs, without tested pairs": fitted(with_train, tested),
    }
    for name, space in spaces.items():
        for part, (_, _, test) in sets.items():
            test = test.among([one in space and other in space for one, other in test.pairs])
            cosines = space.similarity([one for one, _ in test.pairs], [other for _, other in test.pairs])
            found = figures(-np.asarray(cosines), test)["average_precision"]
            yield {"table": "rank", "part": part, "space": name, "pairs": len(test), "average_precision": found}
        if simlex:
            rho = float(space.evaluate_word_pairs(simlex)[1][0])
            yield {"table": "rank", "part": "simlex-999", "space": name, "spearman": round(rho, 4)}


def named_sets():
    """Training, validation and test of each part of speech, as the registry has them."""
    return {
        part: [
            relations.read_labelled_pairs(data.path_of(f"antonyms-{part}-{name}")) for name in ("train", "val", "test")
        ]
        for part in PARTS
    }


def toy():
    """Forty places of a text with six words each, four against two, and a text that contrasts them."""
    random = np.random.default_rng(0)
    words = [f"{side}{place}" for place in range(40) for side in ("hot", "warm", "mild", "cold", "cool", "scalding")]
    signs = np.tile([1, 1, 1, -1, -1, 1], 40)[:, None] * np.eye(30)[0]
    rows = np.repeat(random.normal(size=(40, 30)), 6, axis=0) + 0.5 * signs + 0.6 * random.normal(size=(240, 30))
    near = [("hot", "warm"), ("mild", "warm"), ("hot", "mild"), ("cool", "cold")]
    apart = [("hot", "cold"), ("cool", "warm"), ("mild", "cold"), ("cool", "mild")]
    pairs = [(f"{one}{place}", f"{other}{place}") for place in range(40) for one, other in near + apart]
    labels = np.tile(np.arange(8) >= 4, 40)
    lines = [["either", one, "or", other] for (one, other), many in zip(pairs, 1 + 2 * labels, strict=True)
             for _ in range(many)]  # fmt: skip
    whole = relations.LabelledPairs(pairs, labels)
    beside = [(f"hot{place}", f"scalding{place}") for place in range(40)]  # which no pair asks for
    train, validation, test = (whole.among(some) for some in np.split(random.permutation(320), [180, 220]))
    lists = [[*train.among(train.antonyms == kind).pairs, *beside[: 40 * (not kind)]] for kind in (False, True)]
    corpus = firth.Corpus.build(lines, min_count=1, progress=False)
    return firth.WordVectors(words, rows), corpus, lists, {"toy": [train, validation, test]}


def table(rows):
    """Return the means over vectors and divisions as Markdown."""
    lines = ["| part of speech | judged on | pairs | antonyms | by | F1 | precision | recall | accuracy | AP |",
             "|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    grouped = {}
    for row in rows:
        grouped.setdefault((row["table"], row["part"], row.get("split"), row.get("by"), row.get("space")), []).append(
            row
        )
    for (kind, part, split, by, _), some in grouped.items():
        if kind == "classify":
            cells = " | ".join(_cell([row[name] for row in some]) for name in FIGURES)
            pairs = statistics.mean(row["pairs"] for row in some)
            share = statistics.mean(row["antonyms"] for row in some)
            lines.append(f"| {part} | {split} | {pairs:,.0f} | {100 * share:.0f} % | {by} | {cells} |")
    lines += ["", "| vectors | ranked | AP, or Spearman's rho |", "|---|---|---|"]
    for (kind, part, _, _, space), some in grouped.items():
        if kind == "rank":
            numbers = [row.get("average_precision", [row.get("spearman")] * 3) for row in some]
            lines.append(f"| {space} | {part} | {_cell(numbers)} |")
    return "\n".join(lines) + "\n"


def picture(rows):
    """Average precision on the published test and on disjoint words, the mean over vectors and divisions."""
    grouped = {}
    for row in rows:
        if row["table"] == "classify" and row["by"] in DRAWN and row["split"] != "unseen pairs":
            grouped.setdefault((row["by"], f"{row['part']}s, {row['split']}"), []).append(row["average_precision"])
    told = []
    for (by, asked), numbers in grouped.items():
        value, low, high = (statistics.mean(one[i] for one in numbers) for i in range(3))
        told.append({"vectors": by, "set": asked, "metric": "ap", "value": value, "low": low, "high": high})
    return plots.models_by_set(told, title="Antonyms before synonyms: average precision, with 95 % intervals")


def _cell(numbers):
    """The mean in hundredths, the spread over vectors and divisions, and the mean interval."""
    middle, low, high = (100 * statistics.mean(one[i] for one in numbers) for i in range(3))
    spread = f" ± {100 * statistics.stdev(one[0] for one in numbers):.1f}" if len(numbers) > 1 else ""
    return f"{middle:.1f}{spread}" + (f" ({low:.0f}-{high:.0f})" if low != high else "")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", nargs="*", help="vectors of words, such as those of several seeds")
    parser.add_argument("--corpus", help="text, or a corpus folder, to count patterns in")
    parser.add_argument("--synonyms", action="append", default=[], help="file of synonyms, a pair a line")
    parser.add_argument("--antonyms", action="append", default=[], help="file of antonyms, a pair a line")
    parser.add_argument("--results", help="file of JSON lines to write")
    parser.add_argument("--table", help="file of Markdown to write")
    parser.add_argument("--picture", help="file to draw: .png, .svg or .html")
    parser.add_argument("--toy", action="store_true", help="made-up vectors, text and pairs, in seconds")
    chosen = parser.parse_args(arguments)
    if not (chosen.vectors or chosen.toy):
        parser.error("expected vectors, or --toy")
    simlex = None
    if chosen.toy:
        vectors, corpus, lists, sets = toy()
        spaces = {"toy": vectors}
    else:
        sets, simlex = named_sets(), data.path_of("simlex-999")
        lists = [[pair for file in files for pair in postprocess.read_word_pairs(file)]
                 for files in (chosen.synonyms, chosen.antonyms)]  # fmt: skip
        spaces = {Path(file).stem: firth.load(file) for file in chosen.vectors}
        is_built = chosen.corpus and (Path(chosen.corpus) / "corpus.json").is_file()
        corpus = firth.Corpus.open(chosen.corpus) if is_built else chosen.corpus and firth.Corpus.build(chosen.corpus)
    counts = relations.count_patterns(corpus) if corpus else None
    rows = []
    for name, vectors in spaces.items():
        fitted = counter_fitted(vectors, lists, sets) if all(lists) else None
        found = [row for part in sets for row in classify(vectors, counts, fitted, part, sets[part])]
        found += rank(vectors, *lists, sets, simlex) if all(lists) else []
        rows += [{"vectors": name, **row, "version": firth.__version__} for row in found]
    if chosen.results:
        Path(chosen.results).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    if chosen.table:
        Path(chosen.table).write_text(table(rows), encoding="utf-8")
    if chosen.picture:
        picture(rows).save(chosen.picture)
    print(table(rows))
    return rows


if __name__ == "__main__":
    main()
