"""`firth index` and `firth neighbours --index`: what they print and write."""

import json
import sys

import numpy as np
import pytest

import firth
from firth.cli import app
from firth.cli import index as command
from firth.errors import install_command
from firth.loading import load_index

WORDS = [f"w{i}" for i in range(60)]


@pytest.fixture
def vectors(tmp_path):
    rows = np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32)
    made = firth.WordVectors(WORDS, rows)
    made.save(tmp_path / "v.firth")
    return made


@pytest.fixture
def run(monkeypatch, capsys, tmp_path, vectors):
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["firth", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            app.main()
        assert ended.value.code == 0
        return capsys.readouterr()

    return run


def test_an_index_is_written_and_asked(run, vectors, tmp_path):
    out, err = run("index", "v.firth", "--kind", "lsh", "--tables", 3, "--probes", 64, "-o", "v.index")
    assert out == ""
    assert err.startswith("v.index: 60 words, lsh, 0.0 MB")
    made = load_index(tmp_path / "v.index", vectors)
    assert (made.options.tables, made.options.probes, made.options.bits) == (3, 64, 4)
    asked = [
        json.loads(run("neighbours", "v.firth", "w3", "--json", *more)[0]) for more in ([], ["--index", "v.index"])
    ]
    assert [each["word"] for each in asked[0]["neighbours"]] == [each["word"] for each in asked[1]["neighbours"]]
    for each, other in zip(asked[0]["neighbours"], asked[1]["neighbours"], strict=True):
        assert each["score"] == pytest.approx(other["score"], abs=1e-6)


def test_as_json(run, tmp_path):
    told = json.loads(run("index", "v.firth", "--kind", "exact", "--csls", 5, "-o", "v.index", "--json")[0])
    size = (tmp_path / "v.index").stat().st_size
    assert told == {"index": "v.index", "kind": "exact", "words": 60, "options": {"csls": 5}, "bytes": size}


def test_csls_now_and_kept(run, vectors):
    run("index", "v.firth", "--kind", "exact", "--csls", 10, "-o", "v.index")
    now, _ = run("neighbours", "v.firth", "w3", "w4", "--csls")
    kept, _ = run("neighbours", "v.firth", "w3", "w4", "--index", "v.index")
    assert now == kept
    expected = vectors.index("exact", csls=10).query("w3", 1).answers[0][0]
    assert now.splitlines()[1].split() == [expected[0], f"{expected[1]:.4f}"]


def test_a_comparison(run, monkeypatch):
    choices = [("exact", {}), ("lsh", {"probes": 1}), ("lsh", {"probes": 100})]
    monkeypatch.setattr(command, "usual_choices", lambda: choices)
    monkeypatch.setattr(command, "USUAL", choices)
    out, err = run("index", "v.firth", "--compare", "--queries", 20, "-n", 5)
    assert "40 words x 8; 20 held-out words, 5 neighbours each" in err
    head, exact, _, whole = out.splitlines()
    assert head.split()[:3] == ["index", "recall", "scanned"]
    assert exact.split()[:3] == ["exact", "1.000", "100.0%"]
    assert "1.000   100.0%" in whole
    rows = [
        json.loads(line) for line in run("index", "v.firth", "--compare", "--queries", 20, "--json")[0].splitlines()
    ]
    assert [(row["kind"], row["words"], row["queries"], row["k"]) for row in rows[:2]] == [
        ("exact", 40, 20, 10),
        ("lsh", 40, 20, 10),
    ]
    monkeypatch.setattr(command, "USUAL", [*choices, ("hnsw", {})])
    assert install_command("ann") in run("index", "v.firth", "--compare", "--queries", 20)[1]
