"""Log-probabilities of sentences that are read in pieces."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.models.bidirectional import module
from tests.unit.neural.models.bidirectional.tiny import losses_of, untrained


def test_long_sentences_are_read_in_pieces_of_which_the_last_has_an_end(monkeypatch):
    """Both directions stand in the order of the text; what stands before a sentence, backward, is at its end."""
    monkeypatch.setattr(module, "LONGEST", 3)
    model = untrained()
    with torch.no_grad():  # words of new models are almost equally probable
        for parameter in model.module.parameters():
            parameter.mul_(5)
    words = ["Ada", "apples", "sees", "Bo", "birds", "likes", "."]
    found = model.log_probs(model.read([words, ["Cy", "."]]))
    expected = ([], [])
    for piece, last in ((words[:3], False), (words[3:6], False), (words[6:], True), (["Cy", "."], True)):
        forward, backward = losses_of(model, [piece])
        expected[0].extend(forward if last else forward[:-1])
        expected[1].extend([*backward[-2::-1], *(backward[-1:] if last else [])])
    np.testing.assert_allclose(-found, expected, atol=1e-4)
    assert found.shape == (2, 8 + 3)
