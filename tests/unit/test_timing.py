"""What counts against a limit on time."""

import pytest

from firth.timing import Stopwatch, running_clock


def test_a_lap_begins_where_the_last_ended(clock):
    watch = Stopwatch()
    clock.sleep(2)
    assert watch.lap() == pytest.approx(2 + clock.tick)
    assert watch.lap() == pytest.approx(clock.tick)


def test_the_outermost_caller_sets_the_start(clock):
    with running_clock() as outer:
        clock.sleep(2)
        outer.evaluations = 2
        with running_clock() as inner:
            assert inner is outer
            assert inner.since.lap() >= 2
    with running_clock() as later:
        assert later is not outer
        assert later.evaluations == 0
