"""Training from Python, in a process of its own that is killed at its worst moments or interrupted by a signal."""

import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.embeddings.checkpoint import FILE
from tests import fork_server

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes by POSIX signals")

LIMIT = 120  # seconds, of which compiling on a busy machine may take most
MODEL = firth.Word2Vec(dim=50, epochs=4, sample=0)

TRAIN = """
import os, signal, sys
import numpy as np
import firth
from firth.embeddings import checkpoint, training

corpus, folder = firth.Corpus.open(sys.argv[1]), sys.argv[2]
model = firth.Word2Vec(dim=50, epochs=4, sample=0)
kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
"""

KILLED_AFTER_AN_EPOCH = """
def report(status):
    if status.stage == "training, epoch 3/4":
        kill()

model.train(corpus, threads=1, checkpoint=folder, progress=report)
"""

KILLED_WHILE_A_CHECKPOINT_IS_WRITTEN = """
syncs, fsync = [], os.fsync

def dying_fsync(handle):
    syncs.append(handle)
    if len(syncs) == 3:  # of the second checkpoint; the first took one for the file and one for the folder
        kill()
    fsync(handle)

os.fsync = dying_fsync
model.train(corpus, threads=1, checkpoint=folder, progress=False)
"""

INTERRUPTED = """
import warnings

warnings.simplefilter("always")
training.POLL = 0.01

def report(status):
    if status.stage == "training, epoch 2/4" and not sent:
        sent.append(os.kill(os.getpid(), int(sys.argv[3])))

sent = []
vectors = model.train(corpus, threads=2, checkpoint=folder, progress=report)
facts = vectors.metadata["training"]
assert np.isfinite(vectors.vectors).all()
print(facts["interrupted"], len(facts["loss"]), facts["words"])
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> firth.Corpus:
    words = np.random.default_rng(0).integers(0, 500, (3000, 20))
    return firth.Corpus.build([[f"w{i}" for i in row] for row in words], cache=tmp_path_factory.mktemp("cache"))


def python(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [fork_server.python(os.environ), "-c", TRAIN + script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)


@pytest.mark.parametrize("script", [KILLED_AFTER_AN_EPOCH, KILLED_WHILE_A_CHECKPOINT_IS_WRITTEN], ids=["run", "write"])
def test_a_killed_run_goes_on_to_the_same_bits(script: str, corpus: firth.Corpus, tmp_path: Path):
    killed = python(script, corpus.path, tmp_path)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert (tmp_path / FILE).exists()
    seen: list[str] = []
    ended = MODEL.train(corpus, threads=1, checkpoint=tmp_path, progress=lambda status: seen.append(status.stage))
    assert "training, epoch 1/4" not in seen
    whole = MODEL.train(corpus, threads=1, progress=False)
    assert ended.vectors.tobytes() == whole.vectors.tobytes()
    assert ended.output_vectors is not None
    assert whole.output_vectors is not None
    assert ended.output_vectors.tobytes() == whole.output_vectors.tobytes()
    assert ended.metadata["training"]["loss"] == whole.metadata["training"]["loss"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_returns_what_was_learned(number: int, corpus: firth.Corpus, tmp_path: Path):
    ended = python(INTERRUPTED, corpus.path, tmp_path, int(number))
    assert ended.returncode == 0, ended.stderr
    assert "UserWarning: training was interrupted in epoch 2 of 4" in ended.stderr
    interrupted, epochs, words = ended.stdout.split()
    assert (interrupted, epochs) == ("True", "1")
    assert corpus.num_tokens <= int(words) < 2 * corpus.num_tokens
    vectors = MODEL.train(corpus, threads=2, checkpoint=tmp_path, progress=False)  # the rest of it
    assert vectors.metadata["training"]["words"] == 4 * corpus.num_tokens
