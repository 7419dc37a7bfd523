"""Segmentations against all of them, one by one."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.errors import ShapeError
from firth.neural.structs.chains import Chain, chain_total
from firth.neural.structs.segmentations import Segments, segments_total
from firth.neural.structs.semirings import ENTROPY, LOG, MAX, KBest
from tests.unit.neural.structs.brute_force import log_sum, probabilities, segmentations

T, L, K, LENGTHS = 5, 3, 2, (5, 1, 4)


def random_segments(seed=0, longest=L):
    random = torch.Generator().manual_seed(seed)
    parts = (
        2 * torch.randn(shape, generator=random, dtype=torch.float64)
        for shape in ((3, T, longest, K), (K, K), (K,), (K,))
    )
    return Segments(*parts, torch.tensor(LENGTHS))


def every(segments):
    rest = [each.tolist() for each in segments[1:4]]
    return [
        list(segmentations(pieces[:length].tolist(), *rest))
        for pieces, length in zip(segments.pieces, segments.lengths.tolist(), strict=True)
    ]


@pytest.fixture
def segments():
    return random_segments(1)


def test_totals_are_those_of_all(segments):
    structures = every(segments)
    assert len(structures[0]) == sum(K**pieces * count for pieces, count in {2: 2, 3: 6, 4: 4, 5: 1}.items())
    scores = [[score for _, score in found] for found in structures]
    np.testing.assert_allclose(segments_total(segments, LOG).numpy(), [log_sum(each) for each in scores], atol=1e-12)
    np.testing.assert_allclose(segments_total(segments, MAX).numpy(), [max(each) for each in scores], atol=1e-12)
    entropies = [-sum(p * np.log(p) for p in probabilities(found).values()) for found in structures]
    np.testing.assert_allclose(segments_total(segments, ENTROPY)[:, 1].numpy(), entropies, atol=1e-12)
    for found, expected in zip(segments_total(segments, KBest(3)).tolist(), scores, strict=True):
        best = sorted(expected, reverse=True)[:3]
        np.testing.assert_allclose(found[: len(best)], best, atol=1e-12)


def test_gradients_are_marginals_and_the_best(segments):
    for ring, weights in ((LOG, probabilities), (MAX, lambda found: {max(found, key=lambda each: each[1])[0]: 1.0})):
        pieces = segments.pieces.clone().requires_grad_()
        segments_total(segments._replace(pieces=pieces), ring).sum().backward()
        for number, structures in enumerate(every(segments)):
            expected = np.zeros((T, L, K))
            for parts, p in weights(structures).items():
                for part in parts:
                    expected[part] += p
            np.testing.assert_allclose(pieces.grad[number].numpy(), expected, atol=1e-12)


def test_pieces_of_one_token_are_a_chain():
    segments = random_segments(2, longest=1)
    chain = Chain(segments.pieces.squeeze(2), *segments[1:])
    np.testing.assert_allclose(segments_total(segments, LOG).numpy(), chain_total(chain, LOG).numpy(), atol=1e-12)


def test_lengths_beyond_the_batch_are_refused(segments):
    with pytest.raises(ShapeError, match="expected 1 to 5"):
        segments_total(segments._replace(lengths=torch.tensor([6, 1, 1])), LOG)
