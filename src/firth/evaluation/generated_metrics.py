"""The scores of generated texts by name: what each needs, and how it is computed.

What
    BLEU and chrF are computed from sacrebleu's counts, ROUGE by rouge-score; both libraries decide how texts are split
    into tokens. For all others words are split at white space.
Objective
    bleu, chrf, chrf++          see below; 0 to 100
    rouge-1, rouge-2, rouge-l   100 times the mean F1 of unigrams, bigrams, longest common subsequence
    exact                       share of segments that equal a reference
    edit-distance               word edits (Levenshtein) per word of the nearest reference; lower is better
    copied                      share of words that occur in the source
    unknown                     share of words that are `<unk>`
    distinct-n and others       diversity; see `firth.evaluation.text_diversity`
Source
    Papineni et al. 2002; Post 2018 (signatures); Popovic 2015; Lin 2004.
Departures
    None.
Cost
    That of the libraries.

BLEU and chrF as statistics of segments, so that thousands of resamples are one matrix product.

What
    Both scores are functions of counts that are summed over the segments of a text. The counts per segment are those of
    sacrebleu; here are the functions, for the sums of many resamples at once.
Objective
    BLEU    100 min(1, exp(1 - r / h)) exp((1 / 4) sum_n log p_n), with h and r the lengths of hypotheses and
            references in tokens, and p_n the share of their n-grams that are in the reference; for the k-th p_n
            without any match, 1 / (2^k times the number of n-grams)
    chrF    100 (1 + b^2) P R / (b^2 P + R), with P and R the means over the orders of the precision and recall of
            n-grams, of characters and for chrF++ of words, and b = 2
Source
    Papineni et al. 2002, section 2.3; Chen and Cherry 2014, section 3, smoothing 3; Popovic 2015, section 2, and 2017
    (chrF++), with the conventions of sacrebleu 2 (Post 2018) where a sum is zero.
Departures
    None.
Cost
    R n (10 or 24) products for R resamples of n segments.
"""

import importlib
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import MissingExtraError, OptionError
from firth.evaluation.diversity import ngrams
from firth.evaluation.text_diversity import distinct, frequent, pattern_entropy, repeated
from firth.resampling import Floats, Ints, Mean, Ratio, Statistic
from firth.spelling import one_spelling

ORDER = 4  # longest n-grams of BLEU


class Bleu:
    """BLEU of n segments.

    Args:
        counts: (n, 2 + 2 ORDER) length of hypothesis and reference, matches of each order, n-grams of each order.
    """

    def __init__(self, counts: Floats) -> None:
        self._counts = counts

    def __call__(self, weights: Ints, /) -> Floats:
        """Return BLEU, from 0 to 100, for each row of weights."""
        sums = weights.astype(np.float64) @ self._counts
        lengths, references, matches, totals = sums[:, 0], sums[:, 1], sums[:, 2 : 2 + ORDER], sums[:, 2 + ORDER :]
        missed = np.cumsum(matches == 0, axis=1)  # k of the k-th order without a match
        with np.errstate(divide="ignore", invalid="ignore"):
            precisions = np.where(matches > 0, matches / totals, 1 / (2.0**missed * totals))
            penalty = np.minimum(1.0, np.exp(1 - references / lengths))
            values = 100 * penalty * np.exp(np.log(precisions).mean(axis=1))
        return np.where((matches > 0).any(axis=1) & (totals > 0).all(axis=1), values, 0.0)


class Chrf:
    """chrF of n segments.

    Args:
        counts: (n, 3 orders) for each order n-grams of the hypothesis, of the reference, and matches.
    """

    def __init__(self, counts: Floats, *, beta: float = 2.0) -> None:
        self._counts, self._factor = counts, beta**2

    def __call__(self, weights: Ints, /) -> Floats:
        """Return chrF, from 0 to 100, for each row of weights."""
        sums = weights.astype(np.float64) @ self._counts
        predicted, expected, matches = (sums[:, part::3] for part in range(3))
        counted = (predicted > 0) & (expected > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(counted, matches / predicted, 0).sum(1) / counted.sum(1)
            recall = np.where(counted, matches / expected, 0).sum(1) / counted.sum(1)
            values = 100 * (1 + self._factor) * precision * recall / (self._factor * precision + recall)
        return np.asarray(np.nan_to_num(values, nan=0.0))


Tags = Callable[[Sequence[str]], Sequence[Sequence[str]]]
UNKNOWN = "<unk>"
ROUGE = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}


@dataclass(frozen=True)
class Segments:
    """Segments of one system.

    Attributes:
        texts: (n,) generated texts.
        references: (references, n) texts, if they were given.
        sources: (n,) texts, if they were given.
        tagger: returns the tags of each text; None if none was given.
    """

    texts: Sequence[str]
    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None
    lowercase: bool
    tokenizer: str
    tagger: Tags | None

    @property
    def tokens(self) -> list[list[str]]:
        """The words of the generated texts."""
        return self.words(self.texts)

    def words(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the words of texts, split at white space."""
        return [(text.lower() if self.lowercase else text).split() for text in texts]


Scored = tuple[Statistic, str]  # a statistic of the segments, and how it was computed


@dataclass(frozen=True)
class Metric:
    """A metric.

    Attributes:
        share: whether it is a share of segments.
        better: 1 if higher is better, -1 if lower is, 0 if neither.
        needs: the input that it compares with: "references", "sources" or "tags".
    """

    compute: Callable[[Segments], Scored]
    share: bool = False
    better: int = 1
    needs: str = "references"


def _library(name: str, package: str, purpose: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(package, "generation", purpose) from None


def _counts(metric: Any, segments: Segments) -> tuple[npt.NDArray[np.float64], str]:
    """Return sacrebleu's counts of each segment, and the metric's signature."""
    counts = metric._extract_corpus_statistics(
        list(segments.texts), [list(references) for references in segments.references]
    )
    return np.array(counts, dtype=np.float64), str(metric.get_signature())


def _bleu(segments: Segments) -> Scored:
    library = _library("sacrebleu.metrics", "sacrebleu", "compute BLEU")
    if segments.tokenizer not in library.BLEU.TOKENIZERS:
        expected = ", ".join(sorted(library.BLEU.TOKENIZERS))
        raise OptionError(f"tokenizer={segments.tokenizer!r}: expected one of {expected}")
    counts, signature = _counts(
        library.BLEU(lowercase=segments.lowercase, tokenize=segments.tokenizer, force=True), segments
    )
    return Bleu(counts), f"bleu: {signature}"


def _chrf(word_order: int) -> Callable[[Segments], Scored]:
    def compute(segments: Segments) -> Scored:
        library = _library("sacrebleu.metrics", "sacrebleu", "compute chrF")
        counts, signature = _counts(library.CHRF(lowercase=segments.lowercase, word_order=word_order), segments)
        return Chrf(counts), f"chrf{'+' * word_order}: {signature}"

    return compute


def _rouge(name: str) -> Callable[[Segments], Scored]:
    def compute(segments: Segments) -> Scored:
        library = _library("rouge_score.rouge_scorer", "rouge-score", "compute ROUGE")
        scorer = library.RougeScorer([ROUGE[name]], use_stemmer=False)
        references = zip(*segments.references, strict=True)
        scores = [
            scorer.score_multi(several, text)[ROUGE[name]].fmeasure
            for several, text in zip(references, segments.texts, strict=True)
        ]
        return Mean(100 * np.array(scores)), "rouge: rouge-score, without stemming"

    return compute


def _exact(segments: Segments) -> Scored:
    texts = segments.tokens
    references = [segments.words(reference) for reference in segments.references]
    equal = [any(text == words[i] for words in references) for i, text in enumerate(texts)]
    return Mean(np.array(equal, dtype=np.float64)), ""


def _edit_distance(segments: Segments) -> Scored:
    distance = _library("rapidfuzz.distance", "rapidfuzz", "compute edit distances").Levenshtein.distance
    texts, references = segments.tokens, [segments.words(reference) for reference in segments.references]
    edits_to_nearest = [
        min(
            (distance(text, words[i]) / max(1, len(words[i])), distance(text, words[i]), len(words[i]))
            for words in references
        )
        for i, text in enumerate(texts)
    ]
    _, edits, lengths = np.array(edits_to_nearest, dtype=np.float64).T
    return Ratio(edits, np.maximum(lengths, 1)), ""


def _copied(segments: Segments) -> Scored:
    assert segments.sources is not None  # checked with the names
    pairs = zip(segments.tokens, map(set, segments.words(segments.sources)), strict=True)
    return _share_of_words(segments, [sum(word in source for word in text) for text, source in pairs])


def _unknown(segments: Segments) -> Scored:
    return _share_of_words(segments, [text.count(UNKNOWN) for text in segments.tokens])


def _share_of_words(segments: Segments, counts: Sequence[int]) -> Scored:
    words: Floats = np.array([len(text) for text in segments.tokens], dtype=np.float64)
    return Ratio(np.array(counts, dtype=np.float64), words), ""


def _words(segments: Segments) -> Scored:
    return Mean(np.array([len(text) for text in segments.tokens], dtype=np.float64)), ""


def _text_entropy(segments: Segments) -> Scored:
    return pattern_entropy([[tuple(text)] for text in segments.tokens]), ""


def _tag_entropy(n: int) -> Callable[[Segments], Scored]:
    def compute(segments: Segments) -> Scored:
        assert segments.tagger is not None  # checked with the names
        tags = [list(sequence) for sequence in segments.tagger(segments.texts)]
        if len(tags) != len(segments.texts):
            raise OptionError(f"tags: {len(tags):,} sequences of {len(segments.texts):,} texts; expected one of each")
        return pattern_entropy([ngrams(sequence, n) for sequence in tags]), ""

    return compute


_METRICS = {
    "bleu": Metric(_bleu),
    "chrf": Metric(_chrf(0)),
    "chrf++": Metric(_chrf(2)),
    **{name: Metric(_rouge(name)) for name in ROUGE},
    "exact": Metric(_exact, share=True),
    "edit-distance": Metric(_edit_distance, better=-1),
    "copied": Metric(_copied, better=0, needs="sources"),
    "unknown": Metric(_unknown, better=0, needs=""),
    "text-entropy": Metric(_text_entropy, needs=""),
    "words": Metric(_words, better=0, needs=""),
}
_FAMILIES: dict[str, Callable[[int], Metric]] = {
    "distinct": lambda n: Metric(lambda of: (distinct(of.tokens, n), ""), needs=""),
    "entropy": lambda n: Metric(lambda of: (pattern_entropy([ngrams(text, n) for text in of.tokens]), ""), needs=""),
    "tag-entropy": lambda n: Metric(_tag_entropy(n), needs="tags"),
    "repeated": lambda n: Metric(lambda of: (repeated(of.tokens, n), ""), share=True, better=-1, needs=""),
    "top": lambda n: Metric(lambda of: (frequent(of.tokens, n), ""), share=True, better=-1, needs=""),
}
DIVERSITY = (
    *("distinct-1", "distinct-2", "entropy-2", "text-entropy", "tag-entropy-3"),
    *("repeated-3", "top-5", "words"),
)
METRICS = tuple(dict.fromkeys([*_METRICS, *DIVERSITY]))
_FLAGS = {"references": "--references FILE", "sources": "--sources FILE", "tags": "--tagger MODEL"}
_GROUPS: dict[str, tuple[str, ...]] = {"rouge": tuple(ROUGE), "diversity": DIVERSITY, "all": METRICS}


def metric_of(name: str) -> Metric:
    """Return a metric by its name, such as "bleu" or "distinct-2"."""
    family, _, number = name.rpartition("-")
    if family in _FAMILIES and re.fullmatch("[1-9][0-9]*", number):
        return _FAMILIES[family](int(number))
    if name not in _METRICS:
        raise OptionError(
            f"metric {name!r}: expected {', '.join(METRICS)}, another number after a hyphen, rouge, diversity or all"
        )
    return _METRICS[name]


def metric_names(metrics: str | Sequence[str], given: Collection[str]) -> list[str]:
    """Return the names of the requested metrics, with groups expanded.

    Args:
        metrics: names; "rouge", "diversity" and "all" stand for several.
        given: of "references", "sources" and "tags", those that there are.
    """
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    names = list[str]()
    for name in (one_spelling(name).lower() for name in wanted):
        if name in _GROUPS:
            names += [metric for metric in _GROUPS[name] if name == "rouge" or _possible(metric, given)]
        else:
            names.append(name)
    for name in names:
        if not _possible(name, given):
            needs = metric_of(name).needs
            raise OptionError(f"metric {name!r} needs {needs}, and none were given: pass {needs} ({_FLAGS[needs]})")
    if not names:
        raise OptionError("metrics: none given; expected at least one")
    return list(dict.fromkeys(names))


def _possible(name: str, given: Collection[str]) -> bool:
    needs = metric_of(name).needs
    return not needs or needs in given
