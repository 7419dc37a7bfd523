"""Named public data sets with pinned contents: path, checksum, number of rows, licence and citation.

A truncated gold file still gives a score, often a better one. Therefore a file is used only if it has the pinned
SHA-256 and number of rows, whether it was downloaded or is a local copy.

`path_of("simlex-999")` returns a file:

- from the folder `data`, or else the folder in the environment variable FIRTH_DATA, at the relative path of the data
  set (`similarity/EN-SIMLEX-999.txt`), plain or compressed with gzip (`EN-SIMLEX-999.txt.gz`);
- without such a folder, from the cache folder (FIRTH_CACHE, or the system's cache folder), downloaded once.

`firth.data.sets` reads the list of data sets from `sets.tsv`.
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

TIMEOUT = 30.0  # seconds without an answer of the server


def path_of(name: str, data: str | os.PathLike[str] | None = None) -> Path:
    """Return the verified file of a named data set; it is downloaded if there is no folder of local copies.

    Args:
        name: a key of `SETS`.
        data: folder of local copies; by default the environment variable FIRTH_DATA.

    Raises:
        DataError: the name is unknown, the folder lacks the file, the download fails, or the content differs.
    """
    if name not in SETS:
        raise DataError(f"no data set is called {name!r}; expected one of {', '.join(SETS)}")
    folder = data or os.environ.get("FIRTH_DATA")
    for pinned in (*(SETS[other] for other in SETS[name].beside), SETS[name]):
        path = _local(pinned, Path(folder)) if folder else _downloaded(pinned)
    return path


def verify(pinned: DataSet, path: Path) -> None:
    """Check that a file has the pinned content.

    Args:
        pinned: the data set.
        path: the file.

    Raises:
        DataError: its SHA-256 or its number of rows differs.
        FormatError: it is compressed and damaged.
    """
    content = unpacked(path)
    rows = sum(1 for line in content.splitlines() if line.strip())
    digest = hashlib.sha256(content).hexdigest()
    if rows != pinned.rows:
        raise DataError(
            f"{path}: {rows:,} rows, expected {pinned.rows:,} of {pinned.name}: truncated or altered; {_cure(pinned)}"
        )
    if digest != pinned.sha256:
        raise DataError(f"{path}: sha256 {digest}, expected {pinned.sha256} of {pinned.name}: altered; {_cure(pinned)}")


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
    except ValueError as error:  # pooch: the checksum differs
        raise DataError(
            f"what {pinned.url} gave is not the pinned {pinned.name} ({pinned.rows:,} rows, sha256 {pinned.sha256}): "
            "truncated or altered on the way; it was not kept: try again, or pass a folder of local copies "
            "(--data, FIRTH_DATA)"
        ) from error
    except OSError as error:  # includes the errors of requests
        raise DataError(
            f"{pinned.name} could not be downloaded from {pinned.url} ({_reason(error)}); connect to the network, "
            f"or pass a folder that holds {pinned.path} (--data, FIRTH_DATA)"
        ) from error
    verify(pinned, path)
    return path


def _reason(error: OSError) -> str:
    # requests wraps the cause in reprs of its objects; the innermost message is readable.
    cause: BaseException = error
    while cause.__cause__ or cause.__context__:
        cause = cause.__cause__ or cause.__context__ or cause
    return str(cause) or type(cause).__name__
