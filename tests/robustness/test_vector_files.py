"""Saving that goes wrong leaves the old vectors whole: full disks, killed processes, names that cannot be written.

What is said of damaged files is tested, line by line, in tests/unit/vectors/io.
"""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from firth.loading import load
from firth.vectors.word_vectors import WordVectors
from tests import fork_server

FORMATS = ["firth", "word2vec", "word2vec-binary", "glove"]


def uniform(value: float, words: int = 4) -> WordVectors:
    return WordVectors([f"w{i}" for i in range(words)], np.full((words, 8), value, dtype=np.float32))


def python(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [fork_server.python(os.environ), "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


FULL_DISK = """
import resource, signal, sys
import numpy as np
from firth.vectors.word_vectors import WordVectors

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
vectors = WordVectors([f"w{i}" for i in range(10_000)], np.ones((10_000, 100), dtype=np.float32))
try:
    vectors.save(sys.argv[1], sys.argv[2])
except OSError as error:
    print(type(error).__name__, error)
else:
    print("saved")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="file size limits are set by a POSIX call")
@pytest.mark.parametrize("format", FORMATS)
def test_a_disk_that_fills_up(format, tmp_path):
    """A limit on the size of files stands for the full disk: the write fails in the middle just so."""
    path = tmp_path / "v"
    uniform(1).save(path, format)
    ended = python(FULL_DISK, path, format)
    assert f"FileError {path}: File too large; write elsewhere" in ended.stdout, ended
    again = load(path, format=format)
    assert np.array_equal(again.vectors, uniform(1).vectors)
    assert [left.name for left in tmp_path.iterdir()] == ["v"]


SAVING_ON_AND_ON = """
import sys
import numpy as np
from firth.vectors.word_vectors import WordVectors

words = [f"w{i}" for i in range(2_000)]
print("begun", flush=True)
value = 2
while True:
    WordVectors(words, np.full((2_000, 30), value, dtype=np.float32)).save(sys.argv[1], sys.argv[2])
    value += 1
"""


@pytest.mark.parametrize("format", ["firth", "word2vec-binary"])
def test_kill_in_the_middle_of_a_save(format, tmp_path):
    path = tmp_path / "v"
    for round in range(6):
        uniform(1).save(path, format)
        command = [fork_server.python(os.environ), "-c", SAVING_ON_AND_ON, path, format]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        time.sleep(0.01 + 0.017 * round)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        again = load(path, format=format)
        assert len(again) == len(again.vectors)
        assert len(np.unique(again.vectors)) == 1, "a mixture of two savings"
        again.most_similar("w1")


def test_a_parent_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("text")
    for format in FORMATS:
        with pytest.raises(OSError, match="file"):
            uniform(1).save(tmp_path / "file" / "v", format)
    assert (tmp_path / "file").read_text() == "text"


@pytest.mark.parametrize("format", FORMATS)
def test_vectors_stay_readable_while_they_are_replaced(format, tmp_path):
    """A folder that is mapped keeps its numbers although another saving has taken its name."""
    path = tmp_path / "v"
    uniform(1).save(path, format)
    old = load(path, format=format)
    uniform(2).save(path, format)
    assert np.unique(old.vectors).tolist() == [1]
    assert np.unique(load(path, format=format).vectors).tolist() == [2]
