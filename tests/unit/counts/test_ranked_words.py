"""Ranked words as a table."""

from rich.cells import cell_len

import firth


def test_columns_are_aligned_in_any_script():
    result = firth.keywords(["榮譽 τιμή honour"] * 3, ["x"] * 3, min_count=1, progress=False)
    lines = str(result).splitlines()
    assert len({cell_len(line) for line in lines}) == 1
    assert lines[0].split() == ["word", "G2", "ratio", "low", "high", "count", "against", "DP", "texts"]
    assert "<td" in result._repr_html_()
    assert len(result.to_dicts()) == len(result) == 4
