"""The plain file of BiLSTM-CRFs: gradients, sums over all sequences, and the loss and tags of `firth.Tagger`."""

import itertools
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from examples.plain import bilstm_crf
from firth.neural.models.tagging.tag_set import learn_tag_set
from firth.neural.structs.chains import best_tags
from tests.examples.differences import check_directions

K, D, H = 3, 5, 4


def random_tagger(V=6, K=K, seed=0):
    torch.manual_seed(seed)
    tagger = bilstm_crf.Tagger(V, K, D, H).double()
    for parameter in tagger.parameters():
        torch.nn.init.normal_(parameter)
    return tagger


def test_gradients():
    tagger = random_tagger()
    check_directions(tagger, lambda: tagger.loss(torch.tensor([1, 0, 3, 3]), torch.tensor([2, 0, 0, 1])))


@pytest.mark.parametrize("length", [1, 4])
def test_all_sequences_by_hand(length):
    """log Z is the sum over all 3^4 sequences, and Viterbi's is the best of them."""
    tagger, words = random_tagger(), torch.tensor([2, 5, 1, 0])[:length]
    e = tagger(words)
    sequences = list(itertools.product(range(K), repeat=length))
    scores = torch.stack([tagger.score(e, torch.tensor(y)) for y in sequences])
    assert tagger.log_partition(e).item() == pytest.approx(torch.logsumexp(scores, 0).item())
    assert tagger.best(words) == list(sequences[int(scores.argmax())])


def test_agrees_with_firth():
    """Losses and gradients to 1e-5: float32 has 6e-8, and a loss adds up some hundred numbers; the tags exactly."""
    rng = np.random.default_rng(0)
    sentences = [[f"w{i}" for i in rng.choice(8, length)] for length in (1, 4, 6)]
    tags = [[f"t{i}" for i in (k, *rng.choice(K, len(words)))][: len(words)] for k, words in enumerate(sentences)]
    options = firth.Tagger(targets="tag", characters="none", spelling=False, dim=D, hidden=H, dropout=0.0)
    reader, tag_set = options.learn_reader(sentences, None), learn_tag_set([*tags, ["t0", "t1", "t2"]], "bioes")
    torch.manual_seed(0)
    module = options.build(reader, [tag_set]).eval()
    (head,) = module.target_heads
    tagger = bilstm_crf.Tagger(len(reader), K, D, H)
    parameters = {"embedding.weight": module.encoder.embedder.words.weight}
    parameters |= {"linear.weight": head.linear.weight, "linear.bias": head.linear.bias}
    parameters |= {"A": head.transitions, "b": head.first, "z": head.last}
    for end, (layer,) in (
        ("", module.encoder.bilstm.forward_layers),
        ("_reverse", module.encoder.bilstm.backward_layers),
    ):
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            parameters[f"bilstm.{name}_l0{end}"] = getattr(layer, name)
    tagger.load_state_dict({name: parameter.detach().clone() for name, parameter in parameters.items()})

    inputs = reader.collate([reader.read(words) for words in sentences])
    numbers = [torch.tensor([tag_set.names.index(tag) for tag in names]) for names in tags]
    losses = module.losses(inputs, (torch.nn.utils.rnn.pad_sequence(numbers, batch_first=True),))
    pairs = [(torch.from_numpy(reader.read(words).words), y) for words, y in zip(sentences, numbers, strict=True)]
    plain = torch.stack([tagger.loss(words, y) for words, y in pairs])
    assert plain.tolist() == pytest.approx(losses.tolist(), abs=1e-5)
    assert [tagger.best(words) for words, _ in pairs] == best_tags(head.chain(module(inputs)[0], inputs.lengths))
    losses.sum().backward()
    plain.sum().backward()
    for name, parameter in tagger.named_parameters():
        np.testing.assert_allclose(parameter.grad, parameters[name].grad, atol=1e-5)


def test_reads_columns_and_learns(tmp_path, capsys):
    random.seed(0)
    path = tmp_path / "names.txt"
    sentences = (zip(*bilstm_crf.made_up(), strict=True) for _ in range(60))
    path.write_text("\n\n".join("\n".join(f"{word} _ {tag}" for word, tag in rows) for rows in sentences) + "\n")
    bilstm_crf.main([str(path)])
    printed = capsys.readouterr().out
    right = float(printed.split("sentences: ")[1].split("%")[0])
    assert right > 95
    assert "mr/O" in printed
