"""What is told of training can be kept as JSON, and is kept whole."""

import json
import math

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.training.monitor import METRICS, History, LossMeter, plain, write_metrics


def test_losses_are_summed_in_float64():
    """Ten million nats and a hundred times 0.1: float32, whose steps are 1 up there, would not see the tenths."""
    tally = LossMeter()
    tally.add(torch.tensor(1e7), 1)
    for _ in range(100):
        tally.add(torch.tensor(0.1), 1)
    assert tally.mean() * 101 == pytest.approx(1e7 + 10, abs=1e-3)
    assert LossMeter().mean() == 0


def test_a_row_is_json():
    row = plain({"step": 3, "loss": math.nan, "held_out_loss": math.inf, "lr": 0.5})
    assert row == {"step": 3, "loss": None, "held_out_loss": None, "lr": 0.5}


def test_rows_replace_those_before(tmp_path):
    write_metrics([{"step": 1}, {"step": 2}], tmp_path)
    write_metrics([{"step": 3}], tmp_path)
    assert [json.loads(line) for line in (tmp_path / METRICS).read_text().splitlines()] == [{"step": 3}]
    assert [path.name for path in tmp_path.iterdir()] == [METRICS]


def test_a_history_is_json():
    told = History([{"step": 1}], {"step": 1}, "interrupted", 1, 4, 0.12345).described()
    assert json.loads(json.dumps(told)) == told
    assert told["interrupted"] is True
