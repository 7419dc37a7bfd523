"""Parts of the page that need no browser, run by Node.js."""

import csv
import io
import json
import shutil
import subprocess
from importlib.resources import files

import pytest

NODE = shutil.which("node")


def javascript(program, value):
    """What a program of modules of the page makes of a value."""
    page = files("firth.explorer") / "page"
    program = f"import fs from 'node:fs'; const given = JSON.parse(fs.readFileSync(0)); {program}"
    ended = subprocess.run(
        [NODE, "--input-type=module", "--no-warnings", "--eval", program.replace("PAGE", (page / "x").as_uri()[:-2])],
        input=json.dumps(value).encode(), capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    return ended.stdout.decode()


FORMULAS = [
    "=1+1",
    '=HYPERLINK("http://x")',
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1",
    "-",
    "=",
    "+a",
    "\uff1d1",
    "--5",
]
TEXTS = ["a", "a=1", "'=1", 'say "x"', "a,b", "a;=1", "a\nb", "", "1", "-0.5", "+3", ".5", "-1e-5", "e", "\u2212x"]


@pytest.mark.skipif(NODE is None, reason="Node.js is not installed: install Debian's package nodejs")
def test_no_cell_of_a_table_is_a_formula():
    """A text that begins like one gets an apostrophe; numbers stay numbers."""
    rows = [[text, -0.5, n] for n, text in enumerate([*FORMULAS, *TEXTS])]
    written = javascript("import {table} from 'PAGE/csv.js'; process.stdout.write(table(given))", rows)
    read = list(csv.reader(io.StringIO(written, newline="")))
    assert [row[0] for row in read] == [f"'{text}" for text in FORMULAS] + TEXTS
    assert {row[1] for row in read} == {"-0.5"}
    assert [int(row[2]) for row in read] == list(range(len(rows)))
    assert '"a;=1"' in written  # where the semicolon separates cells
