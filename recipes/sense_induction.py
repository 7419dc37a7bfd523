"""Word sense induction: are the senses that models found those of a dictionary? SemEval-2010 task 14, beside baselines.

Contexts of a hundred words are given without the words, and the sense that people gave each. A model says of each
context which of its senses the word has there; these clusters are set against the gold senses.

    python recipes/sense_induction.py dataset.txt.gz key.txt senses.firth adagram.firth

The first file has a line `word number` before each word's contexts, and in each of those a tab where the word stood;
the second `word word.number sense` a line. Both lie in the repository of AdaGram, in data/semeval-2010.
"""

import argparse
import gzip
import json
from pathlib import Path

import firth
from firth.evaluation.sense_induction import score

SHOWN = ("v-measure", "paired-f", "ari", "recall-80/20", "clusters")


def read_contexts(path):
    """The tokens before and after each occurrence: {word: {occurrence: (before, after)}}."""
    opened = gzip.open if Path(path).suffix == ".gz" else open
    found, word = {}, None
    with opened(path, "rt", encoding="utf-8") as file:
        for line in file:
            before, tab, after = line.rstrip("\n").partition("\t")
            if not tab:
                word = line.split()[0]
                found[word] = {}
            else:
                found[word][f"{word}.{len(found[word]) + 1}"] = before.split(), after.split()
    return found


def induced(senses, contexts, window):
    """The sense of each occurrence by a model; words that the model does not know are left out."""
    found = {}
    for word, occurrences in contexts.items():
        lemma = word.rpartition(".")[0]
        if lemma not in senses:
            continue
        # The word itself stands between the two halves, so that models that care know the distances.
        halves = [(before[-window:], after[:window]) for before, after in occurrences.values()]
        tokens = [[*before, lemma, *after] for before, after in halves]
        chances = senses.disambiguate(lemma, tokens, place=[len(before) for before, _ in halves])
        found[word] = {one: str(row.argmax()) for one, row in zip(occurrences, chances, strict=True)}
    return found


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Induced senses against those of people.")
    parser.add_argument("contexts", help="file of contexts")
    parser.add_argument("key", help="file of gold senses")
    parser.add_argument("models", nargs="+", help="folders of senses")
    parser.add_argument("--window", type=int, help="words on each side; by default those that the model was trained on")
    parser.add_argument("--results", type=Path, help="file of JSON lines to add the figures to")
    chosen = parser.parse_args(arguments)
    contexts, predicted = read_contexts(chosen.contexts), {}
    for path in chosen.models:
        senses = firth.load(path)
        options = senses.metadata.get("training", {}).get("options", {})
        window = chosen.window or options.get("context_window", options.get("window", 10))
        predicted[Path(path).stem] = induced(senses, contexts, window)
    report = score(chosen.key, predicted)
    figures = {}
    for row in report.rows:
        if row.set == "senses":  # the other rows are of nouns and of verbs
            figures.setdefault(row.vectors, {})[row.metric] = round(float(row.value), 4)
    print(f"{'':24}" + "".join(f"{name:>14}" for name in SHOWN))
    for name, own in figures.items():
        print(f"{name:24}" + "".join(f"{own[metric]:14.3f}" for metric in SHOWN))
    if chosen.results:
        with chosen.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps({"model": name, **own}) + "\n" for name, own in figures.items())
    return figures


if __name__ == "__main__":
    main()
