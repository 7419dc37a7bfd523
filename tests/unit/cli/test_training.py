"""The frame of the commands that train, with a model that learns nothing: no PyTorch, no files."""

import inspect
import json
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import pytest
import typer

from firth.cli.arguments import OnError
from firth.cli.training import Run, TrainCommand, chosen_model
from firth.errors import OptionError
from firth.options import check, option, options_class


class Trained:
    metadata: ClassVar[dict] = {}

    def save(self, path):
        Path(path).mkdir()


@options_class
class Toy:
    width: int = option(3, "width of the toy", minimum=1)

    def __post_init__(self):
        check(self)

    def train(self, source, *, seed=0, threads=None, progress=None, checkpoint=None):
        self.calls.append((source, self.width, seed, threads, progress))
        return Trained()


Toy.calls = []
MODEL = SimpleNamespace(name="toy", kind=Toy, preset={}, unused=frozenset(), description="A toy.")


def _train(
    run: Run, source: Path, held_out: Path | None = None, vectors: Path | None = None, *, on_error: OnError = "skip"
):
    """Train a toy."""
    return run.train([source], held_out=held_out, on_error=on_error)


TOY = TrainCommand(
    group="toy", what="toy", homes=("firth.nowhere.",), train=_train,
    report=lambda run, model: ({"toy": str(run.output)}, [f"{run.output}: {run.model.name}"]),
)  # fmt: skip


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Toy.calls.clear()
    app = typer.Typer()
    app.command()(TOY.of(MODEL))

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            app(list(arguments))
        return ended.value.code

    return run


def test_arguments_of_the_command_come_first_then_the_shared_ones():
    names = list(inspect.signature(TOY.of(MODEL)).parameters)
    shared = ["seed", "threads", "checkpoint", "every", "overwrite", "quiet", "json"]
    assert [name for name in names if name != "width"] == ["source", "output", "held_out", *shared, "on_error"]


def test_options_and_arguments_reach_the_model_that_takes_them(run, capsys):
    assert run("data", "-o", "out", "--width", "5", "--seed", "7", "-q") == 0
    assert Toy.calls == [([Path("data")], 5, 7, None, False)]
    assert capsys.readouterr().out == "out: toy\n"
    assert Path("out").is_dir()


def test_report_is_json_where_it_is_asked_for(run, capsys):
    assert run("data", "-o", "out", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"toy": "out"}


def test_a_wrong_option_and_a_wrong_output_stop_before_the_data_are_read(run, tmp_path):
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(TOY.of(MODEL))
    with pytest.raises(OptionError, match="width"):
        app(["data", "-o", "out", "--width", "0"], standalone_mode=False)
    (tmp_path / "file").touch()
    with pytest.raises(OptionError, match="is a file"):
        app(["data", "-o", "file"], standalone_mode=False)
    assert Toy.calls == []


@pytest.mark.parametrize("arguments", [["--model", "Other_Toy"], ["--model=other-toy"], ["x", "--model", "other-toy"]])
def test_model_is_read_from_the_arguments(arguments):
    assert chosen_model(arguments, ["toy", "other-toy"], "toy") == "other-toy"


def test_model_that_is_unknown_or_stands_behind_two_dashes():
    assert chosen_model(["--", "--model", "other"], ["toy"], "toy") == "toy"
    with pytest.raises(OptionError, match="expected one of toy"):
        chosen_model(["--model", "none"], ["toy"], "toy")
