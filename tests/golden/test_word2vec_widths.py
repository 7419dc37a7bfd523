"""The trainer as processors with narrower vectors compile it: eight lanes with AVX2, four on old machines.

A process of its own is told that its processor has fewer features, compiles everything anew, and computes what the twin
of `test_word2vec_kernel.py` does.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from firth.kernels import processor
from tests.processors import environment

pytestmark = pytest.mark.slow

SCRIPT = """
import sys
import pytest
from firth.kernels.step_emission import WIDTH

assert WIDTH == int(sys.argv[1]), WIDTH
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


@pytest.mark.parametrize("width", [8, 4])
def test_a_narrower_processor_computes_the_same(width, tmp_path):
    narrower = environment(width, tmp_path)
    if narrower is None:
        pytest.skip(f"this processor has {processor.width()} lanes: the other tests run them")
    golden = Path(__file__).with_name("test_word2vec_kernel.py")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(width), golden],
        env=narrower,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.glob(f"step{width}-*.o"))
