"""What every test may use."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public corpora and evaluation sets: FIRTH_DATA, else shared/data beside the checkout."""
    folder = Path(os.environ.get("FIRTH_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no folder of public data sets at {folder}: set FIRTH_DATA to one")
    return folder
