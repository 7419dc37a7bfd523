"""JSON, archives and packed files that others may have written are read by `firth.storage.untrusted` alone."""

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "firth"
TRUSTING = re.compile(r"json\.loads?\(|zipfile\.|tarfile\.|(?:gzip|bz2|lzma)\.(?:decompress|open)\(")
OWN = {
    "comparison/run.py",  # what one process of firth says to another
    "comparison/worker.py",
    "documents/processes.py",
    "documents/worker.py",
    "corpus/learned_tokens.py",  # a copy of the text, which it has just made
    "vectors/io/detect.py",  # packs, and unpacks by `firth.storage.untrusted`
}


def test_nothing_else_reads_what_anybody_may_have_written():
    files = {str(path.relative_to(SOURCE)): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    found = {name for name, text in files.items() if TRUSTING.search(text)}
    assert found - OWN == {"storage/untrusted.py"}
