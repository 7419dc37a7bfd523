"""Analogies as arrows, which are parallel if the vectors capture the relation."""

from collections.abc import Sequence

import numpy as np

from firth.arguments import explained
from firth.errors import OptionError, counted
from firth.plots.layout import principal
from firth.plots.picture import Lines, Picture, Points
from firth.plots.words import Vectors, check_vectors, choose, known_words, name_of

MOST = 60  # pairs; more labels do not fit


@explained
def analogy_arrows(vectors: Vectors, pairs: Sequence[tuple[str, str]], *, title: str | None = None) -> Picture:
    """Return pairs of words as arrows on the plane of their two principal components.

    The vectors have length 1. Guides join two pairs to a quadrilateral, which is a parallelogram for a perfect analogy.
    The caption says how parallel the arrows are in all dimensions, because a plane can mislead.

    Args:
        vectors: the vectors.
        pairs: such as [("man", "king"), ("woman", "queen")]. The picture leaves out pairs with an unknown word and
            pairs after the sixtieth; its notes say so.

    Raises:
        OptionError: there are no pairs, or both words of a pair are the same.
        UnknownWordError: no pair has two vectors.

    Source:
        Mikolov, Sutskever, Chen, Corrado and Dean 2013, "Distributed representations of words and phrases and their
        compositionality", figure 2.
    """
    check_vectors(vectors)
    if not pairs:
        raise OptionError("no pairs to draw: name an even number of words, such as man king woman queen")
    for a, b in pairs:
        if a == b:
            raise OptionError(f"the pair {a} {b}: expected two different words")
    covered, notes = _known(vectors, pairs)
    selection = choose(vectors, [word for pair in covered for word in pair], most=2 * MOST)
    row = {word: i for i, word in enumerate(selection.words)}
    arrows = [(row[a], row[b]) for a, b in covered if a in row and b in row]
    if not arrows:
        raise OptionError(f"no pair that can be drawn: {'; '.join(selection.notes)}")
    positions, share = principal(selection.rows)
    ends = np.array([[positions[a], positions[b]] for a, b in arrows])
    marks = [Lines(ends=ends, style="arrow", groups=[0] * len(arrows))]
    if len(arrows) == 2:
        marks.insert(0, Lines(ends=ends.transpose(1, 0, 2), style="guide"))
    groups = [1] * len(selection.words)
    for first, _ in arrows:
        groups[first] = 0
    agreement = _agreement(np.array([selection.rows[b] - selection.rows[a] for a, b in arrows]))
    rows = [
        {"a": selection.words[a], "b": selection.words[b], "from": positions[a].tolist(), "to": positions[b].tolist()}
        for a, b in arrows
    ]
    parallel = f"; mean cosine between the arrows in all dimensions: {agreement:z.2f}" if len(arrows) > 1 else ""
    return Picture(
        kind="analogy",
        title=f"{counted(len(arrows), 'pair')} of words{name_of(vectors)}" if title is None else title,
        marks=[*marks, Points(xy=positions, labels=selection.words, groups=groups)],
        rows=rows,
        caption=f"Two principal components of the vectors at length 1: {100 * share:.0f} % of the variance{parallel}.",
        notes=[*notes, *selection.notes],
        equal=True,
    )


def _known(vectors: Vectors, pairs: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[str]]:
    words = list(dict.fromkeys(word for pair in pairs for word in pair))
    present, notes = known_words(vectors, words)
    covered = [pair for pair in dict.fromkeys(pairs) if set(pair) <= set(present)]
    if not covered:
        raise vectors.lexicon.unknown(next(word for word in words if word not in present))
    if len(covered) > MOST:
        notes.append(f"the first {MOST} of {len(covered):,} pairs are drawn")
    return covered[:MOST], notes


def _agreement(offsets: np.ndarray) -> float:
    """The mean cosine between different rows of an (n, D) array."""
    if len(offsets) < 2:
        return 1.0
    unit = offsets / np.linalg.norm(offsets, axis=1, keepdims=True)
    cosines = unit @ unit.T
    return float(cosines[np.triu_indices(len(unit), 1)].mean())
