"""The network of bidirectional language models by hand."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from tests.unit.neural.models.bidirectional.tiny import untrained


class Doubling(torch.nn.Module):
    """In place of dropout: shows where it acts."""

    def forward(self, x):
        return 2 * x


@torch.no_grad()
def test_states_by_hand():
    """LSTMs of torch over the sentence and over its reverse; the second layer adds its output to its input.

    Dropout acts on what each LSTM reads and on the states that predict. All read the end of a sentence first.
    """
    model = untrained(layers=2)
    module, ids = model.module, [4, 7, 5]
    module.dropout = Doubling()
    expected = []
    for stack, order in ((module.forward_layers, ids), (module.backward_layers, ids[::-1])):
        x = module.norm(module.embedding(torch.tensor([[module.bos, *order]])))
        layers = []
        for number, layer in enumerate(stack):
            lstm = torch.nn.LSTM(6, 6, batch_first=True)
            lstm.load_state_dict({f"{name}_l0": value for name, value in layer.state_dict().items()})
            y = lstm(2 * x)[0]
            x = x + y if number else y
            layers.append(x)
        expected.append(layers)
    words = module.norm(module.embedding(torch.tensor([ids])))
    found = module.states(words, torch.tensor([3]))
    for layers, others in zip(found, expected, strict=True):
        for states, other in zip(layers, others, strict=True):
            torch.testing.assert_close(states, other, atol=1e-6, rtol=1e-5)
    for states, layers in zip(module.predictions(torch.tensor([ids]), torch.tensor([3])), expected, strict=True):
        torch.testing.assert_close(states, 2 * layers[-1], atol=1e-5, rtol=1e-5)
