"""Small vectors and oracles, and what the authors' programs say of them.

`python tests/golden/qvec_small.py FOLDER` runs `qvec.py` and `qvec_cca.py` of github.com/ytsvetko/qvec, commit b341c52,
from FOLDER on the files that `write` makes, and prints the figures that `test_qvec.py` holds. Their imports name
modules that SciPy has since renamed; the script gives these their old names, and changes nothing else.
"""

import contextlib
import io
import json
import runpy
import sys
import tempfile
from pathlib import Path

import numpy as np

CASES = {"wide": (600, 30, 12), "narrow": (300, 4, 9)}  # words, numbers of a vector, features


def made(name: str) -> tuple[dict[str, list[float]], dict[str, dict[str, float]]]:
    """Vectors and features of words; some words have only the one or the other.

    A vector mixes its word's features with noise, about a mean that is not zero, at lengths that differ thirtyfold.
    """
    words, dim, features = CASES[name]
    random = np.random.default_rng(words)
    table = np.where(random.random((words, features)) < 0.2, random.random((words, features)), 0).round(3)
    table[:, 0] += table.sum(axis=1) == 0  # no word without a feature
    table /= table.sum(axis=1, keepdims=True)
    rows = table @ (random.random((features, dim)) - 0.5) * 2 + 0.5 * random.random((words, dim))
    rows *= np.geomspace(0.2, 6, words)[:, None]
    named = [f"w{i}" for i in random.permutation(words)]
    vectors = {word: row.round(5).tolist() for word, row in zip(named[: words * 9 // 10], rows, strict=False)}
    oracle = {
        word: {f"feature.{j}": float(value) for j, value in enumerate(row) if value}
        for word, row in list(zip(named, table, strict=True))[words // 20 :]
    }
    return vectors, oracle


def write(name: str, folder: Path) -> tuple[Path, Path]:
    """Write a case as files of vectors and features."""
    vectors, oracle = made(name)
    paths = folder / f"{name}.txt", folder / f"{name}.features"
    paths[0].write_text("".join(f"{word} {' '.join(map(repr, row))}\n" for word, row in vectors.items()))
    paths[1].write_text("".join(f"{word}\t{json.dumps(row)}\n" for word, row in oracle.items()))
    return paths


def their_figure(program: Path, vectors: Path, oracle: Path) -> float:
    """Run one of the authors' programs."""
    import scipy.linalg
    import scipy.stats

    sys.modules["scipy.stats.stats"] = scipy.stats
    sys.modules["scipy.linalg.decomp_qr"] = scipy.linalg.decomp_qr = scipy.linalg
    told, arguments = io.StringIO(), sys.argv
    sys.argv = [str(program), "--in_vectors", str(vectors), "--in_oracle", str(oracle)]
    try:
        with contextlib.redirect_stdout(told):
            runpy.run_path(str(program), run_name="__main__")
    finally:
        sys.argv = arguments
    return float(told.getvalue().split()[-1])


if __name__ == "__main__":
    for case in CASES:
        with tempfile.TemporaryDirectory() as scratch:
            files = write(case, Path(scratch))
            for name in ("qvec.py", "qvec_cca.py"):
                print(case, name, their_figure(Path(sys.argv[1]) / name, *files))
