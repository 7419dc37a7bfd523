"""A plugin of pytest for a machine without PyTorch: tests that import it skip, and nothing else does.

`versions.py` loads it where pip has no build of PyTorch to offer. Elsewhere a test that needs PyTorch fails without it.
"""

import importlib.util
from collections.abc import Iterator
from typing import Any

import pytest

MISSING = ("No module named 'torch'", "torch is needed to ")


def _skips(error: BaseException | None) -> bool:
    """Whether an error says that PyTorch is missing, itself or what it comes from."""
    while error is not None:
        if isinstance(error, ImportError) and str(error).startswith(MISSING):
            return True
        error = error.__cause__ or error.__context__
    return False


def pytest_configure() -> None:
    if importlib.util.find_spec("torch") is not None:
        raise pytest.UsageError("PyTorch is installed: run these tests without -p tests.packaging.without_torch")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    report: Any = yield
    if report.failed and MISSING[0] in str(report.longrepr):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 1, "Skipped: PyTorch is not installed")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report: Any = yield
    if report.failed and call.excinfo is not None and _skips(call.excinfo.value):
        report.outcome = "skipped"
        report.longrepr = (*item.location[:2], "Skipped: PyTorch is not installed")
    return report
