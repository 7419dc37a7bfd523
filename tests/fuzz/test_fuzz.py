"""Damaged files of every reader: no crash, no traceback, no hang, no wrong answer from firth's own binary formats."""

import json
import os
import subprocess

import pytest

from tests import fork_server
from tests.fuzz.readers import READERS

NAMES = list(READERS)
RUN = "import sys; from tests.fuzz.__main__ import main; sys.exit(main())"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def check(names, folder, *how):
    """Run the fuzzer in a process of its own, which forks before any thread starts.

    The server of commands has imported the readers already; it serves where its libraries start no threads.
    """
    report = folder / "report.json"
    environment = {**os.environ, **ONE_THREAD}
    command = [fork_server.python(environment), "-c", RUN, *names, "--cases", "--json", str(report), *how]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900, check=False)
    how_it_ended = f"status {ended.returncode}: {ended.stdout[-2000:]}{ended.stderr}"  # killed, it says nothing itself
    assert ended.returncode in (0, 1), how_it_ended
    assert report.exists(), how_it_ended
    failures = json.loads(report.read_text(encoding="utf-8"))["failures"]
    assert failures == [], "\n".join(f"python -m tests.fuzz {one['reader']} --only {one['input']}" for one in failures)


@pytest.mark.parametrize("part", range(8))
def test_damaged_files(part, tmp_path):
    check(NAMES[part::8], tmp_path, "--seconds", "0.01")


@pytest.mark.slow
@pytest.mark.parametrize("half", [0, 1])
def test_more_damaged_files(half, tmp_path):
    check(NAMES[half::2], tmp_path, "--seconds", "0.2", "--seed", "1", "--every")
