"""Maps of words and texts for the page: principal components at once; UMAP and t-SNE in a process, then kept on disk.

Words are in the order of the model, so that the first are the most frequent. Groups are those of spherical k-means over
the first words or texts; a group of words is named after those nearest to its centre, a group of texts after
characteristic words.
"""

import contextlib
import hashlib
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import FirthError, OptionError
from firth.explorer.text_space import TextSpace
from firth.plots.projection import project
from firth.plots.word_groups import GROUPS, Groups, clustered, word_groups
from firth.storage.files import cache_folder, replacing_file
from firth.vectors.cosine import unit

Floats = npt.NDArray[np.float32]

MOST = 200_000  # words of a map
SLOW = {"umap": 50_000, "tsne": 20_000}  # words of a map that takes long
METHODS = ("pca", *SLOW)
VERSION = 1  # of the algorithm; maps of other versions are not read


class Maps:
    """Maps of several models.

    Args:
        models: vectors or spaces of texts, by name.
        folder: where slow maps are kept; None for the cache folder.

    Attributes:
        models: vectors by name: of words, or of texts under their beginnings.
        texts: the spaces of texts by name.
        slow: whether maps that take long are computed.
    """

    def __init__(self, models: Mapping[str, Any], folder: Path | None = None) -> None:
        self.texts = {name: model for name, model in models.items() if isinstance(model, TextSpace)}
        self.models = {**models, **{name: texts.space for name, texts in self.texts.items()}}
        self._folder = cache_folder("maps") if folder is None else folder
        self._positions: dict[tuple[str, str], tuple[Floats, str]] = {}
        self._groups: dict[str, Groups] = {}
        self._rows: dict[str, Floats] = {}
        self._running: _MapProcess | None = None
        self.slow = True

    def positions(self, name: str, method: str) -> tuple[Floats, str] | None:
        """Return the (n, 2) positions of the first words of a model, and a caption; None while they are computed.

        Raises:
            OptionError: the map cannot be made; asked again, it is tried again.
        """
        key = name, method
        if key in self._positions:
            return self._positions[key]
        if method not in SLOW:
            self._positions[key] = _projected(self.rows(name), method)
            return self._positions[key]
        if not self.slow:
            raise OptionError(f"{method} takes minutes, and is for firth explore; expected pca")
        if self._running is not None and self._running.key == key:
            coming = self._running
            if not coming.is_done():
                return None
            self._running = None
            self._positions[key] = coming.result()
            return self._positions[key]
        rows = self.rows(name)[: SLOW[method]]
        file = self._folder / f"{_digest(rows)}-{method}-{VERSION}.npy"
        positions = _read(file, len(rows))
        if positions is not None:
            self._positions[key] = positions, SAID[method]
            return self._positions[key]
        if self._running is not None and not self._running.is_done():  # one at a time
            return None
        if self._running is not None:  # no request has asked for it since
            with contextlib.suppress(FirthError):
                self._positions[self._running.key] = self._running.result()
        self._running = _MapProcess(key, rows, method, file)
        return None

    def groups(self, name: str) -> Groups:
        """Return the clusters of a model's words."""
        if name not in self._groups:
            rows, texts = self.rows(name), self.texts.get(name)
            if texts is None:
                self._groups[name] = word_groups(rows, self.models[name].words)
            else:
                labels, cosines = clustered(rows, GROUPS)
                self._groups[name] = Groups(labels, texts.group_names(labels, cosines.shape[1]))
        return self._groups[name]

    def rows(self, name: str) -> Floats:
        """Return the (n, D) vectors of a model's first words, of length 1.

        Raises:
            OptionError: there are too few.
        """
        if name not in self._rows:
            vectors = self.models[name]
            if len(vectors) < 3:
                raise OptionError(f"{name}: {len(vectors)} of them; expected at least 3 for a map")
            self._rows[name] = unit(np.asarray(vectors.vectors[:MOST], dtype=np.float32))
        return self._rows[name]

    def close(self) -> None:
        """End the computation of maps."""
        if self._running is not None:
            self._running.end()


class _MapProcess:
    """A map that is computed in its own process, which ends with this one.

    Args:
        key: model and method.
        rows: (n, D), of length 1.
        method: of the projection.
        kept: where the map is kept.
    """

    def __init__(self, key: tuple[str, str], rows: Floats, method: str, cache: Path) -> None:
        self.key = key
        context = get_context("spawn")
        self._answer, child = context.Pipe(duplex=False)
        self._process = context.Process(target=_send, args=(child, _computed, rows, method, cache), daemon=True)
        self._process.start()
        child.close()

    def is_done(self) -> bool:
        """Return whether there is an answer, or the process has ended."""
        return self._answer.poll() or not self._process.is_alive()

    def result(self) -> tuple[Floats, str]:
        """Return the positions, and a caption.

        Raises:
            OptionError: the process has ended without them.
        """
        try:
            answer = self._answer.recv()
        except (EOFError, OSError):
            raise OptionError(f"the process that computed {self.key[1]} has ended; ask again, or with pca") from None
        finally:
            self.end()
        if isinstance(answer, FirthError):
            raise answer
        positions, said = answer
        return positions, said

    def end(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join(5)
        self._answer.close()


SAID = {"umap": "UMAP of cosines: near words are near; directions and far distances mean nothing.",
        "tsne": "t-SNE of cosines: near words are near; directions and far distances mean nothing."}  # fmt: skip


def _projected(rows: Floats, method: str) -> tuple[Floats, str]:
    positions, said = project(rows.astype(np.float64), method)
    return positions.astype(np.float32), said


def _send(answer: Any, compute: Callable[..., Any], rows: Floats, method: str, cache: Path) -> None:
    """Compute a map in its own process, and send it or an error."""
    try:
        outcome: Any = compute(rows, method, cache)
    except FirthError as error:
        outcome = OptionError(str(error))  # errors with other arguments cannot be unpickled
    answer.send(outcome)


def _computed(rows: Floats, method: str, cache: Path) -> tuple[Floats, str]:
    """Compute a map, and keep it where that is possible."""
    positions, _ = _projected(rows, method)
    with contextlib.suppress(OSError):
        cache.parent.mkdir(parents=True, exist_ok=True)
        with replacing_file(cache) as file:
            np.save(file, positions)
    return positions, SAID[method]


def _read(cache: Path, words: int) -> Floats | None:
    """Return a saved map; None if there is none that can be read."""
    try:
        with cache.open("rb") as file:
            if np.lib.format.read_magic(file) != (1, 0):
                return None
            if np.lib.format.read_array_header_1_0(file) != ((words, 2), False, np.dtype(np.float32)):
                return None
            positions = np.fromfile(file, np.float32).reshape(words, 2)
    except Exception:  # a damaged file raises errors of many kinds
        return None
    return positions if np.isfinite(positions).all() else None


def _digest(rows: Floats) -> str:
    return hashlib.blake2b(rows.tobytes(), digest_size=16).hexdigest()
