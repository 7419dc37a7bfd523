"""Checkpoints of training runs: a killed run resumes from the last one."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from firth.embeddings.shards import Shard
from firth.storage.checkpoints import FILE, restore_state, write_state

SHARD_STATE = ("position", "read", "random", "loss", "predictions")


class ResumableRun(Protocol):
    """The part of a training run that a checkpoint holds."""

    corpus: Any
    matrices: Any
    shards: list[Shard]
    epochs: int
    epoch: int
    losses: list[float]
    sample_losses: list[float]
    seconds: float

    def identity(self) -> dict[str, Any]:
        """Return the values that a checkpoint of this run must have."""


def save_checkpoint(run: ResumableRun, folder: Path) -> None:
    """Write the state of a run whose threads are idle; a kill while writing leaves the previous checkpoint."""
    arrays: dict[str, Any] = _arrays(run)
    for name in SHARD_STATE:
        arrays[name] = np.concatenate([getattr(shard, name) for shard in run.shards])
    facts = {
        "identity": run.identity(),
        "epoch": run.epoch,
        "losses": run.losses,
        "sample_losses": run.sample_losses,
        "seconds": run.seconds,
    }
    write_state(folder / FILE, arrays, facts)


def load_checkpoint(run: ResumableRun, folder: Path) -> None:
    """Restore the state of a run from a folder, if there is one."""
    identity = run.identity()

    def restore(facts: dict[str, Any], file: Any) -> None:
        arrays = {name: file.get_tensor(name) for name in (*_arrays(run), *SHARD_STATE)}
        _check(run, facts, arrays)
        for name, array in _arrays(run).items():
            array[:] = arrays[name]
        for name in SHARD_STATE:
            for shard, value in zip(run.shards, arrays[name], strict=True):
                getattr(shard, name)[0] = value
        run.epoch, run.losses, run.seconds = facts["epoch"], list(facts["losses"]), float(facts["seconds"])
        run.sample_losses = list(facts["sample_losses"])

    restore_state(folder, identity, restore)


def _check(run: ResumableRun, facts: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Reject values that would lead compiled code out of its arrays, or that no training produces."""
    own = _arrays(run) | {name: np.array([getattr(shard, name)[0] for shard in run.shards]) for name in SHARD_STATE}
    for name, array in arrays.items():
        if array.dtype != own[name].dtype or array.shape != own[name].shape:
            raise ValueError(
                f"{name!r} is {array.dtype} of {array.shape}, expected {own[name].dtype} of {own[name].shape}"
            )
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"{name!r} holds NaN or infinity")
    tokens = run.corpus.num_tokens
    firsts = np.array([shard.first for shard in run.shards])
    limits = {"position": (firsts, tokens), "read": (0, tokens * run.epochs), **run.matrices.limits}
    for name, (least, most) in limits.items():
        if ((arrays[name] < least) | (arrays[name] > most)).any():
            raise ValueError(f"{name!r} holds numbers out of range")
    epoch, losses = facts["epoch"], facts["losses"]
    if type(epoch) is not int or not 0 <= epoch <= run.epochs or len(losses) != epoch:
        raise ValueError(f"epoch {epoch!r} of {run.epochs} with {len(losses)} losses")
    if not all(isinstance(loss, float) for loss in (*losses, *facts["sample_losses"])):
        raise ValueError("losses that are not numbers")


def _arrays(run: ResumableRun) -> dict[str, Any]:
    return {"inputs": run.matrices.inputs, "outputs": run.matrices.outputs, **run.matrices.state}
