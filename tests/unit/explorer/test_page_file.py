"""A map as one file: words cannot leave their place in it."""

import json
import re

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

import firth
from firth.explorer.maps import Groups
from firth.explorer.page_file import page_of

HOSTILE = ["</script><script>alert(1)</script>", "@scatter@", '"', "\u2028", "<!--", "\ud800", "é"]


def test_words_stay_words():
    vectors = firth.WordVectors([*HOSTILE, *(f"w{n}" for n in range(5))], np.eye(12, dtype=np.float32))
    places = np.random.default_rng(0).standard_normal((12, 2)).astype("f4")
    page = page_of(vectors, "<b>", (places, "a & b"), Groups(np.zeros(12, np.uint8), ["x"]), most=10)
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
    assert data["words"] == vectors.words[:10]
    assert page.count("</script>") == 2
    assert page.count("class Scatter") == 1
    assert "10 words of &lt;b&gt;" in page
    assert "a &amp; b" in page
