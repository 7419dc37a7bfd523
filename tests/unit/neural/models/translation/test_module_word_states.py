"""States of a translator's encoder as vectors of words."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.translation.data import PairReader
from firth.neural.models.translation.module import units_of, word_states
from firth.neural.models.translation.predict import TranslationModel
from firth.neural.models.translation.units import learn_units
from firth.neural.training.devices import new_module

TEXTS = ["the cat sat.", "the dog, the cat", "a dog sat on a mat."]


def translator(units="words", **options):
    options = firth.Translator(source_units=units, target_units=units, hidden=6, dim=5, **options)
    known = learn_units(TEXTS, units, 300)
    reader = PairReader(known, known, options.reverse_source)
    return TranslationModel(new_module(0, options.build, known, known), options, reader)


def test_a_word_has_the_form_that_is_frequent_in_text():
    known = translator().source
    assert units_of(".", known) == ["￭."]
    assert units_of("cat", known) == ["cat"]
    assert units_of("zebra", known) == ["zebra"]  # unknown


@pytest.mark.parametrize("options", [{}, {"reverse_source": True}, {"units": "subwords"}])
def test_vectors_are_the_means_of_the_units_of_a_word(options):
    model = translator(**options)
    words = ["the", "cat", "sat", "."]
    with torch.no_grad():
        found = model.token_states([words, ["dog"]])
        units = [units_of(word, model.source) for word in words]
        source = model.reader.source_of([unit for each in units for unit in each])
        states = model.module.encoded(model.collator.sources([source])).states[0, :-1]
    states = states.flip(0) if model.reader.reverse else states
    means = [part.mean(0) for part in torch.split(states, [len(each) for each in units])]
    assert found.shape == (2, 4, 1, model.token_width)
    torch.testing.assert_close(found[0, :, 0], torch.stack(means), atol=1e-5, rtol=0)
    assert not found[1, 1:].any()
    alone = model.token_states([["dog"]]).detach()
    torch.testing.assert_close(found[1, :1], alone[0], atol=1e-5, rtol=0)


def test_long_sentences_are_read_in_pieces():
    model = translator()
    words = ["the", "cat", "sat"] * 3
    with torch.no_grad():
        found = word_states(model.module, model.reader, [words], longest=3)
    np.testing.assert_allclose(found[0, 3:6], found[0, :3], atol=1e-6)
