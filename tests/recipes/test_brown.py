"""Brown: counts and a neural model are better together than either alone."""

import json

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, shared_data, tmp_path, capsys):
    """A fortieth of the text, one thread; the mixture is fitted on the validation part and judged on the test part."""
    brown = str(shared_data / "language" / "brown" / "brown.zip")
    results = tmp_path / "brown.jsonl"
    rows = recipe["main"](["--brown", brown, "--toy", "--threads", "1", "--results", str(results)])
    counts, neural, mixture = (row["test"] for row in rows)
    assert mixture < 0.94 * min(counts, neural)
    assert len({(row["tokens"], row["unknown"], row["ends"]) for row in rows}) == 1
    assert rows[2]["weights"][0] > 0.1
    assert rows[2]["weights"][1] > 0.1
    assert [json.loads(line)["model"] for line in results.read_text(encoding="utf-8").splitlines()] == [
        "kneser-ney",
        "feedforward",
        "mixture",
    ]
    assert f"| mixture | {rows[2]['valid']:.1f} |" in results.with_suffix(".md").read_text(encoding="utf-8")
