import re

import numpy as np

from firth.vectors.word_vectors import WordVectors


def test_words_are_escaped_and_few_rows_are_shown():
    words = ["<script>", *(f"w{i}" for i in range(50))]
    table = WordVectors(words, np.ones((51, 9), np.float32), counts=range(51), metadata={"name": "a & b"})._repr_html_()
    assert "&lt;script&gt;" in table
    assert "<script>" not in table
    assert "a &amp; b: 51 words × 9, float32" in table
    assert len(re.findall("<tr>", table)) == 9
    assert "1.000 1.000 1.000 1.000 1.000 …" in table


def test_without_counts():
    assert "count" not in WordVectors(["a"], [[1.0]])._repr_html_()
