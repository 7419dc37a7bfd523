"""Every structure with scores of 80 to 10,000 nats and forbidden parts, against all structures one by one.

Forbidden parts leave ways that are hundreds of nats below the best of their token, and the only ones that go on.
"""

import itertools
import math

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

from firth.neural.structs.best_trees import best_trees
from firth.neural.structs.chains import Chain, best_tags, chain_score, chain_total, log_partition, marginals
from firth.neural.structs.matrix_tree import arc_marginals, tree_log_partition
from firth.neural.structs.projective_trees import projective_total
from firth.neural.structs.segmentations import Segments, piece_gradients, segments_total
from firth.neural.structs.semirings import ENTROPY, LOG, MAX
from tests.unit.neural.structs.brute_force import log_sum, probabilities, segmentations, sequences, trees

SIZES = pytest.mark.parametrize(("size", "seed"), [*itertools.product((80.0, 10_000.0), range(8))])


def scores(random, size, *shape, forbidden=0.3):
    """Scores of -size, 0 and size, and forbidden ones."""
    found = torch.tensor(random.choice([-size, 0.0, size], shape), dtype=torch.float64)
    return found.masked_fill(torch.tensor(random.random(shape) < forbidden), -math.inf)


def check(total, gradient, entropy, structures, parts):
    """Compare log Z, the probabilities of parts and the entropy with those of all structures.

    Args:
        total: log Z.
        gradient: an array of the probabilities of parts.
        entropy: of the structures, or None.
        structures: each with its score.
        parts: returns the indices of a structure's parts.
    """
    structures = list(structures)
    expected = log_sum(score for _, score in structures)
    assert total == pytest.approx(expected, rel=1e-12, abs=1e-9)
    shares, every = np.zeros(gradient.shape), probabilities(structures) if expected > -math.inf else {}
    for structure, p in every.items():
        for place in parts(structure):
            shares[place] += p
    np.testing.assert_allclose(gradient, shares, atol=1e-9)
    if every and entropy is not None:
        surprise = -sum(p * math.log(p) for p in every.values() if p > 0)
        assert entropy == pytest.approx(surprise, abs=1e-9)


def test_the_only_way_is_hundreds_of_nats_below_every_other():
    """Eight tokens, of which the last must have a tag of score -80, and tags never change: log Z = 8 x -80."""
    tags = torch.tensor([-80.0, 80.0]).expand(1, 8, 2).clone().requires_grad_()
    change = torch.tensor([[0.0, -math.inf], [-math.inf, 0.0]])
    chain = Chain(tags, change, torch.zeros(2), torch.tensor([0.0, -math.inf]), torch.tensor([8]))
    assert log_partition(chain).tolist() == [-640]
    assert marginals(chain)[0].tolist() == [[1.0, 0.0]] * 8
    log_partition(chain).sum().backward()
    assert tags.grad[0].tolist() == [[1.0, 0.0]] * 8


@SIZES
def test_tags(size, seed):
    """Some sequences of a batch lose a way, and others do not."""
    random = np.random.default_rng(seed)
    tags = scores(random, size, 4, 6, 3, forbidden=0.1)
    tags[1] /= size  # far from the edge
    rest = [scores(random, size, *shape) for shape in ((3, 3), (3,), (3,))]
    chain = Chain(tags, *rest, torch.tensor([6, 6, 3, 1]))
    totals, entropies = log_partition(chain), chain_total(chain, ENTROPY)[:, 1]
    best = chain_score(chain, torch.tensor([path + [0] * (6 - len(path)) for path in best_tags(chain)]))
    for number, length in enumerate(chain.lengths.tolist()):
        one = list(sequences(tags[number, :length].tolist(), *(each.tolist() for each in rest)))
        if totals[number] > -math.inf:
            assert best[number] == chain_total(chain, MAX)[number] == max(score for _, score in one)
        check(
            totals[number].item(),
            marginals(chain)[number, :length].numpy(),
            entropies[number].item(),
            one,
            lambda path: enumerate(path),
        )


@SIZES
def test_tags_in_single_precision(size, seed):
    random = np.random.default_rng(seed)
    chain = Chain(*(scores(random, size, *shape) for shape in ((3, 6, 3), (3, 3), (3,), (3,))), torch.tensor([6, 5, 2]))
    single = Chain(*(each.float() for each in chain[:4]), chain.lengths)
    np.testing.assert_allclose(log_partition(single).numpy(), log_partition(chain).numpy(), rtol=1e-12)


@SIZES
def test_segmentations(size, seed):
    random = np.random.default_rng(seed)
    segments = Segments(
        scores(random, size, 3, 5, 3, 2),
        *(scores(random, size, *shape) for shape in ((2, 2), (2,), (2,))),
        torch.tensor([5, 3, 1]),
    )
    totals, shares = segments_total(segments, LOG), piece_gradients(segments, LOG)
    entropies = segments_total(segments, ENTROPY)[:, 1]
    for number, length in enumerate(segments.lengths.tolist()):
        rest = [each.tolist() for each in segments[1:4]]
        every = list(segmentations(segments.pieces[number, :length].tolist(), *rest))
        assert segments_total(segments, MAX)[number] == max(score for _, score in every)
        check(
            totals[number].item(), shares[number].numpy(), entropies[number].item(), every, lambda pieces: iter(pieces)
        )


@pytest.mark.parametrize("projective", [False, True])
@SIZES
def test_trees(size, seed, projective):
    random = np.random.default_rng(seed)
    arcs, lengths = scores(random, size, 3, 5, 5), torch.tensor([4, 3, 1])
    if projective:
        leaf = arcs.clone().requires_grad_()
        totals = projective_total(leaf, lengths, LOG)
        (shares,) = torch.autograd.grad(totals.sum(), leaf)
        entropies = projective_total(arcs, lengths, ENTROPY)[:, 1]
    else:
        totals, shares, entropies = tree_log_partition(arcs, lengths), arc_marginals(arcs, lengths), None
    for number, n in enumerate(lengths.tolist()):
        every = list(trees(arcs[number, : n + 1, : n + 1].tolist(), projective=projective))
        found = shares[number].numpy()
        if totals[number] > -math.inf:
            one = arcs[number : number + 1, : n + 1, : n + 1]
            (heads,) = best_trees(one, lengths[number : number + 1], projective=projective)
            assert sum(arcs[number, heads, range(1, n + 1)].tolist()) == max(score for _, score in every)
        check(
            totals[number].item(),
            found,
            entropies[number].item() if projective else None,
            every,
            lambda heads: ((head, word) for word, head in enumerate(heads, 1)),
        )
