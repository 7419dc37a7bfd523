"""Pretraining and fine-tuning on a small grammar: all rows, and sentences of tests left out."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, tmp_path):
    """The label is in one word, which all tuned encoders could learn in more time."""
    reports, rows = recipe["main"](
        ["--toy", "--tuning", "all", "gradual", "frozen", "--results", str(tmp_path / "figures.jsonl")]
    )
    assert [report["encoder"] for report in reports] == ["scratch", "masked", "electra", "coco"]
    by_name = {row["model"]: row for row in rows}
    assert len(rows) == 11
    assert by_name["TF-IDF"]["mean"] == 100
    assert max(row["mean"] for name, row in by_name.items() if name.endswith(", all")) > 80
    assert len((tmp_path / "figures.jsonl").read_text().splitlines()) == 15


def test_sentences_of_tests_are_left_out(recipe):
    lines = ["One. The film is GOOD! Two.", "Nothing of it.", "the film, is good"]
    kept, left_out = recipe["without"](lines, ["the film is good ."])
    assert (kept, left_out) == (["Nothing of it."], 2)


def test_what_is_tested_is_no_part_of_the_training(recipe, tmp_path):
    folder = tmp_path / "sentence" / "sentclass"
    folder.mkdir(parents=True)
    for name in ("rt-polarity.all", "subj.all", "custrev.all", "TREC.train.all", "stsa.binary.train"):
        lines = (f"{number % 2} {name} sentence {number}\n" for number in range(40))
        (folder / name).write_text("".join(lines), encoding="utf-8")
    for name in ("TREC.test.all", "stsa.binary.dev", "stsa.binary.test"):
        (folder / name).write_text(f"0 {name} a\n1 {name} b\n", encoding="utf-8")
    for name, (texts, labels, test) in recipe["tasks_of"](tmp_path).items():
        assert len(texts) == len(labels) == len(test)
        tested = {" ".join(text) for text, chosen in zip(texts, test, strict=True) if chosen}
        learned = {" ".join(text) for text, chosen in zip(texts, test, strict=True) if not chosen}
        assert not tested & learned
        assert len(tested) == {"TREC": 2, "SST-2": 2}.get(name, 4)
