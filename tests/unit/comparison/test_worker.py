"""What is the training's own time, and what is not."""

from firth.comparison.worker import _peak_bytes, _StageSeconds
from firth.progress import Status


def test_compiling_and_counting_are_told_apart():
    apart = _StageSeconds()
    told = [
        ("compiling kernels (first run only)", 0.3),
        ("compiling kernels (first run only)", 0.9),
        ("counting co-occurrences", 0.5),
        ("counting co-occurrences", 2.0),
        ("loading kernels", 0.4),
        ("epoch 1/2", 3.0),
        ("epoch 2/2", 6.0),
    ]
    for stage, seconds in told:
        apart.add(Status(stage=stage, seconds=seconds))
    assert (round(apart.compiling, 9), apart.counting) == (1.3, 2.0)


def test_memory_is_told():
    most = _peak_bytes()
    assert most is None or 10e6 < most < 1e12
