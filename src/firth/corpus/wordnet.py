"""WordNet: the synsets of words, what stands above them, and both as groups within groups.

Read from the YAML of Open English WordNet: `entries-*.yaml` give the senses of a word in their order, the other files
the synsets. Only the few keys that are needed are read, line by line: the files are regular, and a whole reading of
their two million lines would take a minute and another dependency.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.errors import FormatError
from firth.reading import tar_members

PARTS = "nvasr"  # of speech: a word that is several is taken as the first of these
ABOVE = ("hypernym", "instance_hypernym", "similar")  # satellites of adjectives stand below what they are similar to


@dataclass(frozen=True)
class WordNet:
    """Words and synsets.

    Attributes:
        senses: by word, the part of speech and the synset of each sense, in the order of the files: within a part, the
            commonest first.
        above: by synset, those directly above it: hypernyms, what it is an instance of, and, of an adjective's
            satellite, what it is similar to.
    """

    senses: Mapping[str, Sequence[tuple[str, str]]]
    above: Mapping[str, Sequence[str]]


def read_wordnet(path: str | os.PathLike[str]) -> WordNet:
    """Read Open English WordNet.

    Args:
        path: a folder of YAML files, or a .tar.gz that holds them.

    Raises:
        FormatError: the path cannot be read, or holds no entries or synsets.
    """
    senses: dict[str, list[tuple[str, str]]] = {}
    above: dict[str, list[str]] = {}
    try:
        for name, lines in _files(Path(path)):
            if name.startswith("entries-"):
                for word, part, synset in _senses(lines):
                    senses.setdefault(word, []).append((part, synset))
            elif name != "frames.yaml":
                for synset, other in _above(lines):
                    above.setdefault(synset, []).extend([other] if other else [])
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(
            f"{path}: not readable as WordNet ({error}); expected its YAML, as a folder or .tar.gz: after `git clone "
            "https://github.com/globalwordnet/english-wordnet` it is the folder english-wordnet/src/yaml"
        ) from error
    if not senses or not above:
        raise FormatError(
            f"{path}: {len(senses):,} words and {len(above):,} synsets found; expected Open English WordNet's YAML: "
            "entries-*.yaml, noun.*.yaml, verb.*.yaml ..."
        )
    return WordNet(senses, above)


def hypernym_groups(path: str | os.PathLike[str]) -> list[Any]:
    """Return the forest of first hypernyms, words on the synset of their first sense.

    Args:
        path: a folder of YAML files, or a .tar.gz that holds them.

    Raises:
        FormatError: the path cannot be read, or holds no entries or synsets.
    """
    found = read_wordnet(path)
    first = {word: _chosen(senses) for word, senses in found.senses.items()}
    above = {synset: others[0] if others else "" for synset, others in found.above.items()}
    return _nested({word: synset for word, synset in first.items() if synset}, above)


def _files(path: Path) -> Iterator[tuple[str, Iterable[str]]]:
    if path.is_dir():
        for each in sorted(path.rglob("*.yaml")):
            yield each.name, each.read_text(encoding="utf-8").splitlines()
        return
    members = tar_members(path, lambda name: name.endswith(".yaml"), "a .tar.gz of WordNet's YAML, or a folder")
    for name, content in sorted(members):
        yield Path(name).name, content.decode("utf-8").splitlines()


def _senses(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the word, part and synset of each sense: `word:`, `  n:`, `    - id: ...`, `      synset: ...`."""
    word, part = "", ""
    for line in lines:
        if line[:1] not in ("", " "):
            word = _key(line)
        elif line.startswith("  ") and line[2:3] not in ("", " ", "-"):
            part = line[2]
        elif line.startswith("      synset:"):
            yield word, part, line.split(":", 1)[1].strip()


def _chosen(senses: Sequence[tuple[str, str]]) -> str:
    for part in PARTS:
        for found, synset in senses:
            if found == part:
                return synset
    return ""


def _above(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each synset with "", then with each directly above it: `id:`, `  hypernym:`, `  - id`."""
    synset, key = "", ""
    for line in lines:
        if line[:1] not in ("", " "):
            synset, key = _key(line), ""
            yield synset, ""
        elif line.startswith("  - "):
            if key in ABOVE:
                yield synset, line[4:].strip()
        elif line.startswith("  ") and line[2:3] != " ":
            key = line.strip().rstrip(":")


def _key(line: str) -> str:
    return line.rstrip().removesuffix(":").strip("'\"").replace("''", "'")


def _nested(senses: dict[str, str], above: dict[str, str]) -> list[Any]:
    groups: dict[str, list[Any]] = {synset: [] for synset in above}
    for word, synset in senses.items():
        groups.setdefault(synset, []).append(word)
    roots: list[Any] = []
    for synset, group in groups.items():
        groups.get(_parent(synset, above), roots).append(group)
    return roots


def _parent(synset: str, above: dict[str, str]) -> str:
    """Return the synset above, or "" where going up would come back here: adjectives may be similar to each other."""
    parent = climbing = above.get(synset, "")
    seen = {synset}
    while climbing:
        if climbing in seen:
            # One of the ring, always the same, becomes its root.
            return "" if synset == min(seen) or climbing != synset else parent
        seen.add(climbing)
        climbing = above.get(climbing, "")
    return parent
