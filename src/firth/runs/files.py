"""Runs in a folder that each of them enters when it is finished.

    config.json          the kind of the folder, and how the runs were trained
    vocab.json           the words of all runs
    model.safetensors    "counts" (V,) of the words in the corpus
    run-01/ ...          each run: a folder of word vectors in codes of one byte (`firth.vectors.io.folder`)

The checksums of the folder cover none of the runs, and each run has its own: a damaged run is named, and the others
stay usable. A run notes the digest of what it belongs to, so that those of another training are not taken for it.

Size: R V (D + 12) bytes: 112 MB for 20 runs of 50,000 words and 100 numbers.
"""

import functools
import hashlib
import json
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FirthError, FormatError, OptionError, warn_caller
from firth.runs.run import Run
from firth.storage import model_folder, tensors
from firth.storage.integrity import verify
from firth.storage.model_folder import CONFIG, MODEL, ModelFolder
from firth.storage.partial import remove
from firth.storage.snapshots import snapshot
from firth.storage.untrusted import file_bytes, parse_json
from firth.vectors.codes import Int8Matrix
from firth.vectors.lexicon import Lexicon
from firth.vectors.word_vectors import WordVectors

KIND = "firth-runs"
RUN = re.compile(r"run-(\d{2,6})")
IDENTITY = "runs"  # key in the metadata of a run: the digest of what it belongs to
CARD = """---
library_name: firth
tags: [word-embeddings, static-embeddings]
---

# Runs: word vectors with intervals

```python
import firth

runs = firth.load("this/folder")
runs.most_similar({word})
runs.consensus
```

Each `run-NN` is a folder of word vectors of its own.
"""


@dataclass(frozen=True)
class Head:
    """What all runs share.

    Attributes:
        words: V words.
        counts: (V,) in the whole corpus.
        facts: how the runs are trained: JSON values, with the number of runs that were asked for.
    """

    words: list[str]
    counts: npt.NDArray[np.int64]
    facts: Mapping[str, Any]

    @property
    def asked(self) -> int:
        """The number of runs that were asked for."""
        return int(self.facts["runs"])

    @property
    def identity(self) -> str:
        """A digest of everything that decides what a run of some number holds."""
        rest = {name: value for name, value in self.facts.items() if name != "runs"}
        state = hashlib.blake2b(json.dumps(rest, sort_keys=True, default=str).encode(), digest_size=16)
        state.update("\n".join(self.words).encode("utf-8", "surrogatepass"))
        return state.hexdigest()


def write_head(path: str | os.PathLike[str], head: Head, metadata: Mapping[str, Any]) -> None:
    """Write what all runs share; runs that are there stay."""
    word = json.dumps(head.words[0]) if head.words else '"word"'
    content = ModelFolder(
        kind=KIND,
        arrays={"counts": head.counts},
        texts={"vocab": head.words},
        config={"training": dict(head.facts), "identity": head.identity},
        metadata={name: value for name, value in metadata.items() if name != "training"},
        card=CARD.format(word=word),
    )
    model_folder.write(path, content)


def write_run(path: Path, run: Run, head: Head) -> None:
    """Write a run into the folder; it appears whole or not at all."""
    metadata = {IDENTITY: head.identity, "run": run.number, "training": dict(run.facts)}
    WordVectors(Lexicon(head.words), run.matrix, counts=run.counts, metadata=metadata).save(_place(path, run.number))


def remove_runs(path: Path, kept: Collection[int] = ()) -> None:
    """Remove the runs of a folder that is written anew, but for those of some numbers."""
    for number, run in _folders(path).items():
        if number not in kept and model_folder.is_model_folder(run):
            remove(run)


def holds_runs(path: Path) -> bool:
    """Return whether a folder holds a run of any training."""
    return bool(_folders(path))


def head_in(content: ModelFolder) -> Head:
    """Return what all runs of a folder share.

    Raises:
        FormatError: the folder is damaged.
    """
    words, facts = content.words(), content.config.get("training")
    if not isinstance(facts, dict) or not isinstance(facts.get("runs"), int):
        raise content.damaged(f"{CONFIG} does not say how the runs were trained")
    return Head(words, content.counts("counts", len(words)), facts)


def read_head(path: Path) -> Head | None:
    """Return what the runs of a folder share, or None where there are none.

    Raises:
        OptionError: the folder holds something else.
        FormatError: it is damaged.
    """
    if not path.exists() or (path.is_dir() and not any(path.iterdir())):
        return None
    if not path.is_dir() or model_folder.kind_of(path) != KIND:
        raise OptionError(f"{path} holds something else than runs; expected a new name, or the folder of these runs")
    return head_in(model_folder.read(path))


def read_runs(path: Path, head: Head) -> list[Run]:
    """Return the runs of a folder, mapped, in the order of their numbers.

    Warns:
        UserWarning: a run is damaged, or belongs to another training; it is left out.
    """
    runs = []
    for number, folder in sorted(_folders(path).items()):
        if not 1 <= number <= head.asked:
            continue
        try:
            runs.append(snapshot(folder, functools.partial(_read_run, number=number, head=head)))
        except (FirthError, OSError) as error:
            warn_caller(f"{error}; run {number} is left out, and the others are used")
    return runs


def _read_run(folder: Path, number: int, head: Head) -> Run:
    verify(folder)
    try:
        arrays, config = tensors.mapped(folder / MODEL), parse_json(file_bytes(folder / CONFIG))
    except (FileNotFoundError, ValueError) as error:
        raise FormatError(f"{folder}: damaged ({error})") from None
    content = ModelFolder(kind="firth-vectors", arrays=arrays, config=config, path=folder)
    metadata = config.get("metadata", {}) if isinstance(config, dict) else {}
    if metadata.get(IDENTITY) != head.identity:
        raise FormatError(f"{folder}: a run of another training")
    codes = content.array("codes", (len(head.words), None), "i", dtype=np.int8)
    matrix = Int8Matrix(codes, content.array("scales", (len(head.words),)))
    return Run(number, matrix, content.counts("counts", len(head.words)), metadata.get("training", {}))


def _folders(path: Path) -> dict[int, Path]:
    matches = {RUN.fullmatch(entry.name): entry for entry in path.iterdir() if entry.is_dir()} if path.is_dir() else {}
    return {int(match[1]): entry for match, entry in matches.items() if match}


def _place(path: Path, number: int) -> Path:
    return path / f"run-{number:02d}"
