"""Names of files that are no text, or look like something else."""

import json
import os
import sys

import pytest

import firth as library
from tests.robustness.command import Command

NO_TEXT = os.fsdecode(b"caf\xe9\nau lait")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take only names that are text")
def test_a_name_that_is_no_utf_8(firth: Command):
    """Nothing of a training is lost for it: vectors, figures and pages are written, shown and read."""
    (firth.folder / f"{NO_TEXT}.txt").write_text(
        "the cat sat on the mat\nthe dog sat on the log\n" * 20, encoding="utf-8"
    )
    ended = firth("train", "lsa", f"{NO_TEXT}.txt", "--dim", 2, "-o", NO_TEXT, "-q", "--json")
    assert ended.status == 0, ended.err
    assert json.loads(ended.out)["vectors"] == NO_TEXT
    assert library.load(firth.folder / NO_TEXT).metadata["name"] == NO_TEXT
    assert json.loads(firth("info", NO_TEXT, "--json").out)["path"] == NO_TEXT
    assert firth("convert", NO_TEXT, f"{NO_TEXT}.vec").status == 0
    (firth.folder / f"{NO_TEXT}.tsv").write_text("cat\tdog\t9\nmat\tlog\t5\nsat\tthe\t1\n", encoding="utf-8")
    compared = firth("compare", f"{NO_TEXT}.txt", "--models", "lsa", "--dim", 2, "--similarity", f"{NO_TEXT}.tsv",
                     "-o", f"{NO_TEXT}.run", "-q")  # fmt: skip
    assert compared.status == 0, compared.err
    assert firth("plot", "map", NO_TEXT, "cat", "dog", "mat", "-o", f"{NO_TEXT}.html").status == 0
