"""The trainer as processors with narrower vectors compile it: eight lanes with AVX2, four on ARM and on old machines.

A process of its own is told that its processor has fewer features, compiles everything anew, and computes what the twin
of `test_word2vec_kernel.py` does.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from firth.kernels.vector_ir import host_width

pytestmark = pytest.mark.slow

SCRIPT = """
import sys
import llvmlite.binding as llvm

host, lost = llvm.get_host_cpu_features(), sys.argv[2].split()
narrow = llvm.FeatureMap({name: have and not name.startswith(tuple(lost)) for name, have in host.items()})
llvm.get_host_cpu_features = lambda: narrow

import pytest
from firth.kernels.step import WIDTH

assert WIDTH == int(sys.argv[1]), WIDTH
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[3:]]))
"""


@pytest.mark.parametrize(("width", "lost"), [(8, "avx512 avx10"), (4, "avx fma")])
def test_a_narrower_processor_computes_the_same(width, lost, tmp_path):
    if width >= host_width():
        pytest.skip(f"this processor has {host_width()} lanes: the other tests run them")
    golden = Path(__file__).with_name("test_word2vec_kernel.py")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(width), lost, golden],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(tmp_path.glob(f"step{width}-*.o"))
