"""Scores of generated texts, such as translations, summaries and answers, against reference texts or alone.

What
    Every score has a bootstrap interval over segments, and several systems are compared in pairs. The scores are those
    of `firth.evaluation.generated_metrics`.
Source
    Koehn 2004 (bootstrap).
Departures
    None.
Cost
    That of the scores, and of R n products per score for R resamples of n segments.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from firth.errors import CorpusError, OptionError
from firth.evaluation.generated_metrics import Scored, Segments, Tags, metric_names, metric_of
from firth.evaluation.report import EvaluationReport
from firth.evaluation.suite import EvaluationOptions, Score
from firth.evaluation.tabulate import SetScore, report_of
from firth.resampling import Sample
from firth.storage.files import check_exists, text_of
from firth.text.inputs import check_items, check_text

Texts = str | Path | Sequence[str]
DEFAULT = ("bleu", "chrf")


def evaluate_generated(
    texts: Texts | Mapping[str, Texts],
    references: Texts | Sequence[Texts] | None = None,
    *,
    sources: Texts | None = None,
    tags: Tags | None = None,
    metrics: str | Sequence[str] | None = None,
    baseline: Texts | None = None,
    lowercase: bool = False,
    tokenizer: str = "13a",
    resamples: int = 1000,
    seed: int = 0,
) -> EvaluationReport:
    """Score generated texts against references, or their diversity alone, with intervals and paired tests.

    Args:
        texts: the generated segments: a list, or the path of a file with one per line; for several systems, a mapping
            from their names.
        references: one per segment, in the same order; a list of lists or paths if each segment has several references.
        sources: the inputs from which the texts were generated, for `copied`.
        tags: function that returns the tags of each of a list of texts, such as their parts of speech, for
            `tag-entropy-3`.
        metrics: names. Against references: bleu, chrf, chrf++, rouge-1, rouge-2, rouge-l (rouge for the three), exact,
            edit-distance; without: copied, unknown, and of diversity distinct-1, distinct-2, entropy-2, text-entropy,
            tag-entropy-3, repeated-3, top-5, words (diversity for them all), also with other numbers. all: those that
            are possible. None: bleu and chrf with references, else diversity.
        baseline: texts of a simple system, such as first sentences; the table shows its score.
        lowercase: whether case is ignored; ROUGE always ignores it.
        tokenizer: of BLEU, by sacrebleu's name, such as "13a", "intl", "char", "zh", "none".
        resamples: number of bootstrap resamples.
        seed: random seed of the bootstrap.

    Returns:
        One row per system and metric. `notes` holds the signatures.

    Raises:
        CorpusError: the numbers of texts, references and sources differ, or there are none.
        OptionError: a metric or tokenizer is unknown, a metric lacks references, sources or tags, `tags` returns
            another number of texts, or `resamples` is below 1.
        MissingExtraError: sacrebleu, rouge-score or rapidfuzz is not installed.
        FormatError: a file is not UTF-8.
    """
    if resamples < 1:
        raise OptionError(f"resamples={resamples}: expected at least 1")
    given = {"references": references, "sources": sources, "tags": tags}
    wanted = metrics if metrics is not None else "diversity" if references is None else DEFAULT
    names = metric_names(wanted, {name for name, content in given.items() if content is not None})
    gold = [_segments(segments, f"references {number}") for number, segments in enumerate(_several(references), 1)]
    read_sources = None if sources is None else _segments(sources, "sources")
    read = {name: _segments(segments, name) for name, segments in _systems(texts).items()}
    n = len(next(iter(read.values())))  # equal for all; checked below

    def scored(output: Sequence[str], name: str) -> list[Scored]:
        segments = Segments(output, gold, read_sources, lowercase, tokenizer, tags)
        _check_lengths(segments, name, n)
        return [metric_of(metric).compute(segments) for metric in names]

    of_baseline: list[Scored | None] = [None] * len(names)
    if baseline is not None:
        of_baseline = [*scored(_segments(baseline, "baseline"), "baseline")]
    computed = {name: scored(output, name) for name, output in read.items()}
    rows = {
        name: [
            SetScore("generation", _set_name(references), _score(metric, scored, n, simple))
            for metric, scored, simple in zip(names, outputs, of_baseline, strict=True)
        ]
        for name, outputs in computed.items()
    }
    report = report_of(rows, EvaluationOptions(resamples=resamples, seed=seed))
    signatures = [signature for _, signature in next(iter(computed.values()))]
    return EvaluationReport(report.rows, report.contrasts, tuple(dict.fromkeys(filter(None, signatures))))


def _systems(texts: Texts | Mapping[str, Texts]) -> Mapping[str, Texts]:
    if not isinstance(texts, Mapping):
        return {str(texts) if isinstance(texts, str | Path) else "texts": texts}
    if not texts:
        raise CorpusError("texts: no system; expected at least one")
    return texts


def _score(metric: str, scored: Scored, n: int, baseline: Scored | None) -> Score:
    everything = np.ones(n, dtype=bool)
    description = metric_of(metric)
    return Score(
        metric=metric,
        sample=Sample(everything, scored[0]),
        covered=n,
        total=n,
        share=description.share,
        better=description.better,
        baseline_name="" if baseline is None else "baseline",
        baseline_sample=None if baseline is None else Sample(everything, baseline[0]),
    )


def _several(references: Texts | Sequence[Texts] | None) -> Sequence[Texts]:
    if references is None:
        return []
    if isinstance(references, str | Path):
        return [references]
    several = list(references)
    if several and all(isinstance(item, Path) or not isinstance(item, str) for item in several):
        return several
    return [several]  # type: ignore[list-item]  # strings: segments


def _segments(texts: Texts, name: str) -> list[str]:
    if isinstance(texts, str | Path):
        check_exists(Path(texts), "a file with one text per line")
        content = text_of(texts).removesuffix("\n")
        # Not splitlines, which also breaks at U+2028 and the like; an empty line is an empty text.
        return [line.removesuffix("\r") for line in content.split("\n")] if content else []
    segments = [getattr(text, "text", text) for text in check_items(texts, name)]  # translations have a text
    for number, text in enumerate(segments, 1):
        check_text(text, f"{name}, text {number:,}")
    return segments


def _check_lengths(segments: Segments, name: str, first: int) -> None:
    """Check that all texts, references and sources have the same number of segments; `first` is that of a system."""
    n = len(segments.texts)
    if not n:
        raise CorpusError(f"{name}: no texts; expected at least one")
    counts = {f"references {number}": len(reference) for number, reference in enumerate(segments.references, 1)}
    if segments.sources is not None:
        counts["sources"] = len(segments.sources)
    counts["the first system"] = first
    for other, count in counts.items():
        if count != n:
            sets = len(segments.references)
            hint = "; of several lists of references, each has one for every text" if sets == n > 0 else ""
            raise CorpusError(f"{name}: {n:,} texts, {other}: {count:,}; expected equal numbers, line by line{hint}")


def _set_name(references: Any) -> str:
    if references is None:
        return "texts"
    first = references if isinstance(references, str | Path) else references[0]
    return first.name if isinstance(first, Path) else Path(first).name if first is references else "references"
