"""The plain file of sequence to sequence: gradients, and the scores and translations of `firth.Translator`."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from examples.plain import seq2seq
from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.units import BOS, EOS, learn_units
from firth.neural.training.devices import new_module
from tests.examples.differences import check_directions

D, H = 6, 8
TEXTS = ["a b c", "b a", "c c a b", "a", "b c b a c"]


def test_gradients():
    torch.manual_seed(0)
    model = seq2seq.Seq2Seq(5, 4, D, H).double()
    x, y = torch.randint(5, (2, 3)), torch.randint(4, (2, 4))
    check_directions(model, lambda: model(x, y).mean())


def test_agrees_with_firth():
    """Losses to 1e-5 a word: float32 has 6e-8, a step adds up some hundred products; greedy translations exactly."""
    options = firth.Translator(source_units="words", target_units="words", min_count=1, hidden=H, dim=D, max_length=9)
    units = learn_units(TEXTS, "words", 100)
    module = new_module(0, options.build, units, units).eval()
    for parameter in module.parameters():  # far from uniform, so that scores differ
        torch.nn.init.normal_(parameter, std=0.5, generator=torch.Generator().manual_seed(1))
    fast = TranslationModel(module, options, PairReader(units, units, False, False))

    parameters = {"source.weight": module.source_embedding.weight, "target.weight": module.target_embedding.weight}
    layer, decoder = module.encoder.stack.layers[0], module.decoder.decoder
    for end, direction in (("", layer.forward_layer), ("_reverse", layer.backward_layer)):
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            parameters[f"encoder.{name}_l0{end}"] = getattr(direction, name)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        parameters[f"cell.{name}"] = getattr(decoder.stack.layers[0], name)
    parameters |= {"bridge.weight": module.decoder.bridge.weight, "bridge.bias": module.decoder.bridge.bias}
    parameters |= {"W": decoder.attention.weight, "C.weight": decoder.combine.weight}
    parameters |= {"output.weight": module.output.weight, "output.bias": module.output.bias}
    plain = seq2seq.Seq2Seq(len(units), len(units), D, H)
    plain.load_state_dict({name: parameter.detach().clone() for name, parameter in parameters.items()})

    pairs = list(zip(TEXTS, reversed(TEXTS), strict=True))
    read = [fast.reader.read(*pair) for pair in pairs]
    tensors = [(torch.from_numpy(pair.source.ids)[None], torch.tensor([[BOS, *pair.target]])) for pair in read]
    losses = [plain(x, y).sum().item() for x, y in tensors]
    assert fast.score(pairs) == pytest.approx([-loss for loss in losses], abs=5e-5)  # of up to six words
    for text, (x, _) in zip(TEXTS, tensors, strict=True):
        words, attention = plain.translate(x[0], BOS, EOS, longest=9)
        best = fast.translate(text, beam=1, unknown="kept", options=firth.GenerationOptions(max_length=9))
        assert [units.words[word] for word in words if word != EOS] == list(best.tokens)
        np.testing.assert_allclose(attention.sum(1), 1, atol=1e-6)
    batch = fast.collator.pairs(read[:1])
    with torch.no_grad():
        k, state = plain.encode(tensors[0][0])
        _, w, _ = plain.step(torch.tensor([BOS]), k, state)
        np.testing.assert_allclose(module.attention(batch)[0, :1, : k.shape[1]], w, atol=1e-5)


def test_reads_pairs_and_learns(tmp_path, capsys):
    path = tmp_path / "pairs.tsv"
    rng = np.random.default_rng(0)
    lines = [rng.choice(["eins", "zwei", "drei"], 2) for _ in range(120)]
    english = {"eins": "one", "zwei": "two", "drei": "three"}
    path.write_text("\n".join(f"{' '.join(line)}\t{' '.join(english[word] for word in line)}" for line in lines))
    seq2seq.main([str(path)])
    printed = capsys.readouterr().out
    assert float(printed.split("sources: ")[1].split("%")[0]) > 60
    assert "</s>" in printed.splitlines()[-1]
