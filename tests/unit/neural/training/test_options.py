"""Training options: what contradicts is refused in a sentence. Arguments of a run: those of every `train`."""

import dataclasses
import inspect
import typing

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import ArgumentTypeError, OptionError
from firth.neural.models.sentences.moco import MoCo
from firth.neural.training.options import RunArguments, RunConfig, TrainingOptions, text_options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs=0: expected a whole number of at least 1"),
        ({"lr": 0.0}, "lr=0.0: expected a finite number above 0"),
        ({"lr": float("nan")}, "lr=nan"),
        ({"minutes": 0.0}, "minutes=0.0"),
        ({"optimiser": "sdg"}, "optimiser='sdg': expected one of sgd, nesterov"),
        ({"schedule": "none"}, "schedule='none': expected one of constant"),
        ({"plateau_factor": 0.0}, "plateau_factor=0.0"),
        ({"rollback": True}, "rollback=True: expected one of no, best, reset, current"),
        ({"momentum": 1.0, "optimiser": "sgd"}, "momentum=1"),
        ({"momentum": 0.5, "optimiser": "adadelta"}, "adadelta has none"),
        ({"warmup": 10, "schedule": "one-cycle"}, "warm-up of its own"),
        ({"precision": "fp8"}, "precision='fp8'"),
        ({"processes": 3, "batch_size": 2}, "processes=3: more than the batch_size=2"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        TrainingOptions(**options)


def test_options_are_frozen_and_plain():
    with pytest.raises(AttributeError):
        TrainingOptions().lr = 2.0  # type: ignore[misc]
    assert TrainingOptions(minutes=3).minutes == 3


def test_the_arguments_of_a_run_are_those_of_its_configuration():
    assert typing.get_type_hints(RunArguments) == {
        **typing.get_type_hints(RunConfig),
        "training": TrainingOptions | None,
    }
    parameters, help = inspect.signature(MoCo.train).parameters, inspect.getdoc(MoCo.train)
    for field in dataclasses.fields(RunConfig):
        assert parameters[field.name].default == (None if field.name == "training" else field.default)
        assert f"    {field.name}: {field.metadata['help']}\n" in help


def test_a_run_takes_its_arguments_and_leaves_those_of_the_text():
    usual, given = TrainingOptions(lr=0.5), {"seed": 3, "max_size": 9}
    assert RunConfig.of(usual, given) == RunConfig(usual, seed=3)
    assert RunConfig.of(usual, {"training": TrainingOptions(lr=0.1)}) == RunConfig(TrainingOptions(lr=0.1))
    assert text_options(given) == {"max_size": 9}
    with pytest.raises(ArgumentTypeError, match="training=3"):
        RunConfig.of(usual, {"training": 3})
    with pytest.raises(ArgumentTypeError, match=r"checkpoint=3 is an int; expected a path \(str or Path\)"):
        RunConfig.of(usual, {"checkpoint": 3})
