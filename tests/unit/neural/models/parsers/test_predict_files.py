"""Parsers in folders."""

import json

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError
from tests.unit.neural.models.parsers.tiny import treebank


def test_a_saved_parser_parses_the_same(transition_parser, tmp_path):
    transition_parser.save(tmp_path / "m")
    model = firth.load(tmp_path / "m")
    assert model.predict(treebank(9, 5)) == transition_parser.predict(treebank(9, 5))
    assert (model.relations, model.options) == (transition_parser.relations, transition_parser.options)
    assert model.metadata["training"]["sentences"] == 60


@pytest.mark.parametrize(
    ("file", "change", "problem"),
    [
        ("config.json", lambda facts: facts["options"].update(hidden=4), "tensors of other shapes"),
        ("config.json", lambda facts: facts["options"].update(system="x"), "does not describe a parser"),
        ("labels.json", lambda names: names.append(names[0]), "occur twice"),
        ("labels.json", lambda names: names.clear(), "no relations"),
    ],
)
def test_a_damaged_folder_is_refused(transition_parser, tmp_path, file, change, problem):
    transition_parser.save(tmp_path / "m")
    path = tmp_path / "m" / file
    facts = json.loads(path.read_text(encoding="utf-8"))
    change(facts)
    path.write_text(json.dumps(facts), encoding="utf-8")
    (tmp_path / "m" / "checksums.json").unlink()
    with pytest.raises(FormatError, match=problem):
        firth.load(tmp_path / "m")
