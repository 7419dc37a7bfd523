"""The best antecedents, and chains."""

import torch

from firth.neural.models.coreference.pair_data import PairReader
from firth.neural.models.coreference.pair_module import PairScores, antecedents, best_chains, chains_of
from firth.neural.models.tokens.reader import learn_token_reader
from tests.unit.neural.models.coreference.toys import documents


def test_chains_follow_links():
    spans = [(0, 1), (2, 3), (4, 5), (6, 7)]
    assert chains_of(spans, [-1, -1, 0, 2]) == [[(0, 1), (4, 5), (6, 7)], [(2, 3)]]
    assert chains_of([], []) == []


def test_the_best_antecedent_beats_none():
    document = documents(1)[0]
    inputs = PairReader(learn_token_reader(document.sentences), 9, 9).read(document)
    assert list(zip(inputs.anaphors.tolist(), inputs.antecedents.tolist(), strict=True)) == [
        (1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2),
    ]  # fmt: skip
    pairs = torch.tensor([-1.0, 0.5, 0.2, 0.1, 0.7, -2.0])
    scores = PairScores(pairs, torch.zeros(4), pairs[:, None])
    assert antecedents(inputs, scores) == [-1, -1, 0, 1]
    assert antecedents(inputs, scores, bias=0.6) == [-1, -1, -1, 1]
    assert antecedents(inputs, scores, bias=-2) == [-1, 0, 0, 1]
    assert best_chains(inputs, scores, 0.0) == [[(0, 1), (5, 6)], [(2, 3), (8, 9)]]
