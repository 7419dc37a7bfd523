"""An explorer in a process of its own, as users start it."""

import contextlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def explorer(folder: Path, *arguments: str) -> Iterator[str]:
    """Start `firth explore` in a folder; the address is known once it answers."""
    command = [sys.executable, "-P", "-m", "firth", "explore", *arguments, "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
        finally:
            process.terminate()
            process.communicate(timeout=30)
