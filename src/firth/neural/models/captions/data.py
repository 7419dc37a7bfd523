"""Features with their captions as numbers, and batches of them.

What
    An image, or whatever is described, is a vector of D features, or a grid of P cells with D features each. It has one
    caption or several; each is an example.
Objective
    Every caption once per epoch, in batches of similar length, with the features of its image.
Source
    Vinyals, Toshev, Bengio and Erhan 2015, section 3.
Departures
    None.
Cost
    The features are held once, however many captions an image has.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import CorpusError, ShapeError
from firth.finite import single_array
from firth.neural.layers.products import STEADY_ROWS
from firth.neural.models.translation.data import PairBatch
from firth.neural.models.translation.units import EOS, Ids, Units
from firth.neural.training.batching import Buckets, TensorBatch, pad
from firth.text.batches import warn_long
from firth.text.inputs import check_items, check_text

Floats = npt.NDArray[np.float32]


class Shape(NamedTuple):
    """What features look like.

    Attributes:
        cells: P.
        dim: D.
        grid: whether features are (N, P, D); else (N, D), and P is 1.
    """

    cells: int
    dim: int
    grid: bool

    def __str__(self) -> str:
        return f"(N, {self.cells:,}, {self.dim:,})" if self.grid else f"(N, {self.dim:,})"


@dataclass(frozen=True, eq=False)
class FeatureBatch(TensorBatch):
    """Features of B images, in the place of a translator's sources, `SourceBatch`.

    Attributes:
        ids: (B, P, D) float32: what the module reads, where sources have ids.
        lengths: (B,) int64 on the CPU, P of each.
    """

    on_cpu: ClassVar = ("lengths",)

    ids: torch.Tensor
    lengths: torch.Tensor

    copied, selected, spellings, extra = None, None, None, 0

    @classmethod
    def of(cls, features: Floats) -> "FeatureBatch":
        """Return a batch of (B, P, D) features."""
        ids = torch.from_numpy(np.ascontiguousarray(features))
        return cls(ids, torch.full((len(ids),), ids.shape[1]))

    def steady(self) -> "FeatureBatch":
        """Return a batch in which the bits of an image's results do not depend on the other images."""
        rows = torch.arange(max(len(self.ids), STEADY_ROWS)).clamp(max=len(self.ids) - 1)
        return FeatureBatch(self.ids[rows.to(self.ids.device)], self.lengths[rows])


@dataclass(frozen=True, eq=False)
class CaptionData:
    """N images with their captions.

    Attributes:
        features: (N, P, D).
        examples: the row of an image and the (T,) ids of a caption with its end.
        dropped: number of captions that are too long.
    """

    features: Floats
    examples: Sequence[tuple[int, Ids]]
    dropped: int = 0

    @property
    def tokens(self) -> int:
        """Number of tokens of all captions, ends included."""
        return sum(len(ids) for _, ids in self.examples)

    def batches(self, batch_size: int, *, seed: int = 0, shuffle: bool = True) -> Buckets[tuple[int, Ids]]:
        """Return captions in batches of similar length."""
        lengths = np.array([len(ids) for _, ids in self.examples], dtype=np.int64)
        return Buckets(
            items=self.examples,
            lengths=lengths,
            collate=self.collate,
            batch_size=batch_size,
            seed=seed,
            shuffle=shuffle,
        )

    def collate(self, examples: Sequence[tuple[int, Ids]]) -> PairBatch:
        """Return a batch of examples."""
        targets, counts = pad([ids for _, ids in examples], EOS)
        counted = torch.arange(targets.shape[1]) < counts[:, None]
        sources: Any = FeatureBatch.of(self.features[[row for row, _ in examples]])
        return PairBatch(sources, targets, counted)


def read_features(features: Any, shape: Shape | None = None, name: str = "features") -> tuple[Floats, Shape]:
    """Return features as (N, P, D), and their shape.

    Args:
        features: (N, D) or (N, P, D) numbers.
        shape: which they must have; None for any.

    Raises:
        ShapeError: they have another shape.
        CorpusError: there are none, or a number is not finite.
    """
    expected = "(N, D) or (N, P, D)" if shape is None else str(shape)
    array = single_array(name, features, f"an array of numbers {expected}")
    if array.ndim not in (2, 3):
        raise ShapeError(f"{name} of the shape {array.shape}; expected {expected}")
    given = Shape(array.shape[1] if array.ndim == 3 else 1, array.shape[-1], array.ndim == 3)
    if shape is not None and given != shape:
        raise ShapeError(f"{name} of the shape {array.shape}; expected {expected}, as the model was trained")
    if not array.size:
        raise CorpusError(f"{name} of the shape {array.shape}: no numbers; expected one image at least")
    finite = np.isfinite(array).reshape(len(array), -1).all(1)
    if not finite.all():
        raise CorpusError(f"{name}: image {int(finite.argmin()) + 1:,} has a number that is not finite")
    return array.reshape(len(array), given.cells, given.dim), given


def read_captions(captions: Any, images: int, name: str = "captions") -> list[list[str]]:
    """Return the captions of each image.

    Raises:
        ShapeError: there are more or fewer than images.
        CorpusError: an image has no caption, or an empty one.
    """
    read = []
    for number, given in enumerate(check_items(captions, name, "caption"), 1):
        where = f"{name} of image {number:,}"
        several = [given] if isinstance(given, str) else list(check_items(given, where, "caption"))
        for text in several:
            check_text(text, where)
        if not several or not all(text.strip() for text in several):
            raise CorpusError(f"{where}: {'an empty one' if several else 'none'}; expected a text or a list of texts")
        read.append(several)
    if len(read) != images:
        raise ShapeError(f"{name} of {len(read):,} images and features of {images:,}; expected as many")
    return read


def caption_data(features: Floats, captions: Sequence[Sequence[str]], units: Units, longest: int) -> CaptionData:
    """Return images with those captions that have at most `longest` tokens.

    Raises:
        CorpusError: there is none.
    """
    read = [(row, units.ids(units.split(text))) for row, texts in enumerate(captions) for text in texts]
    kept = [(row, np.append(ids, EOS)) for row, ids in read if len(ids) <= longest]
    if not kept:
        raise CorpusError(f"all captions have more than {longest} tokens; expected a higher max_length")
    warn_long(len(read) - len(kept), f"{len(read):,} captions", longest, "they are left out")
    return CaptionData(features, kept, len(read) - len(kept))
