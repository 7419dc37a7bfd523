"""What `firth compare` says of a text that knows too little of a set to be judged on it."""

import json


def test_without_a_figure_the_table_is_printed(run, tmp_path):
    (tmp_path / "text.txt").write_text("the sea is wide\nthe ship is old\n" * 20, encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text("sea\tship\t3\ncat\tdog\t2\n", encoding="utf-8")
    line = ["compare", "text.txt", "--models", "lsa", "--dim", 2, "--similarity", "pairs.tsv", "-q", "-o", "out"]
    status, out, err = run(*line)
    assert status == 0, err
    assert out.split()[:2] == ["model", "seconds"]
    assert out.endswith("out/table.md\n")
    assert err == (
        "firth: no picture: no figures to draw: expected models that know two items or more of one of the sets\n"
    )
    status, out, _ = run(*line, "--json")
    assert (status, json.loads(out.splitlines()[0])["model"]) == (0, "lsa")
