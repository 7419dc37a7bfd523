"""The peers' own environment: made once, in the cache folder, from PyPI."""

import subprocess
import sys
from pathlib import Path

REQUIREMENTS = ("gensim==4.4.0", "fasttext==0.9.3", "scikit-learn==1.9.1", "model2vec==0.10.0")


def peers_python(cache: Path) -> str:
    """Return the Python of an environment that holds the peers, making it on first use.

    Args:
        cache: where the environment lies.

    Raises:
        SystemExit: pip could not install them; pip's own words are shown.
    """
    folder = (
        cache / f"peers-{sys.version_info.major}.{sys.version_info.minor}-{'-'.join(REQUIREMENTS).replace('==', '-')}"
    )
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    whole = folder / "installed"
    if not whole.exists():
        print(f"installing {', '.join(REQUIREMENTS)} into an environment of their own", file=sys.stderr, flush=True)
        subprocess.run([sys.executable, "-P", "-m", "venv", "--clear", str(folder)], check=True)
        installed = subprocess.run([str(python), "-P", "-m", "pip", "install", "--quiet", *REQUIREMENTS], check=False)
        if installed.returncode:
            raise SystemExit(
                f"pip could not install {', '.join(REQUIREMENTS)} for Python {sys.version.split()[0]} (see above): "
                "run the benchmarks from a Python that gensim supports, or name one that holds it with --peers"
            )
        whole.touch()
    return str(python)
