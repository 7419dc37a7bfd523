"""Tag sequences beside pytorch-crf with the same parameters: log-likelihood, its gradients, Viterbi."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.structs.chains import Chain, best_tags, chain_score, log_partition


@pytest.mark.peer
def test_the_crf_of_another_library():
    torchcrf = pytest.importorskip("torchcrf", reason="pytorch-crf is not installed: pip install pytorch-crf")
    torch.manual_seed(0)
    B, T, K = 7, 9, 5
    theirs = torchcrf.CRF(K, batch_first=True).double()
    lengths = torch.tensor([9, 1, 4, 9, 2, 7, 3])
    mask = torch.arange(T) < lengths.unsqueeze(1)
    tags = torch.randint(K, (B, T))
    emissions = [torch.randn(B, T, K, dtype=torch.float64).requires_grad_()]
    emissions.append(emissions[0].detach().clone().requires_grad_())
    parameters = [theirs.transitions, theirs.start_transitions, theirs.end_transitions]
    copies = [each.detach().clone().requires_grad_() for each in parameters]

    chain = Chain(emissions[1], *copies, lengths)
    expected = theirs(emissions[0], tags, mask=mask, reduction="none")
    found = chain_score(chain, tags) - log_partition(chain)
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), atol=1e-12)
    expected.sum().backward()
    found.sum().backward()
    for ours, other in zip([emissions[1], *copies], [emissions[0], *parameters], strict=True):
        np.testing.assert_allclose(ours.grad.numpy(), other.grad.numpy(), atol=1e-12)
    assert best_tags(chain) == theirs.decode(emissions[0], mask=mask)
