"""Training options: what contradicts is refused in a sentence."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import OptionError
from firth.neural.training.options import TrainingOptions


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
