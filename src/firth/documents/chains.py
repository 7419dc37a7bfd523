"""Coreference chains in CoNLL-U: the attribute `Entity=` of CorefUD.

A mention opens at its first word with `(e1-person-2` and closes at its last with `e1)`; one of a single word is
`(e1-person-1)`. Fields after the chain's name are those that the comment `# global.Entity = eid-etype-head` names. A
closing bracket closes the latest open mention of its chain.

Where two mentions of one chain cross, the brackets of the second are those of a mention in one part, `(e1[1/1]` and
`e1[1/1])`; of a third that crosses both, those of two adjacent parts, `(e1[1/2])` at its first word and then `(e1[2/2]`
to its end; and so on. A mention in several parts is read as the span from its first word to its last. Mentions of empty
nodes alone are no spans of words, and are left out.

Source: Nedoluzhko et al. 2022, "CorefUD 1.0", and the description of its format, version 1.0.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from firth.documents.document import Entity, Span
from firth.errors import FormatError
from firth.readers.conllu import MISC, DependencySentence, attributes

KEY, HEADER = "Entity", "global.Entity"
FIELDS = "eid-etype-head"
_BRACKETS = re.compile(r"\((?P<opens>[^()]++)(?P<whole>\)?)|(?P<closes>[^()]++)\)")
_NO_TYPE = re.compile(r"[-()|\s]")  # what a type in brackets may not hold
_PART = re.compile(r"(?P<name>.*)\[(?P<part>[0-9]{1,9})/(?P<parts>[0-9]{1,9})\]$")


def read_chains(sentences: Sequence[DependencySentence], where: str) -> list[list[Span]]:
    """Return the chains that sentences mark.

    Args:
        sentences: of one document.
        where: file and document, for the message.
    """
    reading = _Reading(where)
    words = 0
    for sentence in sentences:
        for comment in sentence.comments:
            if comment.startswith(HEADER):
                reading.set_fields(comment.partition("=")[2].strip())
        for row in sentence.rows:
            is_word = row[0].isdecimal()
            if KEY in row[MISC] and (value := attributes(row).get(KEY)):
                reading.add(value, words, words + is_word)
            words += is_word
    return reading.chains()


def _part(name: str) -> tuple[str, int, int]:
    """Return the chain, the number of the part and how many parts there are, of a name in brackets."""
    part = _PART.match(name)
    return (part["name"], int(part["part"]), int(part["parts"])) if part else (name, 1, 1)


@dataclass
class _Reading:
    """The mentions of a document that are open, and the chains so far."""

    where: str
    column: int = 0  # of the chain's name, among the fields of an opening bracket
    open: defaultdict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    # By chain and number of parts: where mentions begin of which more parts must come, and how many have come.
    in_parts: defaultdict[tuple[str, int], list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
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
                self.open[name].append(self._start(name, start))
                if match["whole"]:
                    self._close(name, end)
        if rest != len(value):
            raise FormatError(
                f"{self.where}: {KEY}={value[:60]} at word {start + 1:,}; expected brackets as in CorefUD"
            )

    def _name(self, opening: str) -> str:
        fields = opening.split("-")
        return fields[self.column] if self.column < len(fields) else fields[0]

    def _start(self, name: str, start: int) -> int:
        """Return the start of the mention whose brackets, perhaps of a later part, open here."""
        chain, number, parts = _part(name)
        if number == 1 <= parts:
            return start
        begun = self.in_parts[chain, parts]
        latest = next((index for index in reversed(range(len(begun))) if begun[index][1] == number - 1), None)
        if latest is None or number > parts:
            raise FormatError(
                f"{self.where}: {name[:40]} opens at word {start + 1:,}; expected parts from [1/2] on, in their order"
            )
        return begun.pop(latest)[0]

    def _close(self, name: str, end: int) -> None:
        if not self.open.get(name):
            raise FormatError(f"{self.where}: a mention of {name[:40]} closes at word {end:,} and is nowhere open")
        start = self.open[name].pop()
        chain, number, parts = _part(name)
        if number < parts:
            self.in_parts[chain, parts].append((start, number))
        elif start < end:
            self.found.setdefault(chain, []).append((start, end))

    def chains(self) -> list[list[Span]]:
        name = next((name for name, starts in self.open.items() if starts), "")
        if name:
            raise FormatError(f"{self.where}: a mention of {name[:40]} opens at word {self.open[name][0] + 1:,} only")
        for (chain, parts), begun in self.in_parts.items():
            for start, number in begun:
                raise FormatError(
                    f"{self.where}: the mention of {chain[:40]} that opens at word {start + 1:,} has {parts} parts; "
                    f"expected {chain[:40]}[{number + 1}/{parts}] after it"
                )
        seen = set[Span]()
        chains = []
        for spans in self.found.values():
            # Mentions in parts, read as wholes, can be the same span twice.
            chains.append([span for span in dict.fromkeys(spans) if span not in seen])
            seen.update(spans)
        return chains


def _brackets(chain: str, page: int, start: int, end: int) -> list[tuple[int, int, str]]:
    """Return (start, end, name) of each pair of brackets of a mention.

    Pages are ways of writing that are read apart from one another: as a whole, as one part, as two parts and so on.
    """
    if page == 0:
        return [(start, end, chain)]
    ends = [*range(start + 1, start + page), end]
    return [
        (first, last, f"{chain}[{number}/{page}]")
        for number, (first, last) in enumerate(zip([start, *ends], ends, strict=False), 1)
    ]


def _pages(cluster: Sequence[Span]) -> dict[Span, int]:
    """Return the page of each mention of a chain, on which it crosses no other; short mentions choose first."""
    crossing = _crossing(cluster)
    pages = dict.fromkeys(cluster, 0)
    placed = set[Span]()
    for start, end in sorted(crossing, key=lambda span: (span[1] - span[0], span)):
        taken = {pages[other] for other in crossing[start, end] & placed}
        page = next(page for page in range(len(taken) + 1) if page not in taken)
        if page > end - start:  # a part is at least a word
            raise FormatError(
                f"more mentions of one chain cross that from token {start:,} to {end:,} than brackets can say; write "
                "JSONL"
            )
        pages[start, end] = page
        placed.add((start, end))
    return pages


def _crossing(cluster: Sequence[Span]) -> dict[Span, set[Span]]:
    """Return the mentions of a chain that each crosses, of those that cross one."""
    crossed = defaultdict[Span, set[Span]](set)
    around = list[Span]()
    for start, end in sorted(cluster):
        around = [span for span in around if span[1] > start]
        for span in around:
            if span[0] < start and span[1] < end:
                crossed[span].add((start, end))
                crossed[start, end].add(span)
        around.append((start, end))
    return crossed


def chain_attributes(
    clusters: Sequence[Sequence[Span]], entities: Sequence[Entity], heads: Mapping[Span, int]
) -> dict[int, str]:
    """Return the attribute of each token at which a mention opens or closes.

    Args:
        clusters: chains; they are named e1, e2 and so on.
        entities: a mention that is one of them has its label as its type.
        heads: number of the head word of a mention, from 1 at its first word, where it is known.
    """
    labels = {(entity.start, entity.end): _NO_TYPE.sub("", entity.label) for entity in entities}
    mentions = sorted(
        ((span, number, page) for number, cluster in enumerate(clusters, 1) for span, page in _pages(cluster).items()),
        key=lambda entry: (entry[0][0], -entry[0][1]),
    )
    opening, closing = defaultdict[int, list[str]](list), defaultdict[int, list[tuple[int, str]]](list)
    for span, number, page in mentions:
        facts = f"-{labels.get(span, '')}-{heads.get(span, '')}"
        for start, end, name in _brackets(f"e{number}", page, *span):
            opening[start].append(f"({name}{facts}" + ")" * (end == start + 1))
            if end > start + 1:
                closing[end - 1].append((start, f"{name})"))
    # What opened last closes first. Closing brackets stand first, so that none is read as a field of an opening one.
    closed = {position: "".join(text for _, text in sorted(parts, reverse=True)) for position, parts in closing.items()}
    return {position: closed.get(position, "") + "".join(opening.get(position, [])) for position in {*opening, *closed}}
