"""Pointer networks: probabilities, searches against enumeration, and tasks that they must learn."""

import itertools
import re

import numpy as np
import pytest
import torch

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError, ShapeError
from firth.neural.models.pointers.data import collate, padded
from firth.neural.models.pointers.predict import PointerModel
from tests.gradients.neural.directions import check_parameters


def sets(count, seed, *, least=2, most=6, dim=2):
    random = np.random.default_rng(seed)
    return [random.random((n, dim)).astype(np.float32) for n in random.integers(least, most + 1, count)]


def untrained(order, seed=0, hidden=8):
    torch.manual_seed(seed)
    options = firth.PointerNetwork(hidden=hidden, order=order, max_length=9)
    return PointerModel(options.build(2), options, 2)


def sequences(size, order):
    """All sequences of positions that an order allows; for any order, the short ones."""
    if order == "permutation":
        return list(itertools.permutations(range(size)))
    lengths = range(size + 1) if order == "distinct" else range(3)
    walk = itertools.permutations if order == "distinct" else lambda r, k: itertools.product(r, repeat=k)
    return [each for length in lengths for each in walk(range(size), length)]


def log_probs(model, inputs, targets):
    batch = collate([(inputs, np.array(target, dtype=np.int64)) for target in targets])
    with torch.no_grad():
        each = model.module(batch.inputs, batch.lengths, batch.targets).double()
    return (each * batch.counted).sum(1).numpy()


@pytest.mark.parametrize("order", ["distinct", "permutation"])
def test_all_sequences_sum_to_one(order):
    (inputs,) = sets(1, 1, least=4, most=4)
    found = log_probs(untrained(order), inputs, sequences(4, order))
    assert np.exp(found).sum() == pytest.approx(1, abs=1e-5)


def test_each_step_sums_to_one_and_gives_padding_nothing():
    model = untrained("any")
    inputs, lengths = padded(sets(5, 2))
    with torch.no_grad():
        memory = model.module.encode(inputs, lengths)
        size = memory[0].shape[1]
        previous = torch.zeros(5, 3, dtype=torch.int64)
        scores, _ = model.module.decode(memory, previous, memory[3], torch.zeros(5, 3, size, dtype=torch.bool))
    probabilities = scores.exp()
    assert torch.allclose(probabilities.sum(2), torch.ones(5, 3))
    for row, length in enumerate(lengths.tolist()):
        assert (probabilities[row, :, length + 1 :] == 0).all()
        assert (probabilities[row, :, : length + 1] > 0).all()


@pytest.mark.parametrize("order", ["any", "distinct", "permutation"])
def test_padding_changes_nothing(order):
    model, some = untrained(order), sets(6, 3)
    targets = [np.random.default_rng(0).permutation(len(each)) for each in some]
    batch = collate(list(zip(some, targets, strict=True)))
    with torch.no_grad():
        together = model.module(batch.inputs, batch.lengths, batch.targets) * batch.counted
    for row, (inputs, target) in enumerate(zip(some, targets, strict=True)):
        assert together[row].sum().item() == pytest.approx(log_probs(model, inputs, [target])[0], abs=1e-5)
    for beams in (1, 3):
        one_by_one = [model.predict([each], beams=beams)[0] for each in some]
        for alone, found in zip(one_by_one, model.predict(some, beams=beams), strict=True):
            assert alone.tolist() == found.tolist()


@pytest.mark.parametrize("order", ["distinct", "permutation"])
@pytest.mark.parametrize("seed", range(3))
def test_a_wide_beam_finds_the_best_of_all_sequences(order, seed):
    model = untrained(order, seed)
    (inputs,) = sets(1, seed, least=4, most=4)
    every = sequences(4, order)
    best = every[int(np.argmax(log_probs(model, inputs, every)))]
    for beams in (100, firth.BeamSearch(beams=100, length_normalisation="none")):
        assert tuple(model.predict([inputs], beams=beams)[0].tolist()) == best
    assert model.test([inputs], [best], beams=100, progress=False).exact == 1


@pytest.mark.parametrize("order", ["any", "distinct", "permutation"])
def test_predictions_keep_to_the_order(order):
    for inputs, found in zip(some := sets(20, 4), untrained(order, 5).predict(some), strict=True):
        assert set(found.tolist()) <= set(range(len(inputs)))
        assert order == "any" or len(set(found.tolist())) == len(found)
        assert order != "permutation" or len(found) == len(inputs)


def test_the_gradient_equals_differences():
    torch.manual_seed(0)
    module = firth.PointerNetwork(hidden=4, order="distinct").build(2).double()
    batch = collate(
        [(sets(1, 6, least=3, most=3)[0], np.array([2, 0])), (sets(1, 7, least=4, most=4)[0], np.array([1]))]
    )

    def loss():
        return -(module(batch.inputs.double(), batch.lengths, batch.targets) * batch.counted).sum()

    check_parameters(module, loss)


def test_it_learns_to_sort(tmp_path):
    """Numbers in their order: a permutation that depends on the values alone, for sets of any size up to six."""
    random = np.random.default_rng(0)
    inputs = [random.random((n, 1)) for n in random.integers(2, 5, 1700)]
    targets = [np.argsort(each[:, 0]) for each in inputs]
    model = firth.PointerNetwork(hidden=24, order="permutation").train(
        inputs[:-200],
        targets[:-200],
        training=firth.TrainingOptions(epochs=3, batch_size=32, optimiser="adam", lr=0.01),
    )
    scores = model.test(inputs[-200:], targets[-200:])
    assert scores.exact > 0.6  # at random less than 0.1
    assert scores.low < scores.exact < scores.high
    assert re.match(r"0\.\d+ \(0\.\d+ to 0\.\d+\) of 200 sequences", str(scores))
    model.save(tmp_path / "sort.firth")
    other = firth.load(tmp_path / "sort.firth")
    for mine, theirs in zip(model.predict(inputs[-50:]), other.predict(inputs[-50:]), strict=True):
        assert mine.tolist() == theirs.tolist()
    assert other.metadata["training"]["sets"] == 1350


@pytest.mark.parametrize(
    ("inputs", "targets", "options", "error", "message"),
    [
        ([], [], {}, CorpusError, "0 sets of inputs and 0 targets"),
        ([[[0.0]]], [[0]], {}, CorpusError, "1 set; expected at least two"),
        ([[[0.0]], [[1.0]]], [[0]], {}, CorpusError, "2 sets of inputs and 1 targets"),
        ([[[0.0]], [[1.0, 2.0]]], [[0], [0]], {}, ShapeError, r"set 2: an array \(1, 2\)"),
        ([[[0.0]], []], [[0], [0]], {}, ShapeError, "set 2"),
        ([[[0.0]], "ab"], [[0], [0]], {}, ArgumentTypeError, "set 2"),
        ([[[0.0]], [[np.nan]]], [[0], [0]], {}, CorpusError, "not finite"),
        ([[[0.0]], [[1.0]]], [[0], [1]], {}, CorpusError, "example 2: position 1; expected from 0 to 0"),
        ([[[0.0]], [[1.0]]], [[0], [0.5]], {}, ArgumentTypeError, "example 2"),
        ([[[0.0]], [[1.0]]], [[0], [0, 0]], {}, CorpusError, "occurs twice"),
        ([[[0.0]], [[1.0]]], [[0], []], {"order": "permutation"}, CorpusError, "0 of 1 positions"),
        ([[[0.0]], [[1.0]]], [[0], [0]], {"held_out": [[[1.0]]]}, OptionError, "one is given without the other"),
    ],
)
def test_bad_input(inputs, targets, options, error, message):
    network = firth.PointerNetwork(order=options.pop("order", "distinct"))
    with pytest.raises(error, match=message):
        network.train(inputs, targets, **options)


def test_bad_input_of_a_trained_network():
    model = untrained("any")
    with pytest.raises(ShapeError, match=r"expected \(N, 2\)"):
        model.predict([[[1.0]]])
    with pytest.raises(OptionError, match="beams=0"):
        model.predict([[[1.0, 2.0]]], beams=0)
    assert model.predict([]) == []


def test_what_is_no_list_of_sets():
    model = untrained("any")
    for wrong in (None, 3, "abc"):
        with pytest.raises(ArgumentTypeError, match=r"inputs: found .*, expected a list of sets of vectors"):
            model.predict(wrong)
        with pytest.raises(ArgumentTypeError, match=r"targets: found .*, expected a list of positions for each set"):
            model.test(sets(1, 0), wrong)
