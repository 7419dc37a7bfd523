"""Neural training in a process of its own that is killed at random, runs out of disk, or is asked to stop."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.training.loop import fit
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.storage.checkpoints import FILE
from tests import fork_server
from tests.unit.neural.training.tiny import Stream

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills processes by POSIX signals")

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 120  # seconds
TRAINING = TrainingOptions(epochs=6, lr=0.02, clip_norm=1.0)

TRAIN = """
import hashlib, resource, sys, torch, warnings
from firth.neural.training import checkpoints, loop
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.storage.checkpoints import Checkpoint
from tests.unit.neural.training.tiny import Stream

warnings.simplefilter("always")
torch.set_num_threads(1)
task = Stream()
training = TrainingOptions(epochs=6, lr=0.02, clip_norm=1.0)
loop.CHECK_EVERY, Checkpoint.interval, checkpoints.COST_RATIO = 0.0, 0.0, 0

def train():
    return loop.fit(task, RunConfig(training, checkpoint=sys.argv[1], progress=False), identity={})
"""

# Slow enough that a kill, a few hundredths of a second after the first checkpoint, finds it at work.
SLOW = """
import time
usual = task.step
task.step = lambda *batch: (time.sleep(0.002), usual(*batch))[1]
"""

# One process that has loaded everything makes copies of itself, kills them, and tells how far each had come.
KILLED = """
import os, random, signal
from firth.storage.checkpoints import FILE, reading_state

place = os.path.join(sys.argv[1], FILE)
moments = random.Random(7)

def kept():
    return os.stat(place).st_mtime_ns if os.path.exists(place) else 0

for _ in range(4):
    before, child = kept(), os.fork()
    if child == 0:
        train()
        os._exit(0)
    while kept() == before:
        time.sleep(0.002)
    time.sleep(moments.uniform(0, 0.1))
    os.kill(child, signal.SIGKILL)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    with reading_state(checkpoints.Path(place), {}) as (facts, file):
        print(facts["step"])
"""

FULL_DISK = """
import itertools
step, places = task.step, itertools.count()

def fill(*batch):
    if next(places) == 40:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    return step(*batch)

task.step = fill
try:
    train()
except OSError as error:
    print("no room", error.errno)
"""

TOLD = """
history = train()
print(history.ended, history.steps)
"""


def start(script: str, folder: Path) -> subprocess.Popen[str]:
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "OMP_NUM_THREADS": "1"}
    forking = fork_server.program()
    python = str(forking.with_name("python")) if forking else sys.executable
    command = [python, "-c", TRAIN + script, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def wait_for_checkpoint(folder: Path, process: subprocess.Popen[str], after: float) -> None:
    """Wait until the process has kept the run once more."""
    end = time.monotonic() + LIMIT
    while not (folder / FILE).exists() or (folder / FILE).stat().st_mtime <= after:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "it never kept the run"
        time.sleep(0.002)


def finished_bits(folder: Path | None) -> bytes:
    task = Stream()
    fit(task, RunConfig(TRAINING, checkpoint=folder, progress=False), identity={})
    return b"".join(p.detach().numpy().tobytes() for p in task.module.parameters())


def test_killed_at_random_moments_it_ends_in_the_same_bits(tmp_path: Path):
    out, err = start(SLOW + KILLED, tmp_path).communicate(timeout=LIMIT)
    assert [int(place) for place in out.split()] == sorted({int(place) for place in out.split()}), err  # it came on
    assert len(out.split()) == 4, err
    assert finished_bits(tmp_path) == finished_bits(None)


def test_a_full_disk_leaves_the_last_checkpoint_whole(tmp_path: Path):
    """A limit on the size of files stands for the full disk: the write fails in the middle just so."""
    out, err = start(
        "import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" + FULL_DISK, tmp_path
    ).communicate(timeout=LIMIT)
    assert out.startswith("no room"), err
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []
    assert finished_bits(tmp_path) == finished_bits(None)


def test_asked_to_stop_it_keeps_the_run_and_returns(tmp_path: Path):
    process = start(SLOW + TOLD, tmp_path)
    wait_for_checkpoint(tmp_path, process, 0.0)
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, err
    ended, steps = out.split()
    assert ended == "interrupted"
    assert 0 < int(steps) < 168
    assert "training was interrupted in epoch" in err
    assert "Traceback" not in err
    assert finished_bits(tmp_path) == finished_bits(None)
