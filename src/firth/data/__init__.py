"""Named public data sets with pinned contents, and a sample text that every installation can make.

A truncated gold file still gives a score, often a better one. Therefore a file is used only if it has the pinned
SHA-256 and number of rows, whether it was downloaded or is a local copy.

`path_of("simlex-999")` returns a file:

- from the folder `data`, or else the folder in the environment variable FIRTH_DATA, at the relative path of the data
  set (`similarity/EN-SIMLEX-999.txt`), plain or compressed with gzip (`EN-SIMLEX-999.txt.gz`);
- without such a folder, from the cache folder (FIRTH_CACHE, or the system's cache folder), downloaded once.

`get("simlex-999", "gold")` copies the file to a folder. `get("sample", "texts")` writes the sample text, Python's own
documentation; `sample()` returns it. `SETS` describes all data sets; `firth.data.sets` reads it from `sets.tsv`.
"""

import contextlib
import hashlib
import os
from pathlib import Path

from firth.arguments import names_files
from firth.data.downloads import download
from firth.data.sample_text import sample, write_once, write_sample
from firth.data.sets import SETS, DataSet
from firth.errors import DataError, FirthError, OptionError
from firth.hints import table
from firth.progress import Progress
from firth.storage.encodings import published
from firth.storage.files import cache_folder, unpacked

__all__ = ["SAMPLE", "SETS", "DataSet", "get", "path_of", "paths_of", "sample", "verify"]

SAMPLE = "sample"  # the name of the sample text


@names_files
def get(
    name: str,
    output: str | os.PathLike[str] = "",
    *,
    words: int | None = None,
    data: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> list[Path]:
    """Write a data set, or the sample text, to a folder.

    The folder keeps the relative paths of the data sets, so that it can be passed as `data`.

    Args:
        name: "sample" for the sample text, or a key of `SETS`.
        output: the folder; it is made if it is missing.
        words: about how many words of the sample text; by default all.
        data: folder of local copies; by default the environment variable FIRTH_DATA.
        progress: as in `path_of`.

    Returns:
        The files. The last one is the data set's; those before accompany it.

    Raises:
        DataError: as in `path_of`.
        OptionError: `output` is missing, `words` is given for another data set than the sample, or a file of this name
            is there and holds something else.
        OSError: the files cannot be written.
    """
    if not os.fspath(output):
        if name != SAMPLE:
            _with_companions(name)  # which says that there is no such data set
        raise OptionError(
            f"get({name!r}): the folder to write is missing: get({name!r}, 'texts'); path_of(name) names the file of a "
            "data set, and sample() returns the sample text"
        )
    if name == SAMPLE:
        return write_sample(output, words)
    if words is not None:
        raise OptionError(f"words={words}: only the sample text can be shortened; leave it out for {name}")
    files = []
    for data_set in _with_companions(name):
        content = unpacked(path_of(data_set.name, data, progress=progress))
        files.append(Path(output) / data_set.path)
        write_once(files[-1], content)
    return files


def path_of(name: str, data: str | os.PathLike[str] | None = None, *, progress: Progress = False) -> Path:
    """Return the verified file of a named data set; it is downloaded if there is no folder of local copies.

    Args:
        name: a key of `SETS`.
        data: folder of local copies; by default the environment variable FIRTH_DATA.
        progress: whether a download shows its progress: False for never, None on a terminal only, True always, or a
            function that receives each `firth.progress.Status`.

    Raises:
        DataError: the name is unknown, the folder lacks the file, the download fails, or the content differs.
    """
    return paths_of(name, data, progress=progress)[-1]


def paths_of(name: str, data: str | os.PathLike[str] | None = None, *, progress: Progress = False) -> list[Path]:
    """Return the verified files of a named data set: those that accompany it, then its own; see `path_of`.

    Args:
        name: a key of `SETS`.
        data: folder of local copies; by default the environment variable FIRTH_DATA.
        progress: as in `path_of`.

    Raises:
        DataError: as in `path_of`.
    """
    folder = data or os.environ.get("FIRTH_DATA")
    files = [
        _local(data_set, Path(folder)) if folder else _downloaded(data_set, progress)
        for data_set in _with_companions(name)
    ]
    published.update(map(str, files))
    return files


def is_here(name: str) -> bool:
    """Return whether a named data set is on this machine, so that `path_of` downloads nothing."""
    folder = os.environ.get("FIRTH_DATA")
    return bool(folder) or all((cache_folder("data") / dataset.path).is_file() for dataset in _with_companions(name))


@names_files
def verify(pinned: DataSet, path: Path) -> None:
    """Check that a file has the pinned content.

    Raises:
        DataError: its SHA-256 or its number of rows differs.
        FormatError: it is compressed and damaged.
    """
    content = unpacked(path)
    rows = sum(1 for line in content.splitlines() if line.strip())
    digest = hashlib.sha256(content).hexdigest()
    if rows != pinned.rows:
        raise DataError(
            f"{path}: {rows:,} rows, expected {pinned.rows:,} of {pinned.name}: truncated or altered; {_advice(pinned)}"
        )
    if digest != pinned.sha256:
        raise DataError(
            f"{path}: sha256 {digest}, expected {pinned.sha256} of {pinned.name}: altered; {_advice(pinned)}"
        )


def _with_companions(name: str) -> list[DataSet]:
    """The files that accompany a data set, and the data set itself."""
    if name not in SETS:
        sample_text = "the sample text is not a file: firth data get sample -o FOLDER writes it; " * (name == SAMPLE)
        own = table("datasets").get(name.lower(), [""])[0]
        raise DataError(f"no data set is called {name!r}; {own}{sample_text}expected one of {', '.join(SETS)}")
    return [*(SETS[other] for other in SETS[name].beside), SETS[name]]


def _advice(pinned: DataSet) -> str:
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


def _downloaded(pinned: DataSet, progress: Progress) -> Path:
    path = cache_folder("data") / pinned.path
    if path.is_file():
        with contextlib.suppress(FirthError):
            verify(pinned, path)
            return path
        path.unlink()  # damaged
    download(pinned, path, progress)
    verify(pinned, path)
    return path
