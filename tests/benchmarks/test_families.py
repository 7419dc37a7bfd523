"""The models that the suites of speed and of quality train exist, with the options that the suites give them."""

import pytest

import firth
from benchmarks.suites.families import JOBS, ONLY_JUDGED, Job


@pytest.mark.parametrize("job", [*JOBS, *ONLY_JUDGED], ids=lambda job: job.key)
def test_a_job_makes_its_model(job: Job) -> None:
    getattr(firth, job.family)(**job.firth)
