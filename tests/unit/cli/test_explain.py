"""`firth explain`: what it prints, writes and refuses."""

import json
import sys

import pytest

import firth
from firth.cli import app

TEXTS = [("good fine good film", "pos"), ("bad dull bad film", "neg")] * 10


@pytest.fixture
def ask(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    firth.TextClassifier(dim=4, epochs=20, lr=0.5).train(TEXTS, seed=1, threads=1).save("c.firth")

    def ask(*arguments):
        monkeypatch.setattr(sys, "argv", ["firth", "explain", "c.firth", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            app.main()
        return ended.value.code, *capsys.readouterr()

    return ask


def test_one_method(ask):
    status, out, _ = ask("good film", "--json")
    assert status == 0
    expected = firth.explain(firth.load("c.firth"), "good film").described()
    assert json.loads(out) == expected
    assert expected["target"] == "pos"
    assert ask("good film")[1].splitlines()[0].startswith("pos (p = ")


def test_all_methods_that_the_model_has(ask):
    status, out, _ = ask("good film", "--method", "all", "--target", "neg")
    assert status == 0
    assert out.splitlines()[1].split() == ["jacobian", "gradient-x-input", "integrated-gradients", "leave-one-out"]
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["good", "film", "</s>"]


def test_files(ask, tmp_path):
    assert ask("good film", "-o", "x.html")[0] == 0
    assert "good</span>" in (tmp_path / "x.html").read_text("utf-8")
    assert ask("good film", "--method", "all", "-o", "x.svg")[0] == 0
    assert "<svg" in (tmp_path / "x.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x", "--method", "shap"], "--method shap: expected one of jacobian"),
        (["x", "--target", "odd"], "--target odd: expected a label"),
        (["x", "--method", "attention"], "has no attention"),
        (["x", "-o", "x.doc"], "expected a name that ends in"),
        (["x", "--method", "jacobian", "--norm", "3"], "--norm 3: expected 1 or 2"),
    ],
)
def test_what_is_refused(ask, arguments, message):
    status, out, error = ask(*arguments)
    assert (status, out) == (1, "")
    assert message in " ".join(error.split())


def test_colours_on_a_terminal(ask, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    out = ask("good film", "--quiet")[1]
    assert "good" in out.splitlines()[1]
    assert "film" in out.splitlines()[1]
