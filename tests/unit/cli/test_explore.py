"""`firth explore`: results of evaluations, and a page that is served."""

import json
import re
import signal
import subprocess
import sys
import urllib.request

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

import firth
from firth.cli.explore import scores_of, texts_of
from firth.corpus.table_options import TableOptions
from firth.errors import CorpusError, FormatError, OptionError


def test_scores(tmp_path):
    path = tmp_path / "scores.jsonl"
    rows = [
        {"vectors": f"x/{name}.firth", "set": "men", "metric": "spearman", "value": 0.5, "low": 0.4} for name in "ab"
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    score = {"set": "men", "metric": "spearman", "value": 0.5, "low": 0.4, "high": None}
    assert scores_of(path, {"a": None, "b": None}) == {"a": [score], "b": [score]}
    assert scores_of(path, {"other": None}) == {"other": [score, score]}
    assert scores_of(None, {}) == {}
    for text in ("{}", "no", "[]", '{"vectors": 1, "set": "x"}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match="not what firth evaluate --json prints"):
            scores_of(path, {"a": None})
    with pytest.raises(OptionError, match="no such file"):
        scores_of(tmp_path / "none", {})


def test_tables_of_texts(tmp_path):
    """A text without a label has no colour; other rows that cannot be read are told."""
    path = tmp_path / "t.csv"
    path.write_text("text;kind\na, b;x\nc;\nd;y;z\n", encoding="utf-8")
    how = TableOptions(separator="semicolon", on_error="skip")
    with pytest.warns(UserWarning, match="skipped 1 of 3 rows: line 4: 3 cells, expected 2"):
        assert texts_of(str(path), None, "2", how) == (["a, b", "c"], ["x", ""])
    with pytest.raises(CorpusError, match=r"t.csv line 4: 3 cells, expected 2"):
        texts_of(str(path), "text", None, TableOptions(separator=";"))
    path.with_suffix(".txt").write_text("a\n", encoding="utf-8")
    with pytest.raises(OptionError, match="lines have no columns"):
        texts_of(str(path.with_suffix(".txt")), None, None, how)


def test_a_page_is_served(tmp_path):
    firth.WordVectors(["a", "b", "c"], np.eye(3, dtype=np.float32)).save(tmp_path / "v.firth")
    (tmp_path / "text.txt").write_text("a b c\n", encoding="utf-8")
    command = [sys.executable, "-m", "firth", "explore", "v.firth", "--corpus", "text.txt", "--no-browser", "-q"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = re.search(r"http://\S+", process.stderr.readline())[0]
            with urllib.request.urlopen(address, timeout=30) as answer:
                assert "<title>firth explorer</title>" in answer.read().decode()
            with urllib.request.urlopen(f"{address}/contexts?word=b", timeout=30) as answer:
                assert json.load(answer)["occurrences"] == 1
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
        finally:
            process.kill()


def test_texts_that_are_lists_of_words(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": ["New", "York"], "kind": "x"}\n', encoding="utf-8")
    (tmp_path / "t.conll").write_text("New B-LOC\nYork I-LOC\n\nhas O\n", encoding="utf-8")
    assert texts_of(str(tmp_path / "t.jsonl"), "text", None) == (["New York"], None)
    assert texts_of(str(tmp_path / "t.jsonl"), "text", "kind") == (["New York"], ["x"])
    assert texts_of(str(tmp_path / "t.conll"), None, None) == (["New York", "has"], None)
