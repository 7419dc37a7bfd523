"""Counting, phrases and comparisons by the installed command: bad input, full disks, kills."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import firth
from tests.robustness.command import Command, end_by, sentences, wait_until

resource = pytest.importorskip("resource", reason="Python's module resource is missing: only POSIX systems have it")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(sentences(2000), encoding="utf-8")
    return path


def nothing_written(folder: Path) -> bool:
    """Whether there is neither a result nor half of one."""
    made = [path for path in folder.rglob("*") if path.name.endswith((".firth", ".part", ".old"))]
    return made == [] and not list(folder.rglob("cooccurrence.json"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["glove", "--x-max", 0], "--x-max 0.0: expected a finite number above 0"),
        (["glove", "--alpha", -1], "--alpha -1.0: expected a finite number from 0 to 10"),
        (["ppmi", "--shift", 0], "--shift 0.0"),
        (["ppmi", "--dim", 5000], "expected at most --dim "),
        (["coals", "--dim", 20, "--contexts", 5], "and 5 contexts: expected at most --dim 5"),
        (["lsa", "--dim", 3000], "expected at most --dim "),
        (["ngram", "--dim", 5000], "expected at most --dim "),
        (["glove", "--memory", 2], "--memory 2: expected at least"),
        (["ppmi", "--association", "x"], "No such option"),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, list) else "",
)
def test_options_out_of_range(firth: Command, text: Path, line, said):
    ended = firth("train", line[0], text, "-o", "out.firth", *line[1:])
    assert "Traceback" not in ended.err
    assert said in " ".join(ended.err.replace("│", " ").split())
    assert ended.status in (1, 2)
    assert not (firth.folder / "out.firth").exists()


def test_text_in_which_no_two_words_meet(firth: Command):
    (firth.folder / "text.txt").write_text("one\ntwo\n" * 10, encoding="utf-8")
    assert "stand within a window" in firth("train", "ppmi", "text.txt", "-o", "out.firth", "-q").complaint
    assert nothing_written(firth.folder)


def test_a_disk_that_fills_up_while_counts_are_written(firth: Command, tmp_path: Path):
    draws = np.random.default_rng(0).integers(0, 3000, (20_000, 10))
    (tmp_path / "text.txt").write_text("\n".join(" ".join(f"w{i}" for i in row) for row in draws), encoding="utf-8")
    assert firth("train", "skipgram", "text.txt", "-o", "first.firth", "--epochs", 1, "--dim", 2, "-q").status == 0

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    ended = firth("train", "ppmi", "text.txt", "-o", "out.firth", "-q", "--dim", 5, before=limit)
    assert "co-occurrence counts cannot be written" in ended.complaint
    assert re.search(r"room for [1-9][0-9,]* bytes", ended.complaint)
    assert not list(firth.cache.rglob("cooccurrence.json"))
    assert not list(firth.cache.rglob("*.part"))
    assert not (tmp_path / "out.firth").exists()


def test_damaged_counts_are_made_again(firth: Command, text: Path):
    assert firth("train", "ppmi", text, "-o", "one.firth", "--dim", 5, "-q").status == 0
    (columns,) = firth.cache.rglob("columns.bin")
    whole = columns.read_bytes()
    columns.write_bytes(whole[: len(whole) // 2])
    assert firth("train", "ppmi", text, "-o", "two.firth", "--dim", 5, "-q").status == 0
    assert columns.read_bytes() == whole
    columns.write_bytes(b"\xff" * len(whole))  # as long as it was, and wrong
    ended = firth("train", "ppmi", text, "-o", "three.firth", "--dim", 5, "-q")
    assert ended.status == 0
    assert columns.read_bytes() == whole
    [line] = ended.err.splitlines()
    assert line.startswith(f"firth: warning: {columns}: altered: ")
    assert line.endswith("; it is built again")


def test_a_corpus_with_one_changed_bit_is_not_trained_on(firth: Command, text: Path):
    """The folder of a corpus is refused by the file's name; the corpus of a text in the cache is built again."""
    assert firth("train", "skipgram", text, "-o", "one.firth", "--dim", 5, "--epochs", 1, "-q").status == 0
    (ids,) = firth.cache.rglob("ids.bin")
    content = bytearray(ids.read_bytes())
    content[len(content) // 2] ^= 1
    ids.write_bytes(content)
    complaint = firth("train", "skipgram", ids.parent, "-o", "two.firth", "--dim", 5, "-q").complaint
    assert complaint.startswith(f"{ids}: altered: bytes 0 to {len(content):,} are not those that were written; ")
    assert not (firth.folder / "two.firth").exists()
    ended = firth("train", "skipgram", text, "-o", "three.firth", "--dim", 5, "--epochs", 1, "-q", "--threads", 1)
    assert ended.status == 0
    assert f"warning: {ids}: altered" in ended.err
    assert ended.err.count("built again") == 1
    assert ids.read_bytes() != bytes(content)
    (ids.parent / "corpus.json").unlink()  # the words in its vocabulary.txt would make a text of a kind
    complaint = firth("train", "skipgram", ids.parent, "-o", "four.firth", "--dim", 5, "-q").complaint
    assert complaint.startswith(f"{ids.parent / 'corpus.json'}: missing; expected a file of ")


def test_a_rate_that_explodes(firth: Command, text: Path):
    complaint = firth("train", "glove", text, "-o", "out.firth", "--lr", 1e9, "-q").complaint
    assert "training diverged in epoch 1 after" in complaint
    assert "lr=0.05" in complaint
    assert not (firth.folder / "out.firth").exists()


def test_characters_of_a_corpus_that_is_built_already(firth: Command):
    (firth.folder / "text.txt").write_text("thecatsatonthemat\n" * 30, encoding="utf-8")
    assert firth("train", "ngram", "text.txt", "-o", "one.firth", "--dim", 3, "-q").status == 0
    (built,) = firth.cache.rglob("corpus.json")
    ended = firth("train", "ngram", built.parent, "-o", "two.firth", "--dim", 3, "-q")
    assert ended.status == 0, ended.err
    complaint = firth("train", "ngram", built.parent, "-o", "x.firth", "--min-count", 2).complaint
    assert "built already; min_count can only be given with its text" in complaint


def test_phrases_and_a_training_on_them(firth: Command):
    lines = "i love new york\nnew york is big\nyork is old and new things are new\n" * 40
    (firth.folder / "text.txt").write_text(lines, encoding="utf-8")
    ended = firth("phrases", "text.txt", "-o", "phrases.json", "--threshold", 2, "--json", "-q")
    found = [json.loads(line) for line in ended.out.splitlines()]
    assert {"new_york", "i_love"} <= {row["phrase"] for row in found}
    assert all(row["count"] == 40 or row["count"] == 80 for row in found)
    line = ["train", "skipgram", "text.txt", "--phrases", "phrases.json", "--dim", 5, "--sample", 0, "-q"]
    assert firth(*line, "-o", "out.firth").status == 0
    assert "new_york" in firth("neighbours", "out.firth", "new_york").out + json.dumps(
        json.loads((firth.folder / "out.firth" / "vocab.json").read_text("utf-8"))
    )
    (firth.folder / "bad.json").write_text("[]")
    assert "not a file of phrases" in firth(*line[:3], "--phrases", "bad.json", "-o", "x.firth").complaint


COMPARE = ["compare", "text.txt", "--models", "cbow:epochs=2,glove", "--dim", 5, "--similarity", "pairs.tsv"]


@pytest.fixture
def pairs(firth: Command, text: Path) -> Path:
    words = sorted(set(text.read_text("utf-8").split()))[:12]
    path = firth.folder / "pairs.tsv"
    rows = [f"{a}\t{b}\t{i}" for i, (a, b) in enumerate(zip(words[::2], words[1::2], strict=True))]
    path.write_text("\n".join(rows), encoding="utf-8")
    return path


def test_a_comparison(firth: Command, pairs: Path):
    ended = firth(*COMPARE, "-o", "run", "-q")
    assert ended.status == 0, ended.err
    head, *rows = ended.out.splitlines()[:3]
    assert head.split()[:2] == ["model", "seconds"]
    assert [row.split()[0] for row in rows] == ["cbow:epochs=2", "glove"]
    folder = firth.folder / "run"
    metrics = [json.loads(line) for line in (folder / "metrics.jsonl").read_text("utf-8").splitlines()]
    assert [row["options"]["dim"] for row in metrics] == [5, 5]
    assert all(row["peak_bytes"] > 30e6 for row in metrics)
    assert [row["resumed"] for row in metrics] == [False] * 2
    assert [row["counting_seconds"] > 0 for row in metrics] == [False, True]
    assert (folder / "comparison.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "table.md").read_text("utf-8").count("\n") == 4
    assert firth("info", folder / "vectors" / "glove.firth").status == 0
    # What is finished is not trained again; a further model is.
    before = (folder / "metrics.jsonl").read_text("utf-8")
    more = [*COMPARE[:3], "cbow:epochs=2,glove,glove:epochs=3", *COMPARE[4:], "-o", "run", "-q", "--json"]
    assert len(firth(*more).out.splitlines()) == 3
    after = (folder / "metrics.jsonl").read_text("utf-8")
    assert after.startswith(before)
    assert after.count("\n") == 3
    assert json.loads(after.splitlines()[2])["counting_seconds"] == 0  # counted before, for the same window


def test_a_comparison_of_something_else_is_refused(firth: Command, pairs: Path):
    line = [*COMPARE[:3], "cbow:epochs=2", *COMPARE[4:]]
    assert firth(*line, "-o", "run", "-q").status == 0
    assert "comparison with another seed: 0, not 1" in firth(*COMPARE, "-o", "run", "--seed", 1).complaint
    complaint = firth(*COMPARE[:4], "--dim", 6, *COMPARE[6:], "-o", "run").complaint
    assert "run has cbow:epochs=2 with --dim 5, not --dim 6" in complaint
    (firth.folder / "text.txt").write_text(sentences(100), encoding="utf-8")
    assert "comparison with another corpus" in firth(*COMPARE, "-o", "run").complaint
    (firth.folder / "other").mkdir()
    (firth.folder / "other" / "file").touch()
    assert "is not a comparison" in firth(*COMPARE, "-o", "other").complaint
    assert (
        "model 'nothing': expected one of" in firth("compare", "text.txt", "--models", "nothing", "-o", "x").complaint
    )
    complaint = firth("compare", "text.txt", "--models", "cbow:size=3", "-o", "x").complaint
    assert "'size=3' in 'cbow:size=3': cbow has no such option; use dim" in complaint


def test_a_damaged_gold_set_is_found_before_training(firth: Command, pairs: Path):
    pairs.write_text("cat\tdog\n", encoding="utf-8")
    assert "pairs.tsv line 1" in firth(*COMPARE, "-o", "run", "-q").complaint
    assert not (firth.folder / "run").exists()


def test_a_comparison_that_was_killed_goes_on(firth: Command, pairs: Path):
    line = [*COMPARE[:3], "cbow:epochs=1,skipgram:epochs=100000", *COMPARE[4:], "-o", "run", "-q"]
    process = firth.start(*line)  # the process of the model ends with it
    metrics = firth.folder / "run" / "metrics.jsonl"
    wait_until(metrics.exists, process)
    end_by(process, signal.SIGKILL)
    before = metrics.read_text("utf-8")
    assert before.count("\n") == 1
    line[3] = "cbow:epochs=1,ppmi"
    assert firth(*line).status == 0
    assert metrics.read_text("utf-8").startswith(before)
    assert metrics.read_text("utf-8").count("\n") == 2


def test_a_model_that_was_killed_goes_on(firth: Command, pairs: Path):
    line = [*COMPARE[:3], "cbow:epochs=300", *COMPARE[4:], "-o", "run", "-q"]
    process = firth.start(*line)  # the process of the model ends with it
    wait_until(lambda: any((firth.folder / "run" / "state").glob("cbow*")), process)
    end_by(process, signal.SIGKILL)
    assert not (firth.folder / "run" / "metrics.jsonl").exists()
    assert firth(*line).status == 0
    (row,) = map(json.loads, (firth.folder / "run" / "metrics.jsonl").read_text("utf-8").splitlines())
    assert row["resumed"]
    assert row["seconds"] > 0


def test_the_memory_of_a_model_is_its_own(firth: Command, text: Path, pairs: Path):
    ended = firth.python(
        "import firth, numpy\n"
        "large = numpy.ones(100_000_000)\n"
        "if __name__ == '__main__':\n"
        f"    corpus = firth.Corpus.build({str(text)!r}, progress=False)\n"
        f"    sets = {{'similarity': [{str(pairs)!r}]}}\n"
        "    found = firth.compare(corpus, ['cbow:dim=5'], 'run', sets=sets, progress=False)\n"
        "    print(found.rows[0]['peak_bytes'])\n"
    )
    assert 30e6 < int(ended.out) < 600e6, ended


COUNT = """
import json, sys, threading, time, firth

corpus, peak = firth.Corpus.open(sys.argv[1]), [0, 0]


def look():
    status = open("/proc/self/status").read()
    for place, name in enumerate(("VmRSS:", "RssAnon:")):
        peak[place] = max(peak[place], int(status.split(name)[1].split()[0]) / 1024)


def watch():
    while True:
        look()
        time.sleep(0.002)


threading.Thread(target=watch, daemon=True).start()
try:
    counts = firth.Cooccurrence(window=5).count(
        corpus, memory=int(sys.argv[2]), threads=2, cache=sys.argv[3], progress=False
    )
except firth.FirthError as error:
    print(json.dumps(str(error)))
else:
    look()
    print(json.dumps(peak))
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not report memory")
def test_the_memory_limit_is_kept_within_a_tenth(tmp_path: Path):
    """1.5 million words over 20,000: at the least memory with room for all pages of the corpus, and above."""
    law = 1 / np.arange(1, 20_001)
    ids = np.random.default_rng(0).choice(20_000, 1_500_000, p=law / law.sum())
    words = np.array([f"w{i}" for i in range(20_000)], dtype=object)
    text = tmp_path / "text.txt"
    text.write_text("".join(f"{' '.join(row)}\n" for row in words[ids.reshape(-1, 20)]), encoding="ascii")
    corpus = firth.Corpus.build(text, min_count=1, cache=tmp_path, progress=False)

    def peaks(memory: int):
        command = [sys.executable, "-P", "-c", COUNT, str(corpus.path), str(memory), str(tmp_path / str(memory))]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout)

    least = int(re.search(r"expected at least (\d+) MiB", peaks(1))[1])
    for memory in (least + 7, least + 20):  # the corpus has 6 MiB
        resident, anonymous = peaks(memory)
        assert resident < 1.1 * memory
        assert anonymous > 0.3 * memory  # it is the limit that matters, not a small corpus
