"""Named public data sets, each pinned: where it lies, its checksum, its rows, its licence, whom to cite.

A truncated gold file gives a figure all the same, often a better one. So a file is used only when it has the pinned
sha256 and the pinned number of rows, whether it was downloaded or lies in a folder of your own.

`path_of("simlex-999")` returns a file:

- in the folder `data`, or else in the one that the environment variable FIRTH_DATA names, at the relative path that the
  set carries (`similarity/EN-SIMLEX-999.txt`), plain or packed with gzip (`EN-SIMLEX-999.txt.gz`);
- without such a folder, downloaded once into the cache folder: FIRTH_CACHE, or else the system's place for caches.

`firth.data.sets` lists them.
"""

import hashlib
import logging
import os
from pathlib import Path
from typing import Any

from firth.data.data_set import DataSet
from firth.data.sets import SETS
from firth.errors import DataError
from firth.storage.files import cache_folder, unpacked

__all__ = ["SETS", "DataSet", "path_of", "verify"]

TIMEOUT = 30.0  # seconds that a server may be silent


def path_of(name: str, data: str | os.PathLike[str] | None = None) -> Path:
    """Return the checked file of a named set, downloading it where no folder of local copies is given.

    Args:
        name: one of `SETS`.
        data: a folder of local copies; without it the environment variable FIRTH_DATA names one.

    Raises:
        DataError: no set has that name, the folder lacks it, the download failed, or the file is not the pinned one.
    """
    if name not in SETS:
        raise DataError(f"no data set is called {name!r}; expected one of {', '.join(SETS)}")
    folder = data or os.environ.get("FIRTH_DATA")
    for pinned in (*(SETS[other] for other in SETS[name].beside), SETS[name]):
        path = _local(pinned, Path(folder)) if folder else _downloaded(pinned)
    return path


def verify(pinned: DataSet, path: Path) -> None:
    """Check that a file is the pinned one.

    Args:
        pinned: what it should be.
        path: the file.

    Raises:
        DataError: its sha256 or its number of rows is another.
        FormatError: it is packed, and damaged.
    """
    content = unpacked(path)
    rows = sum(1 for line in content.splitlines() if line.strip())
    found = hashlib.sha256(content).hexdigest()
    if rows != pinned.rows:
        raise DataError(
            f"{path}: {rows:,} rows, expected {pinned.rows:,} of {pinned.name}: truncated or altered; {_cure(pinned)}"
        )
    if found != pinned.sha256:
        raise DataError(f"{path}: sha256 {found}, expected {pinned.sha256} of {pinned.name}: altered; {_cure(pinned)}")


def _cure(pinned: DataSet) -> str:
    return f"take the file from {pinned.url}, or give your own by its path instead of its name"


def _local(pinned: DataSet, folder: Path) -> Path:
    path = folder / pinned.path
    packed = path.with_name(path.name + ".gz")
    if packed.is_file() and not path.is_file():
        path = packed
    if not path.is_file():
        raise DataError(
            f"{folder} holds no {pinned.path}, the file of {pinned.name}; put it there ({pinned.url}), "
            "or name no folder (--data, FIRTH_DATA) to download it"
        )
    verify(pinned, path)
    return path


def _downloaded(pinned: DataSet) -> Path:
    # pooch takes 50 ms to import, and only a download needs it.
    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    store: Any = pooch.create(
        path=cache_folder("data"),
        base_url="",
        registry={pinned.path: f"sha256:{pinned.sha256}"},
        urls={pinned.path: pinned.url},
        retry_if_failed=1,
    )
    try:
        path = Path(store.fetch(pinned.path, downloader=pooch.HTTPDownloader(timeout=TIMEOUT)))
    except ValueError as error:  # pooch's word for another checksum
        raise DataError(
            f"what {pinned.url} gave is not the pinned {pinned.name} ({pinned.rows:,} rows, sha256 {pinned.sha256}): "
            "truncated or altered on the way; it was not kept: try again, or pass a folder of local copies "
            "(--data, FIRTH_DATA)"
        ) from error
    except OSError as error:  # what requests raises is one too
        raise DataError(
            f"{pinned.name} could not be downloaded from {pinned.url} ({_reason(error)}); connect to the network, "
            f"or pass a folder that holds {pinned.path} (--data, FIRTH_DATA)"
        ) from error
    verify(pinned, path)
    return path


def _reason(error: OSError) -> str:
    # requests wraps the cause in the reprs of its objects; the innermost sentence says what happened.
    cause: BaseException = error
    while cause.__cause__ or cause.__context__:
        cause = cause.__cause__ or cause.__context__ or cause
    return str(cause) or type(cause).__name__
