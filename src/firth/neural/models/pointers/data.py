"""Sets of vectors with the positions to point at, and batches of them.

What
    An example is N vectors and T of their positions in order. Ids of a model are positions plus one; id 0 is the end.
Objective
    Every example once per epoch, its end included.
Source
    Vinyals, Fortunato and Jaitly 2015, section 2.3.
Cost
    Padding of examples of similar size.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Unpack

import numpy as np
import numpy.typing as npt
import torch

from firth.errors import ArgumentTypeError, CorpusError, ShapeError, brief
from firth.finite import single_array
from firth.neural.training.batching import BatchOptions, Buckets, TensorBatch, pad

END = 0
Floats = npt.NDArray[np.float32]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PointerExamples:
    """Examples.

    Attributes:
        inputs: of each, (N, D) vectors.
        targets: of each, (T,) positions from 0.
    """

    inputs: Sequence[Floats]
    targets: Sequence[Positions]

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def dim(self) -> int:
        """D."""
        return int(self.inputs[0].shape[1])

    def rows(self, rows: Sequence[int]) -> "PointerExamples":
        """Return some examples."""
        return PointerExamples([self.inputs[row] for row in rows], [self.targets[row] for row in rows])

    def content(self) -> Iterator[str | Floats | Positions]:
        """Yield all that the examples hold, for a digest."""
        for inputs, targets in zip(self.inputs, self.targets, strict=True):
            yield from (str(inputs.shape), inputs, targets)


@dataclass(frozen=True, eq=False)
class PointerBatch(TensorBatch):
    """B examples.

    Attributes:
        inputs: (B, N, D), zero at padding.
        lengths: (B,) int64 on the CPU, vectors of each.
        targets: (B, T) ids, END from the end on.
        counted: (B, T) which targets count: the positions and one END.
    """

    inputs: torch.Tensor
    lengths: torch.Tensor
    targets: torch.Tensor
    counted: torch.Tensor

    on_cpu: ClassVar = ("lengths",)


def read_inputs(inputs: Any, *, dim: int | None = None) -> list[Floats]:
    """Return B sets of vectors: arrays (N, D) or lists of N lists; or one array (B, N, D)."""
    sets = []
    for number, item in enumerate(_listed(inputs, "inputs", "sets of vectors, [[[0.5, 1.0], [2.0, 0.0]]]"), 1):
        vectors = single_array(f"inputs, set {number:,}", item, "an array of N vectors of D numbers")
        dim = vectors.shape[1] if dim is None and vectors.ndim == 2 else dim
        if vectors.ndim != 2 or not len(vectors) or vectors.shape[1] != dim:
            raise ShapeError(
                f"inputs, set {number:,}: an array {vectors.shape}; expected (N, {dim or 'D'}) with N of at least 1"
            )
        if not np.isfinite(vectors).all():
            raise CorpusError(f"inputs, set {number:,}: a number that is not finite")
        sets.append(vectors)
    return sets


def read_examples(inputs: Any, targets: Any, *, order: str, dim: int | None = None) -> PointerExamples:
    """Return examples of inputs as for `read_inputs` and, for each set, the positions from 0 to point at, in order."""
    sets = read_inputs(inputs, dim=dim)
    wanted = list(_listed(targets, "targets", "positions for each set, [[1, 0]]"))
    if not sets or len(sets) != len(wanted):
        raise CorpusError(f"{len(sets):,} sets of inputs and {len(wanted):,} targets; expected as many, at least one")
    pairs = enumerate(zip(sets, wanted, strict=True), 1)
    positions = [_positions(target, len(vectors), order, number) for number, (vectors, target) in pairs]
    return PointerExamples(sets, positions)


def _listed(values: Any, name: str, what: str) -> Iterable[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise ArgumentTypeError(f"{name}: found {brief(values)}, expected a list of {what}")
    return values


def _positions(target: Any, size: int, order: str, number: int) -> Positions:
    try:
        positions = np.asarray(target)
        whole = positions.astype(np.int64)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(f"targets, example {number:,}: {error}; expected a list of positions") from None
    where = f"targets, example {number:,}"
    if whole.ndim != 1 or (positions != whole).any():
        raise ArgumentTypeError(f"{where}: expected a list of positions, whole numbers")
    odd = whole[(whole < 0) | (whole >= size)]
    if len(odd):
        raise CorpusError(f"{where}: position {odd[0]}; expected from 0 to {size - 1}, for {size} inputs")
    if order != "any" and len(np.unique(whole)) < len(whole):
        raise CorpusError(f"{where}: a position occurs twice; expected each at most once with order={order!r}")
    if order == "permutation" and len(whole) < size:
        raise CorpusError(f"{where}: {len(whole)} of {size} positions; expected all of them with order='permutation'")
    return whole


def collate(examples: Sequence[tuple[Floats, Positions]]) -> PointerBatch:
    """Return a batch of examples."""
    inputs, lengths = padded(vectors for vectors, _ in examples)
    targets, counts = pad([np.append(positions + 1, END) for _, positions in examples], END)
    return PointerBatch(inputs, lengths, targets, torch.arange(targets.shape[1]) < counts[:, None])


def padded(sets: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (B, N, D) vectors with zeros after the end, and (B,) sizes."""
    tensors = [torch.from_numpy(np.ascontiguousarray(vectors)) for vectors in sets]
    lengths = torch.tensor(list(map(len, tensors)))
    return torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True), lengths


def pointer_batches(examples: PointerExamples, **options: Unpack[BatchOptions]) -> Buckets[tuple[Floats, Positions]]:
    """Return examples in batches of similar size."""
    items = list(zip(examples.inputs, examples.targets, strict=True))
    return Buckets.of(items, collate, lambda item: len(item[0]), **options)
