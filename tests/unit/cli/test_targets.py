"""A trained model at the output is not replaced unless the user asks for it."""

from pathlib import Path

import numpy as np
import pytest

import firth

VECTORS = "3 2\na 1 0\nb 0 1\nc 1 1\n"
CBOW = ["train", "cbow", "text.txt", "--dim", 4, "--epochs", 1, "--threads", 1, "-q"]


def content(path: Path) -> dict[str, bytes]:
    """The files of a folder or of a file, by name."""
    files = path.rglob("*") if path.is_dir() else [path]
    return {file.name: file.read_bytes() for file in files if file.is_file()}


@pytest.fixture(autouse=True)
def inputs(tmp_path):
    (tmp_path / "text.txt").write_text("a b c d e f\n" * 50, encoding="utf-8")
    (tmp_path / "labels.txt").write_text("__label__x a b c\n__label__y d e f\n" * 5, encoding="utf-8")
    (tmp_path / "other.vec").write_text(VECTORS, encoding="utf-8")
    firth.WordVectors(["a", "b"], np.eye(2, dtype=np.float32)).save(tmp_path / "trained")
    firth.WordVectors(["a", "b"], np.eye(2, dtype=np.float32)).save(tmp_path / "trained.vec")
    firth.Subwords.train(["a b c"], 260).save(tmp_path / "trained.json")


@pytest.mark.parametrize(
    ("line", "output"),
    [
        (CBOW, "trained"),
        (CBOW, "trained.vec"),
        (["postprocess", "other.vec", "centre"], "trained"),
        (["quantise", "other.vec"], "trained"),
        (["axis", "other.vec", "--poles", "a:b"], "trained.vec"),
        (["debias", "other.vec"], "trained"),
        (["lm", "train", "kneser-ney", "text.txt"], "trained"),
        (["subwords", "train", "text.txt", "--size", 258], "trained.json"),
        (["align", "other.vec", "other.vec", "--unsupervised"], "trained"),
        (["split-senses", "other.vec"], "trained"),
        (["translate", "candidates", "model", "pairs.tsv"], "trained"),
        (["lm", "mix", "a", "b", "--held-out", "text.txt"], "trained"),
    ],
    ids=lambda value: " ".join(map(str, value[:2])) if isinstance(value, list) else value,
)
def test_a_trained_model_is_not_replaced(run, tmp_path, line, output):
    before = content(tmp_path / output)
    status, _, err = run(*line, "-o", output)
    assert status == 1
    assert err == f"firth: {output} holds a trained model; expected a new name, or --overwrite to replace it\n"
    assert content(tmp_path / output) == before


@pytest.mark.parametrize("target", ["trained", "trained.vec"])
def test_a_conversion_replaces_no_model(run, tmp_path, target):
    before = content(tmp_path / target)
    status, _, err = run("convert", "other.vec", target)
    assert status == 1
    assert "--overwrite" in err
    assert content(tmp_path / target) == before
    assert run("convert", "other.vec", target, "--overwrite")[0] == 0
    assert len(firth.load(tmp_path / target)) == 3


def test_overwrite_replaces_a_model(run, tmp_path):
    assert run(*CBOW, "-o", "trained", "--overwrite")[0] == 0
    assert firth.load(tmp_path / "trained").dim == 4


def test_a_classifier_is_not_replaced(run, tmp_path):
    line = ["classify", "train", "labels.txt", "--epochs", 1, "--threads", 1, "-q"]
    for output in ("kinds", "kinds.bin"):
        assert run(*line, "-o", output)[0] == 0
        before = content(tmp_path / output)
        status, _, err = run(*line, "--dim", 3, "-o", output)
        assert status == 1
        assert "--overwrite" in err
        assert content(tmp_path / output) == before
        assert run(*line, "--dim", 3, "-o", output, "--overwrite")[0] == 0


def test_an_empty_folder_or_file_is_no_model(run, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.vec").touch()
    assert run(*CBOW, "-o", "empty")[0] == 0
    assert run(*CBOW, "-o", "empty.vec")[0] == 0


def test_a_training_that_goes_on_replaces_what_it_saved(run, tmp_path):
    line = [*CBOW, "-o", "new", "--checkpoint", "states"]
    assert run(*line)[0] == 0
    first = firth.load(tmp_path / "new").vectors.copy()
    assert run(*line)[0] == 0
    np.testing.assert_array_equal(firth.load(tmp_path / "new").vectors, first)
    status, _, err = run(*CBOW, "-o", "new", "--checkpoint", "empty")
    assert status == 1
    assert "--overwrite" in err
