"""Keeping the state of a training run on disk, so that a killed run goes on where it stood."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from firth.errors import FormatError, OptionError
from firth.files import replacing_file

if TYPE_CHECKING:
    from firth.embeddings.training import Run

FILE = "training.safetensors"
SHARD_STATE = ("position", "read", "random", "loss", "predictions")


def save_checkpoint(run: "Run[Any]", folder: Path) -> None:
    """Write the state of a run; a kill in the middle leaves the state before it.

    Args:
        run: the run, its threads at rest.
        folder: where to; it is made where it is missing.

    Raises:
        OSError: the folder cannot be written.
    """
    tensors: dict[str, Any] = _arrays(run)
    for name in SHARD_STATE:
        tensors[name] = np.concatenate([getattr(shard, name) for shard in run.shards])
    facts = {"identity": run.identity(), "epoch": run.epoch, "losses": run.losses, "seconds": run.seconds}
    with replacing_file(folder / FILE) as out:
        out.write(save(tensors, metadata={"firth": json.dumps(facts)}))


def load_checkpoint(run: "Run[Any]", folder: Path) -> None:
    """Bring a run to the state that a folder holds; a folder without one leaves the run at its start.

    Raises:
        OptionError: the folder holds the state of another run, and the message names what differs; or it cannot be a
            folder.
        FormatError: the file is damaged.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)  # now, and not when hours of training are to be saved
    except OSError as error:
        raise OptionError(f"checkpoint={str(folder)!r}: expected a folder or a place for one ({error})") from error
    path = folder / FILE
    if not path.exists():
        return
    try:
        facts = _read(run, path)
    except (SafetensorError, OSError, AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, OptionError):
            raise
        raise FormatError(f"{path} is not a whole checkpoint ({error}): remove it to start anew") from error
    run.epoch, run.losses, run.seconds = facts["epoch"], facts["losses"], facts["seconds"]


def _read(run: "Run[Any]", path: Path) -> dict[str, Any]:
    with safe_open(path, framework="numpy") as file:
        facts: dict[str, Any] = json.loads(file.metadata()["firth"])
        _check_identity(facts["identity"], json.loads(json.dumps(run.identity())), path.parent)
        for name, array in _arrays(run).items():
            array[:] = file.get_tensor(name)
        for name in SHARD_STATE:
            for shard, value in zip(run.shards, file.get_tensor(name), strict=True):
                getattr(shard, name)[0] = value
    return facts


def _arrays(run: "Run[Any]") -> dict[str, Any]:
    return {"inputs": run.matrices.inputs, "outputs": run.matrices.outputs, **run.matrices.state}


def _check_identity(found: dict[str, Any], expected: dict[str, Any], folder: Path) -> None:
    for key, value in expected.items():
        if found.get(key) == value:
            continue
        there: Any = found.get(key)
        here: Any = value
        if isinstance(value, dict):
            parts = [k for k in value if found.get(key, {}).get(k) != value[k]]
            there = {k: found.get(key, {}).get(k) for k in parts}
            here = {k: value[k] for k in parts}
        raise OptionError(
            f"{folder} holds a checkpoint of another run: its {key} is {there}, this run's is {here}; go on with the "
            "same corpus, options, seed and threads, or name another folder"
        )
