"""Keeping the state of a training run on disk, so that a killed run goes on where it stood."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from firth.checkpoints import FILE, make_folder, reading_state, write_state

if TYPE_CHECKING:
    from firth.embeddings.training import Run

SHARD_STATE = ("position", "read", "random", "loss", "predictions")


def save_checkpoint(run: "Run[Any]", folder: Path) -> None:
    """Write the state of a run; a kill in the middle leaves the state before it.

    Args:
        run: the run, its threads at rest.
        folder: where to; it is made where it is missing.

    Raises:
        OSError: the folder cannot be written.
    """
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


def load_checkpoint(run: "Run[Any]", folder: Path) -> None:
    """Bring a run to the state that a folder holds; a folder without one leaves the run at its start.

    Raises:
        OptionError: the folder holds the state of another run, and the message names what differs; or it cannot be a
            folder.
        FormatError: the file is damaged.
    """
    make_folder(folder)
    if not (folder / FILE).exists():
        return
    with reading_state(folder / FILE, run.identity()) as (facts, file):
        for name, array in _arrays(run).items():
            array[:] = file.get_tensor(name)
        for name in SHARD_STATE:
            for shard, value in zip(run.shards, file.get_tensor(name), strict=True):
                getattr(shard, name)[0] = value
        run.epoch, run.losses, run.seconds = facts["epoch"], facts["losses"], facts["seconds"]
        run.sample_losses = facts["sample_losses"]


def _arrays(run: "Run[Any]") -> dict[str, Any]:
    return {"inputs": run.matrices.inputs, "outputs": run.matrices.outputs, **run.matrices.state}
