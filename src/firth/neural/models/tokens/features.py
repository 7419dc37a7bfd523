"""Vectors of the words of a corpus on disk: a frozen encoder reads each sentence once, for all epochs and runs.

What
    A folder for an encoder and the sentences of a corpus, below FIRTH_CACHE or the user's cache folder: the vectors of
    all words of all layers in one array, which is mapped when it is read.
Objective
    The vectors are those that the encoder gives each sentence, in the order of the sentences, float32.
Cost
    4 L D bytes per word on disk; reading costs a digest of the encoder and of the sentences.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from firth.errors import FormatError, warn_caller
from firth.neural.layers.scalar_mix import ScalarMix
from firth.neural.models.tokens.embedders import JOINS, ContextualEmbedder, ContextualEncoder
from firth.neural.prediction import batch_rows
from firth.neural.saved import SavedApart
from firth.neural.training.devices import no_subnormals
from firth.progress import Progress, Status, reporting
from firth.storage.files import cache_folder, replacing_folder
from firth.storage.integrity import verify
from firth.storage.snapshots import snapshot

NAME, ARRAY = "contextual", "vectors.npy"  # the folder in the cache; the file
BATCH_WORDS = 4096  # that are encoded together, padding included

Words = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Features:
    """The vectors of the words of N different sentences.

    Attributes:
        vectors: (W, L, D) float32 of all words, mapped.
        starts: the first row of each sentence.
    """

    vectors: npt.NDArray[np.float32]
    starts: dict[Words, int]

    def batch(self, sentences: Sequence[Words]) -> torch.Tensor | None:
        """Return (B, T, L, D) vectors of sentences, zero at padding; None if one of them is not here."""
        starts = [self.starts.get(words) for words in sentences]
        if None in starts:
            return None
        result = np.zeros((len(sentences), max(map(len, sentences)), *self.vectors.shape[1:]), dtype=np.float32)
        for row, words, start in zip(result, sentences, starts, strict=True):
            assert start is not None
            row[: len(words)] = self.vectors[start : start + len(words)]
        return torch.from_numpy(result)


def features_of(
    encoder: ContextualEncoder,
    sentences: Iterable[Sequence[str]],
    *,
    cache: Path | None = None,
    progress: Progress = False,
) -> Features | None:
    """Return the vectors of sentences, from disk if they have been computed before.

    Returns:
        The vectors; None, with a warning, if they cannot be written, as when the disk is full.

    Warns:
        UserWarning: the vectors cannot be written.
    """
    different = list(dict.fromkeys(tuple(words) for words in sentences))
    lengths = np.fromiter(map(len, different), dtype=np.int64, count=len(different))
    ends = np.cumsum(lengths)
    starts = dict(zip(different, (ends - lengths).tolist(), strict=True))
    shape = (int(ends[-1]), encoder.token_layers, encoder.token_width) if different else (0, 0, 0)
    folder = (cache or cache_folder(NAME)) / _key(encoder, different)
    vectors = _read(folder, shape)
    if vectors is None:
        try:
            with replacing_folder(folder) as aside:
                _write(aside / ARRAY, encoder, different, ends - lengths, shape, progress)
        except OSError as error:
            vectors = _read(folder, shape)
            if vectors is not None:  # another process has written them meanwhile
                return Features(vectors, starts)
            size = 4 * int(np.prod(shape))
            warn_caller(
                f"vectors of {shape[0]:,} words, {size:,} bytes, cannot be kept in {folder.parent} "
                f"({error.strerror or error}): they are computed in every epoch; free some space, or set FIRTH_CACHE"
            )
            return None
        vectors = _read(folder, shape)
        assert vectors is not None, "it was just written"
    return Features(vectors, starts)


def _key(encoder: ContextualEncoder, sentences: Sequence[Words]) -> str:
    digest = hashlib.blake2b(encoder.fingerprint().encode(), digest_size=16)
    for words in sentences:  # with lengths, since words may hold any character
        parts = [word.encode("utf-8", "surrogatepass") for word in words]
        digest.update(np.array([len(parts), *map(len, parts)], dtype="<i8").tobytes() + b"".join(parts))
    return digest.hexdigest()


def _read(folder: Path, shape: tuple[int, ...]) -> npt.NDArray[np.float32] | None:
    """Return the vectors in a folder; None if there are none, or damaged ones."""

    def mapped(path: Path) -> Any:
        verify(path)
        return np.load(path / ARRAY, mmap_mode="r", allow_pickle=False)

    try:
        vectors = snapshot(folder, mapped)
    except (OSError, EOFError, ValueError, FormatError):
        return None
    return vectors if vectors.shape == shape and vectors.dtype == np.float32 else None


def _write(
    path: Path,
    encoder: ContextualEncoder,
    sentences: Sequence[Words],
    starts: npt.NDArray[np.int64],
    shape: tuple[int, ...],
    progress: Progress,
) -> None:
    # Not through a mapped array: if the disk is full, writing to it kills the process, in place of an OSError.
    done, width = 0, 4 * shape[1] * shape[2]
    header = {"descr": np.lib.format.dtype_to_descr(np.dtype("<f4")), "fortran_order": False, "shape": shape}
    with path.open("wb") as file, reporting(progress) as report, torch.no_grad(), no_subnormals():
        np.lib.format.write_array_header_1_0(file, header)
        first = file.tell()
        for rows in batch_rows(list(map(len, sentences)), BATCH_WORDS, tokens=True):
            states = encoder.token_states([sentences[row] for row in rows]).float().cpu().numpy()
            for row, vectors in zip(rows, states, strict=True):
                size = len(sentences[row])
                file.seek(first + int(starts[row]) * width)
                file.write(vectors[:size].astype("<f4", copy=False).tobytes())
                done += size
            report(Status(stage="encoding", done=done, total=shape[0]))


@contextmanager
def cached_features(
    module: torch.nn.Module, sentences: Iterable[Sequence[str]], progress: Progress = False
) -> Iterator[None]:
    """Give the frozen encoders in a module the vectors of sentences while it is trained."""
    parts = [part for part in module.modules() if isinstance(part, ContextualVectors)]
    if parts:
        sentences = [tuple(words) for words in sentences]
    try:
        for part in parts:
            part.features = tuple(
                None if embedder.tuned else features_of(embedder.encoder, sentences, progress=progress)
                for embedder in part.embedders
            )
        yield
    finally:
        for part in parts:
            part.features = ()


Vectors = dict[str, torch.Tensor]  # (B, T, W) of each of `JOINS` that has some


class ContextualVectors(nn.Module):
    """Vectors of words from several encoders.

    Frozen encoders are no part of the module: it has their mixes only. Encoders that are tuned are a part, which the
    folder of a model keeps beside its own parameters.

    Attributes:
        mixes: of each embedder that mixes layers, one where it joins the network.
        widths: W of each of `JOINS`; 0 where no vectors join.
        features: of each embedder, vectors that are known; none outside of training.
    """

    def __init__(self, embedders: Sequence[ContextualEmbedder]) -> None:
        super().__init__()
        self.embedders = tuple(embedders)
        self.features: tuple[Features | None, ...] = ()
        self.tuned = SavedApart(embedder.encoder.module for embedder in self.embedders if embedder.tuned)
        self.mixes = nn.ModuleDict(
            {
                f"{number}_{name}": ScalarMix(embedder.encoder.token_layers)
                for number, embedder in enumerate(self.embedders)
                if embedder.mixed
                for name in embedder.joins
            }
        )
        self.widths = dict.fromkeys(JOINS, 0)
        for embedder in self.embedders:
            for name in embedder.joins:
                self.widths[name] += embedder.encoder.token_width

    def forward(self, sentences: Sequence[tuple[str, ...]]) -> Vectors:
        """Return the (B, T, W) vectors for each of `JOINS` that has some, zero at padding."""
        vectors: dict[str, list[torch.Tensor]] = {name: [] for name in JOINS}
        for number, embedder in enumerate(self.embedders):
            states = self._states(number, sentences)  # (B, T, L, D)
            for name in embedder.joins:
                key = f"{number}_{name}"
                vectors[name].append(self.mixes[key](states) if key in self.mixes else states[:, :, -1])
        return {name: torch.cat(parts, 2) for name, parts in vectors.items() if parts}

    def _states(self, number: int, sentences: Sequence[tuple[str, ...]]) -> torch.Tensor:
        embedder = self.embedders[number]
        if embedder.tuned:
            return embedder.encoder.token_states(sentences)
        features = self.features[number] if self.features else None
        cached = None if features is None else features.batch(sentences)
        if cached is not None:
            return cached.to(next(embedder.encoder.module.parameters()).device)
        with torch.no_grad():
            return embedder.encoder.token_states(sentences)

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Move the frozen encoders with the module."""
        for embedder in self.embedders:
            if not embedder.tuned:
                embedder.encoder.module._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch gives it no types
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]  # torch gives it no types
        return self


def joined(x: torch.Tensor, vectors: Vectors, name: str) -> torch.Tensor:
    """Return (B, T, D + W) vectors with those that join them, by a name of `JOINS`; x itself if there are none."""
    return torch.cat([x, vectors[name].to(x.dtype)], 2) if name in vectors else x
