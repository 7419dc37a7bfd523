"""Scores of generated texts, such as translations and summaries, against reference texts.

What
    BLEU and chrF are computed from sacrebleu's counts, ROUGE by rouge-score; both libraries decide how texts are split
    into tokens. Every score has a bootstrap interval over segments, and several systems are compared in pairs.
Objective
    bleu, chrf, chrf++          see `firth.evaluation.ngram_scores`; 0 to 100
    rouge-1, rouge-2, rouge-l   100 times the mean F1 of unigrams, bigrams, longest common subsequence
    exact                       share of segments that equal a reference
    edit-distance               word edits (Levenshtein) per word of the nearest reference; lower is better
    copied                      share of words that occur in the source
    unknown                     share of words that are `<unk>`
Source
    Papineni et al. 2002; Post 2018 (signatures); Popovic 2015; Lin 2004; Koehn 2004 (bootstrap).
Departures
    None.
Cost
    That of the libraries, and of R n products per score for R resamples of n segments.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import CorpusError, MissingExtraError, OptionError
from firth.evaluation.ngram_scores import Bleu, Chrf
from firth.evaluation.report import EvaluationReport
from firth.evaluation.suite import EvaluationOptions, Score
from firth.evaluation.tabulate import SetScore, report_of
from firth.option_names import one_spelling
from firth.resampling import Floats, Mean, Ratio, Sample, Statistic
from firth.storage.files import text_of
from firth.text.inputs import check_items, check_text

Texts = str | Path | Sequence[str]
UNKNOWN = "<unk>"
DEFAULT = ("bleu", "chrf")
ROUGE = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}


@dataclass(frozen=True)
class _Segments:
    """Segments of one system.

    Attributes:
        texts: (n,) generated texts.
        references: (references, n) texts.
        sources: (n,) texts, if they were given.
        lowercase: whether case is ignored.
        tokenizer: of BLEU.
    """

    texts: Sequence[str]
    references: Sequence[Sequence[str]]
    sources: Sequence[str] | None
    lowercase: bool
    tokenizer: str

    def words(self, texts: Sequence[str]) -> list[list[str]]:
        """Return the words of texts, split at white space."""
        return [(text.lower() if self.lowercase else text).split() for text in texts]


Scored = tuple[Statistic, str]  # a statistic of the segments, and how it was computed


@dataclass(frozen=True)
class _Metric:
    """A metric.

    Attributes:
        compute: the statistic and its signature.
        share: whether it is a share of segments.
        better: 1 if higher is better, -1 if lower is, 0 if neither.
        needs_sources: whether it compares with the sources.
    """

    compute: Callable[[_Segments], Scored]
    share: bool = False
    better: int = 1
    needs_sources: bool = False


def evaluate_generated(
    texts: Texts | Mapping[str, Texts],
    references: Texts | Sequence[Texts],
    *,
    sources: Texts | None = None,
    metrics: str | Sequence[str] = DEFAULT,
    baseline: Texts | None = None,
    lowercase: bool = False,
    tokenizer: str = "13a",
    resamples: int = 1000,
    seed: int = 0,
) -> EvaluationReport:
    """Score generated texts against references, with intervals and paired tests.

    Args:
        texts: the generated segments: a list, or the path of a file with one per line; for several systems, a mapping
            from their names.
        references: as many segments in the same order; a list of lists or paths if each segment has several references.
        sources: what the texts were generated from, for `copied`.
        metrics: names, or "all": bleu, chrf, chrf++, rouge-1, rouge-2, rouge-l, exact, edit-distance, copied, unknown;
            "rouge" for its three.
        baseline: texts of a simple system, such as first sentences; the table shows its score.
        lowercase: whether case is ignored; ROUGE always ignores it.
        tokenizer: of BLEU, by sacrebleu's name, such as "13a", "intl", "char", "zh", "none".
        resamples: number of bootstrap resamples.
        seed: random seed of the bootstrap.

    Returns:
        One row per system and metric. `notes` holds the signatures.

    Raises:
        CorpusError: the numbers of texts, references and sources differ, or there are none.
        OptionError: a metric or tokenizer is unknown, `copied` has no sources, or `resamples` is below 1.
        MissingExtraError: sacrebleu, rouge-score or rapidfuzz is not installed.
        FormatError: a file is not UTF-8.
    """
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: expected at least 1")
    names = _metric_names(metrics, sources is not None)
    gold = [_segments(one, f"references {number}") for number, one in enumerate(_several(references), 1)]
    read_sources = None if sources is None else _segments(sources, "sources")
    systems = texts if isinstance(texts, Mapping) else {_name(texts): texts}

    def scored(one: Texts, name: str) -> list[Scored]:
        segments = _Segments(_segments(one, name), gold, read_sources, lowercase, tokenizer)
        _check_lengths(segments, name)
        return [_METRICS[metric].compute(segments) for metric in names]

    of_baseline: list[Scored | None] = [None] * len(names)
    if baseline is not None:
        of_baseline = [*scored(baseline, "baseline")]
    computed = {name: scored(one, name) for name, one in systems.items()}
    n = len(gold[0])
    rows = {
        name: [
            SetScore("generation", _set_name(references), _score(metric, one, n, simple))
            for metric, one, simple in zip(names, each, of_baseline, strict=True)
        ]
        for name, each in computed.items()
    }
    report = report_of(rows, EvaluationOptions(resamples=resamples, seed=seed))
    signatures = [signature for _, signature in next(iter(computed.values()))]
    return EvaluationReport(report.rows, report.contrasts, tuple(dict.fromkeys(filter(None, signatures))))


def _score(metric: str, scored: Scored, n: int, baseline: Scored | None) -> Score:
    everything = np.ones(n, dtype=bool)
    how = _METRICS[metric]
    return Score(
        metric=metric,
        sample=Sample(everything, scored[0]),
        covered=n,
        total=n,
        share=how.share,
        better=how.better,
        baseline_name="" if baseline is None else "baseline",
        baseline_sample=None if baseline is None else Sample(everything, baseline[0]),
    )


def _metric_names(metrics: str | Sequence[str], sources: bool) -> list[str]:
    wanted = [metrics] if isinstance(metrics, str) else list(metrics)
    names = list[str]()
    for name in (one_spelling(each).lower() for each in wanted):
        if name == "all":
            names += [each for each, how in _METRICS.items() if sources or not how.needs_sources]
        elif name == "rouge":
            names += ROUGE
        elif name not in _METRICS:
            raise OptionError(f"metric {name!r}: expected {', '.join(_METRICS)}, rouge or all")
        elif _METRICS[name].needs_sources and not sources:
            raise OptionError(f"metric {name!r} compares with the sources, and none were given: pass sources")
        else:
            names.append(name)
    if not names:
        raise OptionError("metrics: none given; expected at least one")
    return list(dict.fromkeys(names))


def _several(references: Texts | Sequence[Texts]) -> Sequence[Texts]:
    if isinstance(references, str | Path):
        return [references]
    several = list(references)
    if several and all(isinstance(one, Path) or not isinstance(one, str) for one in several):
        return several
    return [several]  # type: ignore[list-item]  # strings: segments


def _segments(texts: Texts, name: str) -> list[str]:
    if isinstance(texts, str | Path):
        content = text_of(texts).removesuffix("\n")
        # Not splitlines, which also breaks at U+2028 and the like; an empty line is an empty text.
        return [line.removesuffix("\r") for line in content.split("\n")] if content else []
    segments = list(check_items(texts, name))
    for number, text in enumerate(segments, 1):
        check_text(text, f"{name}, text {number:,}")
    return segments


def _check_lengths(segments: _Segments, name: str) -> None:
    n = len(segments.texts)
    if not n:
        raise CorpusError(f"{name}: no texts; expected at least one")
    others = {f"references {number}": one for number, one in enumerate(segments.references, 1)}
    if segments.sources is not None:
        others["sources"] = segments.sources
    for other, found in others.items():
        if len(found) != n:
            raise CorpusError(f"{name}: {n:,} texts, {other}: {len(found):,}; expected as many, line by line")


def _name(texts: Texts) -> str:
    return str(texts) if isinstance(texts, str | Path) else "texts"


def _set_name(references: Any) -> str:
    first = references if isinstance(references, str | Path) else references[0]
    return first.name if isinstance(first, Path) else Path(first).name if first is references else "references"


def _library(name: str, package: str, purpose: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(package, "generation", purpose) from None


def _counts(metric: Any, segments: _Segments) -> tuple[npt.NDArray[np.float64], str]:
    """Return sacrebleu's counts of each segment, and the metric's signature."""
    counts = metric._extract_corpus_statistics(list(segments.texts), [list(each) for each in segments.references])
    return np.array(counts, dtype=np.float64), str(metric.get_signature())


def _bleu(segments: _Segments) -> Scored:
    library = _library("sacrebleu.metrics", "sacrebleu", "compute BLEU")
    if segments.tokenizer not in library.BLEU.TOKENIZERS:
        expected = ", ".join(sorted(library.BLEU.TOKENIZERS))
        raise OptionError(f"tokenizer={segments.tokenizer!r}: expected one of {expected}")
    counts, signature = _counts(
        library.BLEU(lowercase=segments.lowercase, tokenize=segments.tokenizer, force=True), segments
    )
    return Bleu(counts), f"bleu: {signature}"


def _chrf(word_order: int) -> Callable[[_Segments], Scored]:
    def compute(segments: _Segments) -> Scored:
        library = _library("sacrebleu.metrics", "sacrebleu", "compute chrF")
        counts, signature = _counts(library.CHRF(lowercase=segments.lowercase, word_order=word_order), segments)
        return Chrf(counts), f"chrf{'+' * word_order}: {signature}"

    return compute


def _rouge(name: str) -> Callable[[_Segments], Scored]:
    def compute(segments: _Segments) -> Scored:
        library = _library("rouge_score.rouge_scorer", "rouge-score", "compute ROUGE")
        scorer = library.RougeScorer([ROUGE[name]], use_stemmer=False)
        references = zip(*segments.references, strict=True)
        found = [
            scorer.score_multi(several, text)[ROUGE[name]].fmeasure
            for several, text in zip(references, segments.texts, strict=True)
        ]
        return Mean(100 * np.array(found)), "rouge: rouge-score, without stemming"

    return compute


def _exact(segments: _Segments) -> Scored:
    texts = segments.words(segments.texts)
    references = [segments.words(each) for each in segments.references]
    equal = [any(text == each[i] for each in references) for i, text in enumerate(texts)]
    return Mean(np.array(equal, dtype=np.float64)), ""


def _edit_distance(segments: _Segments) -> Scored:
    distance = _library("rapidfuzz.distance", "rapidfuzz", "compute edit distances").Levenshtein.distance
    texts, references = segments.words(segments.texts), [segments.words(each) for each in segments.references]
    nearest = [
        min(
            (distance(text, each[i]) / max(1, len(each[i])), distance(text, each[i]), len(each[i]))
            for each in references
        )
        for i, text in enumerate(texts)
    ]
    _, edits, lengths = np.array(nearest, dtype=np.float64).T
    return Ratio(edits, np.maximum(lengths, 1)), ""


def _copied(segments: _Segments) -> Scored:
    assert segments.sources is not None  # checked with the names
    pairs = zip(segments.words(segments.texts), map(set, segments.words(segments.sources)), strict=True)
    return _share_of_words(segments, [sum(word in source for word in text) for text, source in pairs])


def _unknown(segments: _Segments) -> Scored:
    return _share_of_words(segments, [text.count(UNKNOWN) for text in segments.words(segments.texts)])


def _share_of_words(segments: _Segments, counts: Sequence[int]) -> Scored:
    words: Floats = np.array([len(text) for text in segments.words(segments.texts)], dtype=np.float64)
    return Ratio(np.array(counts, dtype=np.float64), words), ""


_METRICS = {
    "bleu": _Metric(_bleu),
    "chrf": _Metric(_chrf(0)),
    "chrf++": _Metric(_chrf(2)),
    **{name: _Metric(_rouge(name)) for name in ROUGE},
    "exact": _Metric(_exact, share=True),
    "edit-distance": _Metric(_edit_distance, better=-1),
    "copied": _Metric(_copied, better=0, needs_sources=True),
    "unknown": _Metric(_unknown, better=0),
}
METRICS = tuple(_METRICS)
