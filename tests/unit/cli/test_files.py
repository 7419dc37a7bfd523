"""`firth convert` to other programs' formats: what the shell sees."""

import json
from pathlib import Path

import numpy as np
import pytest

import firth


@pytest.fixture
def vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    space = firth.WordVectors(["the", "sea", "ship", "tea", "king", "queen"], rows, counts=[9, 5, 4, 3, 2, 1])
    averages = firth.SentenceAverages(space, "sif", direction=np.array([1, 0, 0, 0], np.float32))
    averages.save("v.firth")
    return "v.firth"


def test_averages_keep_their_weights_for_sentence_transformers(run, vectors):
    assert run("convert", vectors, "st", "--to", "sentence-transformers")[0] == 0
    rows = firth.load("st").vectors
    assert np.abs(rows[:, 0]).max() < 1e-7  # the direction is gone
    assert np.linalg.norm(rows[0]) < 0.1 * np.linalg.norm(firth.load(vectors)["the"])


def test_a_map_needs_parquet(run, vectors):
    status, _, err = run("convert", vectors, "v.txt", "--map", "pca")
    assert (status, "word2vec has no place for a map" in err) == (1, True)
    assert run("convert", vectors, "v.parquet", "--map", "pca")[0] == 0
    assert set(firth.load("v.parquet").attributes) == {"count", "x", "y"}


def test_a_name_that_ends_like_another_file(run, vectors):
    status, _, err = run("convert", vectors, "v.csv")
    assert (status, "expected .txt for text" in err) == (1, True)
    assert not Path("v.csv").exists()


def test_info_shortens_long_lists(run, vectors, tmp_path):
    space = firth.load(vectors)
    trials = [{"dim": number, "score": number / 196} for number in range(196)]
    space.metadata["autotune"] = {"metric": "f1", "trials": trials}
    space.save("tuned.firth")
    status, out, _ = run("info", "tuned.firth")
    (line,) = [line for line in out.splitlines() if "trials" in line]
    assert status == 0
    assert line.endswith("... (196 in all)")
    assert "(dim 0, score 0) (dim 1, " in line
    assert len(line) < 300
    assert json.loads(run("info", "tuned.firth", "--json")[1])["autotune"]["trials"] == trials


def test_info_describes_arpa_files(run, vectors):
    Path("text.txt").write_text("a b c\na b\nc a b\n", encoding="utf-8")
    assert run("lm", "train", "kneser-ney", "text.txt", "-o", "m.arpa", "--order", "2", "--discount-fallback")[0] == 0
    status, out, _ = run("info", "m.arpa", "--json")
    facts = json.loads(out)
    assert (status, facts["kind"], facts["order"], facts["words"]) == (0, "n-gram model", 2, 5)
    assert (facts["tokens"], facts["sentences"], facts["1-grams"]) == ("words", "line", 6)
    assert facts["bytes"] == Path("m.arpa").stat().st_size
