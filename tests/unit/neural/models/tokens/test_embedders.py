"""Embedders in taggers and parsers: each place, frozen and tuned, folders, what is refused."""

import dataclasses

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import FormatError, OptionError, UnknownOptionError
from firth.neural.models.tokens.embedders import embedders_of
from firth.readers.conllu import DependencySentence
from tests.unit.neural.models.bidirectional.tiny import sentences, untrained

TRAINING = firth.TrainingOptions(epochs=2, batch_size=8, lr=0.01)
SIZES = {"dim": 4, "char_dim": 3, "char_width": 4, "hidden": 5, "dropout": 0.1, "head": "softmax", "spelling": False}
DATA = [(words, ["N", "O", "V", "P"]) for words in sentences(12)]


def trained(embed, *, layers=1, data=DATA, **options):
    tagger = firth.Tagger(**{**SIZES, "layers": layers, **options})
    return tagger.train(data, held_out=data[:3], embed=embed, training=TRAINING, progress=False)


def probabilities(tagger, *texts):
    return [each["tag"] for each in tagger.marginals([text.split() for text in texts])]


@pytest.fixture(scope="module")
def model():
    return untrained()


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FIRTH_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("kind", "settings", "layers"),
    [("ELMo", {}, 1), ("ELMo", {"output": True, "tuned": True}, 2), ("TagLM", {}, 2), ("TagLM", {"tuned": True}, 3)],
)
def test_a_tagger_with_an_embedder_is_the_same_when_it_is_loaded(model, tmp_path, kind, settings, layers):
    before = {name: value.clone() for name, value in model.module.state_dict().items()}
    tagger = trained(getattr(firth, kind)(model, **settings), layers=layers)
    for name, value in model.module.state_dict().items():
        assert torch.equal(value, before[name]), "the caller's model stays as it is"
    tagger.save(tmp_path / "tagger")
    loaded = firth.load(tmp_path / "tagger")
    texts = "Ada apples sees .", "Bo", "unseen words are read by their characters"
    for found, expected, text in zip(probabilities(loaded, *texts), probabilities(tagger, *texts), texts, strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-6)
        np.testing.assert_allclose(probabilities(tagger, text)[0], expected, atol=1e-5)  # whatever the batch holds
    inner = loaded.reader.embedders[0].encoder.module.state_dict()
    changed = [name for name, value in inner.items() if not torch.equal(value, before[name])]
    assert bool(changed) == settings.get("tuned", False)


def test_gradients_reach_tuned_encoders_only(model):
    reached = {}
    for tuned in (False, True):
        tagger = trained(firth.ELMo(model, tuned=tuned))
        inputs = tagger.reader.collate([tagger.reader.read(["Ada", "sees"])])
        encoder = tagger.reader.embedders[0].encoder.module
        encoder.zero_grad()
        tagger.module(inputs)[0].sum().backward()
        reached[tuned] = any(parameter.grad is not None for parameter in encoder.parameters())
        mix = tagger.module.encoder.embedder.contextual.mixes["0_input"]
        assert mix.weights.grad.any()
    assert reached == {False: False, True: True}


def test_mixes_of_tasks_differ(model):
    """One task needs the word before, the other its own spelling."""
    texts = [words for words, _ in DATA]
    spelled = [(words, [word[0] for word in words]) for words in texts]
    before = [(words, ["-", *(word[0] for word in words[:-1])]) for words in texts]
    shares = []
    for data in (spelled, before):
        tagger = trained(firth.ELMo(model), data=data, min_count=100, characters="none", encoder="window", window=0)
        shares.append(tagger.module.encoder.embedder.contextual.mixes["0_input"].shares().tolist())
    assert shares[0][0] > shares[1][0]


def test_several_embedders_beside_vectors(model):
    vectors = firth.WordVectors(["Ada", "Bo"], np.eye(2, 4, dtype=np.float32))
    embed = [firth.ELMo(model), firth.TagLM(untrained(1)), model]
    tagger = firth.Tagger(**SIZES, layers=2, embedding="static").train(
        DATA, held_out=DATA[:3], vectors=vectors, embed=embed, training=TRAINING, progress=False
    )
    assert tagger.module.encoder.embedder.widths == [4, 4, 4, 24]  # words, characters, given vectors, two models
    assert [type(each).__name__ for each in tagger.reader.embedders] == ["ELMo", "TagLM", "ELMo"]


def test_an_embedder_alone(model, tmp_path):
    tagger = trained(firth.ELMo(model), embedding="none", characters="none")
    assert tagger.module.encoder.embedder.widths == [12]
    tagger.save(tmp_path / "tagger")
    np.testing.assert_array_equal(
        *(probabilities(each, "Ada new")[0] for each in (tagger, firth.load(tmp_path / "tagger")))
    )
    with pytest.raises(OptionError, match="words have no vectors; expected embed="):
        trained(None, embedding="none", characters="none")
    with pytest.raises(OptionError, match="vectors with embedding='none'"):
        firth.Tagger(embedding="none").train(DATA, vectors=firth.WordVectors(["Ada"], [[1.0]]), progress=False)


def test_a_parser_with_an_embedder_is_the_same_when_it_is_loaded(model, tmp_path):
    words = ["Ada", "sees", "apples"]
    sentence = DependencySentence.of(words).annotated(
        tags=["N", "V", "N"], heads=[2, 0, 2], relations=["nsubj", "root", "obj"]
    )
    sizes = {"dim": 4, "char_dim": 3, "char_width": 4, "hidden": 5, "layers": 2, "arc_width": 6, "label_width": 4}
    embed = [firth.ELMo(model, output=True), firth.TagLM(model)]
    parser = firth.BiaffineParser(**sizes).train(
        [sentence] * 4, held_out=[sentence], embed=embed, training=dataclasses.replace(TRAINING, batch_size=50),
        progress=False,
    )  # fmt: skip
    parser.save(tmp_path / "parser")
    loaded = firth.load(tmp_path / "parser")
    inputs = [each.vocabulary.reader.collate([each.vocabulary.reader.read(sentence)]) for each in (parser, loaded)]
    with torch.no_grad():
        first, second = parser.module(inputs[0]).arcs, loaded.module(inputs[1]).arcs
    torch.testing.assert_close(first, second)
    assert [each.heads for each in loaded.predict([sentence])] == [each.heads for each in parser.predict([sentence])]
    with pytest.raises(OptionError, match=r"expected firth\.BiaffineParser \(firth parse train --model biaffine\)"):
        firth.TransitionParser().train([sentence] * 4, embed=model, progress=False)


def test_what_is_refused(model, tmp_path):
    with pytest.raises(OptionError, match="layers=1: vectors join the second layer"):
        trained(firth.TagLM(model))
    with pytest.raises(OptionError, match="TagLM joins a tagger with a window at its middle"):
        trained(firth.TagLM(model), encoder="window")
    with pytest.raises(OptionError, match=r"ELMo\(3\): expected a model that gives words vectors"):
        firth.ELMo(3)
    with pytest.raises(UnknownOptionError, match="num_output_representations=2: not an argument of ELMo; use output"):
        firth.ELMo(model, num_output_representations=2)
    with pytest.raises(UnknownOptionError, match="outputs=1: not an argument of CoVe; expected one of model, tuned"):
        firth.CoVe(model, outputs=1)
    with pytest.raises(TypeError, match="ELMo: model is missing"):
        firth.ELMo()
    assert embedders_of(None) == ()
    trained(firth.ELMo(model)).save(tmp_path / "tagger")
    config = tmp_path / "tagger" / "model-0" / "config.json"
    config.write_text(config.read_text().replace('"layers": 2', '"layers": 3'))
    with pytest.raises(FormatError):
        firth.load(tmp_path / "tagger")
