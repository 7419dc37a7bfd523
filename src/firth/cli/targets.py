"""Checks before hours of work: output paths, and flags that go together."""

import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from firth.corpus.sources import reads
from firth.errors import OptionError
from firth.storage.checkpoints import FILE, Checkpoint
from firth.storage.files import as_path, is_read_only, resolved
from firth.storage.kinds import LOADERS, PREFIX
from firth.storage.model_folder import is_model_folder, kind_of
from firth.storage.partial import is_empty
from firth.vectors.io.detect import check_file
from firth.vectors.io.formats import EXCHANGES, format_of


def check_folder_target(path: Path, what: str = "models", kinds: Collection[str] = LOADERS, *, overwrite: bool) -> None:
    """Check that a folder of vectors or another model can be written to a path.

    Args:
        kinds: of folders that may be replaced.
        overwrite: whether a trained model may be replaced: `--overwrite` was given, or its training goes on.
    """
    if as_path(path).is_dir():
        kind = kind_of(path)
        if kind in LOADERS and kind not in kinds:
            other = kind.removeprefix(PREFIX).replace("-", " ")
            raise OptionError(f"{path} holds another model ({other}), which is not replaced; give a new name")
        if not is_model_folder(path) and not is_empty(path):
            raise OptionError(f"{path} is a folder of something else; expected a new name, or {what} that firth wrote")
    elif path.exists():
        raise OptionError(f"{path} is a file; {what} are saved as a folder: give a new name, or delete the file first")
    check_kept(path, overwrite)
    check_writable(path)


def check_vectors_target(path: Path, takes_files: bool, sources: Sequence[str] = (), *, overwrite: bool) -> None:
    """Check that vectors can be written to a path, in the format of its name; see `check_folder_target`."""
    format = format_of(path)
    if format == "firth":
        check_folder_target(path, "vectors", overwrite=overwrite)
    elif not takes_files:
        raise OptionError(f"{path}: {format} cannot hold what this model learns; expected the name of a folder")
    else:
        check = EXCHANGES[format].check if format in EXCHANGES else check_file
        check_file_target(path, check, sources, overwrite=overwrite)


def check_file_target(
    path: Path, check: Callable[[Path], None], sources: Sequence[str] = (), *, overwrite: bool
) -> None:
    """Check that a file can be written to a path.

    Args:
        check: raises an error if the path holds something that must not be replaced.
        sources: files, folders and globs of text that the command reads; - for standard input.
        overwrite: whether the file may be replaced: `--overwrite` was given, or it holds no trained model.
    """
    if path.is_dir():
        raise OptionError(f"{path} is a folder; expected the name of a file to write")
    for source in sources:
        if source not in ("-", "") and reads(Path(source), path):
            reason = f"lies in {source}, whose files are read as text" if Path(source).is_dir() else "is a text to read"
            raise OptionError(f"{path} {reason}; expected another place to write to: give another name or folder")
    check(path)
    check_kept(path, overwrite)
    check_writable(path)


def check_kept(path: Path, overwrite: bool) -> None:
    """Check that no trained model stands at a path, unless it may be replaced."""
    target = as_path(path)
    if not overwrite and target.exists() and not (is_empty(target) if target.is_dir() else target.stat().st_size == 0):
        raise OptionError(f"{path} holds a trained model; expected a new name, or --overwrite to replace it")


def is_resumed(checkpoint: Path | None) -> bool:
    """Return whether a folder of checkpoints holds the state of a training, which may replace what it saved before."""
    return checkpoint is not None and any(as_path(checkpoint).rglob(FILE))


def check_writable(path: Path) -> None:
    """Check by writing that a file can be created beside a path, or in a folder that cannot be renamed."""
    target = resolved(path)
    beside = target if is_read_only(target) else target.parent
    while not beside.exists():
        beside = beside.parent
    try:
        with tempfile.TemporaryFile(dir=beside):
            pass
    except OSError as error:  # which names the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from error


def checkpoint_in(folder: Path | None, every: str | None) -> Checkpoint | None:
    """Return what --checkpoint and --every ask for, checked to be writable."""
    if folder is None:
        if every is not None:
            raise OptionError(
                f"--every {every}: there are no checkpoints; expected --checkpoint with a folder for them"
            )
        return None
    checkpoint = Checkpoint(folder) if every is None else Checkpoint(folder, every)
    folder_path = Path(checkpoint)
    if folder_path.exists() and not folder_path.is_dir():
        raise OptionError(f"--checkpoint {folder}: found a file; expected a folder, or a place for one")
    check_writable(folder_path / "state")
    return checkpoint


def check_cluster(cluster: str | None, workers: int | None, local_flags: Mapping[str, Any]) -> None:
    """Check, before a long text is read, that Ray is there and no option makes another one meaningless.

    Args:
        cluster: address of the cluster, or None.
    """
    if cluster is None:
        if workers is not None:
            raise OptionError(
                f"--workers {workers} without --cluster; use --threads for threads of this machine, or --cluster with "
                "an address"
            )
        return
    if more := [flag for flag, value in local_flags.items() if value is not None]:
        raise OptionError(
            f"{' and '.join(more)} with --cluster: each of --workers is one process with one thread, and the seed "
            "decides every bit; leave it out"
        )
    from firth.cluster.ray_crew import ray_package  # which says what is missing

    ray_package()
