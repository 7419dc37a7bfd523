"""The recipe on a text of two characters."""

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")


def test_toy(recipe, tmp_path):
    out = tmp_path / "toy.jsonl"
    rows = recipe["main"](["--toy", "--out", str(out)])
    assert {row["character"]: row["mentions"] for row in rows} == {"Ada": 3, "Tom": 2}
    assert {row["character"]: sorted(row["subject_of"]) for row in rows} == {
        "Ada": ["left 1", "sang 1"], "Tom": ["left 1", "saw 1"],
    }  # fmt: skip
    assert out.exists()
    again = recipe["main"](["--toy", "--out", str(tmp_path / "toy.conllu"), "--tagger", str(tmp_path / "toy.tagger"),
                            "--parser", str(tmp_path / "toy.parser"), "--processes", "2"])  # fmt: skip
    assert again == rows


def test_characters_are_chains_where_there_are_some(recipe):
    import firth
    from firth.readers.conllu import DependencySentence

    sentence = DependencySentence.of(["Ada", "left", "as", "she", "sang"]).annotated(
        tags=["PROPN", "VERB", "SCONJ", "PRON", "VERB"], heads=[2, 0, 5, 5, 2],
        relations=["nsubj", "root", "mark", "nsubj", "advcl"],
    )  # fmt: skip
    document = firth.Document([sentence], "d", clusters=[[(0, 1), (3, 4)], [(2, 3)]])
    assert list(recipe["rows_of"](document, 5)) == [
        {"document": "d", "character": "Ada", "mentions": 2, "subject_of": ["left 1", "sang 1"]}
    ]
