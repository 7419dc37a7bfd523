"""Documents as numbers."""

import torch

from firth.documents.document import Document
from firth.neural.models.coreference.pair_data import PairReader, pair_batches
from firth.neural.models.coreference.pair_module import NONE, PairScores, gold_table, score_table
from firth.neural.models.tokens.reader import learn_token_reader
from firth.readers.conllu import DependencySentence
from tests.unit.neural.models.coreference.toys import documents


def reader(found, **limits):
    sentences = (sentence for document in found for sentence in document.sentences)
    return PairReader(learn_token_reader(sentences), **{"nearest": 9, "matching": 9, **limits})


def test_words_around_a_mention():
    sentence = DependencySentence.of(["The", "old", "man", "of", "the", "sea", "left"])
    document = Document((sentence,), clusters=[[(0, 6)], [(4, 6)]])
    places = reader([document]).read(document).near
    assert places.tolist() == [[2, 0, 5, 7, 7, 6, 7], [5, 4, 5, 3, 2, 6, 7]]  # 7 for none


def test_rows_of_scores_and_of_right_antecedents():
    document = documents(1)[0]
    item = reader([document]).item(document)
    assert item.chains.tolist() == [0, 1, 0, 1]
    scores = PairScores(torch.arange(6.0), -torch.ones(4), torch.zeros(6, 1))
    table = score_table(item.inputs, scores)
    expected = [[-1, NONE, NONE, NONE], [-1, 0, NONE, NONE], [-1, 1, 2, NONE], [-1, 3, 4, 5]]
    torch.testing.assert_close(table, torch.tensor(expected))
    gold = gold_table(item.inputs, item.chains, table.shape[1]).long().tolist()
    assert gold == [[1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]


def test_an_antecedent_that_is_no_candidate_leaves_a_mention_without_one():
    document = documents(1)[0]
    item = reader([document], nearest=1, matching=0).item(document)
    assert gold_table(item.inputs, item.chains, 2).long().tolist() == [[1, 0]] * 4


def test_batches_hold_every_document_once():
    found = documents(5)
    items = [reader(found).item(document) for document in found]
    batches = pair_batches(items, batch_size=2, seed=1)
    assert sorted(len(batch.items) for batch in batches.epoch(0)) == [1, 2, 2]
    seen = [id(item) for batch in batches.epoch(3) for item in batch.items]
    assert sorted(seen) == sorted(map(id, items))
