"""A trained lattice language model: probabilities of tokens, lattices, decoding, folders."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.errors import ArgumentTypeError, OptionError
from firth.neural.models.lattices import predict
from tests.unit.neural.models.lattices.brute_force import Reference
from tests.unit.neural.models.lattices.tiny import tiny_model


@pytest.fixture(scope="module")
def model():
    return tiny_model(senses=2)


def reference(model, text):
    ids = model.token_ids([text]).ids.tolist()
    return ids, Reference(model.module, ids)


def test_a_text_has_the_probability_of_its_lattice(model):
    for text in ("abca", "b cab", "zebra", ""):  # z was never seen, and is its byte
        total = model.score(text)[0].total
        assert total == pytest.approx(model.lattice(text).log_prob, abs=1e-9)
        assert total == pytest.approx(float(reference(model, text)[1].total.detach()), abs=1e-9)


def test_next_tokens_are_distributed_and_agree_with_scores(model):
    ids = model.token_ids(["abcabc b"]).ids.tolist()
    scores, state = model.start([[], ids[:3]])
    table = np.exp(np.asarray(scores))
    assert table.sum(1) == pytest.approx(1)
    expected = model.log_probs(model.token_ids(["abcabc b"]))
    assert np.log(table[0, ids[0]]) == pytest.approx(expected[0], abs=1e-9)
    assert np.log(table[1, ids[3]]) == pytest.approx(expected[3], abs=1e-9)
    state = model.reorder(state, np.array([1, 1]))
    for place in range(3, len(ids) - 1):
        scores, state = model.advance(state, np.array([ids[place], 0]))
        found = np.asarray(scores)
        assert np.exp(found).sum(1) == pytest.approx(1)
        assert found[0, ids[place + 1]] == pytest.approx(expected[place + 1], abs=1e-9)


def test_a_token_that_only_units_of_several_make_likely():
    """The unit "a" has 5,000 nats less than "ab": after "a", "b" is near certain, "c" has the rest of its score."""
    model = tiny_model(senses=1)
    a, b, c = model.token_ids(["abc"]).ids.tolist()[:3]
    with torch.no_grad():
        model.module.bias[a] -= 5000
    found = np.asarray(model.start([[a]])[0])[0]
    assert np.exp(found).sum() == pytest.approx(1)
    for token, text in ((b, "ab"), (c, "ac")):
        assert found[token] == pytest.approx(model.log_probs(model.token_ids([text]))[1], abs=1e-6)
    assert found[c] < -4990


def test_a_stream_in_parts_is_the_stream(model, monkeypatch):
    text = model.token_ids(["abcab cab", "bcab"])
    whole = model.log_probs(text)
    monkeypatch.setattr(predict, "STEP", 2)
    np.testing.assert_allclose(model.log_probs(text), whole, atol=1e-9)
    assert (whole < 0).all()


def test_paths_and_marginals(model):
    _, truth = reference(model, "abca")
    lattice = model.lattice("abca")
    shares = torch.softmax(torch.stack([truth.log_prob(path) for path in truth.paths]), 0).tolist()
    best = truth.paths[int(np.argmax(shares))]
    shown = [(edge.start, edge.stop, edge.sense) for edge in lattice.best_path]
    assert shown == [(start, stop, row % 2) for start, stop, row in best]
    assert lattice.best_log_prob == pytest.approx(float(truth.log_prob(best).detach()), abs=1e-9)
    assert "".join(edge.text for edge in lattice.best_path) == "abca</s>"
    for edge in lattice.edges:
        (key,) = [each for each in truth.scores if each[:2] == (edge.start, edge.stop) and each[2] % 2 == edge.sense]
        inside = sum(share for share, path in zip(shares, truth.paths, strict=True) if key in path)
        assert edge.probability == pytest.approx(inside, abs=1e-9)
        assert edge.log_prob == pytest.approx(float(truth.scores[key].detach()), abs=1e-9)
    assert len(lattice.edges) == len(truth.scores)


def test_samples_have_their_probabilities():
    model = tiny_model(chunks=("ab",), max_length=2)
    with torch.no_grad():
        model.module.bias[-1] -= 6  # else the chunk is nearly certain
    lattice = model.lattice("ab")
    whole = next(edge for edge in lattice.edges if edge.text == "ab").probability
    drawn = np.mean([lattice.sample(seed)[0].text == "ab" for seed in range(300)])
    assert drawn == pytest.approx(whole, abs=4 * np.sqrt(whole * (1 - whole) / 300))
    assert 0.1 < whole < 0.9
    assert lattice.sample(3) == lattice.sample(3)


def test_texts_are_generated(model):
    texts = model.generate("ab", n=3, options=firth.GenerationOptions(max_length=8), seed=1)
    assert len(texts) == 3
    assert all(text.startswith("ab") for text in texts)
    assert model.next_words("ab", 3)[0][1] <= 1


def test_folders(model, tmp_path):
    model.save(tmp_path / "model")
    back = firth.load(tmp_path / "model")
    assert repr(back) == repr(model) == f"<LatticeModel: {len(model.vocabulary)} characters, 6 chunks>"
    assert back.chunks == model.chunks == ["ab", "bc", "abc", "bca", "ca", "b "]
    assert back.score("abcab")[0].total == pytest.approx(model.score("abcab")[0].total, abs=1e-5)


def test_a_lattice_has_limits(model, monkeypatch):
    with pytest.raises(ArgumentTypeError, match="expected one text, or its"):
        model.lattice(["ab", "ca"])
    for wrong in (None, 5, [1, 2]):
        with pytest.raises(ArgumentTypeError, match="expected a text"):
            model.lattice(wrong)
    monkeypatch.setattr(predict, "MAX_TOKENS", 3)
    with pytest.raises(OptionError, match="a text of 5 tokens: expected 1 to 3"):
        model.lattice("abca")
