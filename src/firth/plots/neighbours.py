"""A network of nearest neighbours."""

from collections.abc import Sequence

import numpy as np

from firth.arguments import explained
from firth.errors import OptionError, counted
from firth.plots.layout import flatten
from firth.plots.picture import Lines, Picture, Points
from firth.plots.words import Vectors, check_vectors, choose, known_words, name_of

MOST = 150  # words; more labels do not fit


@explained
def neighbour_network(
    vectors: Vectors, words: Sequence[str], *, number: int = 8, hops: int = 1, title: str | None = None
) -> Picture:
    """Return words and their nearest neighbours, joined by lines; thicker lines mean higher cosines.

    Args:
        vectors: the vectors.
        words: words to start from; each has a colour, which its neighbours share. Words without a vector are left out,
            with a note.
        number: neighbours per word.
        hops: 1 for neighbours, 2 for neighbours of neighbours too.

    Raises:
        OptionError: there are no words, or `number` or `hops` is out of its range.
        UnknownWordError: none of the words has a vector.
    """
    check_vectors(vectors)
    if not words:
        raise OptionError("no words to start from: name one or more")
    if number < 1 or hops not in (1, 2):
        raise OptionError(f"number={number}, hops={hops}: expected at least 1 neighbour, and 1 or 2 hops")
    covered, notes = known_words(vectors, list(dict.fromkeys(words)))
    starts = choose(vectors, covered, most=MOST)
    edges: dict[tuple[str, str], float] = {}
    _add_edges(edges, vectors, starts.words, number)
    groups = {word: i for i, word in enumerate(starts.words)}
    if hops == 2:
        _add_edges(edges, vectors, [b for _, b in edges if b not in groups], number)
    hop = dict.fromkeys(starts.words, 0)
    for a, b in edges:  # those of the first hop stand first
        groups.setdefault(b, groups[a])
        hop.setdefault(b, hop[a] + 1)
    selection = choose(vectors, list(hop)[:MOST], most=MOST)
    if len(hop) > MOST:
        notes.append(f"the first {MOST} of {len(hop):,} words are drawn: ask for fewer words or neighbours")
    row = {word: i for i, word in enumerate(selection.words)}
    visible = {pair: cosine for pair, cosine in edges.items() if set(pair) <= set(row)}
    positions = flatten(selection.rows)
    cosines = np.array(list(visible.values()))
    low, high = cosines.min(initial=1.0), cosines.max(initial=0.0)
    links = Lines(
        ends=np.array([[positions[row[a]], positions[row[b]]] for a, b in visible]).reshape(-1, 2, 2),
        style="link",
        labels=[f"{a}, {b}: {cosine:z.3f}" for (a, b), cosine in visible.items()],
        groups=[groups[a] for a, _ in visible],
        strengths=((cosines - low) / max(high - low, 1e-12)).tolist(),
    )
    points = Points(
        xy=positions,
        labels=selection.words,
        groups=[groups[word] for word in selection.words],
        heads=[hop[word] == 0 for word in selection.words],
    )
    nodes = [
        {"word": word, "x": x, "y": y, "hop": hop[word]}
        for word, (x, y) in zip(selection.words, positions.tolist(), strict=True)
    ]
    names = ", ".join(starts.words[:4]) + (", ..." if len(starts.words) > 4 else "")
    of = f"{names}{' and of these' if hops == 2 else ''}{name_of(vectors)}"
    default = f"{counted(number, 'nearest neighbour')} of {of}"
    return Picture(
        kind="neighbours",
        title=default if title is None else title,
        marks=[links, points],
        rows=[*nodes, *({"a": a, "b": b, "cosine": cosine} for (a, b), cosine in visible.items())],
        caption=f"{counted(len(selection.words), 'word')}, {counted(len(visible), 'line')}; thicker lines mean higher "
        f"cosines, {low:z.2f} to {high:z.2f}. Layout by stress majorisation: distances follow cosines.",
        notes=[*notes, *starts.notes],
    )


def _add_edges(edges: dict[tuple[str, str], float], vectors: Vectors, words: Sequence[str], number: int) -> None:
    """Add each word's neighbours with their cosines; mutual neighbours share one edge."""
    queries = list(dict.fromkeys(words))
    for word, answer in zip(queries, vectors.similar_by_word(queries, topn=number), strict=True):
        for neighbour, cosine in answer:
            if (neighbour, word) not in edges:
                edges[word, neighbour] = float(cosine)
