"""Analogies as arrows: pairs of one relation run in parallel where the vectors know it."""

from collections.abc import Sequence

import numpy as np

from firth.errors import OptionError
from firth.plots.layout import principal
from firth.plots.picture import Lines, Picture, Points
from firth.plots.words import Vectors, choose, counted, known_words, name_of

MOST = 60  # pairs whose labels still find room


def analogy_arrows(vectors: Vectors, pairs: Sequence[tuple[str, str]], *, title: str | None = None) -> Picture:
    """Return pairs of words as arrows on the plane of their two principal components.

    The vectors have length 1. Two pairs are joined to the quadrilateral that a perfect analogy makes a parallelogram.
    The caption says how parallel the arrows are in all dimensions, for a plane can flatter.

    Args:
        vectors: the vectors.
        pairs: such as [("man", "king"), ("woman", "queen")]. A pair of which a word has no vector is left out, which
            the picture's notes say; so are pairs after the sixtieth.
        title: a line above; by default it says what is shown.

    Raises:
        OptionError: there are no pairs, or a pair is of one word.
        UnknownWordError: no pair has two vectors.

    Source:
        Mikolov, Sutskever, Chen, Corrado and Dean 2013, "Distributed representations of words and phrases and their
        compositionality", figure 2.
    """
    if not pairs:
        raise OptionError("no pairs to draw: name an even number of words, such as man king woman queen")
    for a, b in pairs:
        if a == b:
            raise OptionError(f"the pair {a} {b}: expected two different words")
    known, notes = _known(vectors, pairs)
    chosen = choose(vectors, [word for pair in known for word in pair], most=2 * MOST)
    row = {word: i for i, word in enumerate(chosen.words)}
    drawn = [(row[a], row[b]) for a, b in known if a in row and b in row]
    if not drawn:
        raise OptionError(f"no pair that can be drawn: {'; '.join(chosen.notes)}")
    places, share = principal(chosen.rows)
    ends = np.array([[places[a], places[b]] for a, b in drawn])
    marks = [Lines(ends=ends, style="arrow", groups=[0] * len(drawn))]
    if len(drawn) == 2:
        marks.insert(0, Lines(ends=ends.transpose(1, 0, 2), style="guide"))
    groups = [1] * len(chosen.words)
    for first, _ in drawn:
        groups[first] = 0
    agreement = _agreement(np.array([chosen.rows[b] - chosen.rows[a] for a, b in drawn]))
    rows = [
        {"a": chosen.words[a], "b": chosen.words[b], "from": places[a].tolist(), "to": places[b].tolist()}
        for a, b in drawn
    ]
    told = f"; the arrows' mean cosine to each other is {agreement:z.2f} in all dimensions" if len(drawn) > 1 else ""
    return Picture(
        kind="analogy",
        title=f"{counted(len(drawn), 'pair')} of words{name_of(vectors)}" if title is None else title,
        marks=[*marks, Points(xy=places, labels=chosen.words, groups=groups)],
        rows=rows,
        caption=f"Two principal components of the vectors at length 1: {100 * share:.0f} % of their variance{told}.",
        notes=[*notes, *chosen.notes],
        equal=True,
    )


def _known(vectors: Vectors, pairs: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[str]]:
    words = list(dict.fromkeys(word for pair in pairs for word in pair))
    there, notes = known_words(vectors, words)
    known = [pair for pair in dict.fromkeys(pairs) if set(pair) <= set(there)]
    if not known:
        raise vectors.lexicon.unknown(next(word for word in words if word not in there))
    if len(known) > MOST:
        notes.append(f"the first {MOST} of {len(known):,} pairs are drawn")
    return known[:MOST], notes


def _agreement(offsets: np.ndarray) -> float:
    """The mean cosine between different rows, (n, D) of n > 1."""
    if len(offsets) < 2:
        return 1.0
    unit = offsets / np.linalg.norm(offsets, axis=1, keepdims=True)
    cosines = unit @ unit.T
    return float(cosines[np.triu_indices(len(unit), 1)].mean())
