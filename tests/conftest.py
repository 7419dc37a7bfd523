"""What every test may use."""

import os
import signal
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]

# A shell that starts the tests in the background lets them, and every program that they start, ignore Ctrl-C.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# So does nohup with the end of the terminal.
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public corpora and evaluation sets: FIRTH_DATA, else shared/data beside the checkout."""
    folder = Path(os.environ.get("FIRTH_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no folder of public data sets at {folder}: set FIRTH_DATA to one")
    return folder


@pytest.fixture
def without_checksums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders are written as by older versions, so that readers rely on their own checks of the contents."""
    monkeypatch.setattr("firth.storage.checksums.write", lambda folder: None)
