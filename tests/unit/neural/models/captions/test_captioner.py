"""Caption models: what features say is learned by each kind of conditioning; searches, probabilities, bad input."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, CorpusError, OptionError, ShapeError
from firth.neural.models.captions.captioner import BiasedTarget, FeatureEncoder
from firth.neural.models.captions.data import Shape, caption_data
from firth.neural.models.captions.predict import CaptionModel
from firth.neural.models.translation.units import learn_units

TRAINING = firth.TrainingOptions(epochs=12, batch_size=16, optimiser="adam", lr=0.02, schedule="linear")
SMALL = {"hidden": 16, "dropout": 0.0, "label_smoothing": 0.0}
WAYS = {  # the three kinds of conditioning alone, and all
    "state": {"attention": "none"},
    "bias": {"initial_state": False, "gate_bias": True, "attention": "none"},
    "attention": {"initial_state": False},
    "all": {"gate_bias": True, "attention": "additive", "cell": "gru", "layers": 2},
}


def scenes(count, seed=0):
    """Grids of four cells, one of them red, and captions that say where: "red at 2", "cell 2 is red"."""
    random = np.random.default_rng(seed)
    features, red = 5 + random.normal(0, 0.1, (count, 4, 3)), random.integers(0, 4, count)
    features[np.arange(count), red, 0] += 3
    return features, [[f"red at {cell}", f"cell {cell} is red"] for cell in red]


def untrained(options, *, shape=(4, 3, True), texts=("x y z",), seed=1):
    """A model as its seed draws it."""
    units = learn_units(list(texts), "words", 9)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return CaptionModel(options.build(Shape(*shape), units), options, units, Shape(*shape))


@pytest.fixture(scope="module")
def trained():
    features, captions = scenes(80)
    return firth.Captioner(**SMALL).train(features, captions, training=TRAINING)


@pytest.mark.parametrize("way", WAYS)
def test_each_kind_of_conditioning_learns_what_features_say(way):
    """What is learned is gone with the features of other images."""
    (features, captions), (new, expected) = scenes(80), scenes(40, seed=1)
    if way in ("state", "bias"):  # of a vector per image
        features, new = features.reshape(80, -1), new.reshape(40, -1)
    model = firth.Captioner(**SMALL, **WAYS[way]).train(features, captions, training=TRAINING)
    found = [each.text for each in model.caption(new)]
    assert np.mean([text in each for text, each in zip(found, expected, strict=True)]) > 0.9
    assert np.mean([text in each for text, each in zip(found, expected[1:] + expected[:1], strict=True)]) < 0.5
    assert model.metadata["training"]["captions"] == 144
    assert model.metadata["training"]["held_out_images"] == 8


def test_attention_is_where_the_shape_is(trained):
    features, _ = scenes(20, seed=2)
    for grid, one in zip(features, trained.caption(features, return_attention=True), strict=True):
        assert one.attention.shape == (len(one.tokens) + 1, 4)
        np.testing.assert_allclose(one.attention.sum(1), 1, rtol=1e-5)
        assert one.ended
        assert str(grid[:, 0].argmax()) in one.tokens


@pytest.mark.parametrize("way", WAYS)
def test_beam_search_finds_the_best_of_all_captions(way):
    """All captions of at most three tokens, by enumeration, with their ends."""
    model = untrained(firth.Captioner(hidden=4, max_length=3, **WAYS[way]))
    random = np.random.default_rng(0)
    features = random.normal(size=(3, 4, 3))
    every = [" ".join(words) for length in (1, 2, 3) for words in itertools.product("xyz", repeat=length)]
    options = firth.GenerationOptions(max_length=4, min_length=1)
    beams = firth.BeamSearch(beams=60, length_normalisation="none")
    found = model.caption(features, beam=beams, n_best=30, options=options)
    for image, one in zip(features, found, strict=True):
        scores = model.score([image] * len(every), every)
        ended = [each for each in (one, *one.others) if each.ended]
        assert one.text == every[scores.argmax()]
        for each in ended:
            assert each.log_prob == pytest.approx(scores[every.index(each.text)], abs=1e-4)
        assert len({each.text for each in ended}) == len(ended) > 10


@pytest.mark.parametrize("way", WAYS)
def test_an_image_has_the_same_caption_in_any_company(way):
    model = untrained(firth.Captioner(hidden=16, max_length=6, **WAYS[way]))
    features = np.random.default_rng(0).normal(size=(7, 4, 3))
    texts = ["x", "y z", "z z z x", "x y", "y", "z x", "x x x x x"]
    scores = model.score(features, texts)
    found = model.caption(features, beam=3, return_attention=model.options.has_attention)
    for row in range(7):
        np.testing.assert_allclose(model.score(features[[row]], texts[row : row + 1]), scores[row], atol=1e-5)
        (alone,) = model.caption(features[[row]], beam=3, return_attention=model.options.has_attention)
        assert alone.text == found[row].text
        assert alone.log_prob == pytest.approx(found[row].log_prob, abs=1e-5)
        if alone.attention is not None:
            np.testing.assert_allclose(alone.attention, found[row].attention, atol=1e-5)


def test_the_gate_bias_is_a_bias_of_the_gates():
    """A decoder with the features beside its inputs is one without them, whose bias has V m added."""
    model = untrained(firth.Captioner(hidden=4, gate_bias=True, initial_state=False, dropout=0.0))
    target = model.module.decoder
    assert isinstance(target, BiasedTarget)
    layer = target.target.decoder.stack.layers[0]
    x, grid = torch.randn(1, 5, 4), torch.randn(1, 4, 3)
    encoded = model.module.encoder(grid, torch.tensor([4]))
    with torch.no_grad():
        expected = target.read(x, *target.start(encoded))[0]
        layer.bias_ih += layer.weight_ih[:, 4:8] @ encoded.summary[0]
        silent = encoded._replace(summary=torch.zeros_like(encoded.summary))
        found = target.read(x, *target.start(silent))[0]
    torch.testing.assert_close(found, expected)
    assert not torch.allclose(target.read(x, *target.start(encoded))[0], expected)


def test_features_are_standardised():
    """By the mean and deviation of each of D; one that never changes stays as it is, but for its mean."""
    features = np.array([[[1.0, 7], [3, 7]], [[5, 7], [7, 7]]], dtype=np.float32)
    encoder = FeatureEncoder(2, 2, 5, positions=False, dropout=0.0)
    encoder.standardise(features)
    assert encoder.mean.tolist() == [4, 7]
    np.testing.assert_allclose(encoder.deviation, [np.sqrt(5), 1], rtol=1e-6)
    torch.manual_seed(0)
    flat = torch.tensor((features - [4, 7]) / [np.sqrt(5), 1], dtype=torch.float32)
    expected = (flat @ encoder.project.weight.T + encoder.project.bias).relu()
    torch.testing.assert_close(encoder(torch.from_numpy(features), torch.tensor([2, 2])).states, expected)


def test_searches(trained):
    features, _ = scenes(4, seed=3)
    best = trained.caption(features)
    for greedy, one in zip(trained.caption(features, beam=1), best, strict=True):
        assert greedy.score <= one.score + 1e-6
        assert {"0", "1", "2", "3"}.intersection(greedy.tokens) == {"0", "1", "2", "3"}.intersection(one.tokens)
    lists = trained.caption(features, n_best=3)
    assert all(len(each.others) == 2 and each.score >= each.others[0].score for each in lists)
    begun = trained.caption(features, prefixes=["cell"] * 4)
    assert all(each.tokens[0] == "cell" for each in begun)
    assert all("at 3" in each.text for each in trained.caption(features, forced=["at 3"]))
    how = {"options": firth.GenerationOptions(max_length=6, temperature=1.0), "seed": 5}
    assert trained.caption(features, **how) == trained.caption(features, **how)
    many = trained.caption(np.repeat(features, 3, 0), batch_size=5)
    assert [each.text for each in many] == [each.text for each in best for _ in range(3)]


def test_figures_with_one_or_several_references(trained):
    pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install 'firth[generation]'")
    features, captions = scenes(20, seed=4)
    some = [each[: 1 + number % 2] for number, each in enumerate(captions)]
    (one,), (both,) = (trained.test(features, each, metrics="exact", progress=False).rows for each in (some, captions))
    assert one.metric == both.metric == "exact"
    assert both.value > 0.9
    assert one.value <= both.value


def test_a_saved_model_writes_the_same(trained, tmp_path):
    features, captions = scenes(5, seed=5)
    trained.save(tmp_path / "m")
    again = firth.load(tmp_path / "m")
    assert again.caption(features) == trained.caption(features)
    first = [each[0] for each in captions]
    np.testing.assert_array_equal(again.score(features, first), trained.score(features, first))
    assert again.fingerprint() == trained.fingerprint()
    assert repr(again) == "<CaptionModel: features (N, 4, 3), 11 words>"


def test_vectors_subwords_and_unknown_words():
    """A vector per image; the words of captions as subwords; nothing unknown is ever written."""
    features, captions = scenes(60)
    flat = features.reshape(60, -1)
    options = firth.Captioner(units="subwords", size=270, **SMALL)
    short = firth.TrainingOptions(epochs=1, batch_size=16)
    model = options.train(flat, captions, training=short)
    assert len(model.caption(flat[:3], return_attention=True)[0].attention[0]) == 1
    with pytest.raises(ShapeError, match=r"expected \(N, 12\), as the model was trained"):
        model.caption(features)
    rare = [["scarlet"], *captions[1:]]
    words = firth.Captioner(min_count=2, **SMALL).train(flat, rare, training=short)
    assert "<unk>" not in " ".join(each.text for each in words.caption(flat, beam=2))


def test_a_checkpoint_of_other_features_is_refused(tmp_path):
    features, captions = scenes(12)
    how = {"training": firth.TrainingOptions(epochs=1, batch_size=8), "checkpoint": tmp_path / "c"}
    model = firth.Captioner(**SMALL).train(features, captions, **how)
    again = firth.Captioner(**SMALL).train(features, captions, **how)
    assert again.fingerprint() == model.fingerprint()
    with pytest.raises(OptionError, match="had not the same examples as this one"):
        firth.Captioner(**SMALL).train(features + 1, captions, **how)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"captions": [["a"]] * 3}, ShapeError, "captions of 3 images and features of 4; expected as many"),
        ({"captions": ["a", "b", [], "c"]}, CorpusError, "captions of image 3: none"),
        ({"captions": ["a", " ", "b", "c"]}, CorpusError, "captions of image 2: an empty one"),
        ({"captions": "abcd"}, ArgumentTypeError, "expected a list of captions"),
        ({"captions": ["a", 1, "b", "c"]}, ArgumentTypeError, "captions of image 2"),
        ({"captions": ["a b c d e f g h i j"] * 4}, CorpusError, "more than 9 tokens; expected a higher max_length"),
        ({"features": np.ones(4)}, ShapeError, r"\(4,\); expected \(N, D\) or \(N, P, D\)"),
        ({"features": np.ones((4, 2, 2, 2))}, ShapeError, r"\(4, 2, 2, 2\); expected"),
        ({"features": np.ones((4, 0))}, CorpusError, "no numbers"),
        ({"features": [[1], [2], [np.nan], [3]]}, CorpusError, "image 3 has a number that is not finite"),
        ({"features": [[1], [2], [3, 4], [5]]}, ArgumentTypeError, "expected an array of numbers"),
        ({"features": [["x"]] * 4}, ArgumentTypeError, "expected an array of numbers"),
        ({"features": np.full((4, 2), 1j)}, ArgumentTypeError, "features: complex numbers; expected real ones"),
        ({"features": np.ma.masked_equal(np.ones((4, 2)), 1)}, ArgumentTypeError, "features: a masked array"),
        ({"held_out": np.ones((1, 2))}, OptionError, "held_out and held_out_captions"),
        ({"held_out": np.ones((1, 3)), "held_out_captions": ["a"]}, ShapeError, r"held_out of the shape \(1, 3\)"),
        ({"features": np.ones((1, 2)), "captions": ["a"]}, CorpusError, "expected at least two"),
    ],
)
def test_bad_input(change, error, message):
    how = {"features": np.ones((4, 2)), "captions": ["a", "b", "c", "d"], **change}
    with pytest.raises(error, match=message):
        firth.Captioner(hidden=2, max_length=9).train(how.pop("features"), how.pop("captions"), **how)


def test_bad_input_of_a_trained_model(trained):
    features, captions = scenes(2)
    with pytest.raises(ShapeError, match=r"features of the shape \(2, 4, 2\); expected \(N, 4, 3\), as the model"):
        trained.caption(features[:, :, :2])
    with pytest.raises(ShapeError, match=r"expected \(N, 4, 3\)"):
        trained.caption(features[:, :3])
    with pytest.raises(CorpusError, match="image 2 has a number"):
        trained.caption([features[0], features[1] * np.inf])
    with pytest.raises(OptionError, match="n_best=6: expected from 1 to the number of beams, 5"):
        trained.caption(features, n_best=6)
    for n_best in ("x", None, 1.5, 0):
        with pytest.raises(OptionError, match=r"n_best=.*: expected a whole number of at least 1"):
            trained.caption(features, n_best=n_best)
    assert trained.caption(torch.tensor(features, requires_grad=True)) == trained.caption(features)
    with pytest.raises(OptionError, match="with sampling"):
        trained.caption(features, n_best=2, options=firth.GenerationOptions(max_length=9, temperature=1.0))
    with pytest.raises(OptionError, match="several of an image"):
        trained.score(features, captions)
    with pytest.raises(ShapeError, match="1 prefixes for 2 texts"):
        trained.caption(features, prefixes=["red"])
    with pytest.raises(AttributeError, match=r"use caption\(features\)"):
        _ = trained.generate
    blind = untrained(firth.Captioner(hidden=4, attention="none"))
    for how in ({"return_attention": True}, {"beam": firth.BeamSearch(beams=2, coverage_penalty=0.2)}):
        with pytest.raises(OptionError, match="attention='none'"):
            blind.caption(features, **how)
    with pytest.raises(OptionError, match="the features would not be read"):
        firth.Captioner(initial_state=False, attention="none")


def test_captions_that_are_too_long_are_counted():
    units = learn_units(["a b c"], "words", 9)
    with pytest.warns(UserWarning, match="1 of 3 captions have more than 2 tokens: they are left out"):
        data = caption_data(np.zeros((2, 1, 1, 3), np.float32), [["a b", "a b c"], ["c"]], units, 2)
    assert len(data.examples) == 2
