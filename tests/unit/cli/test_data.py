import json
import sys
from pathlib import Path

import pytest

from firth.cli import app
from firth.data import SETS, sample_text


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """Run the program: its status, what it printed, and what it said on standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sample_text, "_paragraphs", lambda: {"language.txt": ("a b",), "library.txt": ("c d", "e f")})

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["firth", "data", *arguments])
        with pytest.raises(SystemExit) as ended:
            app.main()
        out, err = capsys.readouterr()
        return ended.value.code, out, err

    return run


def test_the_list_has_name_kind_size_and_licence(run):
    _, out, _ = run("list")
    lines = out.splitlines()
    assert lines[0].split() == ["name", "kind", "size", "licence"]
    assert len(lines) == 2 + len(SETS)
    (line,) = [line for line in lines if line.startswith("simlex-999 ")]
    assert line.split()[1:4] == ["similarity", "18", "kB"]
    assert "free for research" in line


def test_the_list_of_one_kind_as_json(run):
    rows = [json.loads(line) for line in run("list", "--kind", "analogies", "--json")[1].splitlines()]
    assert [(row["name"], row["bytes"], len(row["sha256"])) for row in rows] == [("google-analogies", 603_955, 64)]
    status, _, err = run("list", "--kind", "analogy")
    assert status == 1
    assert "expected one of text, similarity, analogies" in err


def test_get_writes_the_sample(run):
    status, out, _ = run("get", "sample", "-o", "texts", "--words", "4", "-q")
    assert (status, out.split()) == (0, ["texts/language.txt", "texts/library.txt"])
    assert Path("texts/language.txt").read_text(encoding="utf-8") == "a b\n"
    assert len(Path("texts/library.txt").read_text(encoding="utf-8").split()) == 2


def test_the_sample_needs_a_folder(run):
    status, _, err = run("get", "sample")
    assert status == 1
    assert "firth data get sample -o texts" in err


def test_get_copies_from_local_copies_or_says_where_the_file_is(run, shared_data):
    row = json.loads(run("get", "rg-65", "--data", str(shared_data), "-o", "gold", "--json")[1])
    assert row == {"name": "rg-65", "files": ["gold/similarity/EN-RG-65.txt"]}
    assert Path(row["files"][0]).stat().st_size == SETS["rg-65"].bytes
    assert run("get", "rg-65", "--data", str(shared_data))[1].strip() == str(shared_data / SETS["rg-65"].path)
