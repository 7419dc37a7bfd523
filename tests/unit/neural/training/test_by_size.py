"""Defaults by the size of the training data: what the caller gives wins, the rest is filled, logged and shown."""

import dataclasses
import logging
from typing import ClassVar

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.cli.flags import Flags
from firth.errors import OptionError
from firth.neural.training.by_size import with_size_defaults
from firth.neural.training.options import RunConfig, TrainingOptions
from firth.options import BY_SIZE, option, options_class

RULE = {"epochs": 70, "lr": 0.002, "dropout": 0.5, "spelling": True}


@options_class
class Sized:
    """A model."""

    training: ClassVar = TrainingOptions(epochs=BY_SIZE, lr=BY_SIZE, clip_norm=5.0)
    dropout: float = option(BY_SIZE, "dropout", minimum=0, by_size=True)
    spelling: bool = option(BY_SIZE, "spelling", by_size=True)


def filled(model: Sized, training: TrainingOptions | None = None) -> tuple[Sized, TrainingOptions]:
    options, config = with_size_defaults(
        model, RunConfig.of(model.training, {"training": training}), RULE, "300 sentences"
    )
    return options, config.training


def test_what_nobody_gave_follows_the_rule_and_is_logged(caplog):
    caplog.set_level(logging.INFO, logger="firth")
    options, training = filled(Sized())
    assert (options.dropout, options.spelling) == (0.5, True)
    assert (training.epochs, training.lr, training.clip_norm) == (70, 0.002, 5.0)
    assert caplog.messages == ["dropout=0.5, spelling=True, epochs=70, lr=0.002: chosen for 300 sentences"]


def test_what_the_caller_gives_wins():
    options, training = filled(Sized(spelling=False), dataclasses.replace(Sized.training, epochs=3))
    assert (options.dropout, options.spelling) == (0.5, False)
    assert (training.epochs, training.lr, training.clip_norm) == (3, 0.002, 5.0)
    _, training = filled(Sized(), TrainingOptions())
    assert training == TrainingOptions()  # options of one's own are complete


def test_models_without_a_rule_fill_in_their_defaults():
    given = {"training": TrainingOptions(epochs=BY_SIZE, lr=0.5)}
    assert RunConfig.of(TrainingOptions(epochs=7), given).training == TrainingOptions(epochs=7, lr=0.5)


def test_other_options_cannot_be_left_to_the_data():
    with pytest.raises(OptionError, match="clip_norm=None"):
        TrainingOptions(clip_norm=BY_SIZE)


def test_the_help_says_so():
    shown = {
        parameter.name: parameter.annotation.__metadata__[0].help
        for flags in (Flags(Sized), Flags(TrainingOptions, defaults=Sized.training))
        for parameter in flags.parameters()
    }
    for name in RULE:
        assert shown[name].endswith("Default: by the size of the training data."), name
    assert shown["clip_norm"].endswith("Default: 5.0.")
    assert "default by the size of the training data" in str(Sized.__doc__)
