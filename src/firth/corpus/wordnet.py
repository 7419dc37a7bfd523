"""WordNet as groups within groups of words: each synset holds its words and the synsets below it.

Read from the YAML of Open English WordNet: `entries-*.yaml` give the senses of a word in their order, the other files
the synsets. Only the few keys that are needed are read, line by line: the files are regular, and a whole reading of
their two million lines would take a minute and another dependency.
"""

import os
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from firth.errors import FormatError

PARTS = "nvasr"  # of speech: a word that is several is taken as the first of these
ABOVE = ("hypernym", "instance_hypernym", "similar")  # satellites of adjectives stand below what they are similar to


def hypernym_groups(path: str | os.PathLike[str]) -> list[Any]:
    """Return the forest of first hypernyms, words on the synset of their first sense.

    Args:
        path: a folder of YAML files, or a .tar.gz that holds them.

    Raises:
        FormatError: the path cannot be read, or holds no entries or synsets.
    """
    senses: dict[str, str] = {}
    above: dict[str, str] = {}
    try:
        for name, lines in _files(Path(path)):
            if name.startswith("entries-"):
                senses.update(_first_senses(lines))
            elif name != "frames.yaml":
                above.update(_first_hypernyms(lines))
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise FormatError(
            f"{path}: not readable as WordNet ({error}); expected its YAML, as a folder or .tar.gz"
        ) from error
    if not senses or not above:
        raise FormatError(
            f"{path}: {len(senses):,} words and {len(above):,} synsets found; expected Open English WordNet's YAML: "
            "entries-*.yaml, noun.*.yaml, verb.*.yaml ..."
        )
    return _nested(senses, above)


def _files(path: Path) -> Iterator[tuple[str, Iterable[str]]]:
    if path.is_dir():
        for each in sorted(path.rglob("*.yaml")):
            yield each.name, each.read_text(encoding="utf-8").splitlines()
        return
    try:
        with tarfile.open(path) as archive:
            for member in sorted(archive.getmembers(), key=lambda each: each.name):
                file = archive.extractfile(member) if member.name.endswith(".yaml") else None
                if file is not None:
                    yield Path(member.name).name, file.read().decode("utf-8").splitlines()
    except tarfile.TarError as error:
        reason = str(error).splitlines()[0]
        raise FormatError(
            f"{path}: no archive ({reason}); expected a .tar.gz of WordNet's YAML, or a folder"
        ) from error


def _first_senses(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each word and the synset of its first sense: `word:`, `  n:`, `    - id: ...`, `      synset: ...`."""
    word, part, found = "", "", dict[str, str]()
    for line in lines:
        if line[:1] not in ("", " "):
            yield from _chosen(word, found)
            word, found = _key(line), {}
        elif line.startswith("  ") and line[2:3] not in ("", " ", "-"):
            part = line[2]
        elif line.startswith("      synset:"):
            found.setdefault(part, line.split(":", 1)[1].strip())
    yield from _chosen(word, found)


def _chosen(word: str, found: dict[str, str]) -> Iterator[tuple[str, str]]:
    for part in PARTS:
        if part in found:
            yield word, found[part]
            return


def _first_hypernyms(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each synset and the first above it, "" at a root: `id:`, `  hypernym:`, `  - id`."""
    synset, key, found = "", "", ""
    for line in lines:
        if line[:1] not in ("", " "):
            if synset:
                yield synset, found
            synset, key, found = _key(line), "", ""
        elif line.startswith("  - "):
            if key in ABOVE and not found:
                found = line[4:].strip()
        elif line.startswith("  ") and line[2:3] != " ":
            key = line.strip().rstrip(":")
    if synset:
        yield synset, found


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
