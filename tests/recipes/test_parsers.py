"""The recipe of parsers on made-up sentences."""

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, tmp_path):
    rows = recipe["main"](["--toy", "--results", str(tmp_path / "a.jsonl"), "--save", str(tmp_path / "models")])
    assert [row["model"] for row in rows] == ["transition", "biaffine"]
    assert all(row[tags]["uas"] > 80 for row in rows for tags in ("gold", "predicted"))
    assert [json.loads(line) for line in (tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()] == rows
    assert len(list((tmp_path / "models").iterdir())) == 2


def test_options_go_to_the_models_that_have_them(recipe):
    (row,) = recipe["main"](["--toy", "--models", "transition", "--epochs", "1", "--options", "beam=3", "layers=2"])
    assert row["options"] == {"beam": 3}


def test_the_first_file_trains_and_the_last_is_the_test(recipe, tmp_path):
    for name in ("x-ud-dev.conllu", "x-ud-train.conllu.gz"):
        (tmp_path / name).touch()
    assert [path.name for path in recipe["parts"](tmp_path)] == ["x-ud-train.conllu.gz", "x-ud-dev.conllu"]
    (tmp_path / "x-ud-dev.conllu").unlink()
    with pytest.raises(SystemExit, match="expected two or three"):
        recipe["parts"](tmp_path)


@pytest.mark.experiment
def test_ewt(recipe):
    """With gold tags: the transition parser 84 and 81, the biaffine parser 88.0 and 85.5."""
    folder = Path(os.environ.get("FIRTH_DATA", "-"), "dependencies", "UD_English-EWT")
    if not folder.exists():
        pytest.skip(f"needs {folder.name} below the folder FIRTH_DATA")
    rows = recipe["main"]([str(folder), "--precision", "bf16"])
    for row, (uas, las) in zip(rows, ((84, 81), (88, 85.5)), strict=True):
        assert row["gold"]["uas"] >= uas
        assert row["gold"]["las"] >= las
