"""Training: what is learned, resumed and warned of; models in folders; bad input with its messages."""

import dataclasses
import itertools
import warnings

import numpy as np
import pytest
import torch

import firth
from firth.errors import ArgumentTypeError, CorpusError, MissingFileError, OptionError, ShapeError
from firth.neural.supervised import split_rows
from tests.unit.neural.models.autoencoders.tiny import LABELS, SENTENCES, trained, untrained

pytestmark = pytest.mark.filterwarnings("ignore:the code")


@pytest.mark.slow
def test_it_learns_to_say_again_what_it_read():
    """64 sentences of 4 x 4 x 4 forms after "the": without a code, a decoder gets 7 words of 16 right."""
    animals, verbs = ["dog", "cat", "bird", "horse"], ["runs", "sleeps", "eats", "jumps"]
    words = itertools.product(animals, verbs, ["here", "there", "inside", "outside"])
    texts = [" ".join(("the", *each)) for each in words]
    small = {"dim": 32, "hidden": 48, "latent": 4, "dropout": 0.0, "word_dropout": 0.3, "min_count": 1}
    kind = firth.SentenceVAE(**small, annealing="logistic", annealing_share=1.0, free_bits=1.0)
    training = firth.TrainingOptions(epochs=12, batch_size=8, lr=0.005)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = kind.train(texts * 6, training=training, progress=False)
    found = model.decode(model.encode(texts))
    pairs = [(one.split(), other.split()) for one, other in zip(found, texts, strict=True)]
    assert np.mean([one[:4] == other[:4] for pair in pairs for one, other in zip(*pair, strict=False)]) > 0.6
    scores = model.test(texts, samples=50, progress=False)
    assert not scores.collapsed
    assert scores.kl > 2
    assert 1 < scores.mutual_information < np.log(64) + 1e-6


def test_interpolations_begin_and_end_with_their_sentences():
    learned = untrained(latent=8, hidden=16)
    first, last = SENTENCES[0], SENTENCES[-1]
    found = learned.interpolate(first, last, 4)
    assert len(found) == 4
    assert [found[0], found[-1]] == learned.decode(learned.encode([first, last]))
    start, end = learned.encode([first, last])
    assert found[1] == learned.decode([start + (end - start) / 3])[0]
    with pytest.raises(OptionError, match="steps"):
        learned.interpolate(first, last, 1)


@pytest.mark.parametrize("labels", [None, LABELS])
def test_greedy_search_writes_the_best_word_after_each_beginning(labels):
    """Beginnings are read anew for each word, without the state of the search."""
    model = untrained(labels=labels is not None, layers=2)
    module, units = model.module, model.items.units
    codes = model.encode(SENTENCES, labels)
    found = model.decode(codes, labels, options=firth.GenerationOptions(max_length=6))
    for row in range(0, 27, 5):
        batch = model.items.collate(model._items([SENTENCES[row]], labels and [labels[row]]))
        condition = module.condition(torch.from_numpy(codes[row : row + 1]), batch.labels)
        ids = [1]
        while len(ids) < 7:
            hidden, _ = module.read(torch.tensor([ids]), condition, module.first_state(condition))
            scores = module.output.log_prob(hidden[:, -1])[0]
            scores[:2] = -torch.inf
            ids.append(int(scores.argmax()))
            if ids[-1] == 2:
                break
        assert found[row] == units.text(units.tokens(each for each in ids[1:] if each != 2))


def test_samples_depend_on_their_seed():
    learned = untrained(latent=8, hidden=16)
    found = learned.sample(5, seed=1)
    assert found == learned.sample(5, seed=1) != learned.sample(5, seed=2)
    assert set(" ".join(found).replace("!", " ").split()) <= {
        word for text in SENTENCES for word in text.strip("!").split()
    }
    drawn = firth.GenerationOptions(temperature=1.0, max_length=6)
    assert learned.sample(5, options=drawn, seed=1) == learned.sample(5, options=drawn, seed=1)
    codes = learned.encode(SENTENCES)
    assert learned.decode(codes, beam=3, batch_size=4) == learned.decode(codes, beam=3)


def test_a_code_that_collapses_is_warned_of():
    with pytest.warns(UserWarning, match=r"the code has collapsed: KL 0\.\d\d nats per sentence, .*free_bits.*lagging"):
        model = trained(annealing="none", free_bits=0.0, epochs=1)
    with pytest.warns(UserWarning, match=r"has collapsed \(KL 0\.\d\d\)"):
        model.sample(1)
    assert model.metadata["training"]["code"]["kl"] < 0.5


@pytest.mark.parametrize("labels", [None, LABELS])
@pytest.mark.parametrize("code", ["gaussian", "gumbel", "vq"])
def test_there_and_back(code, labels, tmp_path):
    model = trained(labels, code=code, epochs=1)
    model.save(tmp_path / "codes.firth")
    other = firth.load(tmp_path / "codes.firth")
    codes = model.encode(SENTENCES, labels)
    assert codes.dtype == (np.float32 if code == "gaussian" else np.int64)
    np.testing.assert_array_equal(other.encode(SENTENCES, labels), codes)
    assert other.decode(codes, labels) == model.decode(codes, labels)
    assert other.labels == ([] if labels is None else ["long", "short"])
    assert other.test(SENTENCES, labels, samples=3) == model.test(SENTENCES, labels, samples=3)
    np.testing.assert_array_equal(model.encode(SENTENCES[0], None if labels is None else labels[0]), codes[0])
    assert model.encode([], labels and []).shape == (0, codes.shape[1])


@pytest.mark.parametrize(
    "options", [{"code": "vq"}, {"code": "gumbel", "hard": True}, {"lagging": True, "encoder_updates": 5}]
)
def test_a_run_resumes_with_the_same_bits(options, tmp_path):
    class StopError(Exception):
        pass

    def stop(row):
        if row["epoch"] >= 2:
            raise StopError

    whole = trained(epochs=4, **options)
    run = {"checkpoint": tmp_path / "run"}
    with pytest.raises(StopError):
        trained(epochs=4, run={**run, "callbacks": [stop]}, **options)
    again = trained(epochs=4, run=run, **options)
    for name, tensor in whole.module.state_dict().items():
        assert torch.equal(tensor, again.module.state_dict()[name]), name


def test_labels_are_recovered_from_sentences():
    model = trained(LABELS, epochs=8, copies=4, lr=0.02, dropout=0.0, hidden=24, dim=12, free_bits=0.0)
    for label in ("long", "short"):
        found = [len(text.split()) > 3 or "!" in text for text in model.sample(20, label)]
        assert np.mean([each == (label == "long") for each in found]) >= 0.85


def test_words_of_codes():
    model = trained(code="vq", epochs=1)
    uses = model.code_words(SENTENCES, top=3)
    assert len(uses) == 8
    assert sum(each.count for each in uses) == 2 * len(SENTENCES)
    codes = model.encode(SENTENCES)
    for use in uses:
        assert use.count == (codes[:, use.slot] == use.code).sum()
        assert all(codes[SENTENCES.index(text), use.slot] == use.code for text in use.sentences)


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (([],), CorpusError, "texts: 0 texts, none with a word"),
        ((["", " "],), CorpusError, "2 texts, none with a word"),
        ((["a", 3],), ArgumentTypeError, "texts, text 2"),
        (("a text",), MissingFileError, "expected a file with a text per line"),
        ((["a", "b"], ["x"]), ShapeError, "1 labels of 2 texts"),
        ((["a", "b"], ["x", None]), CorpusError, "text 2 has no label"),
        ((["a", "b"], np.zeros((2, 2))), ArgumentTypeError, r"labels of texts: an array of the shape \(2, 2\)"),
        ((["a", "b"], "xy"), ArgumentTypeError, "labels of texts"),
        ((["a"] * 20, ["x"] * 20), CorpusError, "all sentences have the label 'x'"),
        ((["a"],), CorpusError, "expected at least two"),
    ],
)
def test_bad_sentences(data, error, message):
    with pytest.raises(error, match=message):
        firth.SentenceVAE(min_count=1).train(*data)


def test_bad_options():
    with pytest.raises(OptionError, match="least_temperature"):
        firth.SentenceVAE(least_temperature=2.0)
    with pytest.raises(OptionError, match="code='vq'"):
        firth.SentenceVAE(lagging=True, code="vq")
    training = firth.TrainingOptions(accumulate=2)
    with pytest.raises(OptionError, match="accumulate=1"):
        firth.SentenceVAE(lagging=True).train(["a", "b"], training=training)
    with pytest.raises(OptionError, match="held_out_labels without held_out"):
        firth.SentenceVAE(min_count=1).train(SENTENCES, LABELS, held_out_labels=LABELS)
    with pytest.raises(OptionError, match="held_out: no labels for a model with the labels long, short"):
        firth.SentenceVAE(min_count=1).train(SENTENCES, LABELS, held_out=["a"])


def test_bad_input_of_a_trained_model():
    plain, labelled, discrete = untrained(), untrained(labels=True), untrained(code="vq")
    with pytest.raises(OptionError, match="labels for a model without"):
        plain.encode(["a"], ["long"])
    with pytest.raises(OptionError, match="no labels for a model with the labels long, short"):
        labelled.sample(2)
    with pytest.raises(CorpusError, match="label 'other', expected one of long, short"):
        labelled.sample(2, "other")
    with pytest.raises(ShapeError, match=r"shape \(1, 2\); expected \(N, 3\)"):
        plain.decode([[0.0, 1.0]])
    with pytest.raises(ShapeError, match="2 labels of 1 codes"):
        labelled.decode([[0.0] * 3], ["long", "short"])
    with pytest.raises(OptionError, match="not finite"):
        plain.decode([[0.0, np.nan, 1.0]])
    with pytest.raises(ArgumentTypeError, match="whole numbers"):
        discrete.decode([[0.5, 0.5]])
    with pytest.raises(OptionError, match="expected categories from 0 to 3"):
        discrete.decode([[0, 4]])
    with pytest.raises(OptionError, match="nothing lies between two categories"):
        discrete.interpolate("a", "b")
    with pytest.raises(OptionError, match="numbers stand for no words"):
        plain.code_words(["a"])
    with pytest.raises(OptionError, match="number"):
        plain.sample(0)
    for seed in ("x", None, -1):
        for call in (lambda seed=seed: plain.sample(1, seed=seed), lambda seed=seed: plain.test(["a"], seed=seed)):
            with pytest.raises(OptionError, match="seed="):
                call()
    for labels in ("longlong", {"long": 0, "short": 1}, 0):
        with pytest.raises(ArgumentTypeError, match="labels of texts: found"):
            labelled.encode(["a", "b"], labels)
        with pytest.raises(ArgumentTypeError, match="labels of codes: found"):
            labelled.decode(np.zeros((2, 3)), labels)
    with pytest.raises(ArgumentTypeError, match="codes: a masked array"):
        plain.decode(np.ma.masked_equal(np.zeros((2, 3)), 0))
    with pytest.raises(OptionError, match="beam=1"):
        plain.decode([[0.0] * 3], beam=2, options=firth.GenerationOptions(temperature=0))
    with pytest.raises(AttributeError, match=r"sample\(number\), or decode\(codes\)"):
        plain.generate(3)


def test_labels_are_numbers_too_and_codes_tensors():
    model = untrained(labels=True)
    model.items = dataclasses.replace(model.items, labels=["0", "1"])
    code = model.encode("the dog", 0)
    np.testing.assert_array_equal(model.encode(["the dog"], torch.tensor([0]))[0], code)
    texts = model.decode(torch.tensor(code[None], requires_grad=True), [np.int64(0)])
    assert texts == model.decode(code[None], ["0"])
    assert model.sample(2, 1, seed=2**70) == model.sample(2, "1", seed=2**70)


def test_a_label_that_only_the_held_out_part_has_is_known():
    _, judged = split_rows(len(SENTENCES), 0, "texts")
    labels = ["rare" if row == judged[0] else "b" if row % 2 else "a" for row in range(len(SENTENCES))]
    kind = firth.SentenceVAE(dim=2, hidden=2, latent=2, min_count=1)
    model = kind.train(SENTENCES, labels, training=firth.TrainingOptions(epochs=1), progress=False)
    assert model.labels == ["a", "b", "rare"]


def test_files_pairs_and_long_sentences(tmp_path):
    path = tmp_path / "sentences.txt"
    path.write_text("\n".join(SENTENCES), encoding="utf-8")
    kind = firth.SentenceVAE(dim=4, hidden=4, latent=2, min_count=1, max_length=2)
    training = firth.TrainingOptions(epochs=1)
    with pytest.warns(UserWarning, match="have more than 2 words"):
        model = kind.train(path, training=training)
    assert all(len(text.split()) <= 3 for text in model.sample(3))
    kind = firth.SentenceVAE(dim=4, hidden=4, latent=2, min_count=1)
    pairs = kind.train([(text, label) for text, label in zip(SENTENCES, LABELS, strict=True)], training=training)
    assert pairs.labels == ["long", "short"]
    with pytest.raises(OptionError, match="labels are given with a file"):
        kind.train(path, LABELS)


def test_subwords_write_every_text():
    model = untrained(units="subwords", max_size=300)
    found = model.decode(model.encode(["The DOG äöü"]), options=firth.GenerationOptions(max_length=4))
    assert isinstance(found[0], str)
