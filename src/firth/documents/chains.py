"""Coreference chains in CoNLL-U: the attribute `Entity=` of CorefUD.

A mention opens at its first word with `(e1-person-2` and closes at its last with `e1)`; one of a single word is
`(e1-person-1)`. Fields after the chain's name are those that the comment `# global.Entity = eid-etype-head` names. A
closing bracket closes the latest open mention of its chain.

Where two mentions of one chain cross, the brackets of the second are those of a mention in one part, `(e1[1/1]` and
`e1[1/1])`. A mention in several parts, `(e1[1/2]`, is read as the span from its first word to its last. Mentions of
empty nodes alone are no spans of words, and are left out.

Source: Nedoluzhko et al. 2022, "CorefUD 1.0", and the description of its format, version 1.0.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firth.documents.document import Entity, Span
from firth.documents.misc import attributes
from firth.errors import FormatError
from firth.readers.conllu import DependencySentence

KEY, HEADER = "Entity", "global.Entity"
FIELDS = "eid-etype-head"
_BRACKETS = re.compile(r"\((?P<opens>[^()]++)(?P<whole>\)?)|(?P<closes>[^()]++)\)")
_NO_TYPE = re.compile(r"[-()|\s]")  # what a type in brackets may not hold
_PART = re.compile(r"(?P<name>.*)\[(?P<part>\d+)/(?P<parts>\d+)\]$")


def read_chains(sentences: Sequence[DependencySentence], where: str) -> list[list[Span]]:
    """Return the chains that sentences mark.

    Args:
        sentences: of one document.
        where: file and document, for the message.

    Raises:
        FormatError: a bracket closes what is not open, or stays open, or is none of CorefUD's.
    """
    reading = _Reading(where)
    words = 0
    for sentence in sentences:
        for comment in sentence.comments:
            if comment.startswith(HEADER):
                reading.set_fields(comment.partition("=")[2].strip())
        for row in sentence.rows:
            is_word = row[0].isdecimal()
            if KEY in row[9] and (value := attributes(row).get(KEY)):
                reading.add(value, words, words + is_word)
            words += is_word
    return reading.chains()


@dataclass
class _Reading:
    """The mentions of a document that are open, and the chains so far."""

    where: str
    column: int = 0  # of the chain's name, among the fields of an opening bracket
    open: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    first_parts: dict[str, int] = field(default_factory=dict)
    found: dict[str, list[Span]] = field(default_factory=dict)

    def set_fields(self, names: str) -> None:
        fields = names.split("-")
        self.column = next((fields.index(name) for name in ("eid", "GRP") if name in fields), 0)

    def add(self, value: str, start: int, end: int) -> None:
        """Add the brackets at a word, or at an empty node, which has start == end."""
        rest = 0
        while match := _BRACKETS.match(value, rest):
            rest = match.end()
            if match["closes"]:
                self._close(match["closes"], end)
            else:
                name = self._name(match["opens"])
                self.open[name].append(start)
                if match["whole"]:
                    self._close(name, end)
        if rest != len(value):
            raise FormatError(
                f"{self.where}: {KEY}={value[:60]} at word {start + 1:,}; expected brackets as in CorefUD"
            )

    def _name(self, opening: str) -> str:
        fields = opening.split("-")
        return fields[self.column] if self.column < len(fields) else fields[0]

    def _close(self, name: str, end: int) -> None:
        if not self.open.get(name):
            raise FormatError(f"{self.where}: a mention of {name[:40]} closes at word {end:,} and is nowhere open")
        start = self.open[name].pop()
        part = _PART.match(name)
        if part:
            name = part["name"]
            first = start if part["part"] == "1" else self.first_parts.get(name, start)
            self.first_parts[name] = start = first
            if part["part"] != part["parts"]:
                return
        if start < end:
            self.found.setdefault(name, []).append((start, end))

    def chains(self) -> list[list[Span]]:
        name = next((name for name, starts in self.open.items() if starts), "")
        if name:
            raise FormatError(f"{self.where}: a mention of {name[:40]} opens at word {self.open[name][0] + 1:,} only")
        seen = set[Span]()
        chains = []
        for spans in self.found.values():
            # Mentions in parts, read as wholes, can be the same span twice.
            chains.append([span for span in dict.fromkeys(spans) if span not in seen])
            seen.update(spans)
        return chains


def _bracket_name(chain: str, start: int, end: int, ends: Mapping[str, list[int]]) -> str:
    """Return the name for the brackets of a mention, other than that of one it crosses, and keep its end."""
    for name in (chain, f"{chain}[1/1]"):
        open_ends = ends[name]
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if not open_ends or open_ends[-1] >= end:
            open_ends.append(end)
            return name
    raise FormatError(
        f"three mentions of one chain cross one another at token {start:,}, which brackets of CoNLL-U cannot say; "
        "write JSONL"
    )


def chain_attributes(
    clusters: Sequence[Sequence[Span]], entities: Sequence[Entity], heads: Mapping[Span, int]
) -> dict[int, str]:
    """Return the attribute of each token at which a mention opens or closes.

    Args:
        clusters: chains; they are named e1, e2 and so on.
        entities: a mention that is one of them has its label as its type.
        heads: number of the head word of a mention, from 1 at its first word, where it is known.

    Raises:
        FormatError: three mentions of one chain cross one another, which brackets cannot say.
    """
    labels = {(entity.start, entity.end): _NO_TYPE.sub("", entity.label) for entity in entities}
    mentions = sorted(
        ((span, f"e{number}") for number, cluster in enumerate(clusters, 1) for span in cluster),
        key=lambda each: (each[0][0], -each[0][1]),
    )
    opening, closing = defaultdict[int, list[str]](list), defaultdict[int, list[tuple[int, str]]](list)
    ends = defaultdict[str, list[int]](list)  # of the open mentions, by the name in their brackets
    for (start, end), chain in mentions:
        name = _bracket_name(chain, start, end, ends)
        head = heads.get((start, end), "")
        opening[start].append(f"({name}-{labels.get((start, end), '')}-{head}" + ")" * (end == start + 1))
        if end > start + 1:
            closing[end - 1].append((start, f"{name})"))
    # What opened last closes first. Closing brackets stand first, so that none is read as a field of an opening one.
    closed = {place: "".join(text for _, text in sorted(each, reverse=True)) for place, each in closing.items()}
    return {place: closed.get(place, "") + "".join(opening.get(place, [])) for place in {*opening, *closed}}
