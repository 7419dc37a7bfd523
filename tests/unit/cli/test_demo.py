import json
from pathlib import Path

import pytest

import firth
from firth.cli import demo as module
from firth.cli.demo import demo
from firth.data import documentation
from firth.errors import MissingExtraError, OptionError, install_command


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """The demo on the language's topics alone, trained once over: the way is the same, the neighbours are worse."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(documentation, "_roots", list)
    monkeypatch.setattr(module, "MODEL", firth.Word2Vec(architecture="cbow", dim=16, epochs=1))
    monkeypatch.setattr(module, "MIN_COUNT", 5)


def test_leaves_vectors_and_a_map_and_says_what_next(quick, capsys):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")
    demo(Path("firth-demo"), quiet=True)
    out, err = capsys.readouterr()
    assert err == ""
    assert "list" in firth.load("firth-demo/python.firth")
    assert Path("firth-demo/map.png").read_bytes().startswith(b"\x89PNG")
    assert "nearest neighbours" in out
    assert "firth train skipgram" in out
    assert sorted(path.name for path in Path().iterdir()) == ["firth-demo"]


def test_a_second_demo_replaces_the_first(quick, capsys):
    demo(Path("firth-demo"), quiet=True)
    demo(Path("firth-demo"), quiet=True)
    assert "list" in firth.load("firth-demo/python.firth")


def test_as_json(quick, capsys):
    demo(Path("firth-demo"), quiet=True, json=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"query", "neighbours"} == set(lines[0])
    assert all(len(line["neighbours"]) == module.SHOWN for line in lines if "query" in line)


def test_without_matplotlib_a_map_in_text_and_the_way_to_a_picture(quick, capsys, monkeypatch):
    def missing(*_, **__):
        raise MissingExtraError("matplotlib", "plots", "draw a map")

    monkeypatch.setattr(module, "word_map", missing)
    demo(Path("firth-demo"), quiet=True)
    out = capsys.readouterr().out
    assert install_command("plots") in out
    assert not Path("firth-demo/map.png").exists()
    drawn = out[out.index("A map") : out.index("Next")].split()
    assert len({"list", "string", "integer", "error", "file"} & set(drawn)) >= 3


@pytest.mark.parametrize(
    "name", ["firth-demo/map.png", "firth-demo/python.firth", "firth-demo/thesis.tex", "firth-demo"]
)
def test_nothing_of_yours_is_overwritten(quick, name):
    path = Path(name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(OptionError):
        demo(Path("firth-demo"), quiet=True)
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_the_demo_as_a_user_meets_it(monkeypatch, tmp_path, capsys):
    """The neighbours are sensible: of each word, one that anyone would name is among the first six."""
    monkeypatch.chdir(tmp_path)
    demo(Path("firth-demo"), quiet=True, json=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    near = {line["query"]: {one["word"] for one in line["neighbours"]} for line in lines if "query" in line}
    expected = {
        "list": {"lists", "tuple", "sequence"},
        "string": {"strings", "text", "str"},
        "array": {"arrays", "ndarray"},
        "integer": {"integers", "int"},
        "error": {"errors", "exception"},
        "file": {"files", "filename"},
        "thread": {"threads", "process"},
        "eigenvalues": {"eigenvectors"},
        "lowercase": {"uppercase"},
        "socket": {"sockets", "connection"},
    }
    assert [word for word, wanted in expected.items() if not wanted & near[word]] == []
