"""The recipe on a few made-up pairs in SICK's format."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError
from firth.readers.conllu import DependencySentence


def sick(folder, count=8):
    words = ["fish", "meat", "bread"]
    lines = ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"]
    for i in range(count):
        one, other = words[i % 3], words[(i // 3) % 3]
        score = 4.8 if one == other else 1.4
        lines.append(f"{i}\tShe eats {one}\tShe eats {other}\t{score}\tNEUTRAL")
    for name in ("train", "trial", "test_annotated"):
        (folder / f"SICK_{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return words


def conllu(words):
    rows = (
        "1\tShe\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\teats\t_\t_\t_\t_\t0\troot\t_\t_\n3\t{}\t_\t_\t_\t_\t2\tobj\t_\t_\n\n",
    )
    return "".join(row.format(word) for word in words for row in rows)


def test_a_row_for_each_kind_and_seed(recipe, tmp_path):
    (tmp_path / "a.conllu").write_text(conllu(sick(tmp_path)), encoding="utf-8")
    rows = recipe["main"]([str(tmp_path), "--trees", str(tmp_path / "a.conllu"), "--seeds", "0", "--epochs", "1"])
    assert [(row["kind"], row["pairs"]) for row in rows] == [("child-sum", 8), ("lstm", 8)]
    assert all(-1 <= row["r"] <= 1 for row in rows)


def test_trees_of_other_sentences_are_refused(recipe, tmp_path):
    (tmp_path / "a.conllu").write_text(conllu(["fish", "meat", "cake"]), encoding="utf-8")
    sick(tmp_path)
    with pytest.raises(FormatError, match="the words of the tree differ from those of the sentence"):
        recipe["main"]([str(tmp_path), "--trees", str(tmp_path / "a.conllu")])
    assert recipe["trees_of"](["She eats fish"], "right")[0].parents == (1, 2, -1)


def test_trees_of_a_parser_of_our_own(recipe, tmp_path):
    words = sick(tmp_path)
    gold = [
        DependencySentence.of(["She", "eats", word]).annotated(
            tags=["PRON", "VERB", "NOUN"], heads=[2, 0, 2], relations=["nsubj", "root", "obj"]
        )
        for word in words * 10
    ]
    once = firth.TrainingOptions(epochs=8, batch_size=12, lr=0.02)
    tiny = {"dim": 8, "column_dim": 4, "hidden": 8, "layers": 1, "arc_width": 8, "label_width": 8, "min_count": 1}
    firth.BiaffineParser(**tiny).train(gold, held_out=gold, training=once).save(tmp_path / "parser")
    firth.Tagger(dim=8, hidden=8, characters="none").train(gold, held_out=gold, training=once).save(tmp_path / "tagger")
    models = ["--trees", str(tmp_path / "parser"), "--tagger", str(tmp_path / "tagger")]
    rows = recipe["main"]([str(tmp_path), *models, "--seeds", "0", "--epochs", "1", "--kinds", "child-sum"])
    assert [(row["kind"], row["trees"], row["pairs"]) for row in rows] == [("child-sum", "parser", 8)]
    assert recipe["parsed"](["She eats fish"], *models[1::2])[0].parents == (1, -1, 1)
    with pytest.raises(SystemExit):
        recipe["main"]([str(tmp_path), "--trees", str(tmp_path / "parser")])
