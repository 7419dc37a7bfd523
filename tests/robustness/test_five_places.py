"""A new family is its own file and one export: the command line, progress, checkpoints and files find it there.

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
EXPORT = "from firth.embeddings.toy import Toy as Toy\n"


def with_toy(folder):
    """A copy of the package with one more file and one more export; compiled kernels come along."""
    package = folder / "firth"
    shutil.copytree(Path(firth.__file__).parent, package)
    shutil.copy(HERE / "toy_family.py", package / "embeddings" / "toy.py")
    with (package / "__init__.pyi").open("a", encoding="utf-8") as stub:
        stub.write(EXPORT)


@pytest.mark.slow  # some ten seconds of compiling
def test_a_new_family_trains_from_the_command_line(tmp_path):
    with_toy(tmp_path)
    (tmp_path / "text.txt").write_text(sentences(400), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "FIRTH_CACHE": str(tmp_path / "cache"), "COLUMNS": "160"}

    commands = [
        "train toy -h",
        "train toy text.txt -o toy.firth --dim 8 --toy-lr 0.1 --epochs 20 --checkpoint state --json -q",
        "info toy.firth --json",
        "neighbours toy.firth aaa --json",
    ]
    done = subprocess.run(
        [sys.executable, "-c", RUN, *commands],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    help_, trained, info, neighbours = done.stdout.split(END)[:-1]
    assert re.search(r"--toy-lr .*Learning rate, which stays\. +Default: +0\.05", " ".join(help_.split()))
    loss = json.loads(trained)["loss"]
    assert loss[-1] < loss[0] < 6 * 0.6932
    assert (tmp_path / "state").is_dir()
    config = json.loads((tmp_path / "toy.firth" / "config.json").read_text(encoding="utf-8"))
    assert config["metadata"]["training"]["options"]["model"] == "toy"
    assert json.loads(info)["words"] == 26
    assert len(json.loads(neighbours)["neighbours"]) == 10
