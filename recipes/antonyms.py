"""Tells antonyms from synonyms: a pair classifier with its controls, and counter-fitted vectors.

Opposites occur in the same contexts, so in a space learned from text hot is as near to cold as to warm. Two remedies,
each evaluated on AntSynNET's labelled pairs, one part of speech at a time:

    classify   a classifier uses vectors, spelling, and patterns of a corpus. Test sets: the published one; its pairs
               that training does not contain in reverse order; and pairs of words that occur in no training pair
               ("disjoint", three divisions). Controls: only one word of the pair, shuffled labels, and "antonyms" for
               every pair.
    rank       ranks antonyms first, by distance. Vectors: unchanged; counter-fitted to lists; to lists without test
               pairs (with shuffled partners as the control); and to these lists plus AntSynNET's training pairs. Also
               SimLex-999, whose pairs are removed from the lists too.

With lists, the classifier also uses cosines of vectors that are counter-fitted to the lists without AntSynNET's pairs.

    python recipes/antonyms.py one.firth two.firth three.firth --corpus text.txt \
        --synonyms ppdb_synonyms.txt --antonyms ppdb_antonyms.txt --antonyms wordnet_antonyms.txt \
        --results antonyms.jsonl --table antonyms.md --picture antonyms.png

Without --corpus there are no pattern features, and without lists no counter-fitting. Vectors of several seeds are
evaluated separately; the table shows means.
"""

import argparse
import json
import statistics
import time
from pathlib import Path

import numpy as np

import firth
from firth import data, plots, postprocess, relations
from firth.readers import read_scored_pairs

PARTS = ("adjective", "verb", "noun")
DIVISIONS = 3  # into disjoint words
LOOKS = {  # families of features, by name
    "all": relations.FAMILIES,
    "vectors": ("vectors", "cosine"),
    "spelling": ("spelling",),
    "patterns": ("patterns",),
    "one word": ("word",),
}
IN_PICTURE = ("all", "vectors", "one word", "all, counter-fitted", "all, labels shuffled")
FIGURES = ("f1", "precision", "recall", "accuracy", "average_precision")


def figures(log_odds, pairs):
    """Rounded figures with their intervals."""
    results = relations.evaluate_pairs(log_odds, pairs.antonyms)
    return {name: [round(number, 4) for number in figure] for name, figure in results.items()}


def splits(train, validation, test):
    """Names of splits, each with training, validation and test pairs."""
    yield "published", train, validation, test
    yield "unseen pairs", train, validation, test.without(train + validation).once()
    for division in range(DIVISIONS):
        first, second = relations.lexical_split(train + validation + test, seed=division)
        yield "disjoint words", first, None, second


def classify(vectors, counts, counter_fitted_space, part, sets):
    """Yield a row for each split and feature set of a part of speech."""
    looks = {name: relations.PairFeatures(vectors, counts, families=families) for name, families in LOOKS.items()
             if counts is not None or name != "patterns"}  # fmt: skip
    if counter_fitted_space is not None:
        looks["all, counter-fitted"] = relations.PairFeatures(vectors, counts, others=(counter_fitted_space,))
    for split, train, validation, test in splits(*sets):
        facts = {"table": "classify", "part": part, "split": split, "pairs": len(test), "trained": len(train),
                "antonyms": round(float(test.antonyms.mean()), 4)}  # fmt: skip
        for name, features in looks.items():
            began = time.perf_counter()
            classifier = relations.train_classifier(features, train, validation)
            found = figures(classifier.log_odds(test.pairs), test)
            yield {**facts, "by": name, "penalty": classifier.penalty, **found,
                   "seconds": round(time.perf_counter() - began, 2)}  # fmt: skip
        once = train.once()
        shuffled = relations.LabelledPairs(once.pairs, np.random.default_rng(0).permutation(once.antonyms))
        classifier = relations.train_classifier(looks["all"], shuffled, penalties=(0.1,))
        yield {**facts, "by": "all, labels shuffled", **figures(classifier.log_odds(test.pairs), test)}
        yield {**facts, "by": "antonyms to all", **figures(np.ones(len(test)), test)}


def counter_fitted(vectors, lists, sets):
    """Vectors counter-fitted to lists without the labelled pairs."""
    labelled = {pair for parts in sets.values() for some in parts for pair in some.sets}
    return postprocess.counter_fit(
        vectors, *([pair for pair in one if frozenset(pair) not in labelled] for one in lists)
    )


def rank(vectors, synonyms, antonyms, sets, simlex):
    """Yield a row for each space and part of speech, and one with SimLex for each space."""
    similarity_pairs = read_scored_pairs(simlex).pairs if simlex else []
    test_pairs = {frozenset(pair) for pair in similarity_pairs}.union(*(test.sets for _, _, test in sets.values()))
    training = relations.LabelledPairs([], np.zeros(0, dtype=bool))
    for train, validation, _ in sets.values():
        training += train + validation
    with_train = (
        [*synonyms, *training.among(~training.antonyms).pairs],
        [*antonyms, *training.among(training.antonyms).pairs],
    )

    # The control: being in a list of antonyms at all is informative about a word, whatever its partner.
    ends = np.array(list(antonyms)).reshape(-1, 2)
    mixed = list(zip(ends[:, 0].tolist(), np.random.default_rng(0).permutation(ends[:, 1]).tolist(), strict=True))

    def fitted(lists, excluded=frozenset()):
        return postprocess.counter_fit(
            vectors, *([pair for pair in one if frozenset(pair) not in excluded] for one in lists)
        )

    spaces = {
        "as they are": vectors,
        "lists": fitted((synonyms, antonyms)),
        "lists without tested pairs": fitted((synonyms, antonyms), test_pairs),
        "the same, partners of antonyms shuffled": fitted((synonyms, mixed), test_pairs),
        "lists and training pairs, without tested pairs": fitted(with_train, test_pairs),
    }
    for name, space in spaces.items():
        for part, (_, _, test) in sets.items():
            test = test.among([one in space and other in space for one, other in test.pairs])
            cosines = space.similarity([one for one, _ in test.pairs], [other for _, other in test.pairs])
            precision = figures(-np.asarray(cosines), test)["average_precision"]
            yield {"table": "rank", "part": part, "space": name, "pairs": len(test), "average_precision": precision}
        if simlex:
            rho = float(space.evaluate_word_pairs(simlex)[1][0])
            yield {"table": "rank", "part": "simlex-999", "space": name, "spearman": round(rho, 4)}


def named_sets():
    """Training, validation and test pairs of each part of speech, from the registry of data sets."""
    return {
        part: [
            relations.read_labelled_pairs(data.path_of(f"antonyms-{part}-{name}")) for name in ("train", "val", "test")
        ]
        for part in PARTS
    }


def toy():
    """Toy data: forty topics of six words, four against two, and a text that contrasts them."""
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
    beside = [(f"hot{place}", f"scalding{place}") for place in range(40)]  # in no labelled pair
    train, validation, test = (whole.among(some) for some in np.split(random.permutation(320), [180, 220]))
    lists = [[*train.among(train.antonyms == kind).pairs, *beside[: 40 * (not kind)]] for kind in (False, True)]
    corpus = firth.Corpus.build(lines, min_count=1, progress=False)
    return firth.WordVectors(words, rows), corpus, lists, {"toy": [train, validation, test]}


def table(rows):
    """Return means over vectors and divisions as Markdown."""
    lines = ["| part of speech | judged on | pairs | antonyms | by | F1 | precision | recall | accuracy | AP |",
             "|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    groups = {}
    for row in rows:
        groups.setdefault((row["table"], row["part"], row.get("split"), row.get("by"), row.get("space")), []).append(
            row
        )
    for (kind, part, split, by, _), some in groups.items():
        if kind == "classify":
            cells = " | ".join(_cell([row[name] for row in some]) for name in FIGURES)
            pairs = statistics.mean(row["pairs"] for row in some)
            share = statistics.mean(row["antonyms"] for row in some)
            lines.append(f"| {part} | {split} | {pairs:,.0f} | {100 * share:.0f} % | {by} | {cells} |")
    lines += ["", "| vectors | ranked | AP, or Spearman's rho |", "|---|---|---|"]
    for (kind, part, _, _, space), some in groups.items():
        if kind == "rank":
            numbers = [row.get("average_precision", [row.get("spearman")] * 3) for row in some]
            lines.append(f"| {space} | {part} | {_cell(numbers)} |")
    return "\n".join(lines) + "\n"


def picture(rows):
    """Average precision on the published test set and on disjoint words, means over vectors and divisions."""
    groups = {}
    for row in rows:
        if row["table"] == "classify" and row["by"] in IN_PICTURE and row["split"] != "unseen pairs":
            groups.setdefault((row["by"], f"{row['part']}s, {row['split']}"), []).append(row["average_precision"])
    figures = []
    for (by, name), numbers in groups.items():
        value, low, high = (statistics.mean(one[i] for one in numbers) for i in range(3))
        figures.append({"vectors": by, "set": name, "metric": "ap", "value": value, "low": low, "high": high})
    return plots.models_by_set(figures, title="Antonyms before synonyms: average precision, with 95 % intervals")


def _cell(numbers):
    """Mean in percent, standard deviation over vectors and divisions, and mean interval."""
    middle, low, high = (100 * statistics.mean(one[i] for one in numbers) for i in range(3))
    deviation = f" ± {100 * statistics.stdev(one[0] for one in numbers):.1f}" if len(numbers) > 1 else ""
    return f"{middle:.1f}{deviation}" + (f" ({low:.0f}-{high:.0f})" if low != high else "")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors", nargs="*", help="word vectors, for example of several seeds")
    parser.add_argument("--corpus", help="text, or a corpus folder, to count patterns in")
    parser.add_argument("--synonyms", action="append", default=[], help="file of synonyms, one pair per line")
    parser.add_argument("--antonyms", action="append", default=[], help="file of antonyms, one pair per line")
    parser.add_argument("--results", help="JSON lines file to write")
    parser.add_argument("--table", help="Markdown file to write")
    parser.add_argument("--picture", help="picture to write: .png, .svg or .html")
    parser.add_argument("--toy", action="store_true", help="artificial vectors, text and pairs; takes seconds")
    args = parser.parse_args(arguments)
    if not (args.vectors or args.toy):
        parser.error("expected vectors, or --toy")
    simlex = None
    if args.toy:
        vectors, corpus, lists, sets = toy()
        spaces = {"toy": vectors}
    else:
        sets, simlex = named_sets(), data.path_of("simlex-999")
        lists = [[pair for file in files for pair in postprocess.read_word_pairs(file)]
                 for files in (args.synonyms, args.antonyms)]  # fmt: skip
        spaces = {Path(file).stem: firth.load(file) for file in args.vectors}
        is_built = args.corpus and (Path(args.corpus) / "corpus.json").is_file()
        corpus = firth.Corpus.open(args.corpus) if is_built else args.corpus and firth.Corpus.build(args.corpus)
    counts = relations.count_patterns(corpus) if corpus else None
    rows = []
    for name, vectors in spaces.items():
        counter_fitted_space = counter_fitted(vectors, lists, sets) if all(lists) else None
        results = [row for part in sets for row in classify(vectors, counts, counter_fitted_space, part, sets[part])]
        results += rank(vectors, *lists, sets, simlex) if all(lists) else []
        rows += [{"vectors": name, **row, "version": firth.__version__} for row in results]
    if args.results:
        Path(args.results).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    if args.table:
        Path(args.table).write_text(table(rows), encoding="utf-8")
    if args.picture:
        picture(rows).save(args.picture)
    print(table(rows))
    return rows


if __name__ == "__main__":
    main()
