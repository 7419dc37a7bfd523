import random

import pytest

from tests.golden.english.text import TEXT

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'firth[sklearn]'")

STARTS = 20, 38, 60, 80  # pages with which a part of the text begins: tasks, subjects, modules from a to z


@pytest.fixture(scope="session")
def passages():
    """Sentences of firth's documentation, and which of five parts each is of: 1,434 to learn from, 359 for tests.

    The most frequent part has 0.28 of them; logistic regression over TF-IDF of words and pairs of words finds 0.55.
    """
    pages = TEXT.read_text(encoding="ascii").split("\n\n")
    rows = [
        (line, f"part {sum(i >= start for start in STARTS)}")
        for i, page in enumerate(pages)
        for line in page.splitlines()
    ]
    train = [row for i, row in enumerate(rows) if i % 5]
    random.Random(0).shuffle(train)
    return [list(column) for part in (train, rows[::5]) for column in zip(*part, strict=True)]
