"""Words that changed places in half of a text are found among those that moved farthest."""

import lzma

import pytest


def test_a_part(shared_data, recipe, tmp_path):
    """8 MB of Wikipedia: measured 7 of 9 by both measures, among some 650 words; by chance it would be 1 in 70."""
    text = tmp_path / "text.txt"
    with lzma.open(shared_data / "corpus" / "wiki.txt.xz") as file:
        text.write_bytes(file.read(8_000_000))
    told = recipe["main"]([str(text), "--dim=30", "--threads=1", "--min-count=100", "--pairs=10"])
    planted, control = told["words changed places"], told["nothing changed"]
    assert planted["planted"] >= 8
    for by in ("distance", "neighbourhood"):
        assert planted[by]["found"] > 0.6
        assert planted[by]["of_planted"] > planted[by]["of_others_99"]
        assert planted[by]["of_others"] == pytest.approx(control[by]["of_others"], abs=0.02)
        assert control[by]["of_planted"] is None
