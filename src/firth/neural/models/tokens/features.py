"""Vectors of the words of a corpus on disk: a frozen encoder reads each sentence once, for all epochs and runs.

What
    A folder for an encoder and the sentences of a corpus, below FIRTH_CACHE or the user's cache folder: the vectors of
    all words of all layers in one array, which is mapped when it is read.
Objective
    The vectors are those that the encoder gives each sentence, in the order of the sentences, float32.
Source
    None.
Departures
    None.
Cost
    4 L D bytes per word on disk; reading costs a digest of the encoder and of the sentences.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import FormatError, warn_caller
from firth.neural.models.tokens.contextual import ContextualEncoder
from firth.neural.models.tokens.contextual_vectors import ContextualVectors, Features, Words
from firth.neural.training.devices import no_subnormals
from firth.progress import Progress, Status, reporting
from firth.storage.files import cache_folder, replacing_folder
from firth.storage.integrity import verify
from firth.storage.snapshots import snapshot

NAME, ARRAY = "contextual", "vectors.npy"  # the folder in the cache; the file
BATCH_WORDS = 4096  # that are encoded together, padding included


def features_of(
    encoder: ContextualEncoder,
    sentences: Iterable[Sequence[str]],
    *,
    cache: Path | None = None,
    progress: Progress = False,
) -> Features | None:
    """Return the vectors of sentences, from disk if they have been computed before.

    Args:
        encoder: of the vectors.
        sentences: each of at least one word.
        cache: folder of cached vectors; None for that of the user.
        progress: how to show progress; see `firth.progress`.

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
    place = (cache or cache_folder(NAME)) / _key(encoder, different)
    vectors = _read(place, shape)
    if vectors is None:
        try:
            with replacing_folder(place) as aside:
                _write(aside / ARRAY, encoder, different, ends - lengths, shape, progress)
        except OSError as error:
            vectors = _read(place, shape)
            if vectors is not None:  # another process has written them meanwhile
                return Features(vectors, starts)
            size = 4 * int(np.prod(shape))
            warn_caller(
                f"vectors of {shape[0]:,} words, {size:,} bytes, cannot be kept in {place.parent} "
                f"({error.strerror or error}): they are computed in every epoch; free some space, or set FIRTH_CACHE"
            )
            return None
        vectors = _read(place, shape)
        assert vectors is not None, "it was just written"
    return Features(vectors, starts)


def _key(encoder: ContextualEncoder, sentences: Sequence[Words]) -> str:
    digest = hashlib.blake2b(encoder.fingerprint().encode(), digest_size=16)
    for words in sentences:  # with lengths, since words may hold any character
        parts = [word.encode("utf-8", "surrogatepass") for word in words]
        digest.update(np.array([len(parts), *map(len, parts)], dtype="<i8").tobytes() + b"".join(parts))
    return digest.hexdigest()


def _read(place: Path, shape: tuple[int, ...]) -> npt.NDArray[np.float32] | None:
    """Return the vectors in a folder; None if there are none, or damaged ones."""

    def mapped(folder: Path) -> Any:
        verify(folder)
        return np.load(folder / ARRAY, mmap_mode="r", allow_pickle=False)

    try:
        found = snapshot(place, mapped)
    except (OSError, EOFError, ValueError, FormatError):
        return None
    return found if found.shape == shape and found.dtype == np.float32 else None


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
        for rows in batches_by_length(sentences):
            found = encoder.token_states([sentences[row] for row in rows]).float().cpu().numpy()
            for row, each in zip(rows, found, strict=True):
                size = len(sentences[row])
                file.seek(first + int(starts[row]) * width)
                file.write(each[:size].astype("<f4", copy=False).tobytes())
                done += size
            report(Status(stage="encoding", done=done, total=shape[0]))


def batches_by_length(sentences: Sequence[Words]) -> Iterator[list[int]]:
    """Yield the numbers of sentences of similar length."""
    batch: list[int] = []
    for row in sorted(range(len(sentences)), key=lambda row: len(sentences[row])):
        if batch and (len(batch) + 1) * len(sentences[row]) > BATCH_WORDS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


@contextmanager
def cached_features(
    module: torch.nn.Module, sentences: Iterable[Sequence[str]], progress: Progress = False
) -> Iterator[None]:
    """Give the frozen encoders in a module the vectors of sentences while it is trained.

    Args:
        module: with `ContextualVectors` in it, or without.
        sentences: of the training and the held-out data.
        progress: how to show progress; see `firth.progress`.
    """
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
