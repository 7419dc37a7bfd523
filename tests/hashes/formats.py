"""Every file and folder that firth opens, made small, read, and hashed: those of the fuzzer's table, and a few more."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.hashes.registry import Case

STANDARD = (  # files whose bytes other programs read
    "word2vec-text",
    "word2vec-binary",
    "word2vec-counts",
    "glove",
    "fasttext-vec",
    "fasttext-bin",
    "fasttext-ftz",
    "floret",
    "arpa",
    "classifier-bin",
    "classifier-hierarchical-bin",
    "classifier-ftz",
)
RANDOM = ("tokeniser-unigram",)  # other in every process: read from a folder alone


def round_trips() -> dict[str, Case]:
    """One case per format: written by the code that is imported, and read by it."""
    return {f"formats/{name}": _round_trip(name) for name in _readers() if name not in RANDOM}


def in_folder(folder: Path, write: bool) -> dict[str, Case]:
    """One case per format: read from a folder, in which it is written first or lies since an earlier state."""
    return {f"kept formats/{name}": _kept(name, folder, write) for name in _readers()}


def _readers() -> dict[str, Any]:
    os.environ.setdefault("FIRTH_CACHE", tempfile.mkdtemp(prefix="hashes."))
    from tests.fuzz.readers import READERS, corpora, language, lists, models, vectors
    from tests.hashes import more_formats

    for module in (corpora, language, lists, models, vectors):
        if hasattr(module, "near"):
            module.near = _exact  # the fuzzer rounds
    return {**READERS, **more_formats.READERS}


def _exact(value: Any) -> Any:
    return np.asarray(value)


def _round_trip(name: str) -> Callable[[], Any]:
    def run() -> Any:
        reader = _readers()[name]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / reader.path
            reader.make(path)
            bytes_ = _bytes(path) if name in STANDARD else None
            return {"read": reader.use(path), **({"bytes": bytes_} if bytes_ else {})}

    return run


def _kept(name: str, folder: Path, write: bool) -> Callable[[], Any]:
    def run() -> Any:
        reader = _readers()[name]
        path = folder / name / reader.path
        if write:
            shutil.rmtree(path.parent, ignore_errors=True)
            path.parent.mkdir(parents=True)
            reader.make(path)
        with tempfile.TemporaryDirectory() as scratch:
            shutil.copytree(path.parent, scratch, dirs_exist_ok=True)  # reading may write beside it
            return {"read": reader.use(Path(scratch) / reader.path)}

    return run


def _bytes(path: Path) -> list[bytes]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [file.read_bytes() for file in files if file.is_file()]
