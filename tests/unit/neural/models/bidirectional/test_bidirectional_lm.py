"""Bidirectional language models: what each direction sees, perplexities, folders, bad input."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import CorpusError, FormatError, OptionError
from firth.neural.models.bidirectional.module import targets_of
from firth.neural.models.sentences.data import TokenBatch
from firth.storage import tensors
from tests.unit.neural.models.bidirectional.tiny import SIZES, sentences, untrained

TRAINING = firth.TrainingOptions(epochs=12, batch_size=50, lr=0.03, schedule="linear", clip_norm=1.0)


@pytest.fixture(scope="module")
def model():
    return firth.BidirectionalLM(**SIZES, dropout=0.0).train(
        sentences(80), min_count=1, held_out=sentences(20, 1), training=TRAINING, progress=False
    )


def states(model, *texts: str) -> list[np.ndarray]:
    found = model.token_states([text.split() for text in texts]).detach().numpy()
    return [rows[: len(text.split())] for rows, text in zip(found, texts, strict=True)]


def test_both_directions_learn_what_they_can_see(model):
    text = sentences(30, 2)
    forward, backward = (model.perplexity(text, direction) for direction in ("forward", "backward"))
    # Forward 4 subjects and 3 verbs are to be guessed, backward 3 verbs and 4 objects: 12 ^ (1 / 5) per token.
    assert forward.value == pytest.approx(12 ** (1 / 5), rel=0.1)
    assert backward.value == pytest.approx(12 ** (1 / 5), rel=0.1)
    assert model.perplexity(text).value == pytest.approx((forward.value * backward.value) ** 0.5)
    assert forward.tokens == 30 * 5
    history = model.metadata["training"]["rows"][-1]
    assert {"held_out_forward", "held_out_backward"} <= history.keys()


def test_the_forward_state_ignores_later_words_and_the_backward_one_earlier_words(model):
    one, other = states(model, "Ada sees many apples .", "Ada sees nine old hats .")
    half = one.shape[2] // 2
    np.testing.assert_allclose(one[:2, :, :half], other[:2, :, :half], atol=1e-6)
    np.testing.assert_allclose(one[-1:, :, half:], other[-1:, :, half:], atol=1e-6)
    assert np.abs(one[2, 1:, :half] - other[2, 1:, :half]).max() > 1e-3
    assert np.abs(one[1, 1:, half:] - other[1, 1:, half:]).max() > 1e-3  # it has read the later words


def test_the_lowest_layer_is_the_word_alone(model):
    one, other = states(model, "apples")[0][0], states(model, "Ada sees apples .")[0][2]
    np.testing.assert_allclose(one[0], other[0], atol=1e-6)
    assert np.abs(one[1] - other[1]).max() > 1e-3
    assert one.shape == (model.token_layers, model.token_width)


def test_padding_and_the_rest_of_the_batch_change_nothing(model):
    texts = ["Bo", "Ada sees many apples .", "unseen words are spelled , too , in long sentences ."]
    together = states(model, *texts)
    for text, found in zip(texts, together, strict=True):
        np.testing.assert_allclose(states(model, text)[0], found, atol=1e-5)
    padded = model.token_states([text.split() for text in texts])[0, 1:]
    assert not padded.any()


def test_no_gradient_reaches_the_forward_layers_from_backward_states(model):
    x = torch.randn(1, 4, SIZES["dim"], requires_grad=True)
    onward, back = model.module.states(x, torch.tensor([4]))
    (gradient,) = torch.autograd.grad(onward[-1][0, 2].sum(), x, retain_graph=True)  # has read two words
    assert gradient[0, :2].any()
    assert not gradient[0, 2:].any()
    (gradient,) = torch.autograd.grad(back[-1][0, 2].sum(), x)
    assert gradient[0, 2:].any()
    assert not gradient[0, :2].any()


def test_targets_are_the_words_in_the_order_of_reading():
    batch = TokenBatch.of([[3, 4, 12], [5]])
    found = targets_of(batch, words=10, unknown=1, eos=2)
    assert found.forward.tolist() == [[3, 4, 1, 2], [5, 2, 2, 2]]
    assert found.backward.tolist() == [[1, 4, 3, 2], [5, 2, 2, 2]]
    assert found.real.tolist() == [[True] * 4, [True, True, False, False]]


def test_log_probabilities_are_those_of_the_tokens(model):
    text = model.read([["Ada", "apples", "sees", "."], ["Bo"]])
    found = model.log_probs(text)
    assert found.shape == (2, 7)
    assert (found < 0).all()
    np.testing.assert_allclose(model.log_probs(model.read([["Bo"]]))[:, 0], found[:, 5], atol=1e-6)
    with torch.no_grad():  # by hand: the word after "Ada" forward, the one before "." backward
        x = model.module.norm(model.module.embedding(torch.from_numpy(text.input_ids[:4].astype(np.int64))[None]))
        onward, back = model.module.states(x, torch.tensor([4]))
        first = model.module.output.log_prob(onward[-1][0, 1:2])[0, text.ids[1]]
        second = model.module.output.log_prob(back[-1][0, 1:2])[0, text.ids[2]]
    np.testing.assert_allclose([found[0, 1], found[1, 2]], [first, second], atol=1e-5)


def test_a_folder_gives_the_same_vectors(model, tmp_path):
    model.save(tmp_path / "model")
    loaded = firth.load(tmp_path / "model")
    np.testing.assert_array_equal(states(loaded, "Ada sees mice .")[0], states(model, "Ada sees mice .")[0])
    assert loaded.perplexity(sentences(5, 3)).value == model.perplexity(sentences(5, 3)).value
    assert repr(loaded).startswith("<BidirectionalLanguageModel: 2 x 24 in each direction, ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda config: config["options"].update(layers=9000),
            r"the option layers=9,000 in config.json for \d+ tensors",
        ),
        (lambda config: config["options"].update(highway=9000), r"the option highway=9,000 in config.json"),
        (lambda config: config.update(total=-1), "-1 tokens in all, but the counts of words sum to"),
        (lambda config: config.update(total=3), "3 tokens in all, but the counts of words sum to"),
    ],
)
def test_a_config_that_does_not_fit_its_folder(tmp_path, change, message):
    untrained().save(tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    change(config)
    (tmp_path / "model" / "config.json").write_text(json.dumps(config))
    (tmp_path / "model" / "checksums.json").unlink()
    with pytest.raises(FormatError, match=message):
        firth.load(tmp_path / "model")


def test_numbers_beyond_single_precision_are_refused(tmp_path):
    """They are finite in the file, and would be infinite in the network."""
    untrained().save(tmp_path / "model")
    path = tmp_path / "model" / "model.safetensors"
    arrays = {name: np.array(array) for name, array in tensors.mapped(path).items()}
    arrays["norm.norm.bias"] = arrays["norm.norm.bias"].astype(np.float64)
    arrays["norm.norm.bias"][1] = -1e300
    with path.open("wb") as file:
        tensors.write(file, arrays, {name: array.dtype for name, array in arrays.items()})
    (tmp_path / "model" / "checksums.json").unlink()
    with pytest.raises(FormatError, match=r"tensor 'norm.norm.bias' holds numbers too large for torch.float32"):
        firth.load(tmp_path / "model")


def test_sizes_reach_the_network():
    module = untrained(highway=3, layers=3, dim=5).module
    assert len(module.forward_layers) == len(module.backward_layers) == 3
    assert {f"embedding.highway.makers.{layer}.weight" for layer in range(3)} <= module.state_dict().keys()
    assert module.norm(torch.ones(1, 5)).shape == (1, 5)
    assert module.dropout.mask.rate == 0.1


def test_raw_text_keeps_its_case_and_punctuation():
    text = ["Ada can't see Bo. Bo sees Ada, though.", "Ada sees Bo."] * 3
    found = firth.BidirectionalLM(**SIZES).train(
        text, min_count=1, training=firth.TrainingOptions(epochs=1, batch_size=50), progress=False
    )
    assert {"Ada", "ca", "n't", ".", ","} <= set(found.vocabulary.words)
    assert found.rules.tokens == "cased"


def test_bad_input(model):
    with pytest.raises(OptionError, match="output='nce'"):
        firth.BidirectionalLM(output="nce")
    with pytest.raises(OptionError, match="without a learned tree"):
        firth.BidirectionalLM(output="tree:tree=learned")
    with pytest.raises(OptionError, match="direction='up': expected forward, backward or None"):
        model.perplexity([["Ada"]], "up")
    with pytest.raises(CorpusError, match="expected more text than words"):
        firth.BidirectionalLM(**SIZES).train([["a", "b", "c", "d"]], min_count=1, progress=False)
    with pytest.raises(AttributeError, match="token_states"):
        model.encode  # noqa: B018
