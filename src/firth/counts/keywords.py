"""Keywords: words that one text has more often than another, with how sure, how much and how evenly spread.

What: a list of the words that set a text apart from one that it is compared with, its reference.

Objective, with a and b the counts of a word in the two texts, of A and B words, and E the counts expected if both had
it equally often, E_a = A (a + b) / (A + B), and so on for all four cells:

    G2         2 [ a ln(a / E_a) + b ln(b / E_b) + (A - a) ln((A - a) / E_A-a) + (B - b) ln((B - b) / E_B-b) ]
    log ratio  log2 [ (a / A) / (b / B) ],   0.5 in place of a count of 0

Source: Dunning 1993, "Accurate methods for the statistics of surprise and coincidence", section 4 (G2); Rayson and
Garside 2000, "Comparing corpora using frequency profiling", section 2 (of keywords); Hardie 2014, "Log Ratio: an
informal introduction" (log ratio and 0.5); Gries 2008 (dispersion, see `dispersion`).

Departures:
- G2 has all four cells, as in Dunning; the calculator of Rayson and Garside leaves out the two of other words, which
  matters for words that are a large part of a text only.
- The interval of the log ratio is the percentile bootstrap over documents, drawn anew in both texts (Lijffijt et al.
  2016 show why: words come in bursts, so that tests over single words are far too sure). It says how far the ratio
  depends on which documents were taken, not whether they stand for others. Where the reference never has a word, the
  0.5 in its place is the same in all resamples, and the interval is that of the text's own documents alone.

Cost: one pass over both texts, encoded once; R weights per document for R resamples.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt
from scipy.special import xlogy

from firth.arguments import explained
from firth.corpus.by_document import Documents, by_document
from firth.corpus.encoded import Corpus
from firth.corpus.options import TokenTextArguments
from firth.counts.dispersion import deviation_of_proportions, documents_with
from firth.counts.ranked_words import RankedWords
from firth.counts.word_document_graph import document_counts
from firth.errors import OptionError, brief, counted, warn_caller
from firth.options import check_whole
from firth.progress import Progress
from firth.resampling import LEVEL, draws

Floats = npt.NDArray[np.float64]

RESAMPLES = 1000
SORTS = ("g2", "log_ratio")
_WORDS = 1 << 10  # words resampled at once
_ZERO = 0.5  # in place of a count of 0
COLUMNS = {
    "word": ("word", ""), "g2": ("G2", ",.1f"), "log_ratio": ("ratio", ".2f"), "low": ("low", ".2f"),
    "high": ("high", ".2f"), "count": ("count", ",d"), "against": ("against", ",d"), "dispersion": ("DP", ".2f"),
}  # fmt: skip


@dataclass(frozen=True)
class Keyword:
    """A word and how often two texts have it.

    Attributes:
        g2: log-likelihood ratio, never negative.
        log_ratio: how many times as frequent, in powers of 2: 1 is twice, 2 four times, -1 half.
        low: lower end of its 95 % interval; NaN if a text is a single document.
        high: upper end.
        count: occurrences in the text.
        against: occurrences in the reference.
        per_million: of a million words of the text.
        against_per_million: of a million words of the reference.
        dispersion: DP over the documents of the text: 0 for evenly spread, nearly 1 for all in one place.
        documents: how many documents of the text have it.
    """

    word: str
    g2: float
    log_ratio: float
    low: float
    high: float
    count: int
    against: int
    per_million: float
    against_per_million: float
    dispersion: float
    documents: int


@explained
def keywords(
    text: Any,
    against: Any,
    *,
    limit: int | None = 50,
    min_count: int = 5,
    sort: str = "g2",
    negative: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
    column: str | int | None = None,
    progress: Progress = None,
    **options: Unpack[TokenTextArguments],
) -> RankedWords[Keyword]:
    """Return the words that a text has more often than another.

    The documents of a text are its files, rows or texts; of a single file its paragraphs, or its lines if no blank line
    stands between them.

    Args:
        text: a corpus, or any source that `Corpus.build` takes.
        against: the reference, likewise.
        limit: words at most; None for all.
        min_count: occurrences in both texts together.
        sort: "g2" for the words about which there is least doubt, "log_ratio" for those that differ most. Words that
            are alike in it follow by their count, and then by their letters.
        negative: return the words that the text has less often.
        resamples: of the bootstrap; 0 for no intervals.
        seed: of the bootstrap.
        column: the column with the texts of tables.
        **options: how both texts are split, and tables read; as in `Corpus.build`.

    Raises:
        CorpusError: a text cannot be read, or has no words.
        OptionError: an option is out of its range, or given with a corpus.

    Warns:
        UserWarning: a text is a single document, so that there are no intervals; or words are left out, because a
            corpus that knows no files does not say how often it had them.
    """
    _check(limit, min_count, sort, resamples)
    given = {**options, **({} if column is None else {"column": column})}
    sides = [
        by_document(source, {} if isinstance(source, Corpus) else given, progress=progress)
        for source in (text, against)
    ]
    if given and all(isinstance(source, Corpus) for source in (text, against)):
        raise OptionError(
            f"{', '.join(given)} given with corpora, which have their own; expected texts, or none of them"
        )
    a, b = map(_Side, sides)
    words, rows = _shared_words(a, b)
    counts = np.stack([side.counts_of(own) for side, own in zip((a, b), rows, strict=True)])  # (2, words)
    ratios = log_ratios(counts, (a.size, b.size))
    scores = g2(counts, (a.size, b.size))
    more = counts[0] * b.size - counts[1] * a.size  # not the ratio, whose sign the 0.5 for a count of 0 may turn
    keeps = (counts.sum(axis=0) >= min_count) & ((more < 0) if negative else (more > 0))
    chosen = np.flatnonzero(keeps)
    key = scores if sort == "g2" else -ratios if negative else ratios  # not |ratio|: 0.5 for 0 may turn its sign
    chosen = np.array(sorted(chosen.tolist(), key=lambda i: (-key[i], -counts[:, i].sum(), words[i]))[:limit], np.int64)
    low, high = _intervals(a, b, [own[chosen] for own in rows], resamples, seed)
    dispersion, documents = a.dispersion(rows[0][chosen])
    result = [
        Keyword(
            words[i], float(scores[i]), float(ratios[i]), float(low[n]), float(high[n]), int(counts[0, i]),
            int(counts[1, i]), float(1e6 * counts[0, i] / a.size), float(1e6 * counts[1, i] / b.size),
            float(dispersion[n]), int(documents[n]),
        )
        for n, i in enumerate(chosen.tolist())
    ]  # fmt: skip
    columns = {**COLUMNS, "documents": (sides[0].unit, ",d")}
    return RankedWords(result, columns, {"of": int(keeps.sum()), "text": a.facts(), "against": b.facts()})


def g2(counts: Floats, sizes: tuple[float, float]) -> Floats:
    """Return G2 of each word.

    Args:
        counts: (2, words) occurrences in two texts.
        sizes: words of each.
    """
    table = np.stack([counts, np.asarray(sizes)[:, None] - counts])  # (this word or others, texts, words)
    rows, columns, total = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True), sum(sizes)
    expected = rows * columns / total
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(table > 0, xlogy(table, table / expected), 0)
    return np.asarray(np.maximum(0, 2 * terms.sum(axis=(0, 1))))


def log_ratios(counts: Floats, sizes: Any) -> Floats:
    """Return the log ratio of each word, with 0.5 in place of a count of 0.

    Args:
        counts: (2, ...) occurrences in two texts.
        sizes: (2, ...) words of each.
    """
    counts = np.where(counts > 0, counts, _ZERO)
    return np.asarray(np.log2(counts[0]) - np.log2(sizes[0]) - np.log2(counts[1]) + np.log2(sizes[1]))


class _Side:
    """A text: the counts of its words in each of its documents.

    Attributes:
        size: words of the text.
    """

    def __init__(self, documents: Documents) -> None:
        corpus = documents.corpus
        self.documents, self.vocabulary = documents, corpus.vocabulary
        counts = document_counts(corpus)
        sizes = np.asarray(counts.sum(axis=1)).ravel()
        self.counts, sizes = counts[sizes > 0], sizes[sizes > 0]  # empty files are no documents
        self.size = float(self.vocabulary.total)
        self.sizes = sizes * (self.size / sizes.sum())  # words outside the vocabulary as all others

    def counts_of(self, rows: npt.NDArray[np.int64]) -> Floats:
        """Return the counts of words, by their rows in the vocabulary; -1 for none."""
        return np.append(self.vocabulary.counts, 0)[rows].astype(np.float64)

    def columns(self, rows: npt.NDArray[np.int64]) -> Any:
        """Return the counts of words in each document, (J, words)."""
        from scipy import sparse

        empty = sparse.csr_array((self.counts.shape[0], 1))
        return sparse.hstack([self.counts[:, np.maximum(rows, 0)], empty]).tocsc()[
            :, np.where(rows >= 0, np.arange(len(rows)), len(rows))
        ]

    def dispersion(self, rows: npt.NDArray[np.int64]) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Return the dispersion of words, and in how many documents they occur."""
        columns = self.columns(rows).tocsr()
        return deviation_of_proportions(columns, self.sizes), documents_with(columns)

    def facts(self) -> dict[str, Any]:
        """Return the size of the text."""
        return {"tokens": int(self.size), "documents": len(self.sizes), "unit": self.documents.unit}


def _shared_words(a: _Side, b: _Side) -> tuple[Sequence[str], list[npt.NDArray[np.int64]]]:
    """Return the words of both texts, and their rows in each; -1 for a word that one of them does not have."""
    ids = [side.vocabulary.ids for side in (a, b)]
    words = list(dict.fromkeys([*a.vocabulary.words, *b.vocabulary.words]))
    rows = [np.array([own.get(word, -1) for word in words], dtype=np.int64) for own in ids]
    keeps = np.ones(len(words), dtype=bool)
    for side, own in zip((a, b), rows, strict=True):
        if side.documents.min_count > 1 and (missing := int(np.count_nonzero(own < 0))):
            keeps &= own >= 0
            warn_caller(
                f"{side.documents.corpus.path}: {counted(missing, 'word')} of the other text are left out: this corpus "
                f"was built with min_count={side.documents.min_count} and without files, and does not say how often it "
                "had them; pass the texts"
            )
    return [word for word, keep in zip(words, keeps, strict=True) if keep], [own[keeps] for own in rows]


def _intervals(
    a: _Side, b: _Side, rows: list[npt.NDArray[np.int64]], resamples: int, seed: int
) -> tuple[Floats, Floats]:
    """Return the ends of the bootstrap intervals of the log ratios of words."""
    empty = np.full(len(rows[0]), np.nan)
    for name, side in (("text", a), ("reference", b)):
        if len(side.sizes) < 2 and resamples:
            warn_caller(
                f"the {name} is a single document, so that nothing says how far the figures depend on it: no "
                "intervals; give several files, or a list of texts"
            )
            return empty, empty
    if not resamples or not len(rows[0]):
        return empty, empty
    ends = [
        _interval(a, b, [own[start : start + _WORDS] for own in rows], resamples, seed)
        for start in range(0, len(rows[0]), _WORDS)
    ]
    low, high = np.concatenate(ends, axis=1)
    return low, high


def _interval(a: _Side, b: _Side, rows: list[npt.NDArray[np.int64]], resamples: int, seed: int) -> Floats:
    counts, sizes = [], []
    for number, (side, own) in enumerate(zip((a, b), rows, strict=True)):
        columns = side.columns(own).T.tocsr()  # (words, J)
        blocks = [
            ((columns @ weights.T).T, weights @ side.sizes)
            for weights in draws(len(side.sizes), resamples=resamples, seed=seed + number)
        ]
        counts.append(np.concatenate([block for block, _ in blocks]))
        sizes.append(np.concatenate([size for _, size in blocks])[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = log_ratios(np.stack(counts), np.stack(sizes))  # (R, words)
    return np.asarray(np.nanquantile(ratios, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0))


def _check(limit: int | None, min_count: int, sort: str, resamples: int) -> None:
    if limit is not None:
        check_whole("limit", limit, 1)
    check_whole("min_count", min_count, 1)
    check_whole("resamples", resamples, 0)
    if sort not in SORTS:
        raise OptionError(f"sort={brief(sort)}: expected {' or '.join(map(repr, SORTS))}")
