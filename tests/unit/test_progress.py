"""Progress is a bar on a terminal, lines elsewhere, a caller's function, or nothing."""

import contextlib
import io
import threading
import time

import pytest

import firth
from firth import progress
from firth.errors import OptionError
from firth.progress import Status, describe, elapsed, reporting, reporting_slow_work


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(wanted, statuses, stream=None):
    """What reporting some statuses writes to standard error."""
    stream = io.StringIO() if stream is None else stream
    with contextlib.redirect_stderr(stream), reporting(wanted) as report:
        for status in statuses:
            report(status)
    return stream.getvalue()


def at(done, stage="training, epoch 1/2", **more):
    return Status(**{"stage": stage, "done": done, "total": 1000, "seconds": 2.0, **more})


class TestStatus:
    def test_rate_and_time_left_by_hand(self):
        """500 of 1,000 words in 2 seconds: 250 a second, and 2 seconds left."""
        assert at(500).rate == 250
        assert at(500).remaining == 2

    def test_what_cannot_be_told(self):
        assert at(0, seconds=0.0).rate == 0
        assert at(0).remaining is None
        assert at(500, total=None).remaining is None

    def test_more_than_all_is_no_time_left(self):
        assert at(1500).remaining == 0


class TestDescription:
    def test_every_part(self):
        status = at(2_500, total=10_000, figures={"loss": 2.3456789, "lr": 0.0125})
        expected = "training, epoch 1/2   25 %  1.25k words/s  loss 2.35  lr 0.0125  0:06 left"
        assert describe(status) == expected
        assert len(expected) < 80

    def test_counts_among_the_figures(self):
        assert describe(Status(stage="encoding", figures={"texts": 15_432})) == "encoding  texts 15.4k"

    def test_a_stage_alone(self):
        assert describe(Status(stage="compiling kernels")) == "compiling kernels"

    def test_no_total(self):
        assert describe(at(5_000_000, total=None, unit="bytes")) == "training, epoch 1/2  5M bytes  2.5M bytes/s"

    @pytest.mark.parametrize(
        ("count", "short"),
        [(1, "1"), (999, "999"), (1000, "1k"), (1234567, "1.23M"), (20_000_000, "20M"), (3_210_000_000, "3.21G")],
    )
    def test_short_counts(self, count, short):
        assert describe(Status(stage="s", done=count, seconds=0.0)) == f"s  {short} words"

    @pytest.mark.parametrize(
        ("seconds", "clock"),
        [(0, "0:00"), (59.6, "1:00"), (61, "1:01"), (3599, "59:59"), (3661, "1:01:01"), (90000, "25:00:00")],
    )
    def test_clock(self, seconds, clock):
        assert describe(Status(stage="s", done=1, total=1 + seconds, seconds=1.0)).endswith(f"  {clock} left")


def test_a_function_gets_every_status():
    seen = []
    assert shown(seen.append, [at(1), at(2), at(3)]) == ""
    assert [status.done for status in seen] == [1, 2, 3]


@pytest.mark.parametrize(("wanted", "stream"), [(False, io.StringIO()), (None, io.StringIO()), (False, Terminal())])
def test_silence(wanted, stream):
    """Asked for, or where there is no terminal and nothing was asked for."""
    assert shown(wanted, [at(500)], stream) == ""


class TestPlainLines:
    def test_one_line_a_status_that_is_due(self, monkeypatch):
        """A line at first, none within five seconds, one when they are over; a second for an epoch, 0 for a stage."""
        now = iter([100.0, 101.0, 104.9, 105.0, 105.1, 106.0, 106.1])
        monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
        statuses = [*map(at, (100, 200, 300, 400)), at(450, stage="training, epoch 2/3")]
        statuses += [at(500, stage="training, epoch 3/3"), at(600, stage="saving")]
        lines = shown(True, statuses).splitlines()
        assert [line.partition(" %")[0] for line in lines] == [
            "training, epoch 1/2   10",
            "training, epoch 1/2   40",
            "training, epoch 3/3   50",
            "saving   60",
        ]

    def test_nothing_goes_to_standard_output(self, capsys):
        assert shown(True, [at(500)]).count("\n") == 1
        assert capsys.readouterr().out == ""


class TestBar:
    @pytest.fixture(autouse=True)
    def usual_terminal(self, monkeypatch):
        for name in ("NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "FORCE_COLOR"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "100")

    @pytest.mark.parametrize("wanted", [None, True])
    def test_a_bar_with_figures(self, wanted):
        text = shown(wanted, [at(250, figures={"loss": 2.5}), at(500, figures={"loss": 2.25})], Terminal())
        assert "training, epoch 1/2" in text
        assert "loss 2.25" in text
        assert "50 %" in text

    def test_stages_follow_each_other(self):
        text = shown(None, [at(500), at(100, stage="training, epoch 2/2")], Terminal())
        last = text[text.rfind("training, epoch") :]
        assert last.startswith("training, epoch 2/2")  # the bar of an earlier stage is gone
        assert "10 %" in last

    def test_square_brackets_are_text(self):
        assert "reading [bold]a[1][/x].txt" in shown(None, [Status(stage="reading [bold]a[1][/x].txt")], Terminal())

    def test_the_cursor_comes_back(self):
        def statuses():
            yield at(1)
            raise ValueError("of the work")

        stream = Terminal()
        with pytest.raises(ValueError, match="of the work"):
            shown(None, statuses(), stream)
        assert stream.getvalue().count("\x1b[?25h") == stream.getvalue().count("\x1b[?25l") == 1


class TestSlowWork:
    def test_nothing_is_shown_in_the_first_second(self, monkeypatch):
        now = iter([100.0, 100.5, 100.9, 101.0, 101.0, 102.0])
        monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
        stream = io.StringIO()
        with contextlib.redirect_stderr(stream), reporting_slow_work(True) as report:
            for done in (100, 200):
                report(at(done))
            assert stream.getvalue() == ""
            report(at(300))
        assert "30 %" in stream.getvalue()

    def test_a_short_terminal_job_leaves_no_trace(self):
        stream = Terminal()
        with contextlib.redirect_stderr(stream), reporting_slow_work(None) as report:
            report(at(500))
        assert stream.getvalue() == ""

    def test_a_function_gets_every_status(self):
        seen = []
        with reporting_slow_work(seen.append) as report:
            report(at(1))
        assert len(seen) == 1


class TestElapsed:
    @pytest.fixture(autouse=True)
    def impatient(self, monkeypatch):
        monkeypatch.setattr(progress, "PATIENCE", 0.0)
        monkeypatch.setattr(progress, "NOTICE", 0.001)

    def test_the_time_of_a_block_is_reported(self):
        statuses, reported = [], threading.Event()

        def report(status):
            statuses.append(status)
            reported.set()

        with elapsed("reading vectors", report):
            assert reported.wait(10)
        assert {status.stage for status in statuses} == {"reading vectors"}
        assert describe(Status(stage="reading vectors", seconds=61.0)) == "reading vectors  1:01"

    def test_a_block_inside_another_is_not_reported(self):
        reported = threading.Event()
        with elapsed("drawing", lambda status: reported.set()):
            assert reported.wait(10)
            with elapsed("reading", lambda status: pytest.fail("two bars at once")):
                time.sleep(0.01)

    def test_an_error_of_the_block_is_raised(self):
        with pytest.raises(ValueError, match="of the work"), elapsed("reading", False):
            raise ValueError("of the work")


def test_output_to_a_file_stays_there_while_a_bar_is_shown(capsys):
    """Standard output is no terminal here: the bar on standard error must not take what is printed."""
    with contextlib.redirect_stderr(Terminal()) as stream, reporting(None) as report:
        report(at(500))
        print("an answer")
    assert capsys.readouterr().out == "an answer\n"
    assert "an answer" not in stream.getvalue()


def test_slow_compiling_is_told(monkeypatch):
    monkeypatch.setattr(progress, "NOTICE", 0.01)
    seen: list[Status] = []
    reported = threading.Event()
    progress.compiling(reported.wait, lambda status: (seen.append(status), reported.set()))
    assert {status.stage for status in seen} == {"loading kernels"}  # from the cache of the first run
    progress.compiling(lambda: None, lambda status: pytest.fail("nothing to wait for"))


def test_only_what_numba_compiles_is_called_compiling(monkeypatch):
    events = pytest.importorskip("numba.core.event")
    monkeypatch.setattr(progress, "NOTICE", 0.01)
    compiling = threading.Event()

    def kernel():
        with events.trigger_event("numba:compile"):
            assert compiling.wait(10)

    def report(status):
        if status.stage == "compiling kernels (first run only)":
            compiling.set()

    progress.compiling(kernel, report)


def test_an_error_while_compiling_is_not_lost():
    def fail():
        raise ValueError("no such instruction")

    with pytest.raises(ValueError, match="no such instruction"):
        progress.compiling(fail, lambda status: None)


class TestNotebook:
    """A bar in the output of a cell: made by the first report that is due, changed by the others, and left there."""

    @pytest.fixture(autouse=True)
    def states(self, monkeypatch):
        states = []
        monkeypatch.setattr(progress, "in_notebook", lambda: True)
        monkeypatch.setattr(progress.ProgressBar, "show", lambda bar, *state: states.append(state))
        return states

    def at_times(self, monkeypatch, times):
        now = iter(times)
        monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))

    @pytest.mark.parametrize("wanted", [None, True])
    def test_what_is_shown_and_when(self, monkeypatch, states, wanted):
        """Nothing within a moment; then at once, no more often than every moment, another stage at once; the last."""
        self.at_times(monkeypatch, [100.0, 100.1, 100.4, 100.5, 100.8, 100.85, 100.9, 101.0])
        statuses = [*map(at, (100, 200, 300, 400)), at(500, stage="training, epoch 2/2"),
                    at(600, stage="training, epoch 2/2")]  # fmt: skip
        assert shown(wanted, statuses) == ""
        assert [(stage, share) for stage, _, share in states] == [
            ("training, epoch 1/2", 0.2),
            ("training, epoch 1/2", 0.4),
            ("training, epoch 2/2", 0.5),
            ("training, epoch 2/2", 0.6),
        ]
        assert states[-1][1].startswith(" 60 %  300 words/s")

    def test_a_stage_that_counts_nothing_is_no_leftover(self, monkeypatch, states):
        """What stays is the stage before it, all of which is done; or nothing."""
        cleared = []
        monkeypatch.setattr(progress.ProgressBar, "clear", lambda bar: cleared.append(bar))
        self.at_times(monkeypatch, [100.0, 100.4, 100.8])
        assert shown(None, [at(900), progress.Status(stage="numbering words")]) == ""
        assert [(stage, share) for stage, _, share in states] == [
            ("training, epoch 1/2", 0.9),
            ("numbering words", None),
            ("training, epoch 1/2", 1.0),
        ]
        assert cleared == []
        self.at_times(monkeypatch, [100.0, 100.4])
        shown(None, [progress.Status(stage="intervals and tests")])
        assert len(cleared) == 1

    def test_short_work_shows_nothing(self, monkeypatch, states):
        self.at_times(monkeypatch, [100.0, 100.1, 100.2])
        assert shown(None, [at(500), at(1000)]) == ""
        assert states == []

    def test_silence_when_asked_for(self, states):
        assert shown(False, [at(500)]) == ""
        assert states == []

    def test_a_terminal_keeps_its_bar(self, states):
        shown(None, [at(500)], Terminal())
        assert states == []

    def test_without_a_total_there_is_no_share(self, monkeypatch, states):
        self.at_times(monkeypatch, [100.0, 101.0])
        shown(None, [at(500, total=None)])
        assert [share for _, _, share in states] == [None]


@pytest.mark.parametrize("wrong", ["yes", 1, 0, object(), []])
@pytest.mark.parametrize("show", [reporting, reporting_slow_work, lambda wrong: elapsed("reading", wrong)])
def test_what_shows_no_progress(show, wrong):
    expected = r"progress=.*: expected None \(a bar on a terminal\), True, False, or a function"
    with pytest.raises(OptionError, match=expected), show(wrong):
        pass


def test_a_training_says_so_before_it_reads(tmp_path):
    with pytest.raises(OptionError, match="progress='yes'"):
        firth.Word2Vec().train(tmp_path / "none.txt", progress="yes")


class TestCompilerNotice:
    """Work without progress says once that it waits for the compiler."""

    LINE = "firth: compiling kernels (first run only); firth warm-up compiles all kernels in advance\n"

    @pytest.fixture(autouse=True)
    def not_told(self, monkeypatch):
        monkeypatch.setattr(progress, "_told", False)

    def test_it_is_said_once(self, capsys):
        with reporting(None):  # shows nothing here, where there is no terminal
            progress.tell_of_compiler()
            progress.tell_of_compiler()
        assert capsys.readouterr().err == self.LINE

    @pytest.mark.parametrize("wish", [False, True, lambda status: None])
    @pytest.mark.parametrize("block", [reporting, reporting_slow_work, progress.heeding])
    def test_progress_says_it_or_the_caller_wants_none(self, capsys, wish, block):
        if wish is True and block is reporting_slow_work:
            return  # shows what takes longer than a second
        with block(wish):
            progress.tell_of_compiler()
        with elapsed("reading", False):
            progress.tell_of_compiler()
        assert capsys.readouterr().err == ""
        progress.tell_of_compiler()
        assert capsys.readouterr().err == self.LINE

    def test_a_kernel_that_is_compiled_tells(self, capsys):
        from firth.kernels.compiled import njit

        def own(x):
            return x + 1

        own.__module__ = "firth.kernels.made_up"
        other = njit(lambda x: x + 2)
        assert other(1) == 3
        assert capsys.readouterr().err == ""
        assert njit(own)(1) == 2
        assert capsys.readouterr().err == self.LINE
