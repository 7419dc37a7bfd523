"""Files that are read at once make the corpus that they make one after the other."""

import gzip
import json
import random
import threading
import types
from pathlib import Path

import numpy as np
import pytest

import firth
from firth.corpus import parts
from firth.corpus.parts import Parts
from firth.corpus.sources import Files
from firth.corpus.storage import read_manifest
from firth.errors import CorpusError, OptionError
from firth.workers import lending
from tests.here_workers import HereWorkers

pytestmark = pytest.mark.filterwarnings("ignore:.* (not UTF-8; read as|are not valid)")  # of the files of `texts`
FILES = ("ids.bin", "offsets.bin", "vocabulary.txt", "counts.bin")


@pytest.fixture(autouse=True)
def any_size(monkeypatch):
    """Small files count, too."""
    monkeypatch.setattr(parts, "LEAST", 1)


@pytest.fixture
def texts(tmp_path):
    """Eleven files of several sizes and compressions: some are empty, end in a sentence, or hold what is no UTF-8."""
    folder, draw = tmp_path / "texts", random.Random(1)
    folder.mkdir()
    words = [f"w{i}" for i in range(300)] + ["naïve", "Ünder", "日本", "e\u0301a", "I\u0307x"]
    for number in range(11):
        lines = [" ".join(draw.choices(words, k=draw.randint(0, 30))) for _ in range(draw.choice([0, 3, 200, 900]))]
        data = "\n".join(lines).encode()
        data += b" \xff broken \xff words" if number % 3 == 0 else b"\n" if number % 2 else b""
        name = f"{number:02}.txt"
        if number % 4 == 1:
            (folder / f"{name}.gz").write_bytes(gzip.compress(data))
        else:
            (folder / name).write_bytes(data)
    return folder


def bits(corpus):
    return [(corpus.path / name).read_bytes() for name in FILES]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"keep_empty": True},
        {"sentences": "paragraph"},
        {"sentences": "text", "keep_empty": True},
        {"tokens": "whitespace", "min_count": 2},
        {"tokens": "text8"},
        {"unknown": "<unk>", "min_count": 20},
        {"sentences": "punctuation"},
        {"tokens": str.split},
    ],
    ids=lambda options: ",".join(f"{name}={value}" for name, value in options.items())[:40] or "default",
)
def test_the_same_bits(options, texts, tmp_path):
    built = [
        firth.Corpus.build(texts, cache=tmp_path / str(threads), threads=threads, **{"min_count": 1} | options)
        for threads in (1, 2, 3, 20)
    ]
    for other in built[1:]:
        assert bits(other) == bits(built[0])
        assert other.fingerprint == built[0].fingerprint
        assert read_manifest(other.path)["characters"] == read_manifest(built[0].path)["characters"]
        assert sorted(path.name for path in other.path.iterdir()) == sorted(p.name for p in built[0].path.iterdir())


def test_it_was_read_at_once(texts, tmp_path, monkeypatch):
    """Otherwise the test above would compare nothing."""
    seen, usual = [], Parts.count

    def count(self, groups, *more):
        seen.append([path.name for group in groups for path in group.paths])
        assert len(groups) == 2
        return usual(self, groups, *more)

    monkeypatch.setattr(Parts, "count", count)
    for threads in (1, 2):
        firth.Corpus.build(texts, cache=tmp_path / str(threads), threads=threads, min_count=1)
    assert seen == [sorted(path.name for path in texts.iterdir())]


@pytest.mark.parametrize(
    ("sizes", "threads", "groups"),
    [
        ([5, 5, 5, 5], 2, [2, 2]),
        ([5, 5, 5, 5], 3, [1, 2, 1]),
        ([100, 1, 1, 1], 2, [1, 3]),
        ([1, 1, 1, 100], 2, [3, 1]),
        ([1, 100, 1], 3, [1, 1, 1]),
        ([7], 4, [1]),
        ([7, 7, 7], 1, [3]),
        ([0, 0, 0], 4, [3]),
        ([0, 9, 0, 9, 0], 2, [2, 3]),
    ],
)
def test_groups_are_of_about_equal_size(sizes, threads, groups, tmp_path):
    paths = []
    for number, size in enumerate(sizes):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_bytes(b"a" * size)
    found = Parts(tmp_path, threads, least=1).groups(Files(tuple(paths), None, ("all",)))
    assert [path for group in found for path in group.paths] == paths
    assert len(found) <= threads
    if len(groups) > 1 or threads == 1:
        assert [len(group.paths) for group in found] == groups


def test_little_text_is_read_by_one_thread(tmp_path):
    paths = tuple(tmp_path / f"{number}.txt" for number in range(3))
    for path in paths:
        path.write_bytes(b"a" * 100)
    assert len(Parts(tmp_path, 2, least=151).groups(Files(paths, None, ("all",)))) == 1
    assert len(Parts(tmp_path, 2, least=150).groups(Files(paths, None, ("all",)))) == 2


def test_the_first_file_that_fails_is_said_and_nothing_is_left(texts, tmp_path):
    for name in ("04.txt", "10.txt"):
        (texts / name).write_bytes(b"\0" * 100)
    with pytest.raises(CorpusError, match=r"04.txt: binary data"):
        firth.Corpus.build(texts, cache=tmp_path / "cache", threads=2, min_count=1)
    assert not list((tmp_path / "cache").iterdir())


def test_an_interrupt_ends_all_threads(texts, tmp_path):
    def report(status):
        if status.stage == "reading text":
            raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        firth.Corpus.build(texts, cache=tmp_path / "cache", threads=2, min_count=1, progress=report)
    assert threading.active_count() == before
    assert not list((tmp_path / "cache").iterdir())


def test_progress_is_that_of_all_files(texts, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "POLL", 0.0001)
    monkeypatch.setattr("firth.corpus.reading_progress._INTERVAL", 0.0)
    seen = []
    firth.Corpus.build(texts, cache=tmp_path / "cache", threads=2, min_count=1, progress=seen.append)
    read = [status for status in seen if status.stage == "reading text"]
    assert read
    size = sum(path.stat().st_size for path in texts.iterdir())
    assert {status.total for status in read} == {size}
    assert all(0 <= status.done <= size for status in read)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2"])
def test_threads_that_are_none(threads, texts, tmp_path):
    with pytest.raises((OptionError, firth.errors.ArgumentTypeError)):
        firth.Corpus.build(texts, cache=tmp_path, threads=threads)


def test_ids_of_many_parts_are_joined(tmp_path: Path):
    """A random oracle: words, counts and order after joining are those of reading in turn."""
    draw = random.Random(3)
    for number in range(40):
        (tmp_path / f"{number:02}.txt").write_text(
            "\n".join(" ".join(draw.choices("abcdefghij", k=5)) for _ in range(20)), encoding="utf-8"
        )
    corpus = firth.Corpus.build(tmp_path, cache=tmp_path / "cache", threads=7, min_count=1)
    expected = [line.split() for path in sorted(tmp_path.glob("*.txt")) for line in path.read_text().split("\n")]
    assert list(corpus) == expected
    assert corpus.vocabulary.counts.tolist() == [
        sum(line.count(word) for line in expected) for word in corpus.vocabulary.words
    ]
    assert np.all(np.diff(corpus.vocabulary.counts) <= 0)


@pytest.mark.parametrize(
    "rows",
    [[["a", "b"], ["New York"], ["c", "d"]], [["a", "b"], None, ["c", "d"]], [["a", "b"], ["c"], ["d", "e"]]],
    ids=["a text with spaces", "an empty file", "single words"],
)
def test_lists_of_tokens_are_read_alike_with_workers(rows, tmp_path):
    """What is wrong with them shows in all files together."""
    paths = []
    for number, row in enumerate(rows):
        paths.append(tmp_path / f"{number}.jsonl")
        paths[-1].write_text("\n" if row is None else json.dumps({"text": row}) + "\n", encoding="utf-8")
    here = firth.Corpus.build(paths, min_count=1, cache=tmp_path / "here", progress=False)
    with lending(HereWorkers(1)):
        there = firth.Corpus.build(paths, min_count=1, cache=tmp_path / "there", progress=False)
    assert bits(there) == bits(here)


def test_relative_paths_are_found_by_workers_elsewhere(texts, tmp_path, monkeypatch):
    here = firth.Corpus.build(texts, min_count=1, cache=tmp_path / "here", progress=False)
    monkeypatch.chdir(texts.parent)
    seen = []
    usual = parts.read_part

    def read(scan, folder, group):
        seen.append((folder.is_absolute(), all(path.is_absolute() for path in group.paths)))
        return usual(scan, folder, group)

    monkeypatch.setattr(parts, "read_part", read)
    monkeypatch.setattr(
        "tests.here_workers.pickle", types.SimpleNamespace(dumps=lambda value: value, loads=lambda value: value)
    )
    with lending(HereWorkers(2)):
        there = firth.Corpus.build(texts.name, min_count=1, cache="there", progress=False)
    assert bits(there) == bits(here)
    assert seen
    assert set(seen) == {(True, True)}
