"""The tests of compiled code as a processor with AVX2, and without AVX-512, runs them."""

import subprocess
import sys
from pathlib import Path

import pytest

from firth.kernels import processor
from tests.processors import environment

REPOSITORY = Path(__file__).resolve().parents[2]
# Where kernels, or what trains by them, are looked at closely. Other folders test files, arguments and messages.
UNITS = ("alignment", "classify", "counts", "embeddings", "kernels", "neural", "postprocess", "senses", "vectors")
FOLDERS = ["golden", "gradients", "property", *(f"unit/{name}" for name in UNITS)]


@pytest.mark.slow
def test_compiled_code_passes_with_vectors_of_eight_lanes(tmp_path):
    narrower = environment(8, tmp_path / "compiled")
    if narrower is None:
        pytest.skip(f"this processor has {processor.width()} lanes: the default suite runs them")
    folders = [str(REPOSITORY / "tests" / name) for name in FOLDERS]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-p", "no:cacheprovider", *folders],
        cwd=REPOSITORY,
        env=narrower,
        capture_output=True,
        text=True,
        check=False,
        timeout=5400,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
