"""A real Ray that reads, counts and trains neural models; what a loss changes is no bit."""

import contextlib
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

import firth
from firth.cli import app
from firth.cluster import ray_workers
from firth.cluster.ray_workers import RayWorkers
from firth.counts.cooccurrence import Cooccurrence
from firth.errors import ClusterError, CorpusError, OptionError
from firth.language import ngram_counts
from firth.language.text import training_text
from firth.workers import lending

pytestmark = pytest.mark.cluster
ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'firth[cluster]'")
torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.training.loop import fit
from firth.neural.training.options import RunConfig, TrainingOptions
from tests.here_workers import zipf_files
from tests.unit.neural.training.tiny import Stream


@pytest.fixture(scope="module")
def cluster():
    """Two workers, started once for all tests."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield firth.Cluster(workers=2)
    ray.shutdown()


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return zipf_files(tmp_path_factory.mktemp("text"), files=6, lines=333, words=500)


def bits(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".bin", ".txt")}


@pytest.mark.parametrize("tokens", ["unicode", str.split], ids=["compiled", "python"])
def test_a_corpus_has_the_same_bits(tokens, cluster, text, tmp_path):
    here = firth.Corpus.build(text, tokens=tokens, min_count=2, cache=tmp_path / "here", progress=False)
    there = cluster.build(text, tokens=tokens, min_count=2, cache=tmp_path / "there", progress=False)
    assert bits(there.path) == bits(here.path)
    assert there.fingerprint == here.fingerprint


def test_a_worker_that_is_killed_while_it_reads(cluster, text, tmp_path):
    """Its part is read again, by another; what it has left behind is not used."""
    mark = tmp_path / "killed"

    def tokens(line):
        if not mark.exists() and line.startswith("w1 "):
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return line.split()

    here = firth.Corpus.build(text, tokens=str.split, cache=tmp_path / "here", progress=False)
    there = cluster.build(text, tokens=tokens, cache=tmp_path / "there", progress=False)
    assert mark.exists()
    assert (there.path / "ids.bin").read_bytes() == (here.path / "ids.bin").read_bytes()
    assert there.vocabulary.words == here.vocabulary.words
    assert not [path for path in there.path.iterdir() if path.name.startswith("part-")]


def test_a_worker_that_is_killed_again_and_again(cluster, text, tmp_path):
    def tokens(line):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ClusterError, match="a piece of the work was lost 5 times"):
        cluster.build(text, tokens=tokens, cache=tmp_path, progress=False)


def test_errors_of_workers_are_said(cluster, text, tmp_path):
    (text / "7.txt").write_bytes(b"\x00\x01\x02" * 200)
    try:
        with pytest.raises(CorpusError, match=r"7\.txt"):
            cluster.build(text, cache=tmp_path, progress=False)
    finally:
        (text / "7.txt").unlink()
    with pytest.raises(ClusterError, match="a worker failed: ZeroDivisionError"):
        cluster.build(text, tokens=lambda line: [str(1 / 0)], cache=tmp_path, progress=False)


def test_what_cannot_be_sent_is_said(cluster, text, tmp_path):
    held = threading.Lock()  # nothing can pickle it

    with pytest.raises(ClusterError, match=r"cannot be sent to workers .*pickle"):
        cluster.build(text, tokens=lambda line: held and line.split(), cache=tmp_path, progress=False)
    task = Stream(tokens=300)
    task.held = held
    with cluster.lend(), pytest.raises(ClusterError, match="cannot be sent to workers"):
        train(task)


def test_a_busy_cluster_is_said(cluster, monkeypatch):
    """A training needs all its processes at once: one that waits for a processor would keep the others waiting."""
    monkeypatch.setattr(ray_workers, "PATIENCE", 8)

    @ray.remote(num_cpus=1)
    class Busy:
        def ready(self):
            return True

    busy = Busy.remote()
    assert ray.get(busy.ready.remote())
    with cluster.lend(), pytest.raises(ClusterError, match="2 workers did not start within 8 s"):
        train(Stream(tokens=300))
    ray.kill(busy)
    wait_for_processors()


def wait_for_processors():
    until = time.monotonic() + 20
    while ray.available_resources().get("CPU", 0) < 2:
        assert time.monotonic() < until
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("line", "read"),
    [
        (("train", "glove"), ("--dim", "8", "--epochs", "1")),
        (("lm", "train", "kneser-ney"), ("--order", "3", "--discount-fallback")),
        (("lm", "train", "lstm"), ("--dim", "8", "--epochs", "1", "--tokens", "whitespace")),
    ],
    ids=["glove", "kneser-ney", "lstm"],
)
def test_the_command_line_reads_and_trains_there(line, read, cluster, text, tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    seen, usual = [], RayWorkers.map

    def mapped(self, function, pieces, *shared):
        seen.append(function.__name__)
        return usual(self, function, pieces, *shared)

    monkeypatch.setattr(RayWorkers, "map", mapped)
    files = [str(path) for path in sorted(text.iterdir())]
    flags = ["-o", str(tmp_path / "out"), "--cluster", "local", "--workers", "2", "-q", *read]
    monkeypatch.setattr(sys, "argv", ["firth", *line, *files, *flags])
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert not ended.value.code
    assert seen[0] == "read_part"
    assert seen[1:] == {"glove": ["count_block"], "kneser-ney": ["count_range"], "lstm": []}[line[-1]]
    assert (tmp_path / "out").is_dir()


def test_counts_have_the_same_bits(cluster, text, tmp_path):
    corpus = firth.Corpus.build(text, min_count=1, cache=tmp_path, progress=False)
    here = Cooccurrence(window=5).count(corpus, cache=tmp_path / "here", progress=False)
    ngrams = ngram_counts.count(training_text(corpus, {}, eos=True, progress=False), 4, threads=1)
    with cluster.lend():
        there = Cooccurrence(window=5).count(corpus, cache=tmp_path / "there", progress=False)
        others = ngram_counts.count(training_text(corpus, {}, eos=True, progress=False), 4, threads=1)
    for name in ("rows", "columns", "values"):
        np.testing.assert_array_equal(getattr(there, name), getattr(here, name))
    for name in ("last", "counts", "contexts", "suffixes"):
        for ours, theirs in zip(getattr(others, name), getattr(ngrams, name), strict=True):
            np.testing.assert_array_equal(ours, theirs)
            assert ours.dtype == theirs.dtype


@pytest.mark.parametrize("model", [firth.Word2Vec(dim=8, epochs=2), firth.AssociationVectors(dim=4)])
def test_runs_have_the_same_bits(model, cluster, text, tmp_path):
    lines = [line for path in sorted(text.iterdir()) for line in path.read_text("utf-8").splitlines()][:200]
    corpus = firth.Corpus.build(lines, min_count=1, cache=tmp_path, progress=False)
    here = firth.bootstrap(model, corpus, runs=3, seed=4, threads=2, progress=False)
    with cluster.lend():
        there = firth.bootstrap(model, corpus, runs=3, seed=4, checkpoint=tmp_path / "r", progress=False)
    for ours, theirs in zip(there, here, strict=True):
        np.testing.assert_array_equal(ours.vectors, theirs.vectors)
        np.testing.assert_array_equal(ours.counts, theirs.counts)


def test_glove_trains_on_counts_of_the_cluster(cluster, text, tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "here"))
    here = firth.GloVe(dim=8, epochs=2).train(text, min_count=1, progress=False)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "there"))
    there = cluster.train(firth.GloVe(dim=8, epochs=2), text, min_count=1, progress=False)
    np.testing.assert_array_equal(there.vectors, here.vectors)


# Neural models

TRAINING = {"epochs": 3, "lr": 0.02, "clip_norm": 1.0}


def train(task, folder=None, **more):
    config = RunConfig(TrainingOptions(**TRAINING, processes=2), progress=False, checkpoint=folder, **more)
    return fit(task, config, identity={})


def flat(task):
    return torch.cat([p.detach().flatten() for p in task.module.parameters()])


@pytest.fixture(scope="module")
def expected():
    """Two processes of this machine."""
    task = Stream(tokens=300)
    return train(task), flat(task)


def test_a_neural_model_has_the_bits_of_processes_here(expected, cluster):
    task, rows = Stream(tokens=300), []
    with cluster.lend():
        found = train(task, callbacks=[rows.append])
    assert torch.equal(flat(task), expected[1])
    assert [row["held_out_loss"] for row in rows] == [row["held_out_loss"] for row in expected[0].rows]
    assert found.predictions == expected[0].predictions


def test_a_killed_process_goes_on_from_the_checkpoint(expected, cluster, tmp_path):
    mark = tmp_path / "killed"
    task = Stream(tokens=300)
    usual = task.step

    def step(batch, state, progress):
        if (
            (tmp_path / "checkpoint" / "training.safetensors").exists()
            and not mark.exists()
            and progress
            and progress.step >= 10
        ):
            mark.write_text(str(progress.step), encoding="utf-8")
            os.kill(os.getpid(), signal.SIGKILL)
        return usual(batch, state, progress)

    task.step = step
    with cluster.lend(), pytest.warns(UserWarning, match="lost a worker .*all go back to the last checkpoint"):
        train(task, firth.Checkpoint(tmp_path / "checkpoint", every="1s"))
    assert int(mark.read_text(encoding="utf-8")) >= 10
    assert torch.equal(flat(task), expected[1])


def test_an_error_of_a_training_is_said_as_it_is(cluster):
    task = Stream(tokens=300)
    task.step = lambda batch, state, progress: 1 / 0
    with cluster.lend(), pytest.raises(ClusterError, match="a worker failed: ZeroDivisionError"):
        train(task)
    with cluster.lend(), pytest.raises(OptionError, match=r"processes=3: the cluster lends 2 workers"):
        fit(Stream(tokens=300), RunConfig(TrainingOptions(processes=3), progress=False), identity={})


def test_asked_to_stop_they_stop_together(cluster):
    """As Ctrl-C does, in the middle of an epoch."""
    task = Stream(tokens=300)
    usual = task.step

    def slow(batch, state, progress):
        time.sleep(0.05)
        return usual(batch, state, progress)

    task.step = slow
    sent = []

    def progress(status):
        if status.done and not sent:  # a second one would end the work at once
            sent.append(status)
            signal.raise_signal(signal.SIGINT)

    config = RunConfig(TrainingOptions(epochs=50, processes=2), progress=progress)
    with cluster.lend(), pytest.warns(UserWarning, match="interrupted in epoch"):
        history = fit(task, config, identity={})
    assert history.interrupted
    assert history.steps < 500


def test_a_language_model_trains_from_the_class(cluster, text):
    lines = [line for path in sorted(text.iterdir()) for line in path.read_text("utf-8").splitlines()][:200]
    how = {"tokens": "whitespace", "min_count": 1, "progress": False, "seed": 3}
    model = firth.RecurrentLM(dim=8)
    trained = cluster.train(model, lines, training=TrainingOptions(epochs=1, lr=0.01), held_out=lines[:20], **how)
    facts = trained.metadata["training"]
    assert facts["processes"] == 2
    assert facts["epochs"] == 1


def test_workers_end_with_the_session():
    """A session of its own is over when the workers are handed back."""
    ray.shutdown()  # that of the other tests; this one is the last
    with contextlib.ExitStack() as stack:
        workers = stack.enter_context(RayWorkers("local", 1))
        with lending(workers):
            assert not ray.is_initialized()  # nobody has needed it yet
            assert list(workers.map(lambda a, b: a + b, [(1,), (2,)], 10)) == [11, 12]
        assert ray.is_initialized()
    assert not ray.is_initialized()
