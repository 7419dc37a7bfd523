"""Restricted Boltzmann machines against enumeration over all states, autograd, and scikit-learn's."""

import itertools
import signal

import numpy as np
import pytest
from scipy.special import logsumexp

import firth
from firth.errors import ArgumentTypeError, DivergenceError, OptionError, ShapeError
from firth.latent import gibbs
from firth.latent.boltzmann_machine import BoltzmannMachine
from firth.latent.rbm import _Run
from firth.randomness import kernel_states


def machine(visible, hidden, kind="binary", scale=1.0, seed=0):
    """A machine with random parameters."""
    random = np.random.default_rng(seed)
    draw = [scale * random.standard_normal(size) for size in ((visible, hidden), visible, hidden)]
    rates = np.full(visible, 1 / visible if kind == "softmax" else 0.4)
    return BoltzmannMachine(*(each.astype(np.float32) for each in (*draw, rates)), visible=kind)


def bits(n):
    return np.array(list(itertools.product((0, 1), repeat=n)), dtype=np.float32)


def texts(words, length):
    """All texts of some words as counts, and in how many orders each is written."""
    orders = [np.bincount(text, minlength=words) for text in itertools.product(range(words), repeat=length)]
    return np.unique(np.array(orders, dtype=np.float32), axis=0, return_counts=True)


def joint(m, rows):
    """-E(v, h) of rows with all hidden states, (N, 2^H), by the definition."""
    states = bits(m.dim)
    n = rows.sum(1, keepdims=True) if m.visible == "softmax" else 1
    return (
        (rows @ m.visible_bias)[:, None]
        + n * (states @ m.hidden_bias)[None]
        + rows @ m.weights.astype(float) @ states.T
    )


# Probabilities


def test_free_energy_and_features_are_sums_over_hidden_states():
    for kind, rows in (("binary", bits(4)), ("softmax", texts(4, 3)[0])):
        m = machine(4, 3, kind)
        energies = joint(m, rows)
        np.testing.assert_allclose(-m.free_energy(rows), logsumexp(energies, axis=1), rtol=1e-6)
        posterior = np.exp(energies - logsumexp(energies, axis=1, keepdims=True))
        np.testing.assert_allclose(m.encode(rows), posterior @ bits(3), atol=2e-6)


@pytest.mark.parametrize(("visible", "hidden"), [(4, 3), (3, 5)])
def test_binary_rows_add_up_to_1(visible, hidden):
    m, rows = machine(visible, hidden), bits(visible)
    assert np.exp(m.log_likelihood(rows)).sum() == pytest.approx(1, abs=1e-6)
    assert m.log_partition() == pytest.approx(logsumexp(joint(m, rows)), rel=1e-6)


@pytest.mark.parametrize("scale", [80, 10_000])
@pytest.mark.parametrize("kind", ["binary", "softmax"])
def test_parameters_of_any_size(kind, scale):
    m, (rows, orders) = machine(3, 4, kind, scale), (bits(3), 0) if kind == "binary" else texts(3, 2)
    logs = np.log(orders) if kind == "softmax" else np.zeros(len(rows))
    total = logsumexp(joint(m, rows) + logs[:, None])
    length = 2 if kind == "softmax" else 1
    assert m.log_partition(length=length) == pytest.approx(total, rel=1e-6)
    assert logsumexp(m.log_likelihood(rows) + logs) == pytest.approx(0, abs=scale * 1e-6)


def test_texts_of_a_length_add_up_to_1():
    m = machine(4, 3, "softmax")
    for length in (1, 3):
        rows, orders = texts(4, length)
        assert np.exp(m.log_likelihood(rows)) @ orders == pytest.approx(1, abs=1e-6)
    both = np.concatenate([texts(4, 1)[0], texts(4, 3)[0]])
    expected = [m.log_likelihood(row[None])[0] for row in both]
    np.testing.assert_allclose(m.log_likelihood(both), expected, rtol=1e-9)


def test_independent_units():
    m = machine(3, 2)
    assert m.independent_log_likelihood([[1, 0, 0]])[0] == pytest.approx(np.log(0.4) + 2 * np.log(0.6), rel=1e-6)
    m = machine(4, 2, "softmax")
    assert m.independent_log_likelihood([[2, 0, 1, 0]])[0] == pytest.approx(3 * np.log(0.25), rel=1e-6)


@pytest.mark.parametrize(("kind", "length"), [("binary", 1), ("softmax", 7)])
def test_annealed_partition_function_is_within_half_a_nat(kind, length):
    """As far as the parameters are from independent units, the interval covers the exact value."""
    for seed in range(3):
        m = machine(12, 8, kind, scale=1.0, seed=seed)
        exact = m.log_partition(length=length)
        found = m.annealed_log_partition(length=length, chains=100, temperatures=500, seed=seed)
        assert found.value == pytest.approx(exact, abs=0.5)
        assert found.low - 0.1 < exact < found.high + 0.1
        assert found.low < found.value < found.high


def test_more_temperatures_narrow_the_interval():
    m = machine(12, 8, scale=1.5)
    widths = [(lambda e: e.high - e.low)(m.annealed_log_partition(temperatures=steps, seed=1)) for steps in (30, 3000)]
    assert widths[1] < 0.4 * widths[0]


@pytest.mark.parametrize(("kind", "length"), [("binary", 1), ("softmax", 3)])
def test_two_temperatures_are_unbiased(kind, length):
    """However few the temperatures, the mean weight of many chains is the ratio of the partition functions."""
    m = machine(5, 4, kind, scale=0.6)
    found = m.annealed_log_partition(length=length, chains=50_000, temperatures=2, seed=4)
    assert found.value == pytest.approx(m.log_partition(length=length), abs=0.03)


# Samples


@pytest.mark.parametrize("kind", ["binary", "softmax"])
def test_samples_have_the_frequencies_of_the_model(kind):
    m = machine(3, 2, kind, scale=0.7)
    rows, orders = (bits(3), np.ones(8)) if kind == "binary" else texts(3, 2)
    length = 1 if kind == "binary" else 2
    expected = np.exp(m.log_likelihood(rows)) * orders
    drawn = m.sample(40_000, steps=30, length=length, seed=3)
    found = [(drawn == row).all(1).mean() for row in rows]
    np.testing.assert_allclose(found, expected, atol=4 * 0.5 / 200)


def test_samples_start_where_they_are_told():
    m = machine(3, 2)
    start = np.ones((5, 3))
    assert m.sample(5, steps=1, start=start).shape == (5, 3)
    assert (start == 1).all()
    with pytest.raises(ShapeError, match=r"expected \(4, 3\)"):
        m.sample(4, start=start)


def test_exponentials_are_those_of_the_library():
    x = np.concatenate([np.linspace(-87, 87, 40_001), [-1e9, 1e9, 0]]).astype(np.float32)
    found = x.copy()
    gibbs.exponentials(found, np.empty(len(x), np.int32))
    np.testing.assert_allclose(found, np.exp(np.clip(x, -87, 87).astype(np.float64)), rtol=3e-7)


# Learning


@pytest.mark.parametrize("kind", ["binary", "softmax"])
def test_an_update_is_the_gradient_of_the_difference_of_free_energies(kind):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    m, random = machine(6, 10, kind), np.random.default_rng(1)
    rows = random.integers(0, 2, (9, 6)).astype(np.float32)
    rows[:, 0] = 1
    lengths = m.lengths(rows)
    found = [np.empty_like(each) for each in (m.weights, m.visible_bias, m.hidden_bias)]
    gibbs.gradients(rows, m.encode(rows), lengths, 5, *found, np.empty_like(rows))
    w, b, a = (
        torch.tensor(each, dtype=torch.float64, requires_grad=True)
        for each in (m.weights, m.visible_bias, m.hidden_bias)
    )
    v, n = torch.tensor(rows).double(), torch.tensor(lengths).double()
    free = -(v @ b) - torch.nn.functional.softplus(n[:, None] * a + v @ w).sum(1)
    loss = (free[:5].mean() - free[5:].mean()) / n[:5].mean()
    for one, other in zip(found, torch.autograd.grad(-loss, (w, b, a)), strict=True):
        np.testing.assert_allclose(one, other.numpy(), atol=2e-6)


def test_many_steps_give_the_gradient_of_the_likelihood():
    """Chains that are long enough sample the model: the mean update is that of log p(v), by enumeration."""
    m, rows = machine(4, 3, scale=0.5), bits(4)[[3, 5, 9]]
    chains = m.sample(100_000, steps=50, seed=2)
    both = np.concatenate([rows, chains])
    found = [np.empty_like(each) for each in (m.weights, m.visible_bias, m.hidden_bias)]
    gibbs.gradients(both, m.encode(both), m.lengths(both), 3, *found, np.empty_like(both))
    probabilities, every = np.exp(m.log_likelihood(bits(4))), bits(4)
    exact = rows.T @ m.encode(rows) / 3 - (every * probabilities[:, None]).T @ m.encode(every)
    np.testing.assert_allclose(found[0], exact, atol=0.01)


def patterns(n=600, seed=0):
    """Rows of which the two halves are equal, each one of three patterns, with a twentieth of the units flipped."""
    random = np.random.default_rng(seed)
    shapes = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [1, 0, 1, 0, 1, 0]])
    rows = np.tile(shapes[random.integers(3, size=n)], 2)
    return np.where(random.random(rows.shape) < 0.05, 1 - rows, rows).astype(np.float32)


@pytest.mark.parametrize("algorithm", ["cd", "pcd"])
def test_it_learns_what_goes_together(algorithm):
    data = patterns()
    learned = firth.RBM(hidden=8, algorithm=algorithm, epochs=60, lr=0.1).train(data[:500], progress=False)
    gain = learned.log_likelihood(data[500:]).mean() - learned.independent_log_likelihood(data[500:]).mean()
    assert gain > 3.0  # nats; the true distribution has about 3.9 more than independent units
    assert learned.metadata["training"]["texts"] == 500
    assert len(learned.metadata["training"]["changed"]) == 60


def test_it_learns_topics_of_words():
    random = np.random.default_rng(0)
    topics = np.array([[0.3, 0.3, 0.3, 0.04, 0.03, 0.03], [0.03, 0.03, 0.04, 0.3, 0.3, 0.3]])
    lengths = random.integers(1, 30, 400)
    data = np.stack([random.multinomial(n, topics[random.integers(2)]) for n in lengths])
    learned = firth.RBM(hidden=4, visible="softmax", epochs=60, lr=0.1).train(data, progress=False)
    gain = learned.log_likelihood(data).sum() - learned.independent_log_likelihood(data).sum()
    assert gain / data.sum() > 0.2  # nats per word; a mixture that knows the topics has .32


def test_the_seed_decides_every_bit():
    data, options = patterns(50), firth.RBM(hidden=5, epochs=3)
    one, same, other = (options.train(data, seed=seed, progress=False) for seed in (1, 1, 2))
    assert one.weights.tobytes() == same.weights.tobytes()
    assert one.weights.tobytes() != other.weights.tobytes()


def test_momentum_and_decay():
    """With momentum m, an update adds m times the last one; decay takes a share of the weights."""
    parameter, last = np.array([2.0], np.float32), np.array([0.5], np.float32)
    gibbs.momentum_step(
        parameter, last, np.array([1.0], np.float32), np.float32(0.25), np.float32(0.1), np.float32(0.9)
    )
    assert last[0] == pytest.approx(0.9 * 0.5 + 0.1 * (1 - 0.25 * 2))
    assert parameter[0] == pytest.approx(2.5)


def test_the_rate_falls_to_0_over_the_run(monkeypatch):
    rates = []
    monkeypatch.setattr(gibbs, "learn", lambda *arguments: rates.append(arguments[-5:-3]) or 0.0)
    firth.RBM(hidden=2, epochs=4, lr=0.2).train(patterns(20), progress=False)
    np.testing.assert_allclose(rates, [(0, 0), (0.2, 0.15), (0.15, 0.1), (0.1, 0.05), (0.05, 0)], atol=1e-12)


def test_the_rate_falls_within_an_epoch():
    """The second of two updates begins half way."""
    data, updates = patterns(20), []
    for last in (0.1, 0.0):
        run = _Run.begin(firth.RBM(hidden=3, batch_size=10, algorithm="cd"), data, 0)
        run._learn(np.arange(20), 0.1, last)
        updates.append(run.last[0].copy())
    np.testing.assert_allclose(updates[1], updates[0] / 2, atol=1e-7)


def test_chains_keep_the_lengths_of_their_texts():
    random = np.random.default_rng(0)
    data = random.multinomial(np.arange(1, 31), np.full(5, 0.2)).astype(np.float32)
    run = _Run.begin(firth.RBM(hidden=3, visible="softmax", batch_size=6), data, 1)
    before, texts = run.chain_lengths.copy(), run.chains.copy()
    run.epoch(0)
    assert run.chains.sum(1).tolist() == before.tolist()
    assert len(set(before.tolist())) > 3
    assert (run.chains != texts).any()


def test_words_are_drawn_as_often_as_the_lengths_say():
    rates = np.tile(np.array([0.5, 0.25, 0.25, 0], np.float32), (2, 1))
    units = np.empty_like(rates)
    gibbs.draw_words(rates, np.array([10_000, 3], np.float32), units, kernel_states(0, "test", 1))
    assert units.sum(1).tolist() == [10_000, 3]
    np.testing.assert_allclose(units[0] / 10_000, rates[0], atol=0.02)


# Files and mistakes


def test_save_and_load(tmp_path):
    m = firth.RBM(hidden=5, epochs=2).train(patterns(50), progress=False)
    m.save(tmp_path / "m")
    again = firth.load(tmp_path / "m")
    assert isinstance(again, firth.BoltzmannMachine)
    np.testing.assert_array_equal(again.encode(patterns(9)), m.encode(patterns(9)))
    assert again.metadata["training"]["options"]["hidden"] == 5
    assert "12 binary visible and 5 hidden units" in repr(again)
    assert "12, binary" in again._repr_html_()


@pytest.mark.parametrize(
    ("rows", "kind", "error", "message"),
    [
        ([[0, 1], [0.5, 1.5]], "binary", OptionError, "row 1, column 1 holds 1.5; expected numbers from 0 to 1"),
        ([[0, np.nan]], "binary", OptionError, "column 1 holds nan"),
        ([[0, -1]], "softmax", OptionError, "holds -1; expected counts"),
        ([[0, 0.5]], "softmax", OptionError, "holds 0.5; expected counts"),
        ([[0, np.inf]], "softmax", OptionError, "holds inf; expected counts"),
        ([[0, 0]], "softmax", OptionError, "expected texts with words"),
        ([1, 0], "binary", ShapeError, r"expected \(N, V\)"),
        (np.empty((0, 3)), "binary", ShapeError, "at least one row"),
        ([["a", "b"]], "binary", ArgumentTypeError, "expected rows of numbers"),
        ([[1j, 0]], "binary", ArgumentTypeError, "rows: complex numbers; expected real ones"),
        (np.ma.masked_equal([[1, 0]], 0), "binary", ArgumentTypeError, "rows: a masked array"),
    ],
)
def test_wrong_rows(rows, kind, error, message):
    with pytest.raises(error, match=message):
        firth.RBM(visible=kind).train(rows, progress=False)


def test_texts_without_words_are_left_out():
    with pytest.warns(UserWarning, match="1 texts? without words"):
        m = firth.RBM(visible="softmax", hidden=2, epochs=1).train([[1, 0], [0, 0], [0, 3]], progress=False)
    assert m.metadata["training"]["texts"] == 2


def test_wrong_questions():
    m = machine(4, 3)
    with pytest.raises(ShapeError, match=r"expected \(N, 4\)"):
        m.encode([[0, 1]])
    with pytest.raises(OptionError, match="rows of binary units have none"):
        m.log_partition(length=3)
    with pytest.raises(OptionError, match="length=-1"):
        machine(4, 3, "softmax").log_partition(length=-1)
    assert machine(4, 3, "softmax").log_likelihood([[0, 0, 0, 0]])[0] == pytest.approx(
        0, abs=1e-12
    )  # the one such text
    for name, instead in (("transform", "encode"), ("score_samples", "log_likelihood"), ("gibbs", "sample")):
        with pytest.raises(AttributeError, match=f"use {instead}"):
            getattr(m, name)
    with pytest.raises(AttributeError, match=r"use firth\.RBM"):
        _ = firth.BernoulliRBM
    with pytest.raises(OptionError, match="use annealed_log_partition"):
        machine(30, 30).log_partition()
    with pytest.raises(OptionError, match="chains=1"):
        m.annealed_log_partition(chains=1)
    with pytest.raises(OptionError, match="of 2 lengths"):
        machine(4, 3, "softmax").log_likelihood([[1, 0, 0, 0], [1, 1, 0, 0]], log_partition=3.0)
    for wrong in ("x", [1, 2], np.nan, True):
        with pytest.raises(OptionError, match=r"log_partition=.*: expected a finite number of nats"):
            m.log_likelihood([[0, 1, 0, 1]], log_partition=wrong)
    estimate = m.annealed_log_partition(temperatures=100)
    assert m.log_likelihood(bits(4), log_partition=estimate) == pytest.approx(-m.free_energy(bits(4)) - float(estimate))


def test_arrays_that_do_not_fit():
    arrays = [np.zeros((4, 3), np.float32), np.zeros(4), np.zeros(3), np.full(4, 0.5)]
    with pytest.raises(ShapeError, match=r"weights of the shape \(3,\); expected \(V, H\)"):
        BoltzmannMachine(arrays[2], *arrays[1:])
    with pytest.raises(ShapeError, match=r"hidden_bias of the shape \(4,\); expected \(3,\)"):
        BoltzmannMachine(*arrays[:2], arrays[1], arrays[3])
    with pytest.raises(OptionError, match="visible='gaussian': expected binary or softmax"):
        BoltzmannMachine(*arrays, visible="gaussian")


def test_a_rate_that_is_too_high_is_named():
    with pytest.raises(DivergenceError, match="lower lr"):
        firth.RBM(visible="softmax", hidden=3, lr=1e39, epochs=5).train(np.full((20, 4), 5), progress=False)


def test_damaged_folders(tmp_path):
    from safetensors.numpy import load_file, save_file

    machine(4, 3).save(tmp_path / "m")
    file = tmp_path / "m" / "model.safetensors"
    tensors = load_file(file)
    for name, array, message in (
        ("hidden_bias", np.zeros(2, np.float32), "hidden_bias"),
        ("base_rates", np.full(4, 2, np.float32), "base rates that are not probabilities"),
    ):
        save_file({**tensors, name: array}, file)
        (tmp_path / "m" / "checksums.json").unlink(missing_ok=True)
        with pytest.raises(firth.errors.FormatError, match=message):
            firth.load(tmp_path / "m")


def test_an_interruption_keeps_what_was_learned():
    rows = np.random.default_rng(0).integers(0, 2, (50, 8))

    def interrupt(status):
        if status.done == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.warns(UserWarning, match="interrupted in epoch 4 of 50"):
        machine = firth.RBM(hidden=4, epochs=50).train(rows, progress=interrupt)
    assert machine.metadata["training"]["interrupted"]
    assert len(machine.metadata["training"]["changed"]) == 3
    whole = firth.RBM(hidden=4, epochs=2).train(rows, progress=False)
    assert not whole.metadata["training"]["interrupted"]
