"""The recipe on a few small documents."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

NAMES = ("Ann", "Eve", "Bob", "Max", "Kim", "Lea")


def document(number):
    name = NAMES[number % len(NAMES)]
    lines = [f"d\t0\t0\t{name}\t_\t(0)", "d\t0\t1\tsang\t_\t_", "", "d\t0\t0\tThen\t_\t_", "d\t0\t1\tshe\t_\t(0)"]
    return "\n".join([f"#begin document (d{number}); part 0", *lines, "", "#end document"]) + "\n"


def test_a_row_for_each_seed(recipe, tmp_path):
    folder = tmp_path / "conll"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.conll").write_text(document(number), encoding="utf-8")
    results = tmp_path / "results.jsonl"
    common = [str(folder), "--epochs", "1", "--hidden", "8"]
    rows = recipe["main"]([*common, "--results", str(results), "--model", str(tmp_path / "model")])
    assert [row["seed"] for row in rows] == [0]
    assert rows[0]["gold"]["mentions"] == 100.0
    assert set(rows[0]["predicted"]) >= {"mentions", "muc", "b_cubed", "ceaf_e", "conll", "interval"}
    assert json.loads(results.read_text(encoding="utf-8")) == rows[0]
    assert (tmp_path / "model").is_dir()
