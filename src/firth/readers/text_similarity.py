"""Semantic textual similarity (STS): pairs of sentences with scores, in one file or in one file per part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from firth.arguments import names_files
from firth.errors import FormatError
from firth.readers.lines import PathLike
from firth.readers.sentence_pairs import SentencePairs, joined, read_file


@dataclass(frozen=True, eq=False)
class TextSimilarity:
    """Scored pairs of sentences.

    Attributes:
        parts: the rows of each part by name, such as "headlines"; empty for a set without parts.
    """

    pairs: SentencePairs
    parts: Mapping[str, slice]


@names_files
def read_text_similarity(path: PathLike | Sequence[PathLike]) -> TextSimilarity:
    """Read scored pairs of sentences; see `read_sentence_pairs` for the layout of a file.

    Args:
        path: a file; several files, each a part; or a folder, whose parts are the files `*.test.tsv`, or else all files
            `*.tsv`, `*.csv` and `*.jsonl`. A part has the name of its file up to the first dot.
    """
    files = _files(path)
    pairs = [read_file(file, None) for file in files]
    for file, one in zip(files, pairs, strict=True):
        if one.scores is None:
            raise FormatError(f"{file}: pairs with labels such as {(one.labels or [''])[0]!r}, expected scores")
    parts, start = {}, 0
    for file, one in zip(files, pairs, strict=True):
        parts[file.name.partition(".")[0]] = slice(start, start + len(one))
        start += len(one)
    return TextSimilarity(joined(pairs, files[0].parent), parts if len(files) > 1 else {})


def _files(path: PathLike | Sequence[PathLike]) -> list[Path]:
    if isinstance(path, Sequence) and not isinstance(path, str):
        return [Path(one) for one in path] if len(path) != 1 else _files(path[0])
    folder = Path(path)
    if not folder.is_dir():
        return [folder]
    files = sorted(folder.glob("*.test.tsv")) or sorted(
        file for file in folder.iterdir() if file.name.removesuffix(".gz").endswith((".tsv", ".csv", ".jsonl"))
    )
    if not files:
        raise FormatError(f"{folder}: no file of pairs, expected some .tsv, .csv or .jsonl")
    return files
