"""Answers of a reader to questions about paragraphs of any length, several paragraphs included.

What
    A paragraph longer than the window is read in parts that overlap by half. The spans of all parts, and of all
    paragraphs of a question, are ordered by their scores.
Objective
    score(i, j) = s_i + e_j, before any softmax, so that parts can be compared. The probability of a span is
    exp(score), divided by the sum over all spans of all parts and, where a question may have none, that of no answer.
Source
    Chen, Fisch, Weston and Bordes 2017, section 3.2 (unnormalised scores over paragraphs).
Departures
    They give no probability. A span that is in two parts counts twice in the sum.
Cost
    That of the network; T L sums for the spans.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import torch

from firth.finite import check_finite
from firth.neural.models.reading.data import Pair, collate
from firth.neural.models.reading.module import ReadingModule
from firth.neural.models.reading.passages import Passage
from firth.neural.models.reading.spans import best_spans, span_scores
from firth.neural.models.tokens.reader import TokenReader

TOKENS = 8192  # of paragraphs that are read together, padding included


@dataclass(frozen=True, eq=False)
class FoundSpan:
    """A span that may be the answer.

    Attributes:
        score: s_i + e_j.
        probability: among all spans.
        paragraph: its number among those of the question.
        start: characters of the paragraph before it.
        end: characters up to its end.
        no_answer: whether it stands for no answer; start and end are 0 then.
    """

    score: float
    probability: float
    paragraph: int
    start: int
    end: int
    no_answer: bool = False


Window = tuple[int, Pair]  # the number of a paragraph, and a question with the paragraph or a part of it


def windows_of(question: Passage, paragraphs: Sequence[Passage], window: int) -> list[Window]:
    """Return a question with the parts of paragraphs; those of one paragraph overlap by half."""
    parts: list[Window] = []
    for number, paragraph in enumerate(paragraphs):
        step = max(window // 2, 1)
        firsts = range(0, max(len(paragraph) - window, 0) + step, step) if len(paragraph) > window else [0]
        whole = len(paragraph) <= window
        parts += [
            (number, Pair(question, paragraph if whole else paragraph.window(first, first + window)))
            for first in firsts
        ]
    return parts


@torch.no_grad()
def found_spans(
    module: ReadingModule,
    tokens: TokenReader,
    windows: Sequence[Sequence[Window]],
    *,
    longest: int,
    n: int = 1,
    report: Callable[[int], object] = lambda done: None,
    attention: dict[int, npt.NDArray[np.float32]] | None = None,
) -> list[list[FoundSpan]]:
    """Return of each question up to n spans, best first, at least one.

    Args:
        module: in evaluation mode.
        tokens: its vocabulary.
        windows: of each question, at least one part of a paragraph.
        longest: tokens of an answer at most.
        n: spans of each question.
        report: takes the number of parts that were read.
        attention: is filled with the (T, Q) attention of each part, by its number over all questions; None for none.
    """
    device = next(module.parameters()).device
    parts = [(question, *window) for question, some in enumerate(windows) for window in some]
    found: list[list[FoundSpan]] = [[] for _ in windows]
    totals: list[list[float]] = [[] for _ in windows]
    done = 0
    for rows in _batches([len(pair.paragraph) for _, _, pair in parts]):
        batch = collate(tokens, [parts[row][2] for row in rows]).to(device)
        scores = module(batch)
        starts, ends = scores.starts.float(), scores.ends.float()
        values, firsts, lasts = (each.tolist() for each in best_spans(starts, ends, longest=longest, n=n))
        sums = log_totals(starts, ends, longest).tolist()
        check_finite(sums, "the reader", [parts[row][0] for row in rows], "paragraph of the batch, for question")
        for each, row in enumerate(rows):
            question, paragraph, pair = parts[row]
            totals[question].append(sums[each])
            if attention is not None:
                shape = len(pair.paragraph), len(pair.question)
                attention[row] = scores.attention[each, : shape[0], : shape[1]].float().cpu().numpy()
            for value, first, last in zip(values[each], firsts[each], lasts[each], strict=True):
                if value > -np.inf:
                    found[question].append(FoundSpan(value, 0.0, paragraph, *pair.paragraph.answer(first, last)))
        done += len(rows)
        report(done)
    none = None if module.no_answer is None else float(module.no_answer.double().sum())
    return [_ordered(spans, sums, none, n) for spans, sums in zip(found, totals, strict=True)]


def log_totals(starts: torch.Tensor, ends: torch.Tensor, longest: int) -> torch.Tensor:
    """Return the (B,) logs of the sums of exp(score) over the spans of at most `longest` tokens, in float64.

    Args:
        starts: (B, T) scores.
        ends: (B, T) likewise.
        longest: tokens of a span at most.
    """
    return span_scores(starts.double(), ends.double(), longest=longest).flatten(1).logsumexp(1)


def _ordered(spans: list[FoundSpan], totals: list[float], none: float | None, n: int) -> list[FoundSpan]:
    """Return the n best spans with their probabilities, with no answer among them if it has a score."""
    total = float(np.logaddexp.reduce(totals if none is None else [*totals, none]))
    best: dict[tuple[int, int, int], FoundSpan] = {}
    for span in sorted(spans, key=lambda each: -each.score):
        best.setdefault((span.paragraph, span.start, span.end), span)
    chosen = list(best.values())
    if none is not None:
        chosen = sorted([*chosen, FoundSpan(none, 0.0, 0, 0, 0, no_answer=True)], key=lambda each: -each.score)
    return [replace(each, probability=min(float(np.exp(each.score - total)), 1.0)) for each in chosen[:n]]


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Return the numbers of parts in batches of similar length."""
    batches: list[list[int]] = []
    batch: list[int] = []
    for row in np.argsort(lengths, kind="stable").tolist():
        if batch and (len(batch) + 1) * lengths[row] > TOKENS:
            batches.append(batch)
            batch = []
        batch.append(row)
    return [*batches, batch] if batch else batches
