from pathlib import Path

import pytest

from tests.robustness.command import Command


@pytest.fixture
def firth(tmp_path: Path) -> Command:
    return Command(tmp_path)
