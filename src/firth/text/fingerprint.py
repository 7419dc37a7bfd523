"""A fingerprint of a sentence, to find the same sentence in two sets whatever its tokens, case and punctuation."""

import hashlib
from collections.abc import Iterable


def fingerprint(text: str | Iterable[str]) -> bytes:
    """Return a digest of the letters and digits of a text, in lower case.

    Args:
        text: a string, or its tokens.
    """
    letters = "".join(filter(str.isalnum, "".join(text))).lower()
    return hashlib.blake2b(letters.encode("utf-8", "surrogatepass"), digest_size=12).digest()
