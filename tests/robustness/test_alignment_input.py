"""What alignment does with pairs and spaces that cannot be aligned: one sentence, and nothing half-written."""

import os
import signal
import time

import numpy as np
import pytest

from firth.vectors.word_vectors import WordVectors
from tests.robustness.command import Command
from tests.unit.alignment.spaces import translations, twins


def write_pairs(path, pairs):
    path.write_text("\n".join(map(" ".join, pairs)), encoding="utf-8")


@pytest.fixture
def firth(tmp_path):
    for side, name in zip(twins(), ("a.firth", "b.firth"), strict=True):
        side.save(tmp_path / name)
    twins(dim=12)[1].save(tmp_path / "narrow.firth")
    write_pairs(tmp_path / "pivots.txt", translations(0, 60))
    return Command(tmp_path)


def align(firth, *arguments, sides=("a.firth", "b.firth"), pivots="pivots.txt"):
    return firth("align", *sides, "--dictionary", pivots, "-o", "ab", "--quiet", *arguments)


def test_test_pairs_among_the_pivots(firth, tmp_path):
    write_pairs(tmp_path / "test.txt", translations(50, 80))
    complaint = align(firth, "--test", "test.txt").complaint
    assert complaint.startswith("10 of 30 test pairs are among the pivots (a50 b50, a51 b51, a52 b52, ...)")
    assert not (tmp_path / "ab").exists()


def test_no_usable_pair(firth, tmp_path):
    write_pairs(tmp_path / "none.txt", [("dog", "perro"), ("a1", "gato")])
    assert align(firth, pivots="none.txt").complaint.startswith(
        "none of 2 pairs has two words with vectors (unknown in the source: dog; in the target: gato, perro)"
    )
    (tmp_path / "empty.txt").write_text("\n# nothing\n")
    assert "empty.txt: no line of two words" in align(firth, pivots="empty.txt").complaint
    (tmp_path / "bytes.txt").write_bytes(b"a1 b1\n\xff\xfe\n")
    assert "bytes.txt line 2: not UTF-8 text" in align(firth, pivots="bytes.txt").complaint
    assert "check the path" in align(firth, pivots="nowhere.txt").complaint
    assert not (tmp_path / "ab").exists()


def test_unlike_widths(firth):
    narrow = ("a.firth", "narrow.firth")
    complaint = align(firth, sides=narrow).complaint
    assert complaint.startswith(
        "vectors of dimensions 20 and 12: an orthogonal map needs equal dimensions; use --method least"
    )
    done = align(firth, "--method", "least-squares", sides=narrow)
    assert done.status == 0, done.err
    assert "words x 12" in done.out


def test_fewer_pairs_than_directions(firth, tmp_path):
    write_pairs(tmp_path / "few.txt", translations(0, 7))
    complaint = align(firth, "--method", "weighted", pivots="few.txt").complaint
    assert complaint.startswith("7 pairs whose source vectors span 7 of 20 dimensions: expected all")


def test_not_a_number(firth, tmp_path):
    source, _ = twins()
    rows = source.vectors.copy()
    rows[5, 3] = np.nan
    lines = [" ".join([word, *map(str, row)]) for word, row in zip(source.words, rows.tolist(), strict=True)]
    (tmp_path / "nan.txt").write_text("\n".join([f"{len(rows)} 20", *lines]), encoding="utf-8")
    for flags in (["--dictionary", "pivots.txt"], ["--unsupervised"]):
        complaint = firth("align", "nan.txt", "b.firth", *flags, "-o", "ab", "--quiet").complaint
        assert "a5" in complaint or "line 7" in complaint, complaint
    assert not (tmp_path / "ab").exists()


def test_no_common_word(firth):
    assert firth("semantic-change", "a.firth", "b.firth").complaint.startswith(
        "0 common words of 300 and 300: expected two texts"
    )
    assert "vectors of dimensions 20 and 12" in firth("semantic-change", "b.firth", "narrow.firth").complaint


def test_few_words_and_other_folders(firth, tmp_path):
    twins(words=9)[0].save(tmp_path / "nine.firth")
    complaint = firth("align", "nine.firth", "b.firth", "--unsupervised", "-o", "ab").complaint
    assert complaint.startswith("9 source words: expected at least 10")
    (tmp_path / "ab").mkdir()
    (tmp_path / "ab" / "thesis.tex").write_text("precious")
    assert "folder of something else" in align(firth).complaint
    assert (tmp_path / "ab" / "thesis.tex").read_text() == "precious"


def test_ctrl_c_leaves_the_old_alignment(firth, tmp_path):
    """An interrupted search writes nothing: what was there is there."""
    assert align(firth).status == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "ab").iterdir()}
    random = np.random.default_rng(0)
    for name in ("c.txt", "d.txt"):
        WordVectors([f"w{i}" for i in range(1000)], random.normal(size=(1000, 50))).save(tmp_path / name, "word2vec")
    started = firth.start("align", "c.txt", "d.txt", "--unsupervised", "-o", "ab", "--overwrite", "--patience", "900")
    for line in started.stderr:
        if "self-learning" in line:
            break
    time.sleep(0.2)
    os.kill(started.pid, signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert {path.name: path.read_bytes() for path in (tmp_path / "ab").iterdir()} == before
