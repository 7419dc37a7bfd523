"""What only Windows or macOS would break, as far as Linux can show it."""

import ast
import io
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from firth.cli import app, output
from firth.corpus import sources
from firth.storage.user_files import is_handed_over

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
from tests.robustness import windows
windows.install()
import firth
from firth.errors import FileError
open("text.txt", "wb").write("ein größeres Wort\\r\\nund noch ein Wort\\r\\n".encode() * 20)
corpus = firth.Corpus.build("text.txt", min_count=1, cache="cache", progress=False)
assert "wort" in corpus.vocabulary.words and not any("\\r" in word for word in corpus.vocabulary.words)
corpus = firth.Corpus.build("text.txt", min_count=1, cache="cache", progress=False)
vectors = firth.Word2Vec(dim=4, epochs=1).train(corpus, progress=False)
for name in ("v.firth", "v.vec", "v.bin"):
    vectors.save(name)
    vectors.save(name)
loaded = firth.load("v.firth")
assert loaded.words == firth.load("v.vec").words == vectors.words
try:
    vectors.save("v.firth")
except FileError as error:
    print(error)
firth.NgramLM(order=2, discount_fallback=True).train(["a b c"] * 9, progress=False).save("n.firth")
print(firth.load("n.firth").order)
"""


def test_models_are_made_saved_and_loaded_where_posix_is_missing(tmp_path):
    """What is mapped cannot be replaced there, and the message says what to do."""
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    refused, order = ended.stdout.splitlines()
    assert "v.firth" in refused
    assert "another name: Windows replaces nothing that is loaded" in refused
    assert order == "2"


def test_output_to_a_pipe_is_utf_8_on_windows(monkeypatch):
    """A terminal there is written to as Unicode; a file or pipe would have the code page, which lacks most scripts."""
    monkeypatch.setattr(app, "WINDOWS", True)
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    for name in ("stdin", "stdout"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding="cp1252"))
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    app._steady_streams()
    assert (sys.stdin.encoding, sys.stdout.encoding) == ("utf-8", "utf-8")
    print("Ωμέγα")
    sys.stdout.flush()
    assert sys.stdout.buffer.getvalue().decode("utf-8").strip() == "Ωμέγα"


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_json_stays_json_in_any_encoding(monkeypatch, encoding):
    buffer = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(buffer, encoding=encoding, errors="backslashreplace"))
    output.print_json({"word": "größer 😀"})
    sys.stdout.flush()
    assert json.loads(buffer.getvalue().decode(encoding)) == {"word": "größer 😀"}


def test_a_path_with_slashes_is_one_on_windows(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "one").write_text("a b", encoding="utf-8")
    monkeypatch.setattr(sources.os, "sep", "\\")
    assert sources._names_file("texts/one")


def test_the_null_device_is_no_file_of_a_user(monkeypatch):
    monkeypatch.setattr("firth.storage.user_files.STREAMS", (Path("nul"),))
    assert is_handed_over("nul")


def test_no_two_files_differ_by_case_and_none_has_a_name_that_windows_keeps():
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    assert [name for name, n in Counter(map(str.lower, names)).items() if n > 1] == []
    kept = {"con", "prn", "aux", "nul", *(f"{port}{i}" for port in ("com", "lpt") for i in range(1, 10))}
    parts = {part for name in names for part in name.split("/")}
    assert [part for part in parts if part.lower().partition(".")[0] in kept or set(part) & set(':*?"<>|\\')] == []


def test_text_is_read_and_written_in_a_named_encoding():
    """Python's own choice is a code page on Windows."""
    found = []
    for path in (ROOT / "src").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "_text(" in text else ():
            method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            unnamed = method in ("read_text", "write_text") and not any(
                word.arg == "encoding" for word in node.keywords
            )
            if unnamed and len(node.args) < 1 + (method == "write_text"):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert found == []
