"""What counts against a limit in time."""

import time

from firth.timing import Stopwatch, counted


def test_a_lap_begins_where_the_last_ended():
    watch = Stopwatch()
    time.sleep(0.02)
    assert 0.02 <= watch.lap() < 1
    assert watch.lap() < 0.01


def test_the_outermost_caller_says_from_where_time_counts():
    with counted() as outer:
        time.sleep(0.02)
        outer.evaluations = 2
        with counted() as inner:
            assert inner is outer
            assert inner.since.lap() >= 0.02
    with counted() as later:
        assert later is not outer
        assert later.evaluations == 0
