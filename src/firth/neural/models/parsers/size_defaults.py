"""Defaults of dependency parsers that follow from the treebank: the tags that are read, and how long to train.

What: a small treebank is read more often, in smaller batches; tags and features are read where they are.

Rule, for a treebank of n sentences to train on:

    tag            what the treebank has, by `firth.neural.models.tokens.treebank_columns`
    batch_size     n / 200, from 5 to 50 sentences; of a biaffine parser 1 / 35 of the words, from 100 to 700 words
    epochs         10 + 1,500 / n, at most 40; of a biaffine parser 42 sqrt(100,000 / words), from 42 to 80
    beam           4
    spelling       where no tags are read

Source: for transition parsers chosen on 300 sentences of UD French Sequoia and judged on other treebanks and sizes:
    benchmarks/results/small/parse.md. From 10,000 sentences on these are the values of before, measured on UD English
    EWT: benchmarks/results/parsers/treebanks.md; so are those of biaffine parsers from 100,000 words on, and those on
    fewer words follow the same idea without a measurement. Spelling costs one to two points of LAS where there are
    gold tags.
"""

import math
from collections.abc import Sequence
from typing import Any

from firth.neural.models.tokens.treebank_columns import default_columns
from firth.readers.conllu import DependencySentence

Sentences = Sequence[DependencySentence]
UPDATES = 200  # of an epoch
BATCHES = 5, 50  # sentences
LEAST, MORE, MOST = 10, 1500, 40  # epochs: of large treebanks, the sum of what is added for all, of small ones
BEAM = 4
WORDS, WORDS_OF_BATCHES, PASSES = 100_000, (100, 700), (42, 80)  # of biaffine parsers
BATCHES_OF_WORDS = 35  # of an epoch


def tag_of(sentences: Sentences) -> str:
    """Return the option `tag` for a treebank: what it has."""
    columns = default_columns(sentences)
    return "features" if "feats" in columns else next(iter(columns), "none")


def transition_defaults(sentences: Sentences) -> dict[str, Any]:
    """Return the options of a transition parser and its training for a treebank."""
    tag, count = tag_of(sentences), len(sentences)
    least, most = BATCHES
    return {
        "tag": tag,
        "spelling": tag == "none",
        "beam": BEAM,
        "batch_size": max(least, min(most, round(count / UPDATES))),
        "epochs": min(MOST, LEAST + round(MORE / count)),
        "lr": 0.002,
    }


def biaffine_defaults(sentences: Sentences) -> dict[str, Any]:
    """Return the options of a biaffine parser and its training for a treebank."""
    words = max(sum(map(len, sentences)), 1)
    (least, most), (fewest, passes) = WORDS_OF_BATCHES, PASSES
    return {
        "tag": tag_of(sentences),
        "batch_size": max(least, min(most, round(words / BATCHES_OF_WORDS))),
        "epochs": max(fewest, min(passes, round(fewest * math.sqrt(WORDS / words)))),
        "lr": 0.002,
    }
