"""Latent predictor networks: likelihoods of all segmentations, searches, learning, folders, bad input."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError
from firth.neural.models.predictors.data import END, padded_values
from firth.neural.models.predictors.predict import PredictorModel, PredictorScorer

RECORDS = [{"a": "xy", "b": "x"}, {"a": "yx", "b": "xyx", "c": "xy"}, {"a": "", "c": "long value"}, {"b": "xy"}, {}]
TEXTS = ["xyxxyyxyx", "xyxyx", "yx", "", "zz"]
SMALL = firth.LatentPredictorNetwork(dim=4, hidden=6, dropout=0.0, max_copy=5)


def model_of(options=SMALL, fields="abc", scale=1.0):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        module = options.build(len(fields)).double()
        with torch.no_grad():
            for parameter in module.parameters():
                parameter.copy_(torch.randn_like(parameter) * scale)
    return PredictorModel(module, options, list(fields))


def ways(model, record, text):
    """All ways to write a text: segments with their fields, and the log-probability."""
    values = [tuple(record.get(name, "").encode() for name in model.fields)]
    target = [*text.encode(), END]
    memory, state = model.module.encode(*padded_values(values))
    found, _ = model.module.decode(memory, torch.tensor([[END, *target[:-1]]]), state)
    generate, copy = found.generate[0].tolist(), found.copy[0].tolist()

    def after(place):
        if place == len(target):
            yield (), 0.0
            return
        for rest, score in after(place + 1):
            yield ((place, place + 1, ""), *rest), score + generate[place][target[place]]
        for number, value in enumerate(values[0]):
            stop = place + len(value)
            if 0 < len(value) <= model.options.max_copy and target[place:stop] == list(value):
                for rest, score in after(stop):
                    yield ((place, stop, model.fields[number]), *rest), score + copy[place][number]

    return list(after(0))


@pytest.mark.parametrize("copying", [True, False])
def test_likelihoods_and_best_segments_are_those_of_all_ways(copying):
    model = model_of(dataclasses.replace(SMALL, copying=copying), scale=0.8)
    found, shown = model.log_likelihood(RECORDS, TEXTS), model.segments(RECORDS, TEXTS)
    counts = []
    for record, text, total, best in zip(RECORDS, TEXTS, found, shown, strict=True):
        every = [each for each in ways(model, record, text) if each[1] > -np.inf]
        counts.append(len(every))
        assert total == pytest.approx(np.logaddexp.reduce([score for _, score in every]), abs=1e-9)
        path = max(every, key=lambda each: each[1])[0]
        assert best == [(text[start:stop], field) for start, stop, field in path if start < len(text)]
    assert counts[0] > 10 if copying else counts == [1] * len(TEXTS)


def test_next_bytes_are_distributed_and_agree_with_likelihoods():
    model = model_of(scale=0.8)
    values = [tuple(record.get(name, "").encode() for name in model.fields) for record in RECORDS]
    scorer = PredictorScorer(model.module, values)
    with torch.no_grad():
        scores, state = scorer.start([()] * len(TEXTS))
        state = scorer.reorder(state, np.arange(len(TEXTS)))
        targets = [[*text.encode(), END] for text in TEXTS]
        totals = np.zeros(len(TEXTS))
        for step in range(max(map(len, targets))):
            table = np.asarray(scores)
            going = [row for row in range(len(TEXTS)) if step < len(targets[row])]
            assert np.exp(table[going]).sum(1) == pytest.approx(1)
            ids = np.array([target[min(step, len(target) - 1)] for target in targets])
            totals[going] += table[going, ids[going]]
            scores, state = scorer.advance(state, ids)
    np.testing.assert_allclose(totals, model.log_likelihood(RECORDS, TEXTS), atol=1e-9)


def test_batch_mates_and_padding_change_nothing():
    model = model_of(scale=0.8)
    alone = [model.log_likelihood([record], [text])[0] for record, text in zip(RECORDS, TEXTS, strict=True)]
    np.testing.assert_allclose(model.log_likelihood(RECORDS, TEXTS), alone, atol=1e-9)


def test_a_copy_is_no_mixture_of_its_bytes():
    model = model_of(scale=0.8)
    record, one, other = {"a": "xy", "b": "zw"}, "xyzw", "xwzy"  # the same bytes at the same places of fields
    parts = [model.segments([record], [text])[0] for text in (one, other)]
    assert "a" not in {part.field for part in parts[1]}
    assert {len(way[0]) for way in ways(model, record, one)} == {3, 4, 5}
    assert len(ways(model, record, other)) == 1


def test_names_never_seen_are_copied(tmp_path):
    random = np.random.default_rng(0)
    names = ["".join(random.choice(list("abcdefgh"), 3)) for _ in range(140)]
    records = [{"name": name, "kind": "xz"[i % 2]} for i, name in enumerate(names)]
    texts = [f"{each['name']} {each['kind']}" for each in records]
    how = {"training": firth.TrainingOptions(epochs=10, batch_size=10, lr=0.03), "progress": False, "seed": 1}
    options = firth.LatentPredictorNetwork(dim=8, hidden=16, dropout=0.0, max_length=9)
    train, rest = slice(0, 120), slice(120, 140)
    model = options.train(records[train], texts[train], **how)
    scores = model.test(records[rest], texts[rest], progress=False)
    assert scores.exact > 0.9, scores
    assert "of 20 texts" in str(scores)
    assert model.segments(records[130:131], texts[130:131])[0][0] == (names[130], "name")
    model.save(tmp_path / "model")
    back = firth.load(tmp_path / "model")
    np.testing.assert_array_equal(
        back.log_likelihood(records[rest], texts[rest]), model.log_likelihood(records[rest], texts[rest])
    )
    assert repr(back) == "<PredictorModel: name, kind>"


@pytest.mark.parametrize(
    ("inputs", "targets", "error", "message"),
    [
        ("text", ["x"], ArgumentTypeError, "inputs: found 'text', expected a list of records"),
        ([{"a": 1}], ["x"], ArgumentTypeError, "record 1"),
        ([{}], ["x"], CorpusError, "no record has a field"),
        ([{"a": "x"}], ["x", "y"], CorpusError, "1 records and 2 texts"),
        ([{"a": "x"}], None, ArgumentTypeError, r"targets.*expected a list of texts"),
        ([{"a": "x"}], 5, ArgumentTypeError, "targets=5 is an int; expected a list of texts"),
        ([{"a": "x"}], [3], ArgumentTypeError, "targets, text 1: found 3, expected a string"),
        ([], [], CorpusError, "no record has a field"),
    ],
)
def test_bad_records(inputs, targets, error, message):
    with pytest.raises(error, match=message):
        SMALL.train(inputs, targets, progress=False)


def test_bad_questions():
    model = model_of()
    with pytest.raises(CorpusError, match="record 1 has the field 'd'; expected some of a, b, c"):
        model.predict([{"d": "x"}])
    with pytest.raises(OptionError, match="held_out and held_out_targets"):
        SMALL.train([{"a": "x"}], ["x"], held_out=[{"a": "x"}], progress=False)
    with pytest.raises(OptionError, match="hidden"):
        firth.LatentPredictorNetwork(hidden=0)
