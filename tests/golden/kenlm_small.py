"""A small text, and the models that lmplz of KenLM makes of it.

`python tests/golden/kenlm_small.py` runs lmplz (KenLM of March 2025), which must stand on the PATH, on what `sentences`
makes, with fallback discounts for words, and writes `tests/golden/kenlm_small.json`: its ARPA files of orders 2 and 3,
line by line. `test_kenlm.py` holds firth to it. `lmplz` of a text is also what `-m peer` runs live.
"""

import itertools
import json
import subprocess
from pathlib import Path

FILE = Path(__file__).with_suffix(".json")
ORDERS = (2, 3)
PEOPLE = ["ada", "ben", "cleo", "dan", "eve", "finn", "gus", "hal"]
DEEDS = ["sees", "hears", "likes", "meets", "greets", "calls"]
THINGS = ["cat", "dog", "red", "house", "old", "tree", "small", "bird", "lake"]


def sentences() -> list[str]:
    """Sentences of a small grammar: each combination whose number falls on a fixed pattern."""
    found = []
    every = itertools.product(PEOPLE, DEEDS, ("the", "a", "no"), THINGS, ("", "today", "again with the dog"))
    for number, (who, does, which, what, more) in enumerate(every):
        if number * number % 89 in (1, 4):
            found.append(" ".join([who, does, which, what, *more.split()]))
    return found


def lmplz(order: int, lines: list[str], *more: str) -> str:
    """The ARPA file that lmplz makes of lines."""
    command = ["lmplz", "-o", str(order), "-S", "200M", *more]
    text = "".join(f"{line}\n" for line in lines)
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    made = {str(order): lmplz(order, sentences(), "--discount_fallback").splitlines() for order in ORDERS}
    FILE.write_text(json.dumps(made, indent=0) + "\n", encoding="utf-8")
