"""Pronouns of GAP by Hobbs' algorithm and by the most recent noun phrase that agrees, over trees of a parser.

Each text is split, tagged and parsed, and its dependency trees become phrases. Two tasks, as in Webster et al. 2018,
section 5.1: with the names given, the first of the two names that a method proposes is its answer; in the text alone,
its antecedent is any noun phrase, and an antecedent that is a pronoun is resolved in turn.

    firth tag train en_ewt-ud-train.conllu -o tagger.firth --targets upos,feats
    firth parse train en_ewt-ud-train.conllu -o parser.firth
    python recipes/gap_pronouns.py gap-development.tsv --tagger tagger.firth --parser parser.firth

Prints precision, recall and F1 of the names that pronouns refer to, for male and female pronouns, and their ratio.
"""

import argparse
import itertools
import json
from pathlib import Path

from scipy.stats import binomtest

import firth
from firth.coreference import PRONOUNS, agrees, most_recent, phrase_tree
from firth.evaluation import score_gap
from firth.readers import read_gap

METHODS = {"Hobbs": firth.hobbs, "most recent": most_recent}


def parsed(examples, tagger, parser):
    """Of each example the document and the trees of its sentences."""
    documents = [firth.Document.from_text(example.text, name=example.name) for example in examples]
    sentences = [sentence for document in documents for sentence in document.sentences]
    trees = iter([phrase_tree(sentence) for sentence in parser.predict(sentences, tagger=tagger)])
    return [(document, list(itertools.islice(trees, len(document.sentences)))) for document in documents]


def tokens_of(document, offset, text):
    """Numbers of the tokens that a part of the text overlaps."""
    end = offset + len(text)
    return {number for number, (first, last) in enumerate(document.offsets) if first < end and last > offset}


def place(document, token):
    """Sentence of a token, and its number there."""
    sentence = max(number for number, start in enumerate(document.sentence_starts) if start <= token)
    return sentence, token - document.sentence_starts[sentence]


def head_token(document, phrase):
    """Number of the head of a noun phrase in the document."""
    return document.sentence_starts[phrase.sentence] + phrase.head


def among_names(method, document, trees, token, names):
    """Which name is proposed first."""
    sentence, word = place(document, token)
    proposals = method(trees, word, sentence=sentence, every=True).proposals
    heads = (head_token(document, proposal.phrase) for proposal in proposals)
    first = next((head for head in heads if any(head in name for name in names)), -1)
    return tuple(first in name for name in names)


def in_text(method, document, trees, token, names):
    """Which name the antecedent is, through other pronouns if need be."""
    visited = set()
    while token not in visited:
        visited.add(token)
        sentence, word = place(document, token)
        antecedent = method(trees, word, sentence=sentence, agrees=agrees).antecedent
        if antecedent is None:
            break
        token = head_token(document, antecedent)
        if any(token in name for name in names) or antecedent.words[0].lower() not in PRONOUNS:
            break
    return tuple(token in name for name in names)


TASKS = {"names given": among_names, "text alone": in_text}


def main(arguments=None):
    """Resolve and judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, help="gap-development.tsv or another file of GAP")
    parser.add_argument("--tagger", required=True, help="a tagger of UPOS and features")
    parser.add_argument("--parser", required=True, help="a parser of Universal Dependencies")
    parser.add_argument("--results", type=Path, help="append a line of JSON per method and task to this file")
    options = parser.parse_args(arguments)
    examples = list(read_gap(options.file))
    documents = parsed(examples, firth.load(options.tagger), firth.load(options.parser))
    rows = []
    for task, resolve in TASKS.items():
        right = {}
        for name, method in METHODS.items():
            found = []
            for example, (document, trees) in zip(examples, documents, strict=True):
                token = min(tokens_of(document, example.pronoun_offset, example.pronoun))
                names = [
                    tokens_of(document, offset, text)
                    for offset, text in zip(example.name_offsets, example.names, strict=True)
                ]
                found.append(resolve(method, document, trees, token, names))
            scores = score_gap(examples, found)
            right[name] = [example.refers == each for example, each in zip(examples, found, strict=True)]
            print(f"{task}, {name}\n{scores}\n")
            figures = {part: round(100 * getattr(scores, part).f1, 1) for part in ("overall", "male", "female")}
            facts = {
                "bias": round(scores.bias, 3),
                "accuracy": round(100 * scores.accuracy, 1),
                "file": options.file.name,
            }
            rows.append({"task": task, "method": name, **figures, **facts, "examples": len(examples)})
        pairs = list(zip(*right.values(), strict=True))
        better, worse = pairs.count((True, False)), pairs.count((False, True))
        p = binomtest(better, better + worse).pvalue if better + worse else 1.0
        print(
            f"{task}: only Hobbs is right {better:,} times, only the most recent {worse:,} times (sign test {p:.2g})\n"
        )
    if options.results:
        with options.results.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    return rows


if __name__ == "__main__":
    main()
