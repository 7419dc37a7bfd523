"""Candidate lists: model 1 against its formula, and searches within the lists against the whole vocabulary."""

import itertools
from collections import defaultdict

import numpy as np
import pytest
import torch

import firth
from firth.errors import FormatError, OptionError
from firth.neural.models.translation import candidates as module
from firth.neural.models.translation.candidates import ITERATIONS, CandidateTable, translation_probabilities
from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.scorer import TranslationScorer
from firth.neural.models.translation.units import BOS, EOS, UNKNOWN, learn_units
from firth.neural.training.devices import new_module

PAIRS = [
    ("das haus", "the house"),
    ("das buch", "the book"),
    ("ein buch", "a book"),
    ("das kleine haus", "the small house"),
    ("das das", "the the"),
    ("ein kleines haus", "a small house"),
]
SHORT = firth.GenerationOptions(max_length=6)


def untrained(**how):
    """A translator with random parameters."""
    options = firth.Translator(source_units="words", target_units="words", min_count=1, hidden=16, max_length=9, **how)
    source, target = (learn_units(side, "words", 100) for side in zip(*PAIRS, strict=True))
    net = new_module(0, options.build, source, target)
    for parameter in net.parameters():
        torch.nn.init.normal_(parameter, std=0.7, generator=torch.Generator().manual_seed(4))
    return TranslationModel(net, options, PairReader(source, target, copying=options.copying))


def with_lists(model, lists):
    """The model with the candidates of each source word given as words."""
    k = max(map(len, lists.values()))
    table = np.full((len(model.source), k), EOS, dtype=np.int32)
    for word, others in lists.items():
        table[model.source.numbers[word], : len(others)] = model.target.ids(others)
    frequent = CandidateTable(table, np.array([EOS], dtype=np.int32))
    return TranslationModel(model.module, model.options, model.reader, frequent, model.metadata)


def model_1(pairs):
    """Brown et al. 1993, equations for t(f | e), with dictionaries; sources have their end as the empty word."""
    sentences = [([*source.split(), "</s>"], target.split()) for source, target in pairs]
    together = {(e, f) for source, target in sentences for e in source for f in target}
    t = dict.fromkeys(together, 1.0)
    for _ in range(ITERATIONS):
        counts, totals = defaultdict(float), defaultdict(float)
        for source, target in sentences:
            for f in target:
                whole = sum(t[e, f] for e in source)
                for e in source:
                    counts[e, f] += t[e, f] / whole
                    totals[e] += t[e, f] / whole
        t = {(e, f): counts[e, f] / totals[e] for e, f in together}
    return t


@pytest.mark.parametrize("chunk", [2, 100])
def test_translation_probabilities_are_those_of_model_1(monkeypatch, chunk):
    monkeypatch.setattr(module, "CHUNK", chunk)
    model = untrained()
    keys, t = translation_probabilities([model.reader.read(*pair) for pair in PAIRS], len(model.target))
    sources, targets = np.divmod(keys, len(model.target))
    names = zip(model.source.tokens(sources), model.target.tokens(targets), strict=True)
    expected = model_1(PAIRS)
    assert dict(zip(names, t, strict=True)) == pytest.approx(expected)
    assert (
        t[np.searchsorted(keys, model.source.numbers["buch"] * len(model.target) + model.target.numbers["book"])] > 0.7
    )


def test_candidates_are_likely_translations_and_frequent_words():
    model = untrained().with_candidates(PAIRS, per_token=2, frequent=1)
    best = {
        word: set(model.target.tokens(model.candidates.by_source[model.source.numbers[word]]))
        for word in ("buch", "das", "kleine")
    }
    assert "book" in best["buch"]
    assert "the" in best["das"]
    assert "small" in best["kleine"]
    assert len(best["kleine"]) == 2
    counts = model.target.counts
    assert set(model.candidates.frequent.tolist()) == {int(counts.argmax()), EOS}
    few = untrained().with_candidates(PAIRS, per_token=9, frequent=1)
    assert (few.candidates.by_source[UNKNOWN] == EOS).all(), "a token without pairs"
    assert BOS not in few.candidates.by_source


def test_scores_are_those_of_the_vocabulary_divided_by_the_sum_over_the_list():
    plain = untrained()
    lists = {"das": ["the", "book"], "haus": ["house"], "ein": ["a", "small", "the"], "buch": ["book"]}
    model = with_lists(plain, lists)
    texts = [["das", "haus"], ["ein", "buch"], ["das"]]
    sources = [plain.reader.source_of(tokens) for tokens in texts]
    batch = plain.collator.sources(sources)
    own = [model.candidates.of(source) for source in sources]
    scorer, whole = TranslationScorer(plain.module, batch, own), TranslationScorer(plain.module, batch)
    (some, state), (every, other) = scorer.start([()] * 3), whole.start([()] * 3)
    for step in range(3):
        for row, (tokens, ids) in enumerate(zip(texts, own, strict=True)):
            allowed = set(itertools.chain(*(lists[token] for token in tokens)))
            assert set(plain.target.tokens(ids)) == allowed | {"</s>"}
            expected = every[row][ids] - np.logaddexp.reduce(every[row][ids])
            assert some[row][ids] == pytest.approx(expected, abs=1e-5)
            assert np.isneginf(np.delete(some[row], ids)).all()
        words = np.array([ids[step % len(ids)] for ids in own])
        some, state = scorer.advance(state, words)
        every, other = whole.advance(other, words)


@pytest.mark.parametrize("beam", [1, 4])
def test_lists_of_all_words_change_nothing(beam):
    plain = untrained()
    model = with_lists(plain, dict.fromkeys(plain.source.words[3:], plain.target.words))
    texts = [source for source, _ in PAIRS]
    for one, two in zip(*(each.translate(texts, beam=beam, options=SHORT) for each in (plain, model)), strict=True):
        assert one.tokens == two.tokens
        assert one.log_prob == pytest.approx(two.log_prob, abs=1e-4)


@pytest.mark.parametrize("beam", [1, 3])
def test_translations_hold_candidates_only_and_do_not_depend_on_other_texts(beam):
    model = untrained().with_candidates(PAIRS, per_token=2, frequent=2)
    texts = [source for source, _ in PAIRS]
    found = model.translate(texts, beam=beam, options=SHORT, unknown="kept")
    for text, each in zip(texts, found, strict=True):
        assert set(model.target.ids(each.tokens)) <= set(model.candidates.of(model.reader.read_source(text)))
        alone = model.translate(text, beam=beam, options=SHORT, unknown="kept")
        assert alone.tokens == each.tokens
        assert alone.log_prob == pytest.approx(each.log_prob, abs=1e-5)
    drawn = model.translate(texts, options=firth.GenerationOptions(max_length=6, temperature=2.0), unknown="kept")
    for text, each in zip(texts, drawn, strict=True):
        assert set(model.target.ids(each.tokens)) <= set(model.candidates.of(model.reader.read_source(text)))


def test_prefixes_and_forced_words_outside_the_lists_are_written():
    model = with_lists(untrained(), {"das": ["the"], "haus": ["house"]})
    options = firth.GenerationOptions(max_length=6)
    found = model.translate(["das haus", "das"], prefixes=["a", "book"], forced=["small"], options=options)
    assert [each.tokens[0] for each in found] == ["a", "book"]
    assert all("small" in each.tokens for each in found)


def test_folders_and_ensembles_keep_the_lists(tmp_path):
    model = untrained().with_candidates(PAIRS, per_token=2, frequent=2)
    model.save(tmp_path / "it.firth")
    other, texts = firth.load(tmp_path / "it.firth"), [source for source, _ in PAIRS]
    assert np.array_equal(other.candidates.by_source, model.candidates.by_source)
    assert np.array_equal(other.candidates.frequent, model.candidates.frequent)
    assert [each.tokens for each in other.translate(texts)] == [each.tokens for each in model.translate(texts)]
    both = firth.TranslationEnsemble([model, other]).translate(texts, options=SHORT)
    assert [each.tokens for each in both] == [each.tokens for each in model.translate(texts, options=SHORT)]
    untrained().save(tmp_path / "plain.firth")
    assert firth.load(tmp_path / "plain.firth").candidates is None


@pytest.mark.parametrize("wrong", ["negative", "large", "short", "floats"])
def test_damaged_lists_are_refused(tmp_path, wrong):
    model = untrained().with_candidates(PAIRS, per_token=2, frequent=2)
    table, frequent = model.candidates.by_source.copy(), model.candidates.frequent
    if wrong == "short":
        table = table[1:]
    elif wrong == "floats":
        frequent = frequent.astype(np.float32)
    else:
        table[3, 0] = -1 if wrong == "negative" else len(model.target)
    damaged = CandidateTable(table, frequent)
    TranslationModel(model.module, model.options, model.reader, damaged, {}).save(tmp_path / "it.firth")
    with pytest.raises(
        FormatError, match=r"candidates: expected int32 numbers of 8 target tokens, for 9 source tokens"
    ):
        firth.load(tmp_path / "it.firth")


def test_models_and_numbers_that_do_not_fit_are_refused():
    with pytest.raises(OptionError, match="per_token=0: expected a whole number of at least 1"):
        untrained().with_candidates(PAIRS, per_token=0)
    with pytest.raises(OptionError, match="candidates need output_layer='full' and copying=False"):
        untrained(copying=True, label_smoothing=0.0).with_candidates(PAIRS)
    with pytest.raises(OptionError, match="candidates need output_layer='full' and copying=False"):
        untrained(output_layer="adaptive", label_smoothing=0.0).with_candidates(PAIRS)
