"""Classifiers over pretrained encoders: frozen, tuned, thawed; rates per block; folders."""

import shutil
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, FormatError, OptionError
from firth.neural.models.classification import encoder_classifier
from firth.neural.models.classification.classifier import new_module
from firth.neural.models.classification.reader import TextReader
from firth.neural.training.optimisers import FACTOR, make_optimiser
from firth.neural.training.schedules import TrainingProgress
from tests.unit.neural.models.pretraining.encoders import trained
from tests.unit.neural.models.sentences.encoders import sentences

TEXTS = sentences(60)
LABELS = ["food" if "bread" in text or "milk" in text else "other" for text in TEXTS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("pretrained") / "encoder"
    trained("masked").save(path)
    return path


def fitted(folder, *, lr=0.01, epochs=4, **options):
    how = firth.TrainingOptions(epochs=epochs, batch_size=16, lr=lr, optimiser="adamw")
    return firth.EncoderClassifier(encoder=folder, **options).train(TEXTS, LABELS, training=how)


def encoder_of(folder, **options):
    start = firth.load(folder)
    reader = TextReader(start.pieces.vocabulary, "wordpieces", 22, pieces=start.pieces, sizes=start.config)
    how = firth.EncoderClassifier(encoder=folder, dropout=0.0, **options)
    return new_module(how, reader, 2, 0), reader


def test_vectors_are_those_of_the_encoder(folder):
    """A frozen encoder gives a text the vector that it gives alone, in training and afterwards."""
    model = fitted(folder, tuning="frozen", lr=0.1)
    np.testing.assert_allclose(model.encode(TEXTS[:9]), trained("masked").encode(TEXTS[:9]), atol=1e-5)
    encoder = model.module.encoder
    inputs = model.reader.collate([model.reader.read(text) for text in TEXTS[:5]])
    encoder.train()
    with torch.no_grad():
        remembered = [encoder(inputs), encoder(inputs)]
    torch.testing.assert_close(remembered[0], remembered[1])
    np.testing.assert_allclose(remembered[0].numpy(), model.encode(TEXTS[:5]), atol=1e-5)
    encoder.eval()
    encoder.forget()


def test_a_tuned_encoder_learns_and_is_saved(folder, tmp_path):
    model = fitted(folder)
    start = dict(trained("masked").module.named_parameters())
    tuned = dict(model.module.encoder.network.named_parameters())
    assert not torch.equal(tuned["blocks.blocks.0.up_proj.weight"], start["blocks.blocks.0.up_proj.weight"])
    assert model.unit == "word pieces"
    model.save(tmp_path / "model")
    again = firth.load(tmp_path / "model")
    assert (again.probabilities(TEXTS[:5]) == model.probabilities(TEXTS[:5])).all()
    np.testing.assert_allclose(
        again.probabilities(TEXTS[:5]), [again.probabilities(text) for text in TEXTS[:5]], atol=1e-5
    )
    with pytest.raises(OptionError, match="word pieces"):
        firth.explain(again, TEXTS[0])


def test_blocks_have_rates_of_their_own(folder):
    """Two blocks: the head and the upper one have the whole rate, the lower one half, token vectors a quarter."""
    module, _ = encoder_of(folder, layer_decay=0.5)
    optimiser = make_optimiser(module, "adamw", lr=1.0, weight_decay=0.1)
    factors = {id(p): group[FACTOR] for group in optimiser.param_groups for p in group["params"]}
    named = dict(module.named_parameters())
    assert set(factors) == {id(parameter) for parameter in named.values()}
    for name, factor in (
        ("head.output.weight", 1.0),
        ("encoder.network.blocks.blocks.1.up_proj.weight", 1.0),
        ("encoder.network.blocks.blocks.0.attention_norm.weight", 0.5),
        ("encoder.network.embeddings.word.weight", 0.25),
    ):
        assert factors[id(named[name])] == factor
    decays = {
        group["weight_decay"] for group in optimiser.param_groups if named["head.output.bias"] in set(group["params"])
    }
    assert decays == {0.0}


@pytest.mark.parametrize(
    ("tuning", "epoch", "learning"),
    [
        ("all", 0.0, {"embeddings", "0", "1", "head"}),
        ("gradual", 0.0, {"head"}),
        ("gradual", 1.5, {"1", "head"}),
        ("gradual", 2.0, {"0", "1", "head"}),
        ("gradual", 3.0, {"embeddings", "0", "1", "head"}),
        ("frozen", 9.0, {"head"}),
    ],
)
def test_what_learns(folder, tuning, epoch, learning):
    module, reader = encoder_of(folder, tuning=tuning)
    module.encoder.advance(TrainingProgress(0, 10, epoch, 0.0))
    module.train()
    module(reader.collate([reader.read(text) for text in TEXTS[:3]])).square().sum().backward()
    found = set()
    for name, parameter in module.named_parameters():
        if parameter.grad is not None:
            parts = name.split(".")
            found.add("head" if parts[0] == "head" else parts[4] if parts[2] == "blocks" else parts[2])
    assert found == learning


def test_pairs_and_the_state_before_a_text(folder):
    pairs = [(a, b) for a, b in zip(TEXTS[:30], TEXTS[30:], strict=True)]
    labels = ["same" if LABELS[i] == LABELS[i + 30] else "other" for i in range(30)]
    how = firth.TrainingOptions(epochs=1, batch_size=16, lr=0.01, optimiser="adamw")
    model = firth.EncoderClassifier(encoder=folder, pairs="paraphrase", pooling="cls").train(
        pairs, labels, training=how
    )
    assert model.probabilities(pairs[:3]).shape == (3, 2)
    np.testing.assert_allclose(model.probabilities(pairs[0]), model.probabilities(pairs[0][::-1]), atol=1e-6)


def test_a_folder_without_an_encoder(folder, tmp_path):
    with pytest.raises(OptionError, match="the encoder is missing: give encoder='FOLDER'"):
        firth.EncoderClassifier().train(TEXTS, LABELS)
    fitted(folder, epochs=1, tuning="frozen").save(tmp_path / "model")
    with pytest.raises(OptionError, match="expected the folder of a contextual encoder"):
        firth.EncoderClassifier(encoder=tmp_path / "model").train(TEXTS, LABELS)
    config = tmp_path / "model" / "config.json"
    config.write_text(config.read_text().replace('"dim": 16', '"dim": 1000000'))
    (tmp_path / "model" / "checksums.json").unlink()
    with pytest.raises(FormatError, match="damaged"):
        firth.load(tmp_path / "model")


def test_an_encoder_in_memory_is_saved_first():
    with pytest.raises(
        ArgumentTypeError, match=r"found an encoder in memory; expected its folder: save it first, by save\('FOLDER'\)"
    ):
        firth.EncoderClassifier(encoder=trained("masked"))


def test_a_checkpoint_knows_its_encoder(folder, tmp_path):
    """Another encoder in the same folder is no reason to go on with the old one."""
    place = tmp_path / "encoder"
    shutil.copytree(folder, place)
    how = firth.TrainingOptions(epochs=1, batch_size=16, lr=0.01, optimiser="adamw")
    options = firth.EncoderClassifier(encoder=place)
    options.train(TEXTS, LABELS, training=how, checkpoint=tmp_path / "run")
    shutil.rmtree(place)
    trained("coco").save(place)
    with pytest.raises(OptionError, match="start"):
        options.train(TEXTS, LABELS, training=how, checkpoint=tmp_path / "run")


@pytest.mark.parametrize("pooling", ["mean", "cls"])
@torch.no_grad()
def test_vectors_by_hand_with_padding_and_without(folder, pooling):
    """The states of the text alone: their mean without those of [CLS] and [SEP], or that of [CLS]."""
    module, reader = encoder_of(folder, pooling=pooling)
    encoder, texts = module.encoder.eval(), [TEXTS[0], "cat", TEXTS[1]]
    pieces = trained("masked").pieces
    found = encoder(reader.collate([reader.read(text) for text in texts]))
    for row, text in zip(found, texts, strict=True):
        ids = torch.tensor([[pieces.cls_id, *pieces.encode([text])[0], pieces.sep_id]])
        states = encoder.network(ids)[0]
        torch.testing.assert_close(row, states[0] if pooling == "cls" else states[1:-1].mean(0), atol=1e-5, rtol=1e-4)


@torch.no_grad()
def test_a_frozen_encoder_reads_each_text_once_and_without_dropout(folder):
    """Texts with the same beginning are told apart, whatever they are padded to."""
    start = firth.load(folder)
    reader = TextReader(start.pieces.vocabulary, "wordpieces", 22, pieces=start.pieces, sizes=start.config)
    module = new_module(firth.EncoderClassifier(encoder=folder, tuning="frozen", dropout=0.5), reader, 2, 0)
    encoder, read = module.encoder, []
    states = encoder.network.states

    def counted(ids, *rest, **named):
        read.append(len(ids))
        return states(ids, *rest, **named)

    encoder.network.states = counted
    words = TEXTS[0].split()
    texts = [" ".join(words[:2]), " ".join(words[:3]), TEXTS[0]]
    batches = [texts, texts[:1], texts[1:], [TEXTS[1], texts[0]]]
    vectors = {}
    for batch in batches:
        module.train()
        for text, vector in zip(batch, encoder(reader.collate([reader.read(text) for text in batch])), strict=True):
            torch.testing.assert_close(vectors.setdefault(text, vector), vector)
    assert read == [3, 1]  # texts of each pass
    module.eval()
    for text, vector in vectors.items():
        torch.testing.assert_close(encoder(reader.collate([reader.read(text)]))[0], vector, atol=1e-5, rtol=1e-4)
    assert encoder._vectors
    encoder.forget()
    assert not encoder._vectors


def test_a_model_begins_with_its_encoder_and_reads_no_more_than_it_can(folder, monkeypatch):
    """And with the classifier's own dropout; a model that is trained keeps no vectors of texts."""
    seen = []

    def train_module(options, reader, examples, judged, config, *, left_out, prepare):
        module = new_module(options, reader, 2, 0)
        prepare(module)
        module.encoder._vectors[b"text"] = torch.zeros(1)
        seen.append((module, reader))
        return SimpleNamespace(module=module)

    monkeypatch.setattr(encoder_classifier, "train_module", train_module)
    for longest, expected in ((9, 9), (126, 22)):
        firth.EncoderClassifier(encoder=folder, dropout=0.3, max_length=longest).train(TEXTS, LABELS, progress=False)
        module, reader = seen[-1]
        assert reader.max_length == expected
        for name, value in trained("masked").module.state_dict().items():
            assert torch.equal(module.encoder.network.state_dict()[name], value)
        assert module.encoder.network.config.dropout == 0.3
        assert not module.encoder._vectors
