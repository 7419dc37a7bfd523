"""Language models on the validation and test text of WikiText-2: figures that would be wrong if the code were.

N-grams learn from the validation text (some 200,000 words) and are asked about the test text.
"""

import gzip
import math
from itertools import pairwise

import numpy as np
import pytest

import firth
from firth.inference.sampling import greedy_search, sample
from firth.inference.search import BeamSearch, beam_search
from firth.language.comparison import compare_models
from firth.language.perplexity import perplexity
from firth.language.text import LanguageText

HOW = {"tokens": "whitespace", "sentences": "line"}


@pytest.fixture(scope="module")
def folder(shared_data):
    return shared_data / "language" / "wikitext2-valid-test"


@pytest.fixture(scope="module")
def models(folder, tmp_path_factory):
    cache = tmp_path_factory.mktemp("corpora")
    corpus = firth.Corpus.build(folder / "valid.txt.gz", min_count=2, unknown="<unk>", cache=cache, **HOW)
    return {f"{order}-grams": firth.NgramLM(order=order).train(corpus, threads=1) for order in (2, 4)}


@pytest.fixture(scope="module")
def text(folder, models, tmp_path_factory):
    corpus = firth.Corpus.build(folder / "test.txt.gz", min_count=1, cache=tmp_path_factory.mktemp("judged"), **HOW)
    return models["4-grams"].read(corpus)


def test_what_search_says_is_what_scoring_says(models):
    """A text that was drawn has, word by word and ends and all, the probability that scoring it gives."""
    model = models["4-grams"]
    end = model.vocabulary.ids["</s>"]
    drawn = sample(model, [[]] * 50, firth.GenerationOptions(max_length=40), stop=[end], seed=0)
    for text in (*drawn, *greedy_search(model, [[]], stop=[end])):
        ids = np.array([*text.ids, end] if text.ended else text.ids, dtype=np.int32)
        read = LanguageText(model.vocabulary, ids, np.array([0, len(ids)]), model.rules)
        assert text.log_prob == pytest.approx(model.log_probs(read).sum(), abs=1e-9)


def test_a_model_is_least_surprised_by_what_it_draws_boldly(models):
    """Ancestral samples cost what the model's own entropy is; colder ones and those of a nucleus cost less a word."""
    model = models["4-grams"]
    end = model.vocabulary.ids["</s>"]

    def cost(**wishes):
        texts = sample(model, [[]] * 100, firth.GenerationOptions(max_length=30, **wishes), stop=[end], seed=1)
        return -sum(text.log_prob for text in texts) / sum(len(text.ids) + text.ended for text in texts)

    plain = cost()
    scores = model.start([[]])[0][0]
    assert 0 < -(np.exp(scores) * scores).sum() < plain * 1.5
    assert cost(temperature=0.7) < plain - 0.5
    assert cost(top_p=0.8) < plain - 0.5
    assert cost(top_k=20) < plain - 0.5
    assert cost(temperature=1.3) > plain + 0.3


def test_the_interval_tells_how_far_another_text_might_be(models, text):
    """The text in twenty pieces: their perplexities scatter as the intervals of the pieces say they would.

    Articles differ more than sentences drawn one by one: the scatter is somewhat greater than sentences alone explain.
    """
    model, logs, pieces = models["4-grams"], models["4-grams"].log_probs(text), []
    cuts = text.offsets[np.linspace(0, len(text.offsets) - 1, 21).astype(int)]
    for start, stop in pairwise(cuts):
        pieces.append(perplexity(text.part(int(start), int(stop)), logs[start:stop]))
    assert model.perplexity(text).nats == pytest.approx(sum(piece.nats for piece in pieces), rel=1e-12)
    scatter = np.std([math.log(piece.value) for piece in pieces], ddof=1)
    told = np.mean([math.log(high / low) / 3.92 for low, high in (piece.interval() for piece in pieces)])
    assert 0.8 < scatter / told < 3


def test_a_mixture_is_better_than_its_parts_on_text_it_was_not_fitted_on(models, text):
    """Weights from the first half, judged on the second: below both; and a longer memory helps."""
    half = int(text.offsets[len(text.offsets) // 2])
    first, second = text.part(0, half), text.part(half, len(text))
    parts = [model.perplexity(second).value for model in models.values()]
    mixture = firth.Mixture.fit(list(models.values()), first)
    assert parts[1] < parts[0]
    assert mixture.perplexity(second).value < 0.99 * min(parts)
    found = compare_models(models, text)
    assert list(found.figures) == ["4-grams", "2-grams"]
    assert found.pairs[0].interval[0] > 1
    assert found.pairs[0].correlation > 0.9
    assert found.pairs[0].mixture < found.figures["4-grams"].value


def test_beams_find_likelier_sentences_than_greedy_search(models):
    """Summed logarithms, twelve prompts: never less likely by more than rounding, and mostly likelier."""
    model, better = models["4-grams"], 0
    options = firth.GenerationOptions(max_length=15)
    end = model.vocabulary.ids["</s>"]
    prompts = [[int(i)] for i in range(5, 17)]
    ones = greedy_search(model, prompts, options, stop=[end])
    manys = beam_search(model, prompts, options, BeamSearch(beams=8, length_normalisation="none"), stop=[end])
    for one, (many,) in zip(ones, manys, strict=True):
        better += many.log_prob > one.log_prob + 1e-9
    assert better >= 8


@pytest.mark.peer
def test_perplexities_are_those_of_kenlm(models, folder, tmp_path):
    """With and without unknown words, as KenLM's own program counts them: ends in both, unknown words in the first."""
    kenlm = pytest.importorskip("kenlm", reason="KenLM is not installed: pip install kenlm")
    model = models["4-grams"]
    model.to_arpa(tmp_path / "model.arpa")
    peer = kenlm.Model(str(tmp_path / "model.arpa"))
    lines = gzip.decompress((folder / "test.txt.gz").read_bytes()).decode().splitlines()
    rows = [row for line in lines if line.split() for row in peer.full_scores(" ".join(line.split()))]
    scores, unknown = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
    found = model.perplexity(firth.Corpus.build(folder / "test.txt.gz", min_count=1, cache=tmp_path, **HOW))
    assert (found.tokens, found.unknown) == (len(rows), unknown.sum())
    assert found.value == pytest.approx(10 ** -scores.mean(), rel=1e-5)
    assert found.without_unknown == pytest.approx(10 ** -scores[~unknown].mean(), rel=1e-5)
