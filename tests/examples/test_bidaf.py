"""The plain file of BiDAF: gradients, and the scores of `firth.BiDAF`."""

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from examples.plain import bidaf
from firth.neural.models.reading.data import Pair, PassageReader, collate
from tests.examples.differences import check_directions

D, H = 5, 3


def test_gradients():
    torch.manual_seed(0)
    model = bidaf.BiDAF(6, D, H).double()
    paragraph, question = torch.tensor([1, 2, 3, 4, 0]), torch.tensor([5, 2, 3])

    def loss():
        start, end = model(paragraph, question)
        return -start[1] - end[3]

    check_directions(model, loss)


def test_agrees_with_firth():
    """Log-probabilities and gradients to 1e-5: float32 has 6e-8, and a layer adds up some hundred numbers near 1."""
    options = firth.BiDAF(characters="none", dim=D, hidden=H, dropout=0.0)
    texts = [("ann lives in rome . bob lives in oslo .", "where does bob live ?"), ("eve sings .", "who sings ?")]
    words = [text.split() for pair in texts for text in pair]
    reader = PassageReader(options.learn_reader(words, None))
    torch.manual_seed(0)
    fast = options.build(reader).eval()
    parameters = {"embedding.weight": fast.embedder.words.weight, "w_hu": fast.scores.both}
    parameters |= {"w_h.weight": fast.scores.one.weight, "w_u.weight": fast.scores.other.weight}
    parameters |= {"project.weight": fast.project.weight, "project.bias": fast.project.bias}
    parameters |= {"start.weight": fast.start.weight, "end.weight": fast.end.weight}
    for number, (make, gate) in enumerate(zip(fast.highway.makers, fast.highway.gates, strict=True)):
        for part in ("weight", "bias"):
            parameters[f"highway.{number}.layer.{part}"] = getattr(make, part)
            parameters[f"highway.{number}.gate.{part}"] = getattr(gate.transform, part)
    for name in ("context", "model", "after"):
        for end, layers in (("", "forward_layers"), ("_reverse", "backward_layers")):
            for number, layer in enumerate(getattr(getattr(fast, name), layers)):
                for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    parameters[f"{name}.{part}_l{number}{end}"] = getattr(layer, part)
    plain = bidaf.BiDAF(len(reader.tokens), D, H)
    plain.load_state_dict({name: parameter.detach().clone() for name, parameter in parameters.items()})

    passages = [reader.read(list(pair)) for pair in texts]
    spans = [(3, 3), (0, 1)]
    batch = collate(reader.tokens, [Pair(q, p, span) for (p, q), span in zip(passages, spans, strict=True)])
    scores, losses = fast(batch), []
    for row, ((paragraph, question), (first, last)) in enumerate(zip(passages, spans, strict=True)):
        start, end = plain(*(torch.from_numpy(passage.sentence.words) for passage in (paragraph, question)))
        size = len(paragraph)
        np.testing.assert_allclose(start.detach(), scores.starts[row].log_softmax(0)[:size].detach(), atol=1e-5)
        np.testing.assert_allclose(end.detach(), scores.ends[row].log_softmax(0)[:size].detach(), atol=1e-5)
        losses.append(-start[first] - end[last])
    expected = fast.losses(batch)
    assert [loss.item() for loss in losses] == pytest.approx(expected.tolist(), abs=1e-5)
    expected.sum().backward()
    torch.stack(losses).sum().backward()
    for name, parameter in plain.named_parameters():
        np.testing.assert_allclose(parameter.grad, parameters[name].grad, atol=1e-5)


def test_an_answer_does_not_end_before_it_begins():
    class Fixed(bidaf.BiDAF):
        def forward(self, paragraph, question):
            return torch.tensor([-9.0, -2, -1, -9]), torch.tensor([-1.0, -9, -3, -2])

    model, words = Fixed(2, D, H), torch.zeros(4, dtype=torch.int64)
    assert model.answer(words, words) == (2, 3)
    assert model.answer(words, words, longest=1) == (2, 2)


def test_reads_questions(tmp_path, capsys):
    random.seed(0)
    path = tmp_path / "questions.tsv"
    path.write_text("\n".join("\t".join(bidaf.made_up()) for _ in range(12)))
    bidaf.main([str(path)])
    printed = capsys.readouterr().out
    losses = [float(line.split()[3]) for line in printed.splitlines() if line.startswith("epoch")]
    assert losses[-1] < losses[0]
    assert " -> " in printed.splitlines()[-1]
