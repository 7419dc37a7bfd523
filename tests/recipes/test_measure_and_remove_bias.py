"""The recipe at toy size: the bias is there, hard debiasing hides it, and the control finds it again."""

import json

import pytest


@pytest.fixture(scope="module")
def rows(recipe):
    return recipe["main"](["--toy"])


def of(rows, what, **wanted):
    return [row for row in rows if row["what"] == what and all(row.get(key) == value for key, value in wanted.items())]


def test_the_planted_bias_is_measured(rows):
    (test,) = of(rows, "test")
    assert test["effect"] > 1.9
    assert test["p"] == 1 / 12_870


def test_hard_debiasing_hides_and_does_not_remove(rows):
    direct, weat = of(rows, "change", way="hard")
    (control,) = of(rows, "control", way="hard")
    assert direct["before"] > 0.5
    assert direct["after"] < 1e-6
    assert abs(weat["statistic_after"]) < 0.01 * weat["statistic_before"]
    assert control["after"]["clusters"] > 0.9


def test_null_space_projection_removes_what_a_line_can_tell(rows):
    (control,) = of(rows, "control", way="null-space")
    assert control["before"]["clusters"] == 1
    assert control["after"]["clusters"] < 0.7


def test_the_table_of_saved_rows(recipe, rows, tmp_path, capsys):
    more = {"what": "inequality", "name": "men, women: homemaker", "first": 0.25, "second": 0.375}
    saved = [{**row, "seed": seed} for row in [*rows, more] for seed in (0, 1)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, saved)), encoding="utf-8")
    recipe["main"](["--table", str(tmp_path / "rows.jsonl")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Means of 2 seeds")
    assert "| men, women: homemaker | 0.250 | 0.375 |" in lines
    (test,) = of(rows, "test")
    assert any(
        line.startswith(f"| weat-7 | {test['effect']:.2f} | ") and line.endswith("| 2 | 32/32 |") for line in lines
    )
