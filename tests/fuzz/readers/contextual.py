"""Encoders of words in context, and models that read words by them."""

from pathlib import Path
from typing import Any

import firth
from tests.fuzz.outcomes import Reader, near


def bidirectional() -> Any:
    """A bidirectional language model as its seed draws it."""
    import torch

    from firth.language.text import training_text
    from firth.neural.models.bidirectional.predict import BidirectionalLanguageModel
    from firth.neural.training.devices import new_module

    torch.set_num_threads(1)
    options = firth.BidirectionalLM(dim=3, char_dim=2, layers=1, highway=0, output="full")
    text = training_text([["a", "b", "a"]], {"min_count": 1}, spelled=True, progress=False)
    assert text.eos_id is not None
    module = new_module(1, options.build, text.vocabulary)
    return BidirectionalLanguageModel(module, options, text.vocabulary, text.rules)


def make_bidirectional(path: Path) -> None:
    """Its folder."""
    bidirectional().save(path)


def use_bidirectional(path: Path) -> Any:
    """Vectors of words, log-probabilities and the words."""
    model = firth.load(path)
    found = model.token_states([["a", "unheard", "b"], ["b"]]).detach().numpy()
    return [near(found), near(model.log_probs(model.read([["a", "b"]]))), list(model.vocabulary.words)]


def make_tagger(path: Path) -> None:
    """A tagger over a bidirectional language model."""
    from firth.neural.models.tagging.predict import TaggerModel
    from firth.neural.models.tagging.tag_set import learn_tag_set
    from firth.neural.models.tokens.reader import learn_token_reader
    from firth.neural.training.devices import new_module

    options = firth.Tagger(targets="pos", dim=4, hidden=3, char_dim=2, char_width=3, extra_words=0)
    reader = learn_token_reader([["a", "b", "a"]], embedders=(firth.ELMo(bidirectional(), output=True),))
    sets = [learn_tag_set([["X", "Y"]], "bioes")]
    TaggerModel(new_module(0, options.build, reader, sets), options, reader, sets).save(path)


def use_tagger(path: Path) -> Any:
    """Marginals, and the embedders there are."""
    model = firth.load(path)
    (table,) = model.marginals([["a", "b", "unheard"]])
    return [near(table["pos"]), [each.settings for each in model.reader.embedders]]


def make_context2vec(path: Path) -> None:
    """context2vec as its seed draws it."""
    import torch

    from firth.language.text import training_text
    from firth.neural.models.context2vec.predict import ContextModel

    options, text = (
        firth.Context2Vec(dim=4, hidden=3),
        training_text([["a", "b", "a"]], {"min_count": 1}, progress=False),
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        ContextModel(options.build(text.vocabulary), options, text.vocabulary, text.rules).save(path)


def use_context2vec(path: Path) -> Any:
    """The vector of a context, and the words."""
    model = firth.load(path)
    return [near(model.context_vector("a [] unheard")), list(model.vocabulary.words)]


READERS = (
    Reader(name="context2vec", make=make_context2vec, use=use_context2vec, own=True, cost=0.02, needs="torch"),
    Reader(name="bidirectional", make=make_bidirectional, use=use_bidirectional, own=True, cost=0.02, needs="torch"),
    Reader(name="tagger-elmo", make=make_tagger, use=use_tagger, own=True, cost=0.04, needs="torch"),
)
