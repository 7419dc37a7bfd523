"""A new model is its own file and one export: the command line, progress, checkpoints and files find it there.

The other three places (its test file, a line in docs/README, a golden case) say nothing to the program. The test stands
late in the order of the tests: its copy of the package then brings along kernels that earlier tests have compiled.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import firth
from tests.robustness.command import sentences

HERE = Path(__file__).resolve().parent
END = "=== end of a command"
RUN = f"""
import sys
from firth.cli.app import main
for line in sys.argv[1:]:
    sys.argv = ["firth", *line.split()]
    try:
        main()
    except SystemExit as end:
        assert not end.code, (line, end.code)
    print({END!r})
"""  # every command in one process, for the imports take longer than the work
WORDS, LABELS = "embeddings/toy.py", "neural/models/classification/toy.py"


def copied(folder, source, target, class_name):
    """Make a copy of the package with one more file and one more export; compiled kernels come along."""
    package = folder / "firth"
    shutil.copytree(Path(firth.__file__).parent, package)
    shutil.copy(HERE / source, package / target)
    module = target.removesuffix(".py").replace("/", ".")
    with (package / "__init__.pyi").open("a", encoding="utf-8") as stub:
        stub.write(f"from firth.{module} import {class_name} as {class_name}\n")


def run(folder, *commands):
    """Return what each command prints."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "FIRTH_CACHE": str(folder / "cache"), "COLUMNS": "160"}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *commands], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(END)[:-1]


@pytest.mark.slow  # some ten seconds of compiling
def test_a_new_word_model_trains_from_the_command_line(tmp_path):
    copied(tmp_path, "toy_word_model.py", WORDS, "Toy")
    (tmp_path / "text.txt").write_text(sentences(400), encoding="utf-8")
    help_, trained, info, neighbours = run(
        tmp_path,
        "train toy -h",
        "train toy text.txt -o toy.firth --dim 8 --toy-lr 0.1 --epochs 20 --checkpoint state --json -q",
        "info toy.firth --json",
        "neighbours toy.firth aaa --json",
    )
    assert re.search(r"--toy-lr .*Learning rate, which stays\. +Default: +0\.05", " ".join(help_.split()))
    loss = json.loads(trained)["loss"]
    assert loss[-1] < loss[0] < 6 * 0.6932
    assert (tmp_path / "state").is_dir()
    config = json.loads((tmp_path / "toy.firth" / "config.json").read_text(encoding="utf-8"))
    assert config["metadata"]["training"]["options"]["model"] == "toy"
    assert json.loads(info)["words"] == 26
    assert len(json.loads(neighbours)["neighbours"]) == 10


@pytest.mark.slow  # copies the package and imports PyTorch anew
def test_a_new_classifier_trains_from_the_command_line(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    copied(tmp_path, "toy_classifier.py", LABELS, "ToyClassifier")
    rows = [("good", "a fine day"), ("good", "such fine words"), ("bad", "a poor day"), ("bad", "such poor words")]
    (tmp_path / "texts.txt").write_text(
        "".join(f"__label__{label} {text}\n" for label, text in rows * 10), encoding="utf-8"
    )
    (tmp_path / "new.txt").write_text("fine words\npoor words\n", encoding="utf-8")
    help_, _, info, predicted, tested = run(
        tmp_path,
        "classify train --model toy -h",
        "classify train texts.txt --model toy -o toy.firth --dim 4 --checkpoint state --json -q",
        "info toy.firth --json",
        "classify predict toy.firth new.txt --json",
        "classify test toy.firth texts.txt --json",
    )
    assert "toy width of word vectors" in " ".join(help_.split()).lower()
    assert (tmp_path / "state").is_dir()
    config = json.loads((tmp_path / "toy.firth" / "config.json").read_text(encoding="utf-8"))
    assert (config["model"], config["options"]["dim"]) == ("ToyClassifier", 4)
    assert (json.loads(info)["kind"], json.loads(info)["dim"]) == ("neural classifier", 4)
    assert [json.loads(line)["labels"][0]["label"] for line in predicted.split("\n") if line] == ["good", "bad"]
    assert json.loads(tested)["precision"] == 1
