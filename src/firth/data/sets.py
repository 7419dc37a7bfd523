"""The named data sets, read from the table `sets.tsv` beside this file."""

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from firth.data.data_set import DataSet


def _read() -> dict[str, DataSet]:
    with Path(__file__).with_name("sets.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    fields: list[dict[str, Any]] = [
        {**row, "rows": int(row["rows"]), "bytes": int(row["bytes"]), "beside": tuple(row["beside"].split())}
        for row in rows
    ]
    return {row["name"]: DataSet(**row) for row in fields}


SETS: Mapping[str, DataSet] = _read()
