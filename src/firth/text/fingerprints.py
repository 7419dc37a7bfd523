"""A fingerprint of a sentence, to find the same sentence in two sets whatever its tokens, case and punctuation."""

import hashlib
import re
from collections.abc import Iterable

_ENDS = re.compile(r"(?<=[.!?])[\"')\]]*\s+")  # of sentences, before small letters as well


def fingerprint(text: str | Iterable[str]) -> bytes:
    """Return a digest of the letters and digits of a text, in lower case.

    Args:
        text: a string, or its tokens.
    """
    letters = "".join(filter(str.isalnum, "".join(text))).lower()
    return hashlib.blake2b(letters.encode("utf-8", "surrogatepass"), digest_size=12).digest()


def passage_fingerprints(text: str, longest: int = 4) -> set[bytes]:
    """Return the fingerprints of all runs of consecutive sentences of a text: what it may share with another set.

    Args:
        longest: sentences of a run, at most; a passage of the other set may hold several.
    """
    parts = _ENDS.split(text)
    runs = (parts[first : first + size] for size in range(1, longest + 1) for first in range(len(parts) - size + 1))
    return {fingerprint(run) for run in runs}
