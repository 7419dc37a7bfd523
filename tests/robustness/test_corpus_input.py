"""Builds that get bad input, are killed, run side by side or out of disk: a clear sentence, nothing half-written."""

import gzip
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from firth import Corpus
from firth.errors import CorpusError
from tests import fork_server

resource = pytest.importorskip("resource", reason="Python's module resource is missing: only POSIX systems have it")


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def python(code: str, *arguments: object, real: bool = False) -> "subprocess.Popen[str]":
    """Start a program, in a fork of a process that has its imports unless a real one is asked for."""
    command = [sys.executable if real else fork_server.python(os.environ), "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def output(process: "subprocess.Popen[str]") -> str:
    out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return out


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (["the", "cat", "sat"], r"each of the 3 texts has a single word .*: \[\['the', 'cat'\], \.\.\.\]"),
        ([["the cat sat on the mat"], ["a dog barked"]], "each of the 2 token lists holds one text with spaces"),
        (["a text", ["a", "list"]], "item 1 is list .* among texts"),
        ([["a", "list"], "a text"], "item 1 is 'a text' among token lists"),
        ([["a", 1], ["b", "c"]], "the token 1 is int; expected strings"),
        ([["a", ["b"]]], "is not a list of tokens"),
        ((line for line in ()), "gone through before"),
        (["...", "--- !"], "holds no words"),
        ("nowhere.txt", "no such file or folder"),
    ],
)
def test_bad_sources(source: Any, message: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CorpusError, match=message):
        Corpus.build(source, cache=cache, min_count=1)
    assert not cache.exists() or not list(cache.iterdir())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no words"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", r"text\.txt: a picture or a program, from b'\\x89PNG'; expected text"),
        (bytes(random.Random(1).choices(range(1, 256), k=5000)), r"text\.txt: .* are not valid UTF-8"),
        ("  ".encode("utf-16"), r"holds no words"),
    ],
)
@pytest.mark.parametrize("tokens", ["unicode", str.split], ids=["compiled", "function"])
def test_files_that_are_no_text(data: bytes, message: str, tokens: Any, cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=message):
        Corpus.build(path, cache=cache, tokens=tokens)
    assert not list(cache.iterdir())


def test_min_count_that_removes_every_word(cache: Path) -> None:
    with pytest.raises(CorpusError, match=r"min_count=5 removes all 3 words: the most frequent, 'a', occurs 3 times"):
        Corpus.build(["a b a", "a c"], min_count=5, cache=cache)
    assert not list(cache.iterdir())


def test_a_source_that_fails_half_way(cache: Path) -> None:
    def texts() -> Any:
        yield from ["some words"] * 100_000
        raise ConnectionResetError("the line went dead")

    with pytest.raises(CorpusError, match=r"the source of the texts failed \(the line went dead\)"):
        Corpus.build(texts(), cache=cache)
    assert not list(cache.iterdir())


def test_compressed_text_that_was_cut_short(cache: Path, tmp_path: Path) -> None:
    path = tmp_path / "text.txt.gz"
    path.write_bytes(gzip.compress(random.Random(2).randbytes(100_000).hex().encode())[:-5000])
    with pytest.raises(CorpusError, match="damaged or cut short"):
        Corpus.build(path, cache=cache, min_count=1)
    assert not list(cache.iterdir())


def test_standard_input(cache: Path) -> None:
    process = python("import firth, sys; print(len(firth.Corpus.build('-', cache=sys.argv[1], min_count=1)))", cache)
    out, errors = process.communicate("one two\nthree four\n", timeout=120)
    assert (out, process.returncode) == ("2\n", 0), errors


SLOW_BUILD = """
import sys, time, firth
def texts():
    while True:
        yield "some words that go on " * 100
firth.Corpus.build(texts(), cache=sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9 there")
def test_a_killed_build_leaves_nothing_that_looks_whole(cache: Path, tmp_path: Path) -> None:
    process = python(SLOW_BUILD, cache)
    try:
        deadline = time.monotonic() + 100
        while not any(path.stat().st_size > 1 << 20 for path in cache.glob("*/ids.bin")):
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.02)
        alive = [entry.name for entry in cache.iterdir()]
        path = tmp_path / "text.txt"
        path.write_text("one two\n")
        first = Corpus.build(path, cache=cache, min_count=1)  # leaves alone what another process is building
        assert {entry.name for entry in cache.iterdir()} == {*alive, first.path.name}
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    left = [entry for entry in cache.iterdir() if entry.name != first.path.name]
    assert [entry.name for entry in left] == alive
    for entry in left:
        with pytest.raises(CorpusError):
            Corpus.open(entry)
    path.write_text("one two three\n")
    again = Corpus.build(path, cache=cache, min_count=1)
    assert list(cache.iterdir()) == [again.path]


SAME_BUILD = """
import sys, firth
firth.Corpus.build([["compile", "first"]], cache=sys.argv[1] + "/warm", min_count=1)
print("ready", flush=True)
sys.stdin.readline()
source = sys.argv[2] if len(sys.argv) > 2 else [f"text {i % 7} and some" for i in range(20_000)]
corpus = firth.Corpus.build(source, cache=sys.argv[1] + "/cache", min_count=1)
print(corpus.path, corpus.fingerprint, sum(map(len, corpus)))
"""


@pytest.mark.parametrize("from_file", [True, False])
def test_several_processes_build_the_same_corpus_at_once(from_file: bool, tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("the cat sat on the mat\n" * 20_000)
    processes = [python(SAME_BUILD, tmp_path, *([path] if from_file else [])) for _ in range(4)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n", process.communicate()[1]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = {output(process) for process in processes}
    assert len(outputs) == 1
    assert len(list((tmp_path / "cache").iterdir())) == 1


FULL_DISK = """
import resource, sys, firth
from firth.errors import CorpusError
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
try:
    firth.Corpus.build(sys.argv[1], cache=sys.argv[2], tokens=str.split if sys.argv[3] == "split" else sys.argv[3])
except CorpusError as error:
    print(error)
"""


@pytest.mark.parametrize("tokens", ["whitespace", "split"])
def test_a_disk_that_fills_up(tokens: str, cache: Path, tmp_path: Path) -> None:
    # No file may grow beyond a megabyte: the numbers of 500,000 words take two.
    path = tmp_path / "text.txt"
    path.write_text("a b c d e\n" * 100_000)
    assert "the corpus cannot be written to" in output(python(FULL_DISK, path, cache, tokens))
    assert list(cache.iterdir()) == []


MEMORY = """
import resource, sys, firth
firth.Corpus.build(sys.argv[1], cache=sys.argv[3], min_count=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
corpus = firth.Corpus.build(sys.argv[2], cache=sys.argv[3], min_count=1)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, corpus.num_tokens)
"""


@pytest.mark.parametrize("suffix", [".txt", ".txt.gz"])
def test_memory_does_not_grow_with_the_text(suffix: str, cache: Path, tmp_path: Path) -> None:
    line = " ".join(f"word{i}" for i in range(2000)) + "\n"
    small, large = tmp_path / f"small{suffix}", tmp_path / f"large{suffix}"
    for path, times in ((small, 120), (large, 1200)):
        data = line.encode() * times
        path.write_bytes(gzip.compress(data, 1) if suffix.endswith("gz") else data)
    more, tokens = map(int, output(python(MEMORY, small, large, cache, real=True)).split())
    assert tokens == 1200 * 2000
    # 20 MB of text and 10 MB of numbers: neither is held. In kilobytes, on a Mac in bytes.
    assert more < 4000 * (1000 if sys.platform == "darwin" else 1)


def test_the_cache_is_where_no_folder_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CorpusError, match=r"cannot be written to .* name another folder with cache= or FIRTH_CACHE"):
        Corpus.build(["some words here"], cache=tmp_path / "file" / "cache", min_count=1)
    assert (tmp_path / "file").read_text() == "in the way"
