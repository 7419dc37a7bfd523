import pytest


@pytest.fixture(scope="session")
def tagger():
    """A tagger of parts of speech and entities."""
    import firth
    from tests.unit.neural.models.tagging.tiny import SIZES, sentences, training

    options = firth.Tagger(targets=("pos", "ner"), **SIZES)
    return options.train(sentences(80), held_out=sentences(20, 1), training=training(), progress=False)
