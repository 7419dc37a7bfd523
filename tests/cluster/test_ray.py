"""A real Ray: any number of workers, workers that are killed, a head that is killed, a machine that is cut off.

What decides is always the same: the bits of a training in one process.
"""

import contextlib
import dataclasses
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.cluster import replicated
from firth.cluster.worker import Job
from firth.embeddings.replicas import Replicas
from firth.embeddings.trainer import TrainingArguments
from firth.errors import ClusterError, CorpusError, OptionError

pytestmark = pytest.mark.cluster
ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'firth[cluster]'")

MODEL = {"dim": 32, "epochs": 4, "lr": 0.01}
EVERY = 512
STARTED = "started"


def digest(vectors):
    return hashlib.sha256(vectors.vectors.tobytes() + vectors.output_vectors.tobytes()).hexdigest()


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """30,000 sentences by Zipf's law over 2,000 words: a training of some seconds."""
    law = 1 / np.arange(1, 2001)
    rows = np.random.default_rng(2).choice(2000, (30_000, 20), p=law / law.sum())
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("\n".join(" ".join(f"w{i}" for i in row) for row in rows), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def expected(text, tmp_path_factory):
    """The bits of replicas in this process whose merges are as rare."""
    corpus = firth.Corpus.build(text, cache=tmp_path_factory.mktemp("expected"))
    arguments = TrainingArguments(seed=5, threads=1, progress=False, deterministic=True)
    model, corpus, arguments = firth.Word2Vec(**MODEL).prepare(corpus, {}, arguments)

    def runner(run):
        return run.train_with(Replicas(run.matrices, run.rates(), run.rate.lr, 4, longest=EVERY))

    return digest(model.train_on(corpus, dataclasses.replace(arguments, runner=runner)))


PROGRAM = f"""
import hashlib, json, sys
import firth

address, workers, text, cache, checkpoint, mark = sys.argv[1:]


def progress(status):
    if status.stage.startswith("training") and status.done > 100_000:
        open(mark, "a").close()  # it is under way


model = firth.Word2Vec(**{MODEL!r})
cluster = firth.Cluster(address=address, workers=int(workers), merge_every={EVERY})
vectors = cluster.train(
    model, text, seed=5, progress=progress, cache=cache, checkpoint=checkpoint if checkpoint != "none" else None
)
bits = hashlib.sha256(vectors.vectors.tobytes() + vectors.output_vectors.tobytes()).hexdigest()
print(json.dumps({{"bits": bits, **vectors.metadata["training"]["cluster"]}}))
"""


class Training:
    """A training in a process of its own, and what became of it."""

    def __init__(self, folder, text, *, workers, address="local", checkpoint="none", before=(), **environment):
        folder.mkdir(exist_ok=True)
        self.mark = folder / STARTED
        self.mark.unlink(missing_ok=True)
        (folder / "train.py").write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
        arguments = [address, str(workers), str(text), str(folder / "cache"), str(checkpoint), str(self.mark)]
        self.process = subprocess.Popen(
            [*before, sys.executable, "-P", str(folder / "train.py"), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
        )  # fmt: skip

    def wait_until_under_way(self):
        until = time.monotonic() + 120
        while not self.mark.exists():
            if self.process.poll() is not None:
                pytest.fail(self.process.communicate()[1])
            assert time.monotonic() < until
            time.sleep(0.02)

    def result(self):
        output, errors = self.process.communicate(timeout=240)
        assert self.process.returncode == 0, errors
        return json.loads(output.splitlines()[-1]), errors


def processes_of_workers(parent):
    """Ids of the processes of actors that a training has started."""
    found = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in found.splitlines()[1:]]
    parents = {int(pid): int(ppid) for pid, ppid, *_ in rows}

    def descends(pid):
        while pid in parents and pid != parent:
            pid = parents[pid]
        return pid == parent

    return [
        int(pid) for pid, _, *name in rows if name and name[0].startswith("ray::ShardWorker") and descends(int(pid))
    ]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_gives_the_same_bits(workers, text, expected, tmp_path):
    result, _ = Training(tmp_path, text, workers=workers).result()
    assert result["bits"] == expected
    assert result["workers"] == workers
    assert result["merges"] > 100
    assert result["megabytes"] > 1
    assert result["lost"] == 0


def test_a_killed_worker_is_replaced(text, expected, tmp_path):
    training = Training(tmp_path, text, workers=2)
    training.wait_until_under_way()
    workers = processes_of_workers(training.process.pid)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    result, errors = training.result()
    assert result["bits"] == expected
    assert result["lost"] == 1
    assert "lost 1 of 2 workers" in errors


def test_a_killed_head_goes_on_from_its_checkpoint(text, expected, tmp_path):
    training = Training(tmp_path, text, workers=2, checkpoint=tmp_path / "checkpoint")
    until = time.monotonic() + 120
    while not (tmp_path / "checkpoint").is_dir() or not any((tmp_path / "checkpoint").iterdir()):
        assert training.process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.02)
    training.process.kill()
    training.process.communicate()
    result, _ = Training(tmp_path, text, workers=1, checkpoint=tmp_path / "checkpoint").result()
    assert result["bits"] == expected


def test_a_corpus_that_workers_cannot_see(text, tmp_path, monkeypatch):
    monkeypatch.setattr(replicated, "Job", lambda model, path, *rest: Job(model, tmp_path / "none", *rest))
    with pytest.raises(CorpusError, match="no such folder on a machine of the cluster; let FIRTH_CACHE"):
        firth.Cluster(workers=1).train(firth.Word2Vec(**MODEL), text, progress=False, cache=tmp_path)
    assert not ray.is_initialized()


def test_what_is_no_cluster(text, tmp_path, monkeypatch):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))  # where the heads of other tests have left no address
    with pytest.raises(ClusterError, match=r"no Ray cluster at 'auto'.* expected one that was started with ray start"):
        firth.Cluster(address="auto").train(firth.Word2Vec(), text)
    with pytest.raises(
        OptionError, match=r"model=LatentSemanticAnalysis.*: no training on a cluster; expected firth\.Word2Vec"
    ):
        firth.Cluster().train(firth.LatentSemanticAnalysis(), text)
    with pytest.raises(OptionError, match="tree='learned': not on a cluster"):
        firth.Cluster().train(firth.Word2Vec(objective="hierarchical", tree="learned"), text)


# Machines of their own: network namespaces, joined by a bridge

BRIDGE, HEAD = "firth0", "10.77.0.1"


def _ip(*arguments, check=True):
    subprocess.run(["ip", *arguments], check=check, capture_output=True)


@contextlib.contextmanager
def machines(count, folder):
    """Names of namespaces with addresses 10.77.0.1 and following; Ray runs in all of them, its head in the first."""
    names = [f"firth-{number}" for number in range(1, count + 1)]
    quick = {"RAY_health_check_period_ms": "1000", "RAY_health_check_timeout_ms": "1000",
             "RAY_health_check_failure_threshold": "3", "RAY_health_check_initial_delay_ms": "1000",
             "RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}  # fmt: skip
    try:
        _ip("link", "add", BRIDGE, "type", "bridge")
        _ip("link", "set", BRIDGE, "up")
        for number, name in enumerate(names, 1):
            _ip("netns", "add", name)
            _ip("link", "add", f"firthv{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            _ip("link", "set", f"firthv{number}", "master", BRIDGE, "up")
            _ip("-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", "eth0")
            _ip("-n", name, "link", "set", "eth0", "up")
            _ip("-n", name, "link", "set", "lo", "up")
        script = shutil.which("ray", path=Path(sys.executable).parent)
        for number, name in enumerate(names, 1):
            command = ["ip", "netns", "exec", name, script, "start", "--node-ip-address", f"10.77.0.{number}",
                       "--object-store-memory", "200000000", "--disable-usage-stats"]  # fmt: skip
            if number == 1:  # the head trains nothing
                command += ["--head", "--port", "6399", "--include-dashboard", "false", "--num-cpus", "0",
                            "--temp-dir", str(folder / "r")]  # fmt: skip
            else:
                command += ["--address", f"{HEAD}:6399", "--num-cpus", "1"]
            started = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **quick}, check=False)
            assert started.returncode == 0, started.stdout + started.stderr
        yield names, quick
    finally:
        for name in names:
            found = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False).stdout
            for pid in found.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            _ip("netns", "del", name, check=False)
        _ip("link", "del", BRIDGE, check=False)


def can_make_machines():
    if os.geteuid() or not shutil.which("ip"):
        return False
    made = subprocess.run(["ip", "netns", "add", "firth-try"], capture_output=True, check=False).returncode == 0
    _ip("netns", "del", "firth-try", check=False)
    return made


def test_a_machine_that_is_cut_off(text, expected, tmp_path_factory):
    """Three nodes: the head, and two with a worker each, one of which loses its network in the middle of the run."""
    if not can_make_machines():
        pytest.skip("network namespaces need root and iproute2")
    folder = tmp_path_factory.mktemp("c")
    with machines(3, folder) as (names, environment):
        before = ["ip", "netns", "exec", names[0]]
        training = Training(
            folder, text, workers=2, address=f"{HEAD}:6399", before=before, **environment
        )  # fmt: skip
        training.wait_until_under_way()
        _ip("link", "set", "firthv3", "down")
        result, errors = training.result()
    assert result["bits"] == expected
    assert result["lost"] == 1
    assert "lost 1 of 2 workers" in errors
