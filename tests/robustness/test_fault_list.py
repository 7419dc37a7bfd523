"""Odd machines and odd texts: what goes wrong is said in a sentence, and what can go well does."""

import itertools
import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import firth as library
from tests.robustness.command import Command, sentences

SMALL = ["--dim", 4, "--epochs", 1, "--threads", 1]


@pytest.mark.skipif(
    not Path("/proc/self/mem").exists(),
    reason="/proc/self/mem is missing: only Linux has this file that cannot be read",
)
def test_a_file_that_cannot_be_read(firth: Command):
    complaint = firth("train", "skipgram", "/proc/self/mem", "-o", "out").complaint
    assert complaint == "/proc/self/mem: cannot be read (Input/output error); expected a file of text"


@pytest.mark.parametrize("change", ["longer", "shorter"])
def test_a_file_that_changes_while_it_is_read(change: str, tmp_path: Path):
    path, other = tmp_path / "text.txt", tmp_path / "other.txt"
    path.write_text(sentences(2000), encoding="utf-8")
    other.write_text(sentences(20), encoding="utf-8")

    def report(status: object) -> None:
        if path.stat().st_size == size:
            if change == "longer":
                path.write_text(path.read_text(encoding="utf-8") + "new words\n", encoding="utf-8")
            else:
                os.truncate(path, 1000)

    size = path.stat().st_size
    with pytest.warns(UserWarning, match=r"text.txt changed while it was read: .* build it again when nothing writes"):
        library.Corpus.build([path, other], cache=tmp_path / "cache", min_count=1, progress=report)
    if change == "longer":  # what was read is not taken for the new text
        again = library.Corpus.build([path, other], cache=tmp_path / "cache", min_count=1)
        assert "new" in again.vocabulary


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are kept on Linux only")
def test_memory_that_is_not_there(firth: Command):
    resource = pytest.importorskip("resource", reason="Python's module resource is missing: only POSIX systems have it")
    (firth.folder / "text.txt").write_text(sentences(100), encoding="utf-8")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    complaint = firth(
        "train", "skipgram", "text.txt", "-o", "out", "--dim", 30_000_000, before=limit, real=True
    ).complaint
    assert "not enough memory (Unable to allocate 2.91 GiB for an array" in complaint
    assert "use a smaller dim or vocabulary" in complaint
    assert not (firth.folder / "out").exists()


def test_clocks_that_jump(firth: Command):
    """Files of the year 2050, and a corpus of 2051: what is built is used, and built again when the text changes."""
    text = firth.folder / "text.txt"
    text.write_text(sentences(100), encoding="utf-8")
    for moment, words in ((2_500_000_000, 26), (1000, 27), (2_500_000_000, 28)):
        text.write_text(sentences(100) + " ".join(f"new{i}" for i in range(words - 26)) + "\n", encoding="utf-8")
        os.utime(text, (moment, moment))
        assert firth("train", "skipgram", "text.txt", "-o", "out", "--min-count", 1, "--overwrite", *SMALL).status == 0
        assert len(library.load(firth.folder / "out")) == words
        for path in [*firth.cache.rglob("*"), firth.cache]:
            os.utime(path, (moment + 10**8, moment + 10**8))


def test_a_time_that_goes_backwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Rates and times left come from a clock that never does."""
    clock = itertools.count(2e9, -1000.0)
    monkeypatch.setattr(time, "time", lambda: next(clock))
    seen = list[object]()
    vectors = library.Word2Vec(dim=4, epochs=2).train(
        [["a", "b", "c"]] * 500, threads=1, min_count=1, progress=seen.append, cache=tmp_path
    )
    assert vectors.metadata["training"]["seconds"] >= 0
    assert seen


@pytest.mark.parametrize(
    "variables",
    [
        {},
        pytest.param({"LC_ALL": "C"}, marks=pytest.mark.slow),  # the next one has it, too
        {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
        pytest.param({"LC_ALL": "POSIX", "LANG": "de_DE.ISO-8859-1"}, marks=pytest.mark.slow),
    ],
    ids=["nothing", "C", "ascii", "POSIX"],
)
def test_no_home_odd_locales_and_names_with_spaces_and_signs(variables: dict[str, str], firth: Command):
    """Python reads these variables at its start, so the processes are real ones."""
    folder = firth.folder / "Öde an die 文 freude"
    folder.mkdir()
    (folder / "tëxt fïle.txt").write_text(sentences(50, ["grün", "日本", "naïve", "words"]), encoding="utf-8")
    home = folder / "home"  # in a folder of its own: what no HOME leads to belongs to the user of this machine
    firth.environment = {"PATH": os.environ["PATH"], "COLUMNS": "100", "FIRTH_CACHE": str(home), **variables}
    ended = firth("train", "skipgram", f"{folder.name}", "-o", f"{folder.name}/vectörs", *SMALL, "-q", real=True)
    assert ended.status == 0, ended.err
    found = library.load(folder / "vectörs")
    assert "grüngrüngrün" in found
    shown = firth("neighbours", f"{folder.name}/vectörs", "naïvenaïvenaïve", "-n", 9, real=True)
    assert shown.status == 0, shown.err
    assert "wordswordswords" in shown.out


def test_links_that_lead_in_circles(firth: Command):
    inside = firth.folder / "texts" / "inside"
    inside.mkdir(parents=True)
    (firth.folder / "texts" / "text.txt").write_text(sentences(50), encoding="utf-8")
    (inside / "up").symlink_to(firth.folder / "texts")
    (firth.folder / "texts" / "self.txt").symlink_to("self.txt")
    ended = firth("train", "skipgram", "texts", "-o", "out", *SMALL, "--json")
    assert ended.status == 0, ended.err
    assert '"trained_words": 500' in ended.out
    complaint = firth("train", "skipgram", "texts/self.txt", "-o", "new").complaint
    assert "texts/self.txt: a symbolic link that leads to no file" in complaint


def test_many_files(tmp_path: Path):
    for number in range(2000):
        (tmp_path / f"{number}.txt").write_text(f"one two w{number % 50} three\n", encoding="utf-8")
    corpus = library.Corpus.build(tmp_path, cache=tmp_path / "cache", min_count=1)
    assert (len(corpus), corpus.num_tokens, len(corpus.vocabulary)) == (2000, 8000, 53)


@pytest.mark.slow
def test_ten_thousand_files(tmp_path: Path):
    for number in range(10_000):
        (tmp_path / f"{number}.txt").write_text(f"one two w{number % 50} three\n", encoding="utf-8")
    corpus = library.Corpus.build(tmp_path, cache=tmp_path / "cache", min_count=1)
    assert (len(corpus), corpus.num_tokens) == (10_000, 40_000)


PEAK = """
import resource, sys, firth
corpus = firth.Corpus.build(sys.argv[1], cache=sys.argv[2], min_count=1, progress=False)
vectors = firth.Word2Vec(dim=4, epochs=1, negative=1).train(corpus, threads=1, progress=False)
print(corpus.num_tokens, len(corpus), len(vectors), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000)
"""


def peak(firth: Command, text: Path) -> list[int]:
    ended = firth.run([sys.executable, "-P", "-c", PEAK, str(text), str(firth.cache)])
    assert ended.status == 0, ended.err
    return [int(number) for number in ended.out.split()]


@pytest.mark.slow
def test_a_line_of_two_gigabytes(firth: Command):
    words = [f"w{i}" for i in range(5000)]
    chunk = (" ".join(np.random.default_rng(0).choice(words, 1_000_000).tolist()) + " ").encode()
    times = -(-2_000_000_000 // len(chunk))
    with (firth.folder / "line.txt").open("wb") as file:
        for _ in range(times):
            file.write(chunk)
    tokens, lines, found, megabytes = peak(firth, firth.folder / "line.txt")
    assert (tokens, lines, found) == (times * 1_000_000, 1, 5000)
    assert megabytes < 400


@pytest.mark.slow
def test_two_gigabytes_that_are_no_words(firth: Command):
    with (firth.folder / "line.txt").open("wb") as file:
        for _ in range(2000):
            file.write(b"a" * 1_000_000)
    assert "bytes without a separator" in firth("train", "skipgram", "line.txt", "-o", "out").complaint


@pytest.mark.slow
def test_five_million_words(firth: Command):
    with (firth.folder / "text.txt").open("w", encoding="utf-8") as file:
        for start in range(0, 5_000_000, 10):
            file.write(" ".join(f"word{start + place}" for place in range(10)) + "\n")
    tokens, _, found, megabytes = peak(firth, firth.folder / "text.txt")
    assert (tokens, found) == (5_000_000, 5_000_000)
    assert megabytes < 2000
