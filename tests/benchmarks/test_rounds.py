"""The harness itself, with contenders that only print: turns, cut-off rounds, ratios, memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import records, table
from benchmarks.comparison import FRESH_FOLDER, Comparison, Contender, Limit, Target
from benchmarks.running import JobError, child_environment, run_child, run_rounds, whole_rounds

ROOT = Path(__file__).resolve().parents[2]
MACHINE = {"processor": "p", "cpus": 2, "vector_flags": [], "memory_gib": 1.0, "system": "s", "python": "3"}


def contender(name, seconds, **kwargs):
    return Contender(name=name, command=(sys.executable, "-c", f"print('{{\"seconds\": {seconds}}}')"), **kwargs)


def comparison(*contenders):
    return Comparison(
        key="toy",
        title="a toy job",
        contenders=contenders,
        words=1_000_000,
        targets=(Target("ours", "theirs", 3),),
        limits=(Limit("ours", "seconds", 1.0, "s"),),
    )


def header(job, **changes):
    return {
        "comparison": job.key,
        "title": job.title,
        "options": {},
        "words": job.words,
        "contenders": [contender.name for contender in job.contenders],
        "targets": [{"ours": "ours", "peer": "theirs", "at_least": 3}],
        "limits": [{"ours": "ours", "figure": "seconds", "at_most": 1.0, "unit": "s"}],
        "source": "abc",
        "machine": MACHINE,
        "versions": {"firth": "1"},
        **changes,
    }


@pytest.fixture
def job():
    return comparison(contender("ours", 2.0), contender("theirs", 8.0))


@pytest.fixture
def series(job, tmp_path):
    return records.open_series(tmp_path / "speed.jsonl", header(job))


def quiet(line):
    pass


def test_contenders_take_turns(job, series):
    run_rounds(job, series, 2, quiet)
    turns = [(row["round"], row["contender"]) for row in series.runs]
    assert turns == [(1, "ours"), (1, "theirs"), (2, "ours"), (2, "theirs")]


def test_finished_rounds_are_not_run_again(job, series):
    run_rounds(job, series, 1, quiet)
    run_rounds(job, series, 1, quiet)
    assert len(series.runs) == 2


def test_a_round_that_was_cut_off_is_run_again_whole(job, series):
    series.add({"round": 1, "contender": "ours", "seconds": 99.0, "peak_mb": 1.0})
    run_rounds(job, series, 1, quiet)
    assert list(whole_rounds(series.runs, ["ours", "theirs"])) == [2]


def test_another_state_of_the_source_begins_another_series(job, tmp_path, series):
    run_rounds(job, series, 1, quiet)
    other = records.open_series(series.file, header(job, source="def"))
    assert other.runs == []
    same = records.open_series(series.file, header(job))
    assert len(same.runs) == 2


def test_any_source_goes_on_with_the_series(job, series):
    run_rounds(job, series, 1, quiet)
    assert len(records.open_series(series.file, header(job, source="def"), any_source=True).runs) == 2


def test_table_shows_the_ratio_of_medians_and_what_is_missed(job, series, tmp_path):
    """Ours 2 s, theirs 8 s: 4x, and 3x was owed; the limit of 1 s is missed."""
    run_rounds(job, series, 1, quiet)
    page = table.render(tmp_path)
    assert "| a toy job | ours : theirs | 3x | 4.0x (4.0-4.0) | yes |" in page
    assert "| a toy job | ours | at most 1 s | 2 s | **no** |" in page
    assert "| a toy job | ours | 2 (2-2) | 1.00 | 0.50 |  |" in page
    assert "p, 2 processors (no known vector flags), 1.0 GiB, s, Python 3; firth 1; source abc." in page


def test_table_without_results_says_so(tmp_path):
    assert "Nothing has been measured yet" in table.render(tmp_path)


def test_a_failed_job_is_an_error_with_its_output(tmp_path):
    failing = Contender(name="ours", command=(sys.executable, "-c", "raise SystemExit('no such text')"))
    job = comparison(failing, contender("theirs", 1.0))
    with pytest.raises(JobError, match="toy: ours: exit status 1: no such text"):
        run_rounds(job, records.open_series(tmp_path / "x.jsonl", header(job)), 1, quiet)


def test_a_job_without_json_is_an_error():
    with pytest.raises(JobError, match="no JSON"):
        run_child((sys.executable, "-c", "print('hello')"), {})


def test_memory_is_that_of_the_child_alone():
    """Measured from a process of its own: Linux counts what a parent held when it started the child."""
    program = """
import sys
from benchmarks.running import run_child
for size in (200_000_000, 1):
    print(run_child((sys.executable, "-c", f"x = b'1' * {size}; print('{{}}')"), {}).peak_mb)
"""
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    big, small = map(float, result.stdout.split())
    assert big > 200
    assert small < 50


def test_fresh_folders_are_new_and_removed_afterwards():
    job = contender("ours", 1, environment={"NUMBA_CACHE_DIR": FRESH_FOLDER})
    with child_environment(job, 2) as environment:
        first = Path(environment["NUMBA_CACHE_DIR"])
        assert first.is_dir()
        assert environment["OMP_NUM_THREADS"] == "2"
    assert not first.exists()
