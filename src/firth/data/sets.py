"""The named data sets, read from the table `sets.tsv` beside this file."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """One public file with a pinned content.

    Attributes:
        name: name of the data set.
        kind: the suite of `firth.evaluate` that uses it, such as "similarity". Other kinds: "beside" for a file that
            only accompanies another, "antonyms" for labelled pairs of `firth.relations`, "bias" for lists of
            `firth.bias`, "language" for text of `firth.language`, "sense-induction" for the key and the contexts of
            `firth.evaluation.score_sense_induction`.
        path: relative path in a folder of local copies.
        url: download address, of a commit that cannot change.
        sha256: SHA-256 of the uncompressed file, in hex.
        rows: number of lines that are not empty.
        bytes: size of the uncompressed file.
        licence: the licence stated by the authors or the host.
        citation: the publication to cite.
        beside: names of the data sets whose files accompany this one.
    """

    name: str
    kind: str
    path: str
    url: str
    sha256: str
    rows: int
    bytes: int
    licence: str
    citation: str
    beside: tuple[str, ...] = ()


def _read() -> dict[str, DataSet]:
    with Path(__file__).with_name("sets.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    fields: list[dict[str, Any]] = [
        {**row, "rows": int(row["rows"]), "bytes": int(row["bytes"]), "beside": tuple(row["beside"].split())}
        for row in rows
    ]
    return {row["name"]: DataSet(**row) for row in fields}


SETS: Mapping[str, DataSet] = _read()
