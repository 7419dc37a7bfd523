"""A map of senses among their neighbours."""

from collections.abc import Sequence
from dataclasses import replace

from firth.arguments import explained
from firth.errors import OptionError
from firth.options import check_kind
from firth.plots.map import word_map
from firth.plots.picture import Picture
from firth.vectors.sense_vectors import SenseVectors
from firth.vectors.word_vectors import WordVectors


@explained
def sense_map(
    senses: SenseVectors,
    words: Sequence[str],
    *,
    number: int = 8,
    method: str | None = None,
    seed: int = 0,
    title: str | None = None,
) -> Picture:
    """Return a map of the senses of words with their neighbours, one colour per sense.

    Args:
        senses: the senses.
        words: words whose senses to draw. Unknown words are left out, with a note.
        number: neighbours per sense.
        method: projection onto the plane; see `firth.plots.projection.project`.
        seed: random seed of the projection.

    Raises:
        OptionError: there are no words, `number` is below 1, or the method is unknown.
        UnknownWordError: none of the words has a sense.
        MissingExtraError: the library of the method is not installed.
    """
    check_kind("senses", senses, SenseVectors)
    requested = list(dict.fromkeys(words))
    if not requested:
        raise OptionError("no words to draw the senses of: name one or more")
    covered = [word for word in requested if word in senses]
    if not covered:
        raise senses.lexicon.unknown(requested[0])
    rows: dict[str, int] = {}
    groups: dict[str, list[str]] = {}
    for word in covered:
        for sense in senses.senses(word):
            head = _name(senses, word, sense.number, rows)
            near = [_name(senses, *key, rows) for key, _ in senses.sense_neighbours(word, sense.number, number)]
            groups[head] = [head, *near]
    mapped = WordVectors(list(rows), senses.vectors[list(rows.values())])
    names = ", ".join(covered[:4]) + (", ..." if len(covered) > 4 else "")
    default = f"Senses of {names}, each with {number} neighbours"
    picture = word_map(
        mapped, groups=groups, heads=list(groups), method=method, seed=seed, title=default if title is None else title
    )
    missing = [word for word in requested if word not in covered]
    notes = [f"{len(missing)} of {len(requested)} words have no senses: {', '.join(missing[:5])}"] if missing else []
    return replace(picture, kind="senses", notes=[*picture.notes, *notes])


def _name(senses: SenseVectors, word: str, number: int, rows: dict[str, int]) -> str:
    """The label of a sense: its word, with a number if the word has several senses."""
    own = senses.rows(word)
    name = word if own.stop - own.start == 1 else f"{word}#{number}"
    rows.setdefault(name, own.start + number)
    return name
