"""`firth encode`: what it writes and says."""

import json
import os
import signal

import numpy as np
import pytest

import firth
from firth.sentences import file_encoding, text_blocks

WORDS = firth.WordVectors(["a", "b"], np.eye(2, dtype=np.float32))


@pytest.fixture
def folder(tmp_path):
    WORDS.save(tmp_path / "v.firth")
    (tmp_path / "t.txt").write_text("a b\n\nB\n", encoding="utf-8")
    return tmp_path


@pytest.mark.filterwarnings("always:.*have no known word")
def test_vectors_and_facts(run, folder):
    status, out, err = run("encode", "v.firth", "t.txt", "-o", "o.npy")
    assert (status, out, err.splitlines()[-1]) == (0, "", "o.npy: 3 texts x 2")  # after progress, on a slow machine
    assert np.load(folder / "o.npy").tolist() == [[0.5, 0.5], [0, 0], [0, 1]]
    status, out, err = run("encode", "v.firth", "t.txt", "-o", "o.jsonl", "--json", "--tokens", "whitespace", "-q")
    assert status == 0
    assert json.loads(out) == {
        "vectors": "o.jsonl", "texts": 3, "dim": 2, "resumed": 0,
        "problems": {"have no known word: their vectors are zero": 1},
    }  # fmt: skip
    assert err == "firth: warning: 1 of 3 texts have no known word: their vectors are zero\n"
    assert json.loads((folder / "o.jsonl").read_text("utf-8").splitlines()[0]) == {"text": "a b", "vector": [0.5, 0.5]}


@pytest.mark.filterwarnings("ignore:.*have no known word")
def test_sentence_transformers_folders_keep_their_tokeniser(run, folder):
    firth.SentenceAverages(WORDS, "mean").save(folder / "st", format="sentence-transformers")
    assert run("encode", "st", "t.txt", "-o", "o.npy")[0] == 0
    assert np.load(folder / "o.npy").tolist() == [[0.5, 0.5], [0, 0], [0, 1]]


def test_an_interruption_is_told_and_continued(run, folder, monkeypatch):
    (folder / "t.txt").write_text("a b\nb\n" * 50, encoding="utf-8")
    monkeypatch.setattr(text_blocks, "BYTES", 60)
    write = file_encoding.create

    def interrupted(*arguments):
        os.kill(os.getpid(), signal.SIGINT)
        return write(*arguments)

    monkeypatch.setattr(file_encoding, "create", interrupted)
    status, _, err = run("encode", "v.firth", "t.txt", "-o", "o.npy", "-q")
    assert status == 130
    assert err == "o.npy: 20 texts are finished; the same command continues after them\n"
    status, _, err = run("encode", "v.firth", "t.txt", "-o", "o.npy", "-q")
    assert (status, err) == (0, "o.npy: continuing after 20 texts\no.npy: 100 texts x 2\n")
    assert np.load(folder / "o.npy").tolist() == [[0.5, 0.5], [0, 1]] * 50


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("v.firth", "t.txt"), "no file to write to: give -o OUT"),
        (("v.firth", "t.txt", "-o", "o.txt"), "expected a name that ends in .npy"),
        (("v.firth", "t.txt", "-o", "o.npy", "--tokens", "word"), "--tokens word"),
        (("v.firth", "t.txt", "-o", "o.npy", "--pooling", "max"), "--pooling max: v.firth holds"),
        (("v.firth", "t.txt", "-o", "o.npy", "--max-length", 5), "--max-length 5: v.firth holds"),
        (("v.firth", "missing.txt", "-o", "o.npy"), "missing.txt"),
        (("missing", "t.txt", "-o", "o.npy"), "missing"),
        (("v.firth", "t.txt", "-o", "o.npy", "--column", "text"), "has no columns"),
    ],
)
def test_mistakes(run, folder, arguments, said):
    status, out, err = run("encode", *arguments, "-q")
    assert (status, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir() if path.name != "cache") == ["t.txt", "v.firth"]


def test_pooling_of_a_contextual_encoder(run, folder):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    from tests.unit.neural.models.pretraining.encoders import trained

    model = trained("masked")
    model.save(folder / "e.firth")
    (folder / "some.txt").write_text("The cat eats.\nA dog\n", encoding="utf-8")
    status, _, err = run("encode", "e.firth", "some.txt", "-o", "e.npy", "--pooling", "cls", "-q")
    assert status == 0, err
    np.testing.assert_allclose(
        np.load(folder / "e.npy"), model.encode(["The cat eats.", "A dog"], pooling="cls"), atol=1e-6
    )
    status, _, err = run("encode", "e.firth", "some.txt", "-o", "f.npy", "--pooling", "max", "-q")
    assert status == 1
    assert "--pooling max: expected one of mean, cls" in err


TABLES = {
    "encode": ("encode", "v.firth", "t.csv", "-o", "o.npy"),
    "search": ("search", "v.firth", "t.csv", "a"),
    "clusters": ("clusters", "v.firth", "t.csv", "-k", "1"),
    "train": ("train", "ppmi", "t.csv", "-o", "p.firth", "--min-count", "1", "--dim", "2"),
    "subwords": ("subwords", "train", "t.csv", "-o", "s.json", "--size", "260"),
    "classify": ("classify", "train", "t.csv", "-o", "c.firth", "--labels", "3", "--epochs", "1"),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.filterwarnings("always")
def test_tables_are_read_in_one_way_by_every_command(run, folder, name):
    command = [*TABLES[name], "--column", "2", "-q"]
    (folder / "t.csv").write_text("1;a b, a;x\n2;b;y\n3;a\n4;b b;y\n5;a a;x\n", encoding="utf-8")
    status, _, err = run(*command)
    assert status == 1
    assert "semicolons between its cells, not commas, and no names of columns: column 1 holds numbers" in err
    assert "said by --separator ';' and --no-header" in err
    assert "t.csv line 3: 2 cells, expected 3 as in the first row" in err
    assert "to leave out such rows, --on-error skip" in err
    given = ["--separator", ";", "--no-header", "--quoting", "doubled", "--on-error", "skip"]
    status, _, err = run(*command, *given)
    assert (status, "t.csv: skipped 1 of 5 rows: line 3: 2 cells" in err, "semicolons" in err) == (0, True, False)
