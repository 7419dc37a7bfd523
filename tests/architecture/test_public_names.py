"""The names that `firth` exports are sorted, importable and documented."""

import ast
import importlib
import importlib.util
import inspect
from pathlib import Path

import pytest

import firth


def test_names_are_sorted_and_listed_once():
    assert firth.__all__ == sorted(set(firth.__all__))


def test_the_stub_exports_the_same_names_to_type_checkers():
    tree = ast.parse(Path(firth.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert all(alias.name == alias.asname for node in imports for alias in node.names)  # what makes a name public
    assert {alias.name: node.module for node in imports for alias in node.names} == firth._MODULES


def test_names_are_importable_and_documented():
    torch = importlib.util.find_spec("torch") is not None
    names = [name for name in firth.__all__ if torch or not firth._MODULES[name].startswith("firth.neural.")]
    values = {name: getattr(firth, name) for name in names}
    packages = {name: value for name, value in values.items() if inspect.ismodule(value)}
    homes = {name: (value.__module__, value.__name__) for name, value in values.items() if name not in packages}
    assert homes == {name: (firth._MODULES[name], name) for name in homes}
    assert {name: value.__name__ for name, value in packages.items()} == {name: f"firth.{name}" for name in packages}
    assert {name for name, home in firth._MODULES.items() if home == "firth"} == set(packages)
    assert [name for name, value in values.items() if not inspect.getdoc(value)] == []
    assert set(names) <= set(dir(firth))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'word2vec_'; did you mean Word2Vec"):
        firth.word2vec_  # noqa: B018  looking the name up is the test


def test_names_are_listed_once_after_use():
    assert firth.Word2Vec is not None
    assert len(dir(firth)) == len(set(dir(firth)))


def test_what_makes_names_load_late_is_not_listed():
    packages = (firth, importlib.import_module("firth.readers"))
    assert [name for package in packages for name in ("attach", "_MODULES") if name in dir(package)] == []
