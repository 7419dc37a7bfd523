"""The settings of a benchmark run and the command lines derived from them."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.inputs import TextFile

JOBS = Path(__file__).resolve().parent / "jobs"

FIRTH = "firth"
GENSIM = "gensim"
WORD2VEC_C = "word2vec.c"
WANG2VEC = "wang2vec"
FASTTEXT = "fastText"
GLOVE = "GloVe"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The settings that comparisons need.

    Attributes:
        cache: folder for reusable files: texts, corpora, vectors, the peers' environment.
        peers: Python with gensim.
        word2vec: the program of 2013, if the user built it.
        wang2vec: the program of structured models, if the user built it.
        glove: the folder of GloVe's programs, likewise.
        tokenised: a text of words and spaces.
        written: a text with capitals and punctuation.
        threads: the numbers of threads to run with.
        epochs: passes, where the user said how many.
    """

    cache: Path
    peers: str
    word2vec: Path | None
    wang2vec: Path | None
    glove: Path | None
    tokenised: TextFile
    written: TextFile
    threads: tuple[int, ...]
    epochs: int | None

    def firth_job(self, script: str, options: Mapping[str, Any]) -> tuple[str, ...]:
        """A job in the environment that runs the benchmarks."""
        return (sys.executable, str(JOBS / script), json.dumps(options))

    def peer_job(self, script: str, options: Mapping[str, Any]) -> tuple[str, ...]:
        """A job in the peers' environment."""
        return (self.peers, str(JOBS / script), json.dumps(options))

    @property
    def firth_cache(self) -> dict[str, str]:
        """Where firth keeps the corpora and the compiled kernels of jobs that may find them there."""
        return {"FIRTH_CACHE": str(self.cache / "corpora"), "NUMBA_CACHE_DIR": str(self.cache / "numba")}


def plural(count: int, noun: str) -> str:
    """`1 thread`, `2 threads`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
