"""Downloads with a checksum. One that breaks off continues where it stopped, in this process or in a later one.

The received part is kept beside the target, in a file whose name ends in `.part`, until the content is complete and
has the pinned SHA-256.
"""

import contextlib
import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from firth.data.sets import DataSet
from firth.errors import DataError
from firth.progress import Progress, Report, Status, reporting
from firth.storage.files import replacing_file
from firth.storage.user_files import naming

fcntl: Any
try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

TIMEOUT = 30.0  # seconds without an answer of the server
ATTEMPTS = 3  # connections for one file; each continues where the one before broke off
PART = ".part"
_CHUNK = 1 << 16  # bytes
_PARTIAL, _NOT_SATISFIABLE = 206, 416  # status codes of HTTP


def download(data_set: DataSet, target: Path, progress: Progress = False) -> None:
    """Download the file of a data set.

    Args:
        data_set: its address, size and checksum.
        target: the file to write; its folder is made if it is missing.
        progress: as everywhere; see `firth.progress`.

    Raises:
        DataError: the server does not answer, or the content is not the pinned one.
        OSError: the file cannot be written.
    """
    part = target.with_name(target.name + PART)
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        with naming(part), part.open("a+b") as file, _locked(file), reporting(progress) as report:
            if target.is_file():  # another process has written it while this one waited for the lock
                return
            _fetch(data_set, file, report)
            file.seek(0)  # not through the name, which another process may have removed since this one opened it
            content = file.read()
            complete = hashlib.sha256(content).hexdigest() == data_set.sha256
            if complete:
                with replacing_file(target) as copy:
                    copy.write(content)
    finally:
        with contextlib.suppress(FileNotFoundError):
            if not part.stat().st_size:
                part.unlink()
    part.unlink(missing_ok=True)
    if not complete:
        raise DataError(
            f"what {data_set.url} gave is not the pinned {data_set.name} ({data_set.rows:,} rows, sha256 "
            f"{data_set.sha256}): truncated or altered on the way; it was not kept: try again, or pass a folder of "
            "local copies (--data, FIRTH_DATA)"
        )


def _fetch(data_set: DataSet, file: BinaryIO, report: Report) -> None:
    """Append the missing part of a file, in up to `ATTEMPTS` connections."""
    import requests  # takes 50 ms to import, and only a download needs it
    from urllib3.exceptions import HTTPError

    for attempt in range(ATTEMPTS):
        try:
            _append(data_set, file, report)
            return
        except (requests.RequestException, HTTPError) as error:
            if attempt == ATTEMPTS - 1 or isinstance(error, requests.HTTPError):
                done = file.tell()
                again = f" after {done:,} of {data_set.bytes:,} bytes; the next attempt goes on there" if done else ""
                raise DataError(
                    f"{data_set.name} could not be downloaded from {data_set.url}{again} ({_reason(error)}); connect "
                    f"to the network, or pass a folder that holds {data_set.path} (--data, FIRTH_DATA)"
                ) from error


def _append(data_set: DataSet, file: BinaryIO, report: Report) -> None:
    import requests

    done = file.seek(0, os.SEEK_END)
    if done >= data_set.bytes:
        return
    # Bytes of a packed answer could not be counted from the middle of the file.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={done}-"} if done else {})
    began = time.monotonic()
    with requests.get(data_set.url, headers=headers, stream=True, timeout=TIMEOUT) as answer:
        if answer.status_code == _NOT_SATISFIABLE:  # the server has less than has arrived: the checksum decides
            return
        answer.raise_for_status()
        if answer.status_code != _PARTIAL:  # the server sends the whole file
            file.truncate(0)
        for chunk in answer.raw.stream(_CHUNK, decode_content=False):  # iter_content drops what comes before a break
            file.write(chunk)
            done = file.tell()
            seconds = time.monotonic() - began
            report(Status(stage=data_set.name, done=done, total=data_set.bytes, unit="bytes", seconds=seconds))
    file.flush()


@contextlib.contextmanager
def _locked(file: BinaryIO) -> Iterator[None]:
    """Wait until no other process writes to a file, where the system has locks."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # the file system has no locks
            fcntl.flock(file, fcntl.LOCK_EX)
    yield


def _reason(error: BaseException) -> str:
    # requests wraps the cause in reprs of its objects; the innermost message is readable.
    cause = error
    while cause.__cause__ or cause.__context__:
        cause = cause.__cause__ or cause.__context__ or cause
    return str(cause) or type(cause).__name__
