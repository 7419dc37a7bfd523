"""Maps of words and texts for the page: principal components at once; UMAP and t-SNE in a process, then kept on disk.

Words are in the order of the model, so that the first are the most frequent. Groups are those of spherical k-means over
the first words or texts; one of words is named after those nearest to its centre, one of texts after telling words.
"""

import hashlib
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from firth.errors import OptionError
from firth.explorer.text_space import TextSpace
from firth.plots.projection import project
from firth.plots.word_groups import Groups, clustered, word_groups
from firth.storage.files import cache_folder, replacing_file
from firth.vectors.cosine import unit

Floats = npt.NDArray[np.float32]

MOST = 200_000  # words of a map
SLOW = {"umap": 50_000, "tsne": 20_000}  # words of a map that takes long
METHODS = ("pca", *SLOW)


class Maps:
    """Maps of several models.

    Args:
        models: vectors or spaces of texts, by name.
        folder: where slow maps are kept; None for the cache folder.

    Attributes:
        models: vectors by name: of words, or of texts under their beginnings.
        texts: the spaces of texts by name.
    """

    def __init__(self, models: Mapping[str, Any], folder: Path | None = None) -> None:
        self.texts = {name: model for name, model in models.items() if isinstance(model, TextSpace)}
        self.models = {**models, **{name: texts.space for name, texts in self.texts.items()}}
        self._folder = cache_folder("maps") if folder is None else folder
        self._places: dict[tuple[str, str], tuple[Floats, str]] = {}
        self._groups: dict[str, Groups] = {}
        self._rows: dict[str, Floats] = {}
        self._coming: dict[tuple[str, str], Future[tuple[Floats, str]]] = {}
        self._process: ProcessPoolExecutor | None = None

    def places(self, name: str, method: str) -> tuple[Floats, str] | None:
        """Return the (n, 2) places of the first words of a model, and how to read them; None while they are computed.

        Args:
            name: of the model.
            method: of the projection.

        Raises:
            FirthError: the map cannot be made; asked again, it is tried again.
        """
        key = name, method
        if key in self._places:
            return self._places[key]
        if method not in SLOW:
            self._places[key] = _projected(self.rows(name), method)
            return self._places[key]
        if key in self._coming:
            coming = self._coming[key]
            if not coming.done():
                return None
            del self._coming[key]
            self._places[key] = coming.result()
            return self._places[key]
        rows = self.rows(name)[: SLOW[method]]
        kept = self._folder / f"{_digest(rows)}-{method}.npy"
        if kept.exists():
            self._places[key] = _read(kept, len(rows)), SAID[method]
            return self._places[key]
        if self._process is None:
            self._process = ProcessPoolExecutor(1, mp_context=get_context("spawn"))
        self._coming[key] = self._process.submit(_computed, rows, method, kept)
        return None

    def groups(self, name: str) -> Groups:
        """Return the clusters of a model's words.

        Raises:
            OptionError: there are too few.
        """
        if name not in self._groups:
            rows, texts = self.rows(name), self.texts.get(name)
            if texts is None:
                self._groups[name] = word_groups(rows, self.models[name].words)
            else:
                labels, cosines = clustered(rows)
                self._groups[name] = Groups(labels, texts.named(labels, cosines.shape[1]))
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
        if self._process is not None:
            self._process.shutdown(wait=False, cancel_futures=True)


SAID = {"umap": "UMAP of cosines: near words are near; directions and far distances mean nothing.",
        "tsne": "t-SNE of cosines: near words are near; directions and far distances mean nothing."}  # fmt: skip


def _projected(rows: Floats, method: str) -> tuple[Floats, str]:
    places, said = project(rows.astype(np.float64), method)
    return places.astype(np.float32), said


def _computed(rows: Floats, method: str, kept: Path) -> tuple[Floats, str]:
    """Compute a map in a process of its own, and keep it."""
    places, _ = _projected(rows, method)
    kept.parent.mkdir(parents=True, exist_ok=True)
    with replacing_file(kept) as file:
        np.save(file, places)
    return places, SAID[method]


def _read(kept: Path, words: int) -> Floats:
    """Return a map that was kept.

    Raises:
        OptionError: it is damaged.
    """
    try:
        places = np.load(kept, allow_pickle=False)
    except (ValueError, OSError, EOFError):
        places = np.empty(0)
    if places.shape != (words, 2) or not np.isfinite(places).all():
        raise OptionError(f"{kept}: no map of {words:,} words; remove the file")
    return np.asarray(places, dtype=np.float32)


def _digest(rows: Floats) -> str:
    return hashlib.blake2b(rows.tobytes(), digest_size=16).hexdigest()
