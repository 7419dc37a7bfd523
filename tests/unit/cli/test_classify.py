"""`firth classify` with fastText's model."""

import json


def test_predicts_a_column_of_a_table(run, tmp_path):
    (tmp_path / "labels.txt").write_text("__label__warm red rose\n__label__cold green leaf\n" * 20, encoding="utf-8")
    (tmp_path / "table.csv").write_text('id,text\n1,"green, leaf"\n2,red rose\n', encoding="utf-8")
    train = ["classify", "train", "labels.txt", "-o", "kinds", "--lr", 1, "--epochs", 20, "--dim", 4, "--threads", 1]
    assert run(*train, "-q")[0] == 0
    status, out, _ = run("classify", "predict", "kinds", "table.csv", "--column", "text", "--json", "-q")
    assert status == 0
    assert [json.loads(line)["labels"][0]["label"] for line in out.splitlines()] == ["cold", "warm"]
    assert run("classify", "predict", "kinds", "table.csv", "--column", "2", "--json", "-q")[1] == out
    status, _, err = run("classify", "predict", "kinds", "table.csv", "--column", "body", "-q")
    assert (status, "body" in err) == (1, True)
