"""Words of two languages in their common space, linked to their translations."""

from collections.abc import Sequence

import numpy as np

from firth.alignment.alignment import Alignment
from firth.arguments import explained
from firth.errors import OptionError, counted
from firth.options import check_kind
from firth.plots.picture import Lines, Picture, Points
from firth.plots.projection import project
from firth.plots.words import known_words
from firth.vectors.cosine import unit

MOST = 60  # words of the source; more labels do not fit


@explained
def translation_map(
    alignment: Alignment, words: Sequence[str], *, number: int = 1, method: str | None = None, title: str | None = None
) -> Picture:
    """Return words of the source language and their nearest words of the target language by CSLS.

    Args:
        alignment: two aligned spaces.
        words: words of the source language. Words without a vector are left out, with a note.
        number: translations per word.
        method: projection onto the plane; see `firth.plots.projection.project`.

    Raises:
        OptionError: there are no words, `number` is below 1, or the method is unknown.
        UnknownWordError: none of the words has a vector.
    """
    check_kind("alignment", alignment, Alignment)
    requested = list(dict.fromkeys(words))
    if not requested or number < 1:
        raise OptionError(f"{len(requested)} words with {number} translations each: expected at least one of both")
    covered, notes = known_words(alignment.source, requested)
    if len(covered) > MOST:
        notes.append(f"the first {MOST} of {len(covered):,} words are drawn")
    covered = covered[:MOST]
    answers = alignment.translate(covered, number)
    translations = list(dict.fromkeys(other for answer in answers for other, _ in answer))
    rows = [alignment.source.get_vector(covered), alignment.target.get_vector(translations)]
    positions, caption = project(unit(np.concatenate(rows)).astype(np.float64), method)
    row = {word: len(covered) + i for i, word in enumerate(translations)}
    ties = [(i, row[other], score) for i, answer in enumerate(answers) for other, score in answer]
    links = Lines(
        ends=np.array([[positions[i], positions[j]] for i, j, _ in ties]),
        style="link",
        labels=[f"{covered[i]}, {translations[j - len(covered)]}: {score:z.3f}" for i, j, score in ties],
        strengths=[0.3] * len(ties),
    )
    groups = [0] * len(covered) + [1] * len(translations)
    names = [str(alignment.metadata.get(side) or side) for side in ("source", "target")]
    points = [
        {"word": word, "side": names[group], "x": x, "y": y}
        for word, group, (x, y) in zip([*covered, *translations], groups, positions.tolist(), strict=True)
    ]
    return Picture(
        kind="translations",
        title=f"{counted(len(covered), 'word')} and their translations" if title is None else title,
        marks=[links, Points(xy=positions, labels=[*covered, *translations], groups=groups)],
        rows=points,
        caption=f"{caption} Lines link each word to its nearest by CSLS.",
        notes=notes,
        groups=names,
        equal=True,
    )
