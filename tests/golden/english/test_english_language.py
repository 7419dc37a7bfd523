"""N-grams of a small English text: KenLM's probabilities of sentences held out, and what models without order lack."""

import json
import math
import random

import numpy as np
import pytest

import firth
from firth.inference.sampling import sample
from firth.language.text import LanguageText
from tests.golden.english.make import FILE
from tests.golden.english.text import parts

FROZEN = json.loads(FILE.read_text(encoding="ascii"))["ngrams"]
LEARNED, JUDGED = ([" ".join(sentence) for sentence in part] for part in parts())


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    corpus = firth.Corpus.build(LEARNED, min_count=1, cache=tmp_path_factory.mktemp("learned"), progress=False)
    return {order: firth.NgramLM(order=order).train(corpus, threads=1, progress=False) for order in (1, 2, 3)}


@pytest.mark.parametrize("order", [2, 3])
def test_sentences_are_as_likely_as_with_kenlm(order, models):
    found = [score.total / math.log(10) for score in models[order].score(JUDGED)]
    np.testing.assert_allclose(found, FROZEN[str(order)], rtol=2e-6, atol=1e-5)


def test_the_order_of_words_is_learned(models):
    """Measured: perplexities of 343, 151 and 130; with the words of a sentence in random order 544 and 509."""
    plain = [model.perplexity(JUDGED).value for model in models.values()]
    shuffle = random.Random(0)
    mixed = [" ".join(shuffle.sample(words, len(words))) for words in map(str.split, JUDGED)]
    without = [model.perplexity(mixed).value for model in models.values()]
    print(plain, without)
    assert plain[1] < 0.5 * plain[0]
    assert plain[2] < 0.9 * plain[1]
    assert without[0] == pytest.approx(plain[0], rel=1e-9)
    assert without[1] > 3 * plain[1]
    assert without[2] > 3 * plain[2]


def test_what_search_draws_has_the_probability_that_scoring_gives(models):
    """Word by word, ends and all."""
    model = models[3]
    end = model.vocabulary.ids["</s>"]
    drawn = sample(model, [[]] * 200, firth.GenerationOptions(max_length=60), stop=[end], seed=0)
    assert sum(text.ended for text in drawn) > 150
    for text in drawn:
        ids = np.array([*text.ids, end] if text.ended else text.ids, dtype=np.int32)
        read = LanguageText(model.vocabulary, ids, np.array([0, len(ids)]), model.rules)
        assert text.log_prob == pytest.approx(model.log_probs(read).sum(), abs=1e-9)


def test_a_mixture_is_better_than_its_parts(models):
    """Weights from one half of the sentences held out, judged on the other."""
    mixture = firth.Mixture.fit(list(models.values()), models[3].token_ids(JUDGED[::2]))
    rest = models[3].token_ids(JUDGED[1::2])
    assert mixture.perplexity(rest).value < min(model.perplexity(rest).value for model in models.values())
