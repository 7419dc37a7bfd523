"""Smoothings of n-gram models: the orders that the literature reports hold on a twentieth of Brown."""


def test_toy(recipe, shared_data, tmp_path):
    """Chen and Goodman 1998: modified Kneser-Ney is best, then Kneser-Ney; add-one is worst by far."""
    results = tmp_path / "smoothing.jsonl"
    brown = str(shared_data / "language" / "brown" / "brown.zip")
    rows = recipe["main"](["--brown", brown, "--toy", "--results", str(results)])
    found = {(row["smoothing"], row["order"]): row["perplexity"] for row in rows}
    for order in (2, 3, 4, 5):
        of_order = {name: value for (name, n), value in found.items() if n == order}
        best = sorted(of_order, key=of_order.get)
        assert best[0] == "modified Kneser-Ney"
        assert best[-1] == "add-k, k = 1"
        assert of_order["Good-Turing"] > 1.1 * of_order["Katz"]
    assert found["modified Kneser-Ney", 3] < found["modified Kneser-Ney", 1] / 1.5
    assert len(results.read_text(encoding="utf-8").splitlines()) == len(rows) == 45
    assert "| modified Kneser-Ney | " in results.with_suffix(".md").read_text(encoding="utf-8")
