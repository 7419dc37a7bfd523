"""The recipe on a few made-up pairs in SICK's format."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import FormatError


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
