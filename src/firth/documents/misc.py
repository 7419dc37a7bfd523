"""The column MISC of CoNLL-U: attributes such as `SpaceAfter=No|NER=B-PER`."""

from collections.abc import Mapping

from firth.readers.conllu import NONE, Row

COLUMN = 9
Changes = dict[str, str | None]  # values of attributes by name; None removes one
_WRITTEN = {"\\": "\\\\", " ": "\\s", "\t": "\\t", "\r": "\\r", "\n": "\\n", "|": "\\p"}
_READ = {written: character for character, written in _WRITTEN.items()}


def attributes(row: Row) -> dict[str, str]:
    """Return the attributes of a row by name; what has no "=" is left out."""
    return {name: value for name, sign, value in (each.partition("=") for each in row[COLUMN].split("|")) if sign}


def with_attributes(row: Row, changes: Mapping[str, str | None]) -> Row:
    """Return a row with other attributes; those that are not named stay as and where they are.

    Args:
        changes: values by name; None removes an attribute.
    """
    pending = dict(changes)
    kept = []
    for each in [] if row[COLUMN] in (NONE, "") else row[COLUMN].split("|"):
        name, sign, _ = each.partition("=")
        if not sign or name not in changes:
            kept.append(each)
        elif (value := pending.pop(name, None)) is not None:
            kept.append(f"{name}={value}")
    kept += [f"{name}={value}" for name, value in pending.items() if value is not None]
    return (*row[:COLUMN], "|".join(kept) or NONE)


def escaped(space: str) -> str:
    """Return white space as UDPipe writes it in SpacesAfter: a space as s after a backslash, a line feed as n."""
    return "".join(_WRITTEN.get(character, character) for character in space)


def unescaped(value: str) -> str:
    """Return the white space that `escaped` wrote."""
    characters, place = [], 0
    while place < len(value):
        pair = value[place : place + 2]
        characters.append(_READ.get(pair, value[place]))
        place += 2 if pair in _READ else 1
    return "".join(characters)
