"""Collocations: words that stand near a word more often than elsewhere.

What: for a word, the node, a list of the words in the windows around it.

Objective, with f_w and f_c the counts of node and collocate in N words, O how often the collocate is in a window of the
node, W the words in all its windows (at most 2 window f_w), and E = W f_c / N what O would be by chance:

    PMI        log2 (O / E)
    t          (O - E) / sqrt(O)
    log-Dice   14 + log2 [ 2 O / (f_w + f_c) ]

PMI favours rare words, t frequent ones. Log-Dice is at most 14 where windows do not overlap, lies near 0 or below for
what happens by chance, and does not depend on the size of the text: 1 more is twice as often.

Source: Church and Hanks 1990, "Word association norms, mutual information, and lexicography", section 3 (PMI); Church,
Gale, Hanks and Hindle 1991, "Using statistics in lexical analysis", section 2 (t); Rychlý 2008, "A
lexicographer-friendly association score", section 2 (log-Dice); Evert 2008, "Corpora and collocations", section 4.1,
for E in windows; Gries 2008 (dispersion, see `dispersion`).

Departures: N has no words that the vocabulary lacks, such as stop words, because no window has them. W is counted and
not 2 window f_w, because windows end where documents do. A word in two windows of the node
counts twice, as in all programs that count windows.

Cost: one pass over the encoded text for the node's occurrences, and 2 window f_w additions.
"""

from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from firth.arguments import explained
from firth.corpus.by_document import by_document
from firth.corpus.encoded import Corpus
from firth.corpus.options import TokenTextArguments
from firth.counts.counting import WindowRow, window_row
from firth.counts.dispersion import deviation_of_proportions, documents_with
from firth.counts.ranked_words import RankedWords
from firth.errors import CorpusError, OptionError, brief
from firth.kernels.cooccurrence import MOST_REACH
from firth.options import check_whole
from firth.progress import Progress

SORTS = ("log_dice", "pmi", "t")
COLUMNS = {
    "word": ("word", ""), "log_dice": ("log-Dice", ".2f"), "pmi": ("PMI", ".2f"), "t": ("t", ".2f"),
    "count": ("near", ",d"), "expected": ("expected", ",.1f"), "total": ("in all", ",d"), "dispersion": ("DP", ".2f"),
}  # fmt: skip


@dataclass(frozen=True)
class Collocation:
    """A word that stands near another.

    Attributes:
        log_dice: association, at most 14.
        pmi: in bits.
        t: t-score.
        count: occurrences in windows of the node.
        expected: such occurrences by chance.
        total: occurrences in the text.
        dispersion: DP of `count` over the documents: 0 for evenly spread, nearly 1 for all in one place.
        documents: how many documents have it in such a window.
    """

    word: str
    log_dice: float
    pmi: float
    t: float
    count: int
    expected: float
    total: int
    dispersion: float
    documents: int


@explained
def collocations(
    text: Any,
    word: str,
    *,
    window: int = 5,
    limit: int | None = 50,
    min_count: int = 5,
    sort: str = "log_dice",
    column: str | int | None = None,
    progress: Progress = None,
    **options: Unpack[TokenTextArguments],
) -> RankedWords[Collocation]:
    """Return the words that stand near a word more often than elsewhere.

    Windows go over the ends of sentences, but not over those of documents: files, rows or texts, and of a single file
    its paragraphs, or its lines if no blank line stands between them. With `sentences="punctuation"` they end with each
    sentence, which is a document then.

    Args:
        text: a corpus, or any source that `Corpus.build` takes.
        word: the node, in any of its forms.
        window: words on either side.
        limit: words at most; None for all.
        min_count: occurrences near the word.
        sort: "log_dice", "pmi" or "t"; words that are alike in it follow by their count, and then by their letters.
        column: the column with the texts of a table.
        **options: how the text is split, and tables read; as in `Corpus.build`.

    Raises:
        UnknownWordError: the text does not have the word.
        CorpusError: it cannot be read; or nothing stands near the word.
        OptionError: an option is out of its range, or given with a corpus.
    """
    check_whole("window", window, 1)
    if window > MOST_REACH:
        raise OptionError(f"window={window}: expected at most {MOST_REACH}")
    if limit is not None:
        check_whole("limit", limit, 1)
    check_whole("min_count", min_count, 1)
    if sort not in SORTS:
        raise OptionError(f"sort={brief(sort)}: expected {', '.join(map(repr, SORTS))}")
    documents = by_document(text, {**options, **({} if column is None else {"column": column})}, progress=progress)
    corpus = documents.corpus
    row = documents.row_of(word)
    near = window_row(corpus, row, window)
    if not near.size:
        raise CorpusError(f"{word!r} stands alone: no other word within {window}; expected sentences or longer texts")
    words, counts, total = corpus.vocabulary.words, corpus.vocabulary.counts, corpus.vocabulary.total
    frequent = near.counts >= min_count
    columns, observed = near.columns[frequent], near.counts[frequent]
    scores = association_scores(observed, counts[columns], int(counts[row]), near.size, corpus.num_tokens)
    collocates = [words[column] for column in columns.tolist()]
    order = sorted(range(len(columns)), key=lambda i: (-scores[sort][i], -observed[i], collocates[i]))[:limit]
    spread = _spread(corpus, near, columns[order])
    result = [
        Collocation(
            collocates[i], float(scores["log_dice"][i]), float(scores["pmi"][i]), float(scores["t"][i]),
            int(observed[i]), float(scores["expected"][i]), int(counts[columns[i]]), float(spread[0][n]),
            int(spread[1][n]),
        )
        for n, i in enumerate(order)
    ]  # fmt: skip
    facts = {"of": len(columns), "word": words[row], "occurrences": int(counts[row]), "tokens": total,
             "documents": int(np.count_nonzero(np.diff(corpus.offsets))), "unit": documents.unit}  # fmt: skip
    return RankedWords(result, {**COLUMNS, "documents": (documents.unit, ",d")}, facts)


def association_scores(
    observed: npt.NDArray[Any], totals: npt.NDArray[Any], node: int, size: int, tokens: int
) -> dict[str, npt.NDArray[np.float64]]:
    """Return the scores of collocates, and the counts expected by chance.

    Args:
        observed: O, occurrences of each collocate in windows of the node.
        totals: f_c, its occurrences in the text.
        node: f_w, occurrences of the node.
        size: W, words in all its windows.
        tokens: N, words of the text that can stand in a window: those of the vocabulary.
    """
    expected = size * totals / tokens
    return {
        "log_dice": 14 + np.log2(2 * observed / (node + totals)),
        "pmi": np.log2(observed / expected),
        "t": (observed - expected) / np.sqrt(observed),
        "expected": expected,
    }


def _spread(corpus: Corpus, near: WindowRow, columns: npt.NDArray[np.int32]) -> tuple[Any, Any]:
    """Return the dispersion of collocates near the node, and in how many documents they are near it."""
    from scipy import sparse

    slots = np.full(len(corpus.vocabulary), -1, dtype=np.int64)
    slots[columns] = np.arange(len(columns))
    documents, collocates = list[Any](), list[Any]()
    for positions in near.pairs():  # of the words in windows
        slot = slots[corpus.ids[positions]]
        documents.append(np.searchsorted(corpus.offsets, positions[slot >= 0], side="right") - 1)
        collocates.append(slot[slot >= 0])
    indices = np.concatenate(documents), np.concatenate(collocates)
    shape = (len(corpus), len(columns))
    counts = sparse.coo_array((np.ones(len(indices[0])), indices), shape=shape).tocsr()
    return deviation_of_proportions(counts, np.diff(corpus.offsets).astype(np.float64)), documents_with(counts)
