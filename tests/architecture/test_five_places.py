"""A new family is its own file and one export: the command line, progress, checkpoints and files find it there.

The other three places (its test file, a line in README, a golden case) say nothing to the program.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import firth
from tests.robustness.command import sentences

HERE = Path(__file__).resolve().parent
EXPORT = "from firth.embeddings.toy import Toy as Toy\n"


def with_toy(folder):
    """A copy of the package with one more file and one more export."""
    package = folder / "firth"
    shutil.copytree(Path(firth.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(HERE / "toy_family.py", package / "embeddings" / "toy.py")
    with (package / "__init__.pyi").open("a", encoding="utf-8") as stub:
        stub.write(EXPORT)


def test_a_new_family_trains_from_the_command_line(tmp_path):
    with_toy(tmp_path)
    (tmp_path / "text.txt").write_text(sentences(400), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "FIRTH_CACHE": str(tmp_path / "cache"), "COLUMNS": "160"}

    def run(*arguments):
        command = [sys.executable, "-m", "firth", *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert re.search(
        r"--toy-lr .*Learning rate, which stays\. +Default: +0\.05", " ".join(run("train", "toy", "-h").split())
    )
    told = json.loads(
        run("train", "toy", "text.txt", "-o", "toy.firth", "--dim", "8", "--toy-lr", "0.1", "--epochs", "20",
            "--checkpoint", "state", "--json", "-q")
    )  # fmt: skip
    assert told["loss"][-1] < told["loss"][0] < 6 * 0.6932
    assert (tmp_path / "state").is_dir()
    config = json.loads((tmp_path / "toy.firth" / "config.json").read_text(encoding="utf-8"))
    assert config["metadata"]["training"]["options"]["model"] == "toy"
    assert json.loads(run("info", "toy.firth", "--json"))["words"] == 26
    word = json.loads((tmp_path / "toy.firth" / "vocab.json").read_text(encoding="utf-8"))[0]
    assert len(json.loads(run("neighbours", "toy.firth", word, "--json"))["neighbours"]) == 10
