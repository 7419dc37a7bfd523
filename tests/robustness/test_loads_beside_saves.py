"""Loads that overlap saves over the same folder or file: each gives one of the versions, whole, and none is refused.

Versions A and B have the same words and numbers in another order: words of the one with vectors of the other fit
together, and nothing but a wrong result tells them apart.
"""

import contextlib
import functools
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import firth
from firth.language.mixture import Mixture
from firth.storage import checkpoints, files, swapping
from firth.storage.files import replacing_folder
from firth.storage.integrity import files_of
from tests import fork_server

WORDS = {"A": ["cat", "dog"], "B": ["dog", "cat"]}
INSIDE = "models inside a model"  # which takes ten times as long
PATIENCE = 60.0  # seconds for a second save
ARPA = "\\data\\\nngram 1={n}\n\n\\1-grams:\n{lines}\n\\end\\\n"


def vectors(version: str) -> firth.WordVectors:
    """Return vectors in which "cat" is [1 0] in both versions."""
    rows = {"cat": [1, 0], "dog": [0, 1]}
    return firth.WordVectors(WORDS[version], np.array([rows[word] for word in WORDS[version]], dtype=np.float32))


def save_vectors(format: str) -> Callable[[str, Path], None]:
    return lambda version, path: vectors(version).save(path, format=format)


def load_vectors(path: Path) -> Any:
    found = firth.load(path)
    assert found["cat"].tolist() == [1, 0], "words of one save with vectors of another"
    return "".join(found.words)


def save_old(version: str, path: Path) -> None:
    """Save without checksums."""
    vectors(version).save(path)
    (path / "checksums.json").unlink()


def save_mixture(version: str, path: Path) -> None:
    """Save two models inside a model, whose words and probabilities must be of one version."""
    parts = []
    for number, share in enumerate((0.5, 0.25) if version == "A" else (0.25, 0.5)):
        chances = {"cat": share, "dog": 0.9 - share, "</s>": 0.1}
        lines = "".join(f"{np.log10(chance):.6f}\t{word}\n" for word, chance in chances.items())
        arpa = path.with_name(f"{path.name}-{number}.arpa")
        arpa.write_text(ARPA.format(n=4, lines=f"-99\t<s>\n{lines}"), encoding="ascii")
        parts.append(firth.NgramModel.from_arpa(arpa, tokens="whitespace"))
    Mixture(parts, np.array([0.5, 0.5])).save(path)


def load_mixture(path: Path) -> Any:
    return [model.start([[]])[0].tolist() for model in firth.load(path, Mixture).models]


def save_corpus(version: str, path: Path) -> None:
    lines = ["cat dog dog", "dog"] if version == "A" else ["dog cat cat", "cat"]
    built = firth.Corpus.build(lines, cache=path.parent / "built", min_count=1)
    shutil.copytree(built.path, path)


def load_corpus(path: Path) -> Any:
    return [" ".join(sentence) for sentence in firth.Corpus.open(path)]


def save_counts(version: str, path: Path) -> None:
    save_corpus(version, path.with_name(f"{path.name}-corpus"))
    corpus = firth.Corpus.open(path.with_name(f"{path.name}-corpus"))
    firth.Cooccurrence(window=1).count(corpus, cache=path.parent / "counted").save(path)


def load_counts(path: Path) -> Any:
    found = firth.CooccurrenceMatrix.open(path)
    return found.contexts("cat"), found.contexts("dog")


FOLDERS: dict[str, tuple[Callable[[str, Path], None], Callable[[Path], Any]]] = {
    "firth": (save_vectors("firth"), load_vectors),
    "firth without checksums": (save_old, load_vectors),
    "sentence-transformers": (save_vectors("sentence-transformers"), load_vectors),
    "spacy": (save_vectors("spacy"), load_vectors),
    "projector": (save_vectors("projector"), load_vectors),
    INSIDE: (save_mixture, load_mixture),
    "corpus": (save_corpus, load_corpus),
    "counts": (save_counts, load_counts),
}
WAYS = ("exchanged", "renamed", "file by file")


class Steps:
    """The steps of a load, at each of which something can be done: whenever it looks at a path or opens one."""

    def __init__(self) -> None:
        self.place, self.act, self.at, self.count = "", lambda: None, -1, 0

    def during(self, load: Callable[[Path], Any], place: Path, at: int, act: Callable[[], None]) -> Any:
        """Load, and act before step number `at`."""
        self.place, self.at, self.act, self.count = str(place.with_suffix("")), at, act, 0
        try:
            return load(place)
        finally:
            self.place = ""

    def step(self, path: object) -> None:
        if not self.place or not str(path).startswith(self.place):
            return
        self.count += 1
        if self.count == self.at:
            place, self.place = self.place, ""
            self.act()
            self.place = place


STEPS = Steps()


def audit(event: str, arguments: tuple[Any, ...]) -> None:
    if STEPS.place and event in ("open", "os.listdir", "os.scandir"):
        STEPS.step(arguments[0])


sys.addaudithook(audit)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    look = Path.stat

    def stat(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        STEPS.step(path)
        return look(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", stat)
    monkeypatch.setattr(os, "fsync", lambda handle: None)
    return STEPS


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[dict[str, Path], Callable[[Path], Any]]]:
    """Both versions of a kind of folder, saved once, and how it is loaded."""
    made: dict[str, dict[str, Path]] = {}

    def of(kind: str) -> tuple[dict[str, Path], Callable[[Path], Any]]:
        save, load = FOLDERS[kind]
        if kind not in made:
            folder = tmp_path_factory.mktemp("saved")
            made[kind] = {version: folder / version for version in WORDS}
            for version, path in made[kind].items():
                save(version, path)
        return made[kind], load

    return of


def put(source: Path, target: Path) -> None:
    """Replace a folder as every save does."""
    with replacing_folder(target, sums=False) as aside:
        for name, content in _contents(source).items():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            (aside / name).write_bytes(content)


@functools.cache
def _contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in files_of(folder)}


def set_way(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if way == "renamed":
        monkeypatch.setattr(swapping, "_exchange", lambda one, other: False)
    elif way == "file by file":
        monkeypatch.setattr(files, "is_read_only", Path.is_dir)


@pytest.mark.parametrize(
    ("kind", "way", "stride"),
    [
        *((kind, "exchanged", 1) for kind in FOLDERS if kind != INSIDE),
        (INSIDE, "exchanged", 5),
        pytest.param(INSIDE, "exchanged", 1, marks=pytest.mark.slow),
        *(("firth", way, 1) for way in WAYS[1:]),
        ("spacy", "file by file", 1),
    ],
)
def test_a_save_between_any_two_steps_of_a_load(kind, way, stride, saved, steps, tmp_path, monkeypatch):
    set_way(way, monkeypatch)
    versions, load = saved(kind)
    expected, target = {version: load(path) for version, path in versions.items()}, tmp_path / "target"
    assert expected["A"] != expected["B"]
    put(versions["A"], target)
    assert steps.during(load, target, 0, lambda: None) == expected["A"]
    last, found = steps.count, []
    for at in range(1, last + 1, stride):
        other = "AB"[len(found) % 2 == 0]  # A is there at first, and what was saved last from then on
        found.append(steps.during(load, target, at, lambda other=other: put(versions[other], target)))
        assert found[-1] in expected.values(), f"mixed by a save before step {at} of {last}"
    assert last > 10
    assert found[0] == expected["B"]


@pytest.mark.parametrize("kind", ["firth", pytest.param("spacy", marks=pytest.mark.slow)])
def test_two_saves_between_any_two_pairs_of_steps(kind, saved, steps, tmp_path):
    """There and back again: the second one brings another folder with the contents of the first."""
    versions, load = saved(kind)
    expected, target = [load(path) for path in versions.values()], tmp_path / "target"
    put(versions["A"], target)
    steps.during(load, target, 0, lambda: None)
    last = steps.count

    def again(at: int) -> None:
        put(versions["B"], target)
        steps.act, steps.at = lambda: put(versions["A"], target), at

    for at in range(1, last, 3):
        for then in range(at + 1, last + 1, 4):
            put(versions["A"], target)
            assert steps.during(load, target, at, lambda then=then: again(then)) in expected


@pytest.mark.parametrize("format", ["npy", "word2vec"])
def test_a_save_of_a_file_between_any_two_steps_of_a_load(format, steps, tmp_path):
    path = tmp_path / f"v.{format}"
    both = {version: vectors(version) for version in WORDS}
    both["A"].save(path, format=format)
    steps.during(load_vectors, path, 0, lambda: None)
    for at in range(1, steps.count + 1):
        both["A"].save(path, format=format)
        found = steps.during(load_vectors, path, at, lambda: both["B"].save(path, format=format))
        assert found in ("catdog", "dogcat")


def test_a_save_of_an_index_between_any_two_steps_of_a_load(steps, tmp_path):
    rows = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    space = firth.WordVectors([f"w{row}" for row in range(50)], rows)
    indexes, path = [space.index("lsh", tables=tables) for tables in (2, 9)], tmp_path / "index"

    def load(path: Path) -> str:
        return repr(firth.load_index(path, space))

    expected = {tables: (index.save(path), load(path))[1] for tables, index in enumerate(indexes)}
    steps.during(load, path, 0, lambda: None)
    for at in range(1, steps.count + 1):
        indexes[0].save(path)
        assert steps.during(load, path, at, lambda: indexes[1].save(path)) in expected.values()


def test_a_state_written_between_any_two_steps_of_reading_one(steps, tmp_path):
    def write(number: int) -> None:
        checkpoints.write_state(
            tmp_path / "c" / checkpoints.FILE, {"n": np.array([number])}, {"identity": {}, "n": number}
        )

    def read(folder: Path) -> tuple[int, int]:
        found: list[tuple[int, int]] = []
        checkpoints.restore_state(
            folder, {}, lambda facts, file: found.append((facts["n"], int(file.get_tensor("n")[0])))
        )
        return found[0]

    write(0)
    steps.during(read, tmp_path / "c", 0, lambda: None)
    for at in range(1, steps.count + 1):
        write(0)
        write(0)
        assert steps.during(read, tmp_path / "c", at, lambda: write(1)) in ((0, 0), (1, 1))


@contextlib.contextmanager
def stopping_before(name: str, monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> Iterator[None]:
    """Do something before each call of a method of paths that changes names."""
    real = getattr(Path, name)

    def stopped(path: Path, target: Path) -> Path:
        act()
        return real(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, name, stopped)
        yield


@pytest.mark.parametrize(("kind", "way"), [("firth", "renamed"), ("firth", "file by file"), ("spacy", "file by file")])
def test_a_load_between_any_two_steps_of_a_save(kind, way, saved, tmp_path, monkeypatch):
    """It waits until names are changed; where the folder is missing for a moment it is not refused."""
    versions, load = saved(kind)
    expected, target, loads = [load(path) for path in versions.values()], tmp_path / "target", []
    put(versions["A"], target)
    set_way(way, monkeypatch)

    def begin() -> None:
        loads.append(Loading(load, target))
        loads[-1].join(0.02)

    with stopping_before("replace" if way == "file by file" else "rename", monkeypatch, begin):
        put(versions["B"], target)
    for each in loads:
        each.join(10)
        assert each.found in expected, each.found
    assert len(loads) >= 3
    assert load(target) == expected[1]


def test_a_load_between_the_two_files_of_a_matrix_and_its_words(tmp_path, monkeypatch):
    path, loads = tmp_path / "v.npy", []
    vectors("A").save(path)

    def begin() -> None:
        loads.append(Loading(load_vectors, path))
        loads[-1].join(0.02)

    with stopping_before("replace", monkeypatch, begin):
        vectors("B").save(path)
    for each in loads:
        each.join(10)
    assert [each.found in ("catdog", "dogcat") for each in loads] == [True, True], [each.found for each in loads]


class Loading(threading.Thread):
    """A load in a thread, and what it found or raised."""

    def __init__(self, load: Callable[[Path], Any], place: Path) -> None:
        super().__init__(daemon=True)
        self.load, self.place, self.found = load, place, None
        self.start()

    def run(self) -> None:
        try:
            self.found = self.load(self.place)
        except BaseException as error:
            self.found = error


SAVING_ON_AND_ON = """
import sys
import numpy as np
from firth.vectors.word_vectors import WordVectors

path, format = sys.argv[1:]
rows = np.eye(2, dtype=np.float32)
versions = WordVectors(["cat", "dog"], rows), WordVectors(["dog", "cat"], rows[::-1])
saves = 0
while True:
    versions[saves % 2].save(path, format=format)
    if saves == 0:
        print("begun", flush=True)
    saves += 1
"""


def load_beside_a_writer(path: Path, format: str, loads: int) -> None:
    """Load again and again while another process saves two versions in turn."""
    command = [fork_server.python(os.environ), "-c", SAVING_ON_AND_ON, str(path), format]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"begun\n"
        try:
            found = [load_vectors(path) for _ in range(loads)]
            end = time.monotonic() + PATIENCE
            while len({*found}) < 2 and time.monotonic() < end:  # the writer may be slow to write its second version
                found.append(load_vectors(path))
        finally:
            writer.kill()
    assert {*found} == {"catdog", "dogcat"}


@pytest.mark.parametrize(("format", "loads"), [("firth", 300), ("spacy", 100), ("npy", 100)])
def test_loads_beside_a_process_that_saves_on_and_on(format, loads, tmp_path):
    load_beside_a_writer(tmp_path / "v", format, loads)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["firth", "sentence-transformers", "spacy", "projector", "npy"])
def test_ten_thousand_loads_beside_a_process_that_saves_on_and_on(format, tmp_path):
    load_beside_a_writer(tmp_path / "v", format, 10_000)
