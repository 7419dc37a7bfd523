"""Runs contenders in turn, each in a child process whose time and memory are measured."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.comparison import FRESH_FOLDER, Comparison, Contender
from benchmarks.machine import load
from benchmarks.records import Series

# Otherwise libraries would start one thread per processor in a run with one thread.
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class JobError(RuntimeError):
    """A measured job failed; the message has the end of its output."""


@dataclass(frozen=True)
class MeasuredRun:
    """One run of one command.

    Attributes:
        report: the JSON object in the last line of the output.
        wall: seconds from start to end of the process, including the interpreter's start.
        peak_mb: peak memory in 10^6 bytes; at least the memory of this process when it started the child, about 20.
    """

    report: dict[str, Any]
    wall: float
    peak_mb: float


def run_child(command: tuple[str, ...], environment: Mapping[str, str]) -> MeasuredRun:
    """Run a command to its end.

    Raises:
        JobError: it failed, or its last line is no JSON object.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=dict(environment)
        )
        # wait4 reports the memory of this child; getrusage would report the maximum over all children so far.
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        stdout, stderr = output.read().decode(errors="replace"), errors.read().decode(errors="replace")
    if process.returncode:
        raise JobError(f"exit status {process.returncode}: {stderr.strip()[-800:] or stdout.strip()[-800:]}")
    return MeasuredRun(_last_object(stdout), wall, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6)


def _last_object(stdout: str) -> dict[str, Any]:
    lines = stdout.strip().splitlines()
    try:
        report = json.loads(lines[-1])
    except (IndexError, ValueError):
        raise JobError(f"its last line is no JSON: {stdout[-500:]!r}") from None
    if not isinstance(report, dict):
        raise JobError(f"its last line is no JSON object: {lines[-1][:200]!r}")
    return report


@contextmanager
def child_environment(contender: Contender, threads: int) -> Iterator[dict[str, str]]:
    """This process's environment with the contender's variables and its number of threads."""
    folders = []
    variables = {**os.environ, **dict.fromkeys(THREAD_LIMITS, str(threads)), "PYTHONHASHSEED": "0"}
    for name, value in contender.environment.items():
        if value == FRESH_FOLDER:
            folders.append(tempfile.mkdtemp(prefix="firth-benchmark-"))
            value = folders[-1]
        variables[name] = value
    try:
        yield variables
    finally:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def run_rounds(comparison: Comparison, series: Series, repetitions: int, say: Any = print) -> None:
    """Run the contenders in turn until each has `repetitions` runs; an interrupted round is repeated.

    Raises:
        JobError: a contender failed; the rounds before are kept.
    """
    threads = int(comparison.options.get("threads", 1))
    complete = whole_rounds(series.runs, [contender.name for contender in comparison.contenders])
    if len(complete) >= repetitions:
        say(f"{comparison.key}: {len(complete)} rounds are there already")
        return
    for contender in comparison.contenders:
        if contender.warm_up:
            with child_environment(contender, threads) as environment:
                run_child(contender.command, environment)
    number = max((row["round"] for row in series.runs), default=0)
    for _ in range(repetitions - len(complete)):
        number += 1
        for contender in comparison.contenders:
            row = _measure(comparison, contender, threads)
            series.add({"round": number, **row})
            say(f"{comparison.key} round {number}: {describe(comparison, row)}")


def _measure(comparison: Comparison, contender: Contender, threads: int) -> dict[str, Any]:
    before = load()
    with child_environment(contender, threads) as environment:
        try:
            run = run_child(contender.command, environment)
        except JobError as error:
            raise JobError(f"{comparison.key}: {contender.name}: {error}") from None
    # If a job reports no time, the time of the whole process counts.
    seconds = run.report.pop("seconds", run.wall)
    return {
        "contender": contender.name,
        "seconds": round(seconds, 6),
        "wall": round(run.wall, 4),
        "peak_mb": round(run.peak_mb, 1),
        "load_before": before,
        **({"report": run.report} if run.report else {}),
    }


def describe(comparison: Comparison, row: Mapping[str, Any]) -> str:
    """One line about one run."""
    rate = f", {comparison.words / row['seconds'] / 1e6:.3f} M words/s" if comparison.words else ""
    return f"{row['contender']} {row['seconds']:.4g} s{rate}, peak {row['peak_mb']:.0f} MB"


def whole_rounds(runs: list[dict[str, Any]], contenders: list[str]) -> dict[int, dict[str, dict[str, Any]]]:
    """Round -> contender -> run, for the rounds in which every contender ran."""
    rounds: dict[int, dict[str, dict[str, Any]]] = {}
    for row in runs:
        rounds.setdefault(row["round"], {})[row["contender"]] = row
    return {number: row for number, row in rounds.items() if set(contenders) <= set(row)}


def firth_command() -> str:
    """The installed `firth` of the environment that runs the benchmarks."""
    return str(Path(sys.executable).with_name("firth.exe" if sys.platform == "win32" else "firth"))
