"""Signals: the first is a flag, the second an interruption; what is ignored stays ignored."""

import signal
import threading
import time

import pytest

from firth.signals import HANDLED, exit_status, finishing, ignoring_interrupts, interruptible, sharing, stopping

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="signals as POSIX has them")


def test_the_first_is_a_flag_and_the_second_interrupts():
    with stopping() as asked:
        assert not asked.stop
        signal.raise_signal(signal.SIGTERM)
        assert asked.stop
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_one_waits_while_what_was_learned_is_handed_over():
    with finishing():
        signal.raise_signal(signal.SIGTERM)
        assert exit_status() == 143
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_what_is_ignored_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stopping() as asked:
            signal.raise_signal(signal.SIGINT)
            assert not asked.stop
    finally:
        signal.signal(signal.SIGINT, before)
    with ignoring_interrupts():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) == before


def test_signals_are_passed_on_to_those_who_do_the_work(monkeypatch):
    told = []
    monkeypatch.setattr("os.kill", lambda process, number: told.append((process, number)))
    with stopping(lambda: [7, 8]) as asked:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)  # it waits for them, whatever comes
    assert asked.stop
    assert told == [(process, signal.SIGTERM) for process in (7, 8, 7, 8)]


def test_the_status_tells_the_signal():
    with interruptible(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
    assert exit_status() == 143
    with stopping():
        signal.raise_signal(signal.SIGINT)
    assert exit_status() == 130


def test_a_terminal_that_is_gone_is_heard():
    with stopping() as asked:
        signal.raise_signal(signal.SIGHUP)
    assert asked.stop
    with stopping() as asked, ignoring_interrupts():  # where another process answers
        signal.raise_signal(signal.SIGHUP)
    assert not asked.stop


def test_threads_share_the_flag_of_the_main_thread():
    asked = threading.Event()

    def train(request):
        with sharing(request), stopping() as own:
            assert own is request
            asked.set()
            while not own.stop:
                time.sleep(0.001)

    with stopping() as request:
        thread = threading.Thread(target=train, args=(request,))
        thread.start()
        assert asked.wait(10)
        signal.raise_signal(signal.SIGINT)
        thread.join(10)
        assert not thread.is_alive()


def test_in_a_thread_nothing_is_heard():
    before = [signal.getsignal(number) for number in HANDLED]
    found = []

    def run():
        with stopping(), interruptible(), ignoring_interrupts():
            found.extend(signal.getsignal(number) for number in HANDLED)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == before
