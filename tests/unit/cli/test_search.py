"""`firth search`, `duplicates` and `clusters`: what they print."""

import json

import numpy as np
import pytest

import firth
from firth.errors import OptionError

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
    said = "1 pair among 5 texts, in 1 group\n"
    assert run("duplicates", "v.firth", "t.txt") == (0, "1.0000\t2\t4\t1\tb\tB\n", said)
    out = run("duplicates", "v.firth", "t.txt", "--threshold", 0.7, "--json", "--tokens", "whitespace")[1]
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["lines"], row["group"]) for row in rows] == [([1, 3], 1), ([2, 3], 1)]


def test_a_text_without_duplicates_keeps_the_first_of_each_group(run, folder):
    """At 0.7 "a b" is near to "a a" and to both "b": one group of four, though "a a" and "b" are no pair."""
    said = run("duplicates", "v.firth", "t.txt", "-o", "once.txt", "-q")[2].splitlines()
    assert said[-2:] == ["once.txt: 4 of 5 texts; 1 duplicate left out", "1 pair among 5 texts, in 1 group"]
    assert (folder / "once.txt").read_text(encoding="utf-8").splitlines() == ["a a", "b", "a b", "unknown"]
    run("duplicates", "v.firth", "t.txt", "--threshold", 0.7, "-o", "once.txt", "-q")
    assert (folder / "once.txt").read_text(encoding="utf-8").splitlines() == ["a a", "unknown"]
    (folder / "t.jsonl").write_text(json.dumps({"text": "a\r\na"}) + "\n", encoding="utf-8")
    said = run("duplicates", "v.firth", "t.jsonl", "-o", "once.txt", "-q")[2]
    assert "once.txt: 1 text had line breaks, which are spaces there\n" in said
    assert (folder / "once.txt").read_text(encoding="utf-8") == "a a\n"


def test_the_text_without_duplicates_is_there_though_pairs_cannot_be_printed(run, folder, monkeypatch):
    def gone(*_):
        raise OptionError("no place to print to")

    monkeypatch.setattr("firth.cli.search.show", gone)
    run("duplicates", "v.firth", "t.txt", "-o", "once.txt", "-q")
    assert (folder / "once.txt").read_text(encoding="utf-8").splitlines() == ["a a", "b", "a b", "unknown"]


def test_clusters(run, folder):
    status, out, _ = run("clusters", "v.firth", "t.txt", "-k", 2, "-n", 1, "--seed", 1)
    assert status == 0
    assert out == "1: 3 texts, mean cosine 0.93: b, a\n  b\n2: 1 text, mean cosine 1.00: a\n  a a\n"
    rows = [
        json.loads(line) for line in run("clusters", "v.firth", "t.txt", "-k", 2, "--seed", 1, "--json")[1].splitlines()
    ]
    assert sorted(line for row in rows for line in row["lines"]) == [1, 2, 3, 4]
    assert [row["cluster"] for row in rows] == [1, 2]
    assert [[word["word"] for word in row["keywords"]] for row in rows] == [["b", "a"], ["a"]]
    error = run("clusters", "v.firth", "t.txt", "--keywords", 0)[2]
    assert error == "firth: --keywords 0: expected a whole number of at least 1\n"


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
        (("duplicates", "v.firth", "t.txt", "-o", "t.txt"), "is a text to read"),
        (("clusters", "v.firth", "t.txt", "-k", 9), "4 of 5 texts have a vector"),
        (("clusters", "v.firth", "missing.txt"), "missing.txt"),
        (("search", "v.firth", "empty.txt", "a"), "no texts: expected at least one"),
    ],
)
def test_mistakes(run, folder, arguments, said):
    status, out, err = run(*arguments, "-q")
    assert (status, out) == (1, "")
    assert said in err


def test_texts_have_vectors_of_the_consensus_of_runs(run, folder):
    documents = [" ".join(words) for words in zip("abcd" * 6, "bcda" * 6, "cdab" * 6, strict=True)]
    corpus = firth.Corpus.build(documents, min_count=1)
    firth.bootstrap(firth.AssociationVectors(dim=2), corpus, runs=2, checkpoint=folder / "r")
    firth.load(folder / "r").consensus.save(folder / "c.firth")
    status, out, err = run("search", "r", "t.txt", "b", "-n", 2)
    assert (status, out) == (0, run("search", "c.firth", "t.txt", "b", "-n", 2)[1])
    assert err.startswith("r holds 2 runs: texts have means of their consensus, without intervals\n")
    assert run("clusters", "r", "t.txt", "-k", 2, "-q")[0] == 0
