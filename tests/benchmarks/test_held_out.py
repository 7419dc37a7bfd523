"""The search of CBOW's options: chosen by one half of the items, reported on the other."""

from benchmarks import held_out
from benchmarks.held_out import ANALOGIES, HALVES, SIMILARITY

LINES = [": capitals", *(f"word{i}\tother{i}\t{i % 10}" for i in range(1000))]


def run(program, lr, choose, report, seed=1, final=0.2):
    figures = {
        half: {name: {"value": value, "low": value - 0.1, "high": value + 0.1} for name in (*SIMILARITY, *ANALOGIES)}
        for half, value in zip(HALVES, (choose, report), strict=True)
    }
    return {"program": program, "lr": lr, "final": final, "seed": seed, **figures}


def test_each_item_belongs_to_one_half_and_sections_to_both():
    choose, report = (held_out.split_lines(LINES, half) for half in HALVES)
    assert set(choose) & set(report) == {": capitals"}
    assert sorted([*choose, *report[1:]]) == sorted(LINES)
    assert 400 < len(choose) < 600
    assert choose[0] == report[0] == ": capitals"


def test_halves_do_not_hang_on_the_order_or_on_capitals():
    halves = [held_out.half_of(line) for line in LINES]
    assert halves == [held_out.half_of(line.upper()) for line in LINES]
    assert [held_out.half_of(line) for line in reversed(LINES)] == halves[::-1]


def test_the_second_half_has_no_say_in_what_is_chosen():
    rows = [run("firth", 0.05, choose=0.4, report=0.9), run("firth", 0.075, choose=0.5, report=0.1)]
    assert held_out.best(rows)["lr"] == 0.075


def test_the_table_reports_the_second_half_of_what_was_chosen_by_the_first():
    rows = [
        run("firth", 0.05, choose=0.4, report=0.9),
        run("firth", 0.075, choose=0.5, report=0.3),
        run("firth", 0.075, choose=0.1, report=0.5, seed=2),
        run("gensim", 0.1, choose=0.2, report=0.25),
    ]
    lines = held_out.table(rows).splitlines()
    assert "| firth | 0.075 | 0.2 | 40.0 [30.0, 50.0] |" in lines[2]
    assert lines[2].endswith("| 2 |")
    assert lines[3].startswith("| gensim | 0.1 | 0.2 | 25.0 [15.0, 35.0] |")
    assert "| firth | 0.2 | 40.0 | 50.0 |  |" in lines
