"""Parsers by default: what they read and how long they train follow from the treebank; small ones are learned, too."""

import dataclasses
import logging

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.neural.models.parsers.predict import ParserModel
from firth.neural.models.parsers.size_defaults import biaffine_defaults, tag_of, transition_defaults
from firth.readers.conllu import DependencySentence
from firth.storage import model_folder
from tests.unit.neural.models.parsers.tiny import SIZES, sentence, treebank

WEAK = pytest.mark.filterwarnings("ignore:training ended no better than a tree")
SHORT = dataclasses.replace(firth.TransitionParser.training, epochs=1)


def with_features(sentences):
    """Sentences whose nouns have features."""
    return [
        each.annotated(features=["Case=Nom|Number=Sing" if tag == "NOUN" else "_" for tag in each.tags])
        for each in sentences
    ]


def without_tags(sentences):
    return [each.annotated(tags=["_"] * len(each)) for each in sentences]


def in_language(sentences):
    """Sentences whose tags stand in the fifth column alone."""
    return [each.annotated(language_tags=each.tags, tags=["_"] * len(each)) for each in sentences]


@pytest.mark.parametrize(
    ("change", "tag"), [(list, "upos"), (with_features, "features"), (without_tags, "none"), (in_language, "xpos")]
)
def test_a_parser_reads_what_the_treebank_has(change, tag):
    assert tag_of(change(treebank(5))) == tag


@pytest.mark.parametrize(
    ("count", "batch_size", "epochs"), [(45, 5, 40), (90, 5, 27), (270, 5, 16), (900, 5, 12), (11_290, 50, 10)]
)
def test_small_treebanks_are_read_more_often_in_smaller_batches(count, batch_size, epochs):
    """At least 270 updates, however few the sentences are."""
    chosen = transition_defaults([sentence(np.random.default_rng(0))] * count)
    assert (chosen["batch_size"], chosen["epochs"]) == (batch_size, epochs)


def test_batches_of_biaffine_parsers_count_words():
    some = [DependencySentence.of(["a"] * 10).annotated(tags=["X"] * 10)]
    sizes = [{name: biaffine_defaults(some * n)[name] for name in ("batch_size", "epochs")} for n in (1, 600, 20_000)]
    assert sizes == [{"batch_size": b, "epochs": e} for b, e in ((100, 80), (171, 80), (700, 42))]


@WEAK
def test_the_choice_is_logged_saved_and_overruled(caplog, tmp_path):
    caplog.set_level(logging.INFO, logger="firth")
    some = with_features(treebank(20))
    parser = firth.TransitionParser(**SIZES).train(some, training=SHORT, progress=False)
    options = parser.options
    assert (options.tag, options.beam, options.spelling, parser.columns) == ("features", 4, False, ("upos", "feats"))
    assert parser.metadata["training"]["batch_size"] == 5
    (line,) = caplog.messages
    assert line.startswith("tag=features, ")
    assert line.endswith(f"chosen for 18 sentences, {sum(map(len, some[:18]))} words")
    parser.save(tmp_path / "p")
    assert firth.load(tmp_path / "p").options == options
    own = firth.TransitionParser(**SIZES, tag="upos", beam=1, spelling=True)
    parser = own.train(some, training=dataclasses.replace(SHORT, batch_size=3), progress=False)
    assert (parser.options.tag, parser.options.beam, parser.options.spelling) == ("upos", 1, True)
    assert parser.metadata["training"]["batch_size"] == 3


def test_a_small_treebank_is_learned_by_default():
    """With the batches of 50 of large treebanks LAS is .33 after as many epochs, and .04 after ten."""
    parser = firth.TransitionParser(**SIZES).train(treebank(20), progress=False)
    assert parser.test(treebank(20, 2), progress=False).gold.las > 0.85


@WEAK
def test_words_of_a_treebank_without_tags_are_spelled(tmp_path):
    """A word that was never seen shares its ending with others."""
    some = [
        DependencySentence.of([word, "sees", "fish"]).annotated(heads=[2, 0, 2], relations=["nsubj", "root", "obj"])
        for word in ("baking", "making", "taking", "raking")
    ]
    parser = firth.TransitionParser(**SIZES).train(some + without_tags(treebank(40)), training=SHORT, progress=False)
    assert (parser.columns, parser.options.spelling) == ((), True)
    parser.save(tmp_path / "p")
    for model in (parser, firth.load(tmp_path / "p")):
        words, _ = model.vocabulary.numbers(DependencySentence.of(["waking", "shaking", "shake"]))
        assert words[1:, 0].tolist() == [2, 2, 2]
        vectors = model.module._words(torch.from_numpy(words[1:].astype(np.int64)))
        distance = torch.cdist(vectors, vectors)
        assert distance[0, 1] < distance[0, 2]
    named = firth.TransitionParser(**SIZES).train(treebank(20), training=SHORT, progress=False)
    assert named.vocabulary.pieces == []


@WEAK
def test_a_tag_that_was_never_seen_is_known_by_its_parts(tmp_path):
    some = with_features(treebank(20))
    parser = firth.TransitionParser(**SIZES).train(some, training=SHORT, progress=False)
    parser.save(tmp_path / "p")
    for model in (parser, firth.load(tmp_path / "p")):
        seen, mixed, new = (
            model.vocabulary.numbers(DependencySentence.of(["cat"]).annotated(tags=[tag], features=[features]))[1][1:]
            for tag, features in (("NOUN", "Case=Nom|Number=Sing"), ("DET", "Case=Nom"), ("X", "Case=Nom|Other=Yes"))
        )
        assert len(set(seen[0].tolist())) == 3
        assert mixed[0, 1] in seen[0]
        assert new[0].tolist() == [2, mixed[0, 1]]


@WEAK
def test_parsers_of_older_versions_know_a_tag_as_a_whole(tmp_path):
    options = firth.TransitionParser(**SIZES, tag="features", beam=1, spelling=False)
    parser = options.train(with_features(treebank(20)), training=SHORT, progress=False)
    parser.save(tmp_path / "p")
    names = ["NOUN|Case=Nom|Number=Sing", *(f"{tag}|_" for tag in ("DET", "ADP", "VERB", "PUNCT"))]
    names += [f"{number}|_" for number in range(len(parser.vocabulary.tags) - len(names))]  # as many as vectors
    content = model_folder.read(tmp_path / "p")
    settings = {name: value for name, value in content.config["options"].items() if name != "spelling"}
    config = {name: value for name, value in content.config.items() if name != "parts"} | {"options": settings}
    texts = {**content.texts, "types": names}
    known = ParserModel.restore(dataclasses.replace(content, config=config, texts=texts)).vocabulary
    cat = DependencySentence.of(["cat"]).annotated(tags=["NOUN"], features=["Case=Nom|Number=Sing"])
    assert (known.parts, known.numbers(cat)[1].tolist()) == (False, [[1], [3]])


@WEAK
def test_columns_that_are_empty_are_told_of():
    options = firth.TransitionParser(**SIZES, tag="features")
    with pytest.warns(UserWarning, match=r"no word of 18 sentences has feats, .* leave tag= out"):
        options.train(treebank(20), training=SHORT, progress=False)
    parser = firth.TransitionParser(**SIZES).train(with_features(treebank(20)), training=SHORT, progress=False)
    with pytest.warns(UserWarning, match=r"none of \d+ words has morphological features, which this parser reads"):
        parser.predict(treebank(4))


def test_a_parser_that_learned_nothing_is_told_of():
    """One update at a rate that teaches nothing."""
    training = dataclasses.replace(SHORT, batch_size=60, lr=1e-9)
    with pytest.warns(UserWarning, match=r"no better than a tree in which each word depends on the .* one as"):
        firth.TransitionParser(**SIZES).train(treebank(60), training=training, progress=False)
