"""The order of updates with a lagging encoder, and its end."""

import torch

from firth.neural.models.autoencoders.module import WINDOW, LaggingInference
from tests.unit.neural.models.autoencoders.tiny import untrained


def trained_parts(module):
    own = {name.partition(".")[0] for name, parameter in module.named_parameters() if parameter.requires_grad}
    return "encoder" if own == {"encoder"} else "both" if "encoder" in own else "decoder"


def updates(lagging, module, losses):
    found = []
    for loss in losses:
        lagging.begin()
        found.append(trained_parts(module))
        lagging.record(10 * loss, 10)
    return found


def test_the_decoder_follows_when_the_loss_of_the_encoder_stops_to_fall():
    module = untrained().module
    lagging = LaggingInference(module, 100)
    falling = [3.0] * WINDOW + [2.0] * WINDOW + [2.0] * WINDOW
    assert updates(lagging, module, [*falling, 2.0, 2.0]) == ["encoder"] * 3 * WINDOW + ["decoder", "encoder"]


def test_the_decoder_follows_after_the_most_updates():
    module = untrained().module
    losses = [10.0 - each for each in range(WINDOW + 2)]
    assert updates(LaggingInference(module, WINDOW), module, losses) == ["encoder"] * WINDOW + ["decoder", "encoder"]


def test_the_phase_ends_when_mutual_information_stops_to_rise():
    module = untrained().module
    lagging = LaggingInference(module, WINDOW)
    for information in (0.1, 0.5):
        lagging.judge(information)
        assert updates(lagging, module, [1.0]) == ["encoder"]
    again = LaggingInference(module, WINDOW)  # the state is the module's, so that a checkpoint has it
    again.judge(0.5)
    assert updates(again, module, [1.0] * 9) == ["both"] * 9
    again.judge(9.0)
    assert not again.aggressive
    lagging.begin()
    lagging.end()
    assert all(parameter.requires_grad for parameter in module.parameters())
    assert module.lagging.dtype == torch.float64
