"""The tests of compiled code as processors with AVX2, or with neither AVX2 nor AVX-512, run them.

Kernels depend on the width of vectors; what calls them does not. So these are the files that compare kernels with plain
twins. Two more do so at every width by themselves: `golden/test_word2vec_widths.py` and `gradients/test_step.py`.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from firth.kernels import processor
from tests.processors import environment

TESTS = Path(__file__).resolve().parents[1]
KERNELS = [
    f"unit/kernels/test_{name}.py" for name in ("byte_product", "native", "noise", "objectives", "stick_breaking")
]
FILES = {
    8: [
        *(f"golden/test_{name}_kernel.py" for name in ("adagram", "classifier", "fasttext", "paragraph")),
        *(f"golden/test_{name}_kernel.py" for name in ("senses", "structured")),
        *(
            f"gradients/test_{name}.py"
            for name in ("combined_context", "least_squares", "multi_sense", "sense_windows")
        ),
        *KERNELS,
    ],
    # Old machines: one trainer that scores windows, and one that reads them from many rows.
    4: ["golden/test_senses_kernel.py", "golden/test_structured_kernel.py", *KERNELS],
}


@pytest.mark.slow
@pytest.mark.parametrize("width", FILES)
def test_compiled_code_passes_with_narrower_vectors(width, tmp_path):
    narrower = environment(width, tmp_path / "compiled")
    if narrower is None:
        pytest.skip(f"this processor has {processor.width()} lanes: the default suite runs them")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            *(TESTS / name for name in FILES[width]),
        ],
        cwd=TESTS.parent,
        env=narrower,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-5_000:]
