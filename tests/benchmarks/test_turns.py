"""Contenders that take turns, and the table of their speeds."""

import pytest

from benchmarks.records import append, read
from benchmarks.turns import Contender, SpeedTable, counting, spread


class Clock:
    """A clock that jobs move on."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def file(tmp_path):
    return tmp_path / "speed.jsonl"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def table(clock):
    return SpeedTable(
        title="# Sums",
        legend="Numbers of {digits} digits.\n\n{machine}.\n",
        unit="large numbers",
        columns={"job": "job", "contender": "who"},
        other=lambda names: (names[0], "abacus"),
        clock=clock,
    )


def contender(clock, name, seconds, calls, **more):
    def job():
        calls.append(name)
        clock.now += seconds
        return 10

    return Contender(("sum", name), job, **more)


def test_contenders_take_turns_and_the_first_round_is_thrown_away(table, file, clock):
    calls = []
    table.begin(file, {"digits": 3}, torch="2")
    table.measure([contender(clock, "firth", 0.5, calls), contender(clock, "abacus", 2.0, calls)], 2, file)
    assert calls == ["firth", "abacus"] * 3
    header, *rows = read(file)
    assert header["sizes"] == {"digits": 3}
    assert header["torch"] == "2"
    assert [(row["contender"], row["round"], row["numbers_a_second"]) for row in rows] == [
        ("firth", 0, 20.0),
        ("abacus", 0, 5.0),
        ("firth", 1, 20.0),
        ("abacus", 1, 5.0),
    ]


def test_a_long_job_stays_out_of_the_first_round(table, file, clock):
    calls = []
    table.begin(file, {"digits": 3})
    table.measure([contender(clock, "firth", 0.5, calls, warm_up=False)], 2, file)
    assert calls == ["firth"] * 2


def test_a_file_begins_anew(table, file):
    append(file, {"old": 1})
    table.begin(file, {"digits": 3})
    assert len(read(file)) == 1


def runs(file, **speeds):
    append(file, {"machine": {"processor": "abacus"}, "sizes": {"digits": 3}})
    for number in range(len(next(iter(speeds.values())))):
        for name, values in speeds.items():
            append(file, {"job": "sum", "contender": name, "round": number, "numbers_a_second": values[number]})


def test_a_ratio_is_the_median_over_rounds(table, file):
    """And not the ratio of the medians, which is 2 here."""
    runs(file, firth=[200.0, 400.0, 900.0], abacus=[200.0, 100.0, 300.0])
    assert table.markdown(file).splitlines() == [
        "# Sums",
        "",
        "Numbers of 3 digits.",
        "",
        "abacus.",
        "",
        "| job | who | large numbers a second | ratio |",
        "|---|---|---|---|",
        "| sum | firth | 400 (200 - 900) | 3.00 |",
        "| sum | abacus | 200 (100 - 300) | 1.00 |",
    ]


def test_the_inverse_ratio_is_that_of_the_other_to_this_one(table, file):
    runs(file, firth=[400.0], abacus=[100.0])
    inverse = SpeedTable(**{**vars(table), "inverse": True})
    assert inverse.markdown(file).splitlines()[-2] == "| sum | firth | 400 (400 - 400) | 0.25 |"


def test_without_the_other_there_is_no_ratio(table, file):
    runs(file, firth=[400.0])
    assert table.markdown(file).splitlines()[-1] == "| sum | firth | 400 (400 - 400) |  |"
    plain = SpeedTable(**{**vars(table), "other": None})
    assert plain.markdown(file).splitlines()[-1] == "| sum | firth | 400 (400 - 400) |"


def test_slow_speeds_have_a_decimal():
    assert spread([2.0, 30.04, 40.0]) == "30.0 (2.0 - 40.0)"


def test_work_of_known_size():
    done = []
    assert counting(lambda: done.append(1), 7) == 7
    assert done == [1]
