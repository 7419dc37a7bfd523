"""The network over pairs, against a loop over pairs."""

import pytest
import torch

import firth
from firth.neural.models.coreference.pair_data import PairReader
from firth.neural.models.tokens.reader import learn_token_reader
from tests.gradients.neural.directions import check_parameters
from tests.unit.neural.models.coreference.toys import documents


def made(**options):
    found = documents(3)
    chosen = firth.Coreference(**{"dim": 3, "hidden": 4, "min_count": 1, **options})
    tokens = learn_token_reader(
        (sentence for document in found for sentence in document.sentences), characters=chosen.characters != "none"
    )
    module = chosen.build(tokens, 1).double().eval()
    torch.nn.init.normal_(module.classes.weight)
    torch.nn.init.normal_(module.class_score.weight)
    return module, PairReader(tokens, 9, 9).read(found[0])


@pytest.mark.parametrize("objective", ["ranking", "pairs"])
def test_scores_are_those_of_the_formula(objective):
    module, inputs = made(objective=objective)
    scores = module(inputs)
    vectors = module.mentions(inputs)
    for row in range(len(inputs.anaphors)):
        i, j, kind = (int(each[row]) for each in (inputs.anaphors, inputs.antecedents, inputs.classes))
        first = (
            module.anaphor.weight @ vectors[i]
            + module.anaphor.bias
            + module.antecedent.weight @ vectors[j]
            + module.features.weight @ inputs.pairs[row].double()
            + module.classes.weight[kind]
        )
        second = torch.relu(module.layer(torch.relu(first)))
        expected = module.score(second)[0] + module.class_score.weight[kind, 0]
        assert scores.pairs[row].item() == pytest.approx(expected.item(), abs=1e-9)
    expected = module.new(vectors).squeeze(1) if objective == "ranking" else torch.zeros(4)
    torch.testing.assert_close(scores.new, expected.to(scores.new.dtype))


def test_the_vector_of_a_mention_holds_its_words_and_their_mean():
    module, inputs = made()
    words = module.embedder(inputs.words)[0]
    vector = module.mentions(inputs)[1]  # the mention (2, 3)
    expected = [words[2], words[2], words[2], words[1], words[0], words[3], words[4], words[2]]
    torch.testing.assert_close(vector[:24], torch.cat(expected))
    first = module.mentions(inputs)[0]
    assert (first[9:15] == 0).all()  # nothing stands before the document


def test_gradients_are_those_of_central_differences():
    module, inputs = made(characters="cnn", char_dim=2, char_width=2)

    def loss():
        scores = module(inputs)
        return scores.pairs.sum() + scores.new.square().sum()

    check_parameters(module, loss)


def test_pairs_are_scored_in_chunks_where_nothing_is_learned(monkeypatch):
    module, inputs = made()
    whole = module(inputs)
    monkeypatch.setattr("firth.neural.models.coreference.pair_module.CHUNK", 4)
    with torch.no_grad():
        parts = module(inputs)
        torch.testing.assert_close(parts.pairs, whole.pairs)
        torch.testing.assert_close(parts.hidden, whole.hidden)
        assert module(inputs, hidden=False).hidden.shape == (6, 0)
