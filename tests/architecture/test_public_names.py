"""What `firth` exports: sorted, importable, documented, and told in README."""

import ast
import inspect
from pathlib import Path

import pytest

import firth

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_names_are_sorted_and_said_once():
    assert firth.__all__ == sorted(set(firth.__all__))


def test_every_name_has_a_home_and_every_home_a_name():
    assert list(firth._HOMES) == firth.__all__


def test_type_checkers_see_the_same_names_from_the_same_homes():
    tree = ast.parse(inspect.getsource(firth))
    (block,) = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    seen = {alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert seen == firth._HOMES


@pytest.mark.parametrize("name", firth.__all__)
def test_name_is_importable_and_documented(name):
    if firth._HOMES[name].startswith("firth.neural."):
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    value = getattr(firth, name)
    assert value.__name__ == name
    assert value.__module__ == firth._HOMES[name]
    assert inspect.getdoc(value), f"firth.{name} has no docstring"
    assert name in dir(firth)


@pytest.mark.parametrize("name", firth.__all__)
def test_readme_tells_of_every_name(name):
    assert f"firth.{name}" in README


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'word2vec_'"):
        firth.word2vec_  # noqa: B018  looking the name up is the test
