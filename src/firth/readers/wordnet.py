"""WordNet: the senses of each word, the hypernyms of each synset, and the tree that they form.

Reads the YAML files of Open English WordNet: `entries-*.yaml` list the senses of each word in order, the other files
hold the synsets. The files are regular and have two million lines, so the few keys needed are found line by line: a
YAML parser would take a minute and be another dependency.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firth.arguments import names_files
from firth.errors import FormatError
from firth.storage.encodings import decoded_text
from firth.storage.files import text_of
from firth.storage.untrusted import tar_members

PARTS_OF_SPEECH = "nvasr"  # order of preference for a word's first sense
PARENT_RELATIONS = ("hypernym", "instance_hypernym", "similar")  # "similar" links satellite adjectives to their head


@dataclass(frozen=True)
class WordNet:
    """Words and synsets.

    Attributes:
        senses: word -> (part of speech, synset) of each sense, in the order of the files: the most frequent sense of a
            part of speech first.
        hypernyms: synset -> its parents: hypernyms, the class of an instance, and the head of a satellite adjective.
    """

    senses: Mapping[str, Sequence[tuple[str, str]]]
    hypernyms: Mapping[str, Sequence[str]]


@names_files
def read_wordnet(path: str | os.PathLike[str]) -> WordNet:
    """Read Open English WordNet.

    Args:
        path: a folder of YAML files, or a .tar.gz archive of them.
    """
    senses: dict[str, list[tuple[str, str]]] = {}
    hypernyms: dict[str, list[str]] = {}
    try:
        for name, lines in _files(Path(path)):
            if name.startswith("entries-"):
                for word, part, synset in _senses(lines):
                    senses.setdefault(word, []).append((part, synset))
            elif name != "frames.yaml":
                for synset, parent in _hypernyms(lines):
                    hypernyms.setdefault(synset, []).extend([parent] if parent else [])
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(
            f"{path}: not readable as WordNet ({error}); expected a folder or .tar.gz of its YAML files: `git clone "
            "https://github.com/globalwordnet/english-wordnet` puts them into english-wordnet/src/yaml"
        ) from error
    if not senses or not hypernyms:
        raise FormatError(
            f"{path}: {len(senses):,} words and {len(hypernyms):,} synsets; expected the YAML files of Open English "
            "WordNet: entries-*.yaml, noun.*.yaml, verb.*.yaml ..."
        )
    return WordNet(senses, hypernyms)


def hypernym_groups(path: str | os.PathLike[str]) -> list[Any]:
    """Return the synsets as nested lists: each synset inside its first hypernym, each word inside its first sense.

    Args:
        path: a folder of YAML files, or a .tar.gz archive of them.
    """
    wordnet = read_wordnet(path)
    first = {word: _first_sense(senses) for word, senses in wordnet.senses.items()}
    parents = {synset: hypernyms[0] if hypernyms else "" for synset, hypernyms in wordnet.hypernyms.items()}
    return _nested({word: synset for word, synset in first.items() if synset}, parents)


def _files(path: Path) -> Iterator[tuple[str, Iterable[str]]]:
    if path.is_dir():
        for file in sorted(path.rglob("*.yaml")):
            yield file.name, text_of(file).splitlines()
        return
    members = tar_members(path, lambda name: name.endswith(".yaml"), "a folder or a .tar.gz of WordNet's YAML files")
    for name, content in sorted(members):
        yield Path(name).name, decoded_text(content, f"{path}: {name}").splitlines()


def _senses(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Yield word, part of speech and synset of each sense: `word:`, `  n:`, `    - id: ...`, `      synset: ...`."""
    word, part = "", ""
    for line in lines:
        if line[:1] not in ("", " "):
            word = _key(line)
        elif line.startswith("  ") and line[2:3] not in ("", " ", "-"):
            part = line[2]
        elif line.startswith("      synset:"):
            yield word, part, line.split(":", 1)[1].strip()


def _first_sense(senses: Sequence[tuple[str, str]]) -> str:
    for preferred in PARTS_OF_SPEECH:
        for part, synset in senses:
            if part == preferred:
                return synset
    return ""


def _hypernyms(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each synset with "", then with each of its parents: `id:`, `  hypernym:`, `  - id`."""
    synset, key = "", ""
    for line in lines:
        if line[:1] not in ("", " "):
            synset, key = _key(line), ""
            yield synset, ""
        elif line.startswith("  - "):
            if key in PARENT_RELATIONS:
                yield synset, line[4:].strip()
        elif line.startswith("  ") and line[2:3] != " ":
            key = line.strip().rstrip(":")


def _key(line: str) -> str:
    return line.rstrip().removesuffix(":").strip("'\"").replace("''", "'")


def _nested(senses: dict[str, str], parents: dict[str, str]) -> list[Any]:
    groups: dict[str, list[Any]] = {synset: [] for synset in parents}
    for word, synset in senses.items():
        groups.setdefault(synset, []).append(word)
    roots: list[Any] = []
    for synset, group in groups.items():
        groups.get(_parent(synset, parents), roots).append(group)
    return roots


def _parent(synset: str, parents: dict[str, str]) -> str:
    """Return the parent of a synset, or "" for a root; adjectives that are similar to each other form cycles."""
    parent = ancestor = parents.get(synset, "")
    visited = {synset}
    while ancestor:
        if ancestor in visited:
            # The synset that sorts first becomes the root of its cycle.
            return "" if synset == min(visited) or ancestor != synset else parent
        visited.add(ancestor)
        ancestor = parents.get(ancestor, "")
    return parent
