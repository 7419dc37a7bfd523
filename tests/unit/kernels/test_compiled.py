"""A cached kernel is recompiled after an edit in any file of the package; the compiler's pages are released."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from firth.errors import OptionError
from firth.kernels import compiled
from firth.kernels.compiled import check_cache, digest, release_memory


def test_digest_follows_names_and_contents(tmp_path):
    for name, brick in (("a", "x = 1"), ("b", "x = 2"), ("c", "x = 1")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "brick.py").write_text(brick)
    assert digest(tmp_path / "a") == digest(tmp_path / "c") != digest(tmp_path / "b")


PROGRAM = """
import sys; sys.path.insert(0, sys.argv[1])
import firth.kernels.compiled as place
place.__file__ = sys.argv[1] + "/compiled.py"
import user
print(user.kernel(1), sum(user.kernel.stats.cache_hits.values()))
"""

USER = """
from brick import plus
from firth.kernels.compiled import compiled

@compiled
def kernel(x):
    return plus(x)
"""


def test_an_edited_brick_is_not_answered_from_the_cache(tmp_path, monkeypatch):
    """The control: a plain `njit(cache=True)` goes on answering 2 after the edit."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "user.py").write_text(USER)

    def answer(brick):
        (tmp_path / "brick.py").write_text(f"from numba import njit\n@njit\ndef plus(x): return x + {brick}\n")
        done = subprocess.run(
            [sys.executable, "-B", "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=True
        )
        return done.stdout.split()

    assert answer(1) == ["2", "0"]
    assert answer(1) == ["2", "1"]
    assert answer(5) == ["6", "0"]


@pytest.mark.skipif(os.name != "posix", reason="modes as POSIX has them")
def test_a_cache_that_others_can_write_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    check_cache()  # it is not there yet, and will be ours
    (tmp_path / "cache").mkdir(mode=0o755)
    check_cache()
    (tmp_path / "cache").chmod(0o777)
    with pytest.raises(OptionError, match=r"other users can write to this folder.*chmod go-w"):
        check_cache()


def test_every_kept_kernel_uses_it():
    package = Path(compiled.__file__).parents[1]
    for file in package.rglob("*.py"):
        assert file.name == "compiled.py" or not re.search(r"cache=True", file.read_text("utf-8")), file


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives back pages of code")
def test_the_compilers_pages_are_released_and_it_still_works():
    from numba import njit

    def resident():
        state = Path("/proc/self/status").read_text()
        return int(re.search(r"RssFile:\s+(\d+)", state)[1])

    assert njit(lambda x: x + 1)(1) == 2
    before = resident()
    release_memory()
    assert resident() < before - 10_000  # kB
    assert njit(lambda x: x + 2)(1) == 3
