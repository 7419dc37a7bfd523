"""Documents through the installed command: training, questions, other formats, and what goes wrong."""

import json
import shutil
from pathlib import Path

import pytest

import firth as library
from tests.robustness.command import Command

PETS, TRADE = "the cat and the dog sleep on the sofa", "oil prices and the market fell on Monday"
TEXT = "\n".join(PETS if i % 2 else TRADE for i in range(200)) + "\n"


@pytest.fixture(scope="module")
def trained(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    command = Command(folder)
    (folder / "text.txt").write_text(TEXT, encoding="utf-8")
    how = ["--architecture", "dbow", "--dim", 10, "--epochs", 20, "--sample", 0, "--threads", 1]
    ended = command("train", "paragraph", "text.txt", "-o", "docs", *how)
    assert ended.status == 0, ended.err
    assert ended.out.startswith("docs: 200 documents x 10")
    return folder


@pytest.fixture
def here(firth: Command, trained: Path) -> Command:
    shutil.copytree(trained / "docs", firth.folder / "docs")
    return firth


def test_questions(here: Command):
    near = json.loads(here("neighbours", "docs", "1", "-n", 5, "--json").out)
    assert {int(answer["word"]) % 2 for answer in near["neighbours"]} == {1}
    assert json.loads(here("similarity", "docs", "1", "3", "--json").out)["similarity"] > 0.9
    facts = json.loads(here("info", "docs", "--json").out)
    assert (facts["kind"], facts["entries"], facts["dim"]) == ("document vectors", 200, 10)


def test_documents_as_a_file_of_word_vectors(here: Command):
    assert here("convert", "docs", "docs.txt").status == 0
    documents = library.load(here.folder / "docs")
    written = library.load(here.folder / "docs.txt")
    assert written.words == [str(i) for i in range(200)]
    assert written.vectors == pytest.approx(documents.vectors, abs=1e-6)


def test_a_copy_still_infers(here: Command):
    assert "200 documents x 10, as firth" in here("convert", "docs", "copy").err
    text = [["the", "dog", "sleeps"]]
    one, other = (library.load(here.folder / name).infer(text) for name in ("docs", "copy"))
    assert (one == other).all()
    assert here("convert", "docs", "half", "--dtype", "float16").complaint.startswith(
        "--dtype float16: document vectors"
    )
    assert not (here.folder / "half").exists()


def test_what_is_not_there(here: Command):
    assert here("neighbours", "docs", "200").complaint.startswith("'200' is not in the vocabulary")
    assert "docs" in here("evaluate", "docs", "--suite", "similarity").complaint


def test_a_damaged_folder(here: Command):
    model = here.folder / "docs" / "model.safetensors"
    model.write_bytes(model.read_bytes()[:-100])
    assert "docs" in here("neighbours", "docs", "1").complaint


def test_a_combination_that_is_none(firth: Command):
    (firth.folder / "text.txt").write_text(TEXT, encoding="utf-8")
    complaint = firth("train", "paragraph", "text.txt", "-o", "docs", "--words").complaint
    assert complaint.startswith("--words: dm always trains word vectors")
    assert not (firth.folder / "docs").exists()
