"""Subwords through the installed command: training, questions, files of other programs, and files that are damaged."""

import json
import shutil
import struct
from pathlib import Path

import pytest

from tests.robustness.command import Command

TEXT = "\n".join(f"walker walking talker talking house{i % 7} mouse{i % 5} running runner" for i in range(300)) + "\n"
TRAIN = ("--dim", 12, "--buckets", 3000, "--sample", 0, "--threads", 1, "--quiet")


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    """A folder that holds vectors in firth's form and as fastText's model."""
    folder = tmp_path_factory.mktemp("subwords")
    command = Command(folder)
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    assert command("train", "fasttext", "text.txt", "-o", "v.firth", *TRAIN).status == 0
    assert command("convert", "v.firth", "v.bin", "--to", "fasttext").status == 0
    return folder


@pytest.fixture
def here(firth: Command, trained: Path) -> Command:
    shutil.copytree(trained / "v.firth", firth.folder / "v.firth")
    shutil.copy(trained / "v.bin", firth.folder)
    return firth


@pytest.mark.parametrize("vectors", ["v.firth", "v.bin"])
def test_questions_about_unseen_words(here: Command, vectors: str):
    near = json.loads(here("neighbours", vectors, "walkers", "-n", 3, "--json").out)
    assert near["query"] == "walkers"
    assert len(near["neighbours"]) == 3
    alike = json.loads(here("similarity", vectors, "walkers", "walker", "--json").out)
    assert alike["similarity"] > 0.5
    assert here("analogy", vectors, "walkers", "talkers", "walking").status == 0
    facts = json.loads(here("info", vectors, "--json").out)
    assert (facts["words"], facts["dim"], facts["ngrams"]["buckets"]) == (18, 12, 3000)


def test_a_word_of_unknown_letters(here: Command):
    assert here("neighbours", "v.firth", "щ").complaint.startswith("'щ' is not in the vocabulary")


def test_one_way_and_back(here: Command):
    """Model, folder, model: the same bytes; text takes the words alone."""
    assert here("convert", "v.bin", "w.firth").status == 0
    assert here("convert", "w.firth", "w.bin", "--to", "fasttext").status == 0
    assert (here.folder / "w.bin").read_bytes() == (here.folder / "v.bin").read_bytes()
    assert here("convert", "v.bin", "v.vec").status == 0
    assert (here.folder / "v.vec").read_text().splitlines()[0] == "18 12"


def test_tables_of_florets(here: Command):
    (here.folder / "text.txt").write_text(TEXT, encoding="utf-8")
    told = here("convert", "v.firth", "v.floret").complaint
    assert "hashed with fastText's method, which floret cannot read: train with hashing='floret'" in told
    assert not (here.folder / "v.floret").exists()
    options = ("--hashing", "floret", "--hash-count", 2)
    assert here("train", "fasttext", "text.txt", "-o", "f.firth", *TRAIN, *options).status == 0
    assert here("convert", "f.firth", "f.floret").status == 0
    assert (here.folder / "f.floret").read_text().startswith("3000 12 3 6 2 2166136261 < >\n0 ")
    assert here("info", "f.floret").status == 0
    assert "table of floret's" in here("convert", "f.firth", "f.bin", "--to", "fasttext").complaint


def test_going_on(here: Command):
    (here.folder / "text.txt").write_text(TEXT, encoding="utf-8")
    assert here("train", "fasttext", "text.txt", "-o", "w.firth", *TRAIN, "--start", "v.firth").status == 0
    told = here("train", "fasttext", "text.txt", "-o", "x.firth", *TRAIN, "--start", "v.firth", "--min-n", 2).complaint
    assert "use those of start" in told
    assert not (here.folder / "x.firth").exists()


def test_reversed_ranges_are_refused_before_any_work(firth: Command):
    (firth.folder / "text.txt").write_text(TEXT, encoding="utf-8")
    told = firth("train", "fasttext", "text.txt", "-o", "v.firth", "--quiet", "--min-n", 5, "--max-n", 4).complaint
    assert "--min-n 5, --max-n 4: expected max_n of at least min_n" in told
    assert [path.name for path in firth.folder.iterdir()] == ["text.txt"]


DAMAGES = {
    "cut in the matrix": (lambda whole: whole[:-100], "it is cut short or damaged"),
    "cut in the dictionary": (lambda whole: whole[:200], "cut short|ends in entry"),
    "the magic alone": (lambda whole: whole[:4], "it is cut short or damaged"),
    "another version": (lambda whole: whole[:4] + struct.pack("<i", 13) + whole[8:], "version 13 .* expected 11 or 12"),
    "a dictionary of two thousand million": (
        lambda whole: whole[:64] + struct.pack("<3i", 2**31 - 2, 2**31 - 2, 0) + whole[76:],
        "a dictionary of 2,147,483,646 entries would take",
    ),
    "more words than entries": (lambda whole: whole[:68] + struct.pack("<i", 19) + whole[72:], "expected words and"),
    "other buckets": (lambda whole: whole[:40] + struct.pack("<i", 2999) + whole[44:], "expected 3,017"),
    "more behind the end": (lambda whole: whole + b"more", "4 bytes after the output matrix"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_models(here: Command, damage: str):
    """One sentence; where a count is too large, no more memory than the file has bytes: the process may have 3 GB."""
    import re
    import resource

    do, told = DAMAGES[damage]
    path = here.folder / "bad.bin"
    path.write_bytes(do((here.folder / "v.bin").read_bytes()))
    limit = 3 * 2**30
    large = damage in ("a dictionary of two thousand million", "other buckets")
    before = (lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))) if large else None
    ended = here("info", "bad.bin", before=before, real=large)
    assert re.search(told, ended.complaint), ended.complaint
    assert "bad.bin" in ended.complaint
    here("convert", "bad.bin", "out.firth")
    assert not (here.folder / "out.firth").exists()
