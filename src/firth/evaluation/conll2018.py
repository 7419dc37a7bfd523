"""Scores of a pipeline from raw text, as in the shared task of CoNLL 2018: the system's CoNLL-U against the gold one.

What
    Tokens, sentences and words that the system finds; tags, features, lemmas and trees of the words that it shares with
    the gold file (`word_alignment`).
Objective
    Of counts of right, system and gold items:

        precision = right / system;  recall = right / gold;  F1 = 2 right / (system + gold)
        aligned accuracy = right / shared words

    Tokens and sentences are right if the same span of characters is one in gold. Words are right if they are shared. A
    shared word is right for

    - UPOS, XPOS, UFeats, Lemmas if these are equal, AllTags if UPOS, XPOS and UFeats are; UFeats are universal
      features only, in any order; any lemma is right where the gold one is "_";
    - UAS if the heads are shared words too, or both the root; LAS if also the relations are, without subtypes;
    - CLAS, of words with a relation of content only: as LAS;
    - MLAS, of words of content: as LAS, with UPOS, UFeats, and the children with a function relation: they are shared,
      have the same relation, UPOS and UFeats, and neither word has more of them;
    - BLEX, of words of content: as LAS, with the lemma.

    Where only words of content count, each side's relation says which of its words do.
Source
    Zeman et al. 2018, "CoNLL 2018 shared task: multilingual parsing from raw text to universal dependencies", section
    4, and https://universaldependencies.org/conll18/evaluation.html. Its program, `conll18_ud_eval.py`, gives the same
    figures.
Departures
    The intervals. Where gold has no tree at all, there are no scores of trees; a system's sentence without heads, which
    the program refuses, has none right.
Cost
    Two passes over the words of each side; intervals: resamples of the gold sentences.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

import numpy as np
import numpy.typing as npt

from firth.arguments import names_files
from firth.errors import FormatError, brief_repr, counted
from firth.evaluation.word_alignment import NO_HEAD, ROOT, Annotation, Ints, check_same_text, equal, shared_words
from firth.readers.conllu import FEATURES, LEMMA, NONE, RELATION, UPOS, XPOS, DependencySentence, read_conllu
from firth.resampling import LEVEL, RESAMPLES, draws

Source = str | os.PathLike[str] | Iterable[DependencySentence]
Mask = npt.NDArray[np.bool_]

_CONTENT = (
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod "
    "conj fixed flat compound list parataxis orphan goeswith reparandum root dep"
)
_FEATURES = (
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense Aspect "
    "Voice Evident Polarity Person Polite"
)
CONTENT = frozenset(_CONTENT.split())  # relations of words of content
FUNCTION = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})  # relations of function words
UNIVERSAL_FEATURES = frozenset(_FEATURES.split())
OF_CONTENT = ("CLAS", "MLAS", "BLEX")
OF_TREES = ("UAS", "LAS", *OF_CONTENT)  # scores that need heads


@dataclass(frozen=True)
class PipelineScore:
    """One score of a pipeline; shares between 0 and 1.

    Attributes:
        precision: share of the system's items that are right.
        recall: share of the gold items that are found.
        f1: their harmonic mean.
        aligned_accuracy: share of shared words that are right; None for tokens, sentences and words.
        interval: 95 % confidence interval of F1, over gold sentences.
    """

    precision: float
    recall: float
    f1: float
    aligned_accuracy: float | None
    interval: tuple[float, float]


@dataclass(frozen=True)
class PipelineScores:
    """Scores of a pipeline from raw text.

    Attributes:
        rows: by name: Tokens, Sentences, Words, UPOS, XPOS, UFeats, AllTags, Lemmas, UAS, LAS, CLAS, MLAS, BLEX; the
            last five only if gold has trees.
        words: gold words.
        sentences: gold sentences.
    """

    rows: Mapping[str, PipelineScore]
    words: int
    sentences: int

    __repr__ = brief_repr

    def __getitem__(self, name: str) -> PipelineScore:
        return self.rows[name]

    def __str__(self) -> str:
        from rich import box  # rich takes 60 ms to import
        from rich.console import Console
        from rich.table import Table

        table = Table("metric", box=box.SIMPLE_HEAD, pad_edge=False)
        for title in ("precision", "recall", "F1", "95 % of F1", "aligned accuracy"):
            table.add_column(title, justify="right")
        for name, score in self.rows.items():
            low, high = (f"{100 * end:.2f}" for end in score.interval)
            accuracy = "" if score.aligned_accuracy is None else f"{100 * score.aligned_accuracy:.2f}"
            shares = [f"{100 * share:.2f}" for share in (score.precision, score.recall, score.f1)]
            table.add_row(name, *shares, f"{low} to {high}", accuracy)
        text = StringIO()
        Console(file=text, width=100, color_system=None).print(table)
        lines = [line.rstrip() for line in text.getvalue().splitlines() if line.strip()]
        without = "" if "LAS" in self.rows else "; no scores of trees: gold has none"
        counts = f"{counted(self.words, 'gold word')} in {counted(self.sentences, 'sentence')}"
        return "\n".join([*lines, f"{counts}; intervals over sentences{without}"])


@names_files
def score_pipeline(gold: Source, system: Source, *, seed: int = 0) -> PipelineScores:
    """Return the scores of a system's sentences against gold ones of the same text, as in CoNLL 2018.

    Args:
        gold: a CoNLL-U file, or its sentences.
        system: the system's file or sentences; the text without white space must be the same.
        seed: of the resamples of the confidence intervals.

    Raises:
        FormatError: the texts differ, heads form no tree, some gold sentences have trees and others have none, or a
            file is no CoNLL-U.
        OSError: a file cannot be read.
    """
    right, given = _annotation(gold, "gold"), _annotation(system, "system")
    if not len(right.sentences):
        raise FormatError("no gold sentences, expected at least one")
    check_same_text(right, given)
    if right.trees not in (0, len(right.sentences)):
        raise FormatError(
            f"{right.trees:,} of {len(right.sentences):,} gold sentences have a tree, expected all or none of them"
        )
    counts = _span_counts(right, given) | _word_counts(right, given)
    return PipelineScores(
        rows=_scores({name: parts for name, parts in counts.items() if right.trees or name not in OF_TREES}, seed),
        words=len(right.rows),
        sentences=len(right.sentences),
    )


def _annotation(source: Source, side: str) -> Annotation:
    sentences = read_conllu(source, trees=False) if isinstance(source, str | os.PathLike) else source
    return Annotation(sentences, side)


# Counts are (4, S) by gold sentence: right, gold, system and shared items; shared ones are -1 where they are not asked.
def _span_counts(gold: Annotation, system: Annotation) -> dict[str, Ints]:
    """Return the counts of tokens and sentences."""
    counts = {}
    for name, spans, system_spans in (
        ("Tokens", gold.tokens, system.tokens),
        ("Sentences", gold.sentences, system.sentences),
    ):
        same = np.intersect1d(*(side[:, 0] << 32 | side[:, 1] for side in (spans, system_spans))) >> 32
        right, of, given = (_sentence_of(gold, starts) for starts in (same, spans[:, 0], system_spans[:, 0]))
        counts[name] = _counts(gold, right, of, given, None)
    return counts


def _sentence_of(gold: Annotation, starts: Ints) -> Ints:
    """Return the number of the gold sentence of each first character."""
    return np.searchsorted(gold.sentences[:, 1], starts, side="right")


def _counts(gold: Annotation, right: Ints, of: Ints, given: Ints, shared: Ints | None) -> Ints:
    """Return counts of items by their gold sentences."""
    size = len(gold.sentences)
    counts = [np.bincount(items, minlength=size) for items in (right, of, given)]
    return np.stack([*counts, np.full(size, -1) if shared is None else np.bincount(shared, minlength=size)])


def _word_counts(gold: Annotation, system: Annotation) -> dict[str, Ints]:
    """Return the counts of words and of what is right of them."""
    ours, theirs = shared_words(gold, system)
    sentences, system_sentences = (_sentence_of(gold, side.spans[:, 0]) for side in (gold, system))
    shared = sentences[ours]
    counts = {"Words": _counts(gold, shared, sentences, system_sentences, None)}
    kinds, other_kinds = _kinds(gold), _kinds(system)
    content, other_content = _among(kinds, CONTENT), _among(other_kinds, CONTENT)
    right = _right_tags(gold, system, ours, theirs)
    right |= _right_trees(gold, system, ours, theirs, right, (kinds, other_kinds))
    for name, mask in right.items():
        if name in OF_CONTENT:
            sides = (
                shared[mask & content[ours]],
                sentences[content],
                system_sentences[other_content],
                shared[content[ours]],
            )
            counts[name] = _counts(gold, *sides)
        else:
            counts[name] = _counts(gold, shared[mask], sentences, system_sentences, shared)
    return counts


def _right_tags(gold: Annotation, system: Annotation, ours: Ints, theirs: Ints) -> dict[str, Mask]:
    """Return which of the shared words have the right tags and lemmas."""
    upos, xpos, lemmas = (
        equal(gold.column(column), system.column(column), ours, theirs) for column in (UPOS, XPOS, LEMMA)
    )
    right, given = (universal_features(side.column(FEATURES)) for side in (gold, system))
    features = equal(right, given, ours, theirs)
    without = np.fromiter(map(NONE.__eq__, gold.column(LEMMA)), bool, len(gold.rows))
    return {
        "UPOS": upos,
        "XPOS": xpos,
        "UFeats": features,
        "AllTags": upos & xpos & features,
        "Lemmas": lemmas | without[ours],
    }


def _right_trees(
    gold: Annotation,
    system: Annotation,
    ours: Ints,
    theirs: Ints,
    tags: Mapping[str, Mask],
    kinds: tuple[Sequence[str], Sequence[str]],
) -> dict[str, Mask]:
    """Return which of the shared words have the right place in the tree.

    Args:
        tags: which have the right tags.
        kinds: relations of both sides, without subtypes.
    """
    attached = gold.heads[ours] == _as_gold(system, ours, theirs)[theirs]
    labelled = attached & equal(*kinds, ours, theirs)
    alike = labelled & tags["UPOS"] & tags["UFeats"]
    functions = [_among(side, FUNCTION) for side in kinds]
    children = [
        _children(side.heads[function], len(side.heads))[words]
        for side, function, words in zip((gold, system), functions, (ours, theirs), strict=True)
    ]
    same = _children(gold.heads[ours][alike & functions[0][ours]], len(gold.heads))[ours]
    return {
        "UAS": attached,
        "LAS": labelled,
        "CLAS": labelled,
        "MLAS": alike & (same == children[0]) & (same == children[1]),
        "BLEX": labelled & tags["Lemmas"],
    }


def _as_gold(system: Annotation, ours: Ints, theirs: Ints) -> Ints:
    """Return the heads of a system's words as numbers of gold words; -3 for those that gold does not have."""
    numbers = np.full(len(system.rows) + 2, -3, dtype=np.int64)
    numbers[theirs] = ours
    numbers[ROOT] = ROOT  # the last one
    numbers[NO_HEAD] = -3
    return np.asarray(numbers[system.heads])


def _children(heads: Ints, words: int) -> Ints:
    """Return how many of the heads each word is."""
    return np.bincount(heads[heads >= 0], minlength=words)


def _kinds(side: Annotation) -> list[str]:
    """Return relations without subtypes."""
    return [relation.partition(":")[0] for relation in side.column(RELATION)]


def _among(kinds: Sequence[str], relations: frozenset[str]) -> Mask:
    return np.fromiter(map(relations.__contains__, kinds), bool, len(kinds))


def universal_features(column: Iterable[str]) -> list[str]:
    """Return the universal ones of each word's features, sorted."""
    column = list(column)
    universal = {features: _universal(features) for features in set(column)}
    return [universal[features] for features in column]


def _universal(features: str) -> str:
    entries = features.split("|")
    return "|".join(sorted(entry for entry in entries if entry.partition("=")[0] in UNIVERSAL_FEATURES))


def _scores(counts: Mapping[str, Ints], seed: int) -> dict[str, PipelineScore]:
    sums = {name: parts.sum(1).tolist() for name, parts in counts.items()}
    table = np.stack(list(counts.values()))  # (metrics, 4, S)
    intervals = _intervals(2 * table[:, 0], table[:, 1] + table[:, 2], seed)
    return {
        name: PipelineScore(
            precision=_share(right, given),
            recall=_share(right, of),
            f1=_share(2 * right, given + of),
            aligned_accuracy=_share(right, shared) if shared >= 0 else None,
            interval=interval,
        )
        for (name, (right, of, given, shared)), interval in zip(sums.items(), intervals, strict=True)
    }


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _intervals(parts: Ints, sizes: Ints, seed: int) -> list[tuple[float, float]]:
    """Return bootstrap intervals of several ratios of sums over the same items, with one set of draws.

    Args:
        parts: (metrics, n) terms of the numerators.
        sizes: (metrics, n) terms of the denominators.
    """
    sums = [
        (weights.astype(np.float64) @ np.concatenate([parts, sizes]).T.astype(np.float64))
        for weights in draws(parts.shape[1], resamples=RESAMPLES, seed=seed)
    ]
    numerators, denominators = np.split(np.concatenate(sums), 2, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(denominators > 0, numerators / denominators, 0.0)
    low, high = np.quantile(shares, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))
