"""Where training runs: what is changed of torch for a while is put back."""

import warnings

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import OptionError
from firth.neural.training import devices
from firth.neural.training.devices import no_subnormals, within_memory


def flushed():
    return bool(torch.tensor(1e-39) * 1 == 0)


def test_subnormal_numbers_are_nothing_inside_and_numbers_again_outside():
    assert not flushed()
    with no_subnormals():
        assert flushed()
        with no_subnormals():
            assert flushed()
        assert flushed()
    assert not flushed()


def test_they_come_back_after_an_error():
    with pytest.raises(KeyError), no_subnormals():
        raise KeyError
    assert not flushed()


@pytest.mark.parametrize("copies", [1, 2])
def test_a_model_beyond_the_memory_is_refused_before_it_is_filled(copies):
    """Its first matrix alone has 4 x 10^12 weights."""
    with pytest.raises(OptionError, match=r"needs at least [\d,.]+ GB of memory"), within_memory(copies):
        torch.nn.LSTM(1_000_000, 1_000_000)


def test_the_memory_of_parameters_is_counted(monkeypatch):
    monkeypatch.setattr(devices, "available_memory", lambda: 1000)
    with within_memory():
        torch.nn.Linear(15, 15)  # 240 numbers, 960 bytes
    with pytest.raises(OptionError, match=r"at least 0.0 GB of memory; this machine has 0.0 GB"), within_memory(2):
        torch.nn.Linear(15, 15)
    torch.nn.Linear(100, 100)


def test_other_errors_of_torch_pass():
    with pytest.raises(RuntimeError, match="shapes"), within_memory():
        torch.zeros(2, 3) @ torch.zeros(2, 3)


def test_training_says_what_it_would_need(tmp_path):
    corpus = firth.Corpus.build(["a b c"] * 20, cache=tmp_path, min_count=1)
    with pytest.raises(OptionError, match=r"the model needs at least [\d,.]+ GB of memory"):
        firth.RecurrentLM(hidden=400_000).train(corpus, progress=False)


def test_a_processor_without_bf16_is_warned_of_once(monkeypatch):
    monkeypatch.setattr(devices, "processor_has_bf16", lambda: False)
    devices._warn_of_slow_bf16.cache_clear()
    with pytest.warns(UserWarning, match=r"no instructions for bf16 .* 40 times as long"):
        devices.runtime_of(torch.device("cpu"), "bf16")
    with warnings.catch_warnings(action="error"):
        assert devices.runtime_of(torch.device("cpu"), "bf16").precision == "bf16"
    devices._warn_of_slow_bf16.cache_clear()
    monkeypatch.setattr(devices, "processor_has_bf16", lambda: True)
    devices.runtime_of(torch.device("cpu"), "bf16")
