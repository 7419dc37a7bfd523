"""`firth search`, `duplicates` and `clusters`: what they print."""

import json

import numpy as np
import pytest

import firth

LINES = ["a a", "b", "a b", "B", "unknown"]
pytestmark = pytest.mark.filterwarnings("ignore:.*have no known word")


@pytest.fixture
def folder(tmp_path):
    firth.WordVectors(["a", "b"], np.eye(2, dtype=np.float32)).save(tmp_path / "v.firth")
    (tmp_path / "t.txt").write_text("\n".join(LINES), encoding="utf-8")
    (tmp_path / "empty.txt").touch()
    return tmp_path


def test_search(run, folder):
    assert run("search", "v.firth", "t.txt", "b", "-n", 3) == (0, "1.0000\t2\tb\n1.0000\t4\tB\n0.7071\t3\ta b\n", "")
    assert run("encode", "v.firth", "t.txt", "-o", "o.npy", "-q")[0] == 0
    status, out, _ = run("search", "v.firth", "t.txt", "a", "b", "-n", 1, "--json", "--vectors", "o.npy")
    assert status == 0
    first, second = map(json.loads, out.splitlines())
    assert first == {"query": "a", "matches": [{"line": 1, "score": 1.0, "text": "a a"}]}
    assert second["query"] == "b"
    assert run("search", "v.firth", "t.txt", "")[2] == "'': nothing found, since none of its words is known\n"
    assert run("search", "v.firth", "t.txt", "a", "b", "-n", 1)[1] == "a\n1.0000\t1\ta a\nb\n1.0000\t2\tb\n"


def test_duplicates(run, folder):
    assert run("duplicates", "v.firth", "t.txt") == (0, "1.0000\t2\t4\tb\tB\n", "1 pairs among 5 texts\n")
    out = run("duplicates", "v.firth", "t.txt", "--threshold", 0.7, "--json", "--tokens", "whitespace")[1]
    assert [json.loads(line)["lines"] for line in out.splitlines()] == [[1, 3], [2, 3]]


def test_clusters(run, folder):
    status, out, _ = run("clusters", "v.firth", "t.txt", "-k", 2, "-n", 1, "--seed", 1)
    assert status == 0
    assert out == "1: 3 texts, mean cosine 0.93\n  b\n2: 1 texts, mean cosine 1.00\n  a a\n"
    rows = [json.loads(line) for line in run("clusters", "v.firth", "t.txt", "-k", 2, "--json")[1].splitlines()]
    assert sorted(line for row in rows for line in row["lines"]) == [1, 2, 3, 4]
    assert [row["cluster"] for row in rows] == [1, 2]


@pytest.mark.parametrize("command", [("search", "b"), ("duplicates",), ("clusters",)])
def test_the_size_of_batches_reaches_the_encoder(run, folder, command):
    status, _, error = run(command[0], "v.firth", "t.txt", *command[1:], "--batch-size", 0)
    assert status != 0
    assert "batch" in error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "v.firth", "t.txt", "a", "--index", "tree"), "expected one of exact, lsh, hnsw"),
        (("search", "v.firth", "t.txt", "a", "--vectors", "t.txt"), "expected a .npy file"),
        (("duplicates", "v.firth", "t.txt", "--threshold", 2), "expected a cosine above 0"),
        (("clusters", "v.firth", "t.txt", "-k", 9), "4 of 5 texts have a vector"),
        (("clusters", "v.firth", "missing.txt"), "missing.txt"),
        (("search", "v.firth", "empty.txt", "a"), "no texts: expected at least one"),
    ],
)
def test_mistakes(run, folder, arguments, said):
    status, out, err = run(*arguments, "-q")
    assert (status, out) == (1, "")
    assert said in err
