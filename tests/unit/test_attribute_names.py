"""An attribute of another library is answered with ours."""

import copy
import inspect
import pickle
import pydoc
import re

import numpy as np
import pytest

import firth
from firth.attribute_names import (
    ANNOTATED,
    BIDIRECTIONAL,
    CLASSIFIERS,
    DOCUMENTS,
    ENCODERS,
    SENTENCE_ENCODERS,
    SENTENCES,
    VECTORS,
)
from firth.readers.conllu import DependencySentence

SPACE = firth.WordVectors(["red", "green"], np.eye(2, dtype=np.float32))


def said(value, name: str) -> str:
    with pytest.raises(AttributeError) as caught:
        getattr(value, name)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("wv", "write vectors.most_similar(...), not model.wv.most_similar(...)"),
        ("index2word", "use index_to_key"),
        ("get_nearest_neighbors", "use most_similar(word, topn=10)"),
        ("most_simillar", "did you mean most_similar"),
        ("transform", "use firth.sentence_vectors(vectors, texts)"),
        ("save_pretrained", "use save(path)"),
        ("push_to_hub", "use firth.push_to_hub(vectors, 'owner/name')"),
        ("get", "write vectors[word] if word in vectors else None"),
    ],
)
def test_vectors(name, answer):
    assert answer in said(SPACE, name)
    assert not hasattr(SPACE, name)


def test_private_names_have_no_advice():
    assert said(SPACE, "_ipython_display_") == "'WordVectors' object has no attribute '_ipython_display_'"


def test_options_say_that_train_returns_the_model():
    assert said(firth.Word2Vec(), "wv").endswith("train returns the model: model = Word2Vec(...).train(text)")
    assert said(firth.Word2Vec(), "vector_size").endswith("use dim")
    assert said(firth.Phrases(), "train").endswith("use Phrases(...).learn(...)")
    assert "train returns" not in said(firth.GenerationOptions(), "sampler")


@pytest.mark.parametrize("kind", [firth.Word2Vec, firth.FastText, firth.GloVe, firth.ParagraphVectors, firth.Phrases])
def test_classes_of_options_say_how_to_load(kind):
    answer = f"{kind.__name__!r} has no attribute 'load'; firth.load(path) opens a saved model"
    assert said(kind, "load") == f"type object {answer}"
    assert said(kind(), "load") == answer.replace(" has no", " object has no")
    assert "firth.from_hub(name)" in said(kind, "from_pretrained")
    assert not hasattr(kind, "load")
    assert "from_pretrained" not in pydoc.render_doc(kind)


def test_objects_are_copied_and_pickled_as_before():
    for value in (firth.Word2Vec(dim=7), SPACE):
        for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
            assert again.dim == value.dim


def test_answers_name_what_exists():
    """`use NAME` is an attribute of the class, and no name of an answer is one."""
    for kind, answers in (
        (firth.WordVectors, VECTORS),
        (firth.DocumentVectors, DOCUMENTS),
        (firth.Classifier, CLASSIFIERS),
    ):
        own = set(dir(kind)) | set(getattr(kind, "__dataclass_fields__", ())) | set(inspect.signature(kind).parameters)
        own |= {"documents", "words", "key_to_index"}
        assert own.isdisjoint(answers.keys() - {"words"})
        for answer in answers.values():
            used = answer.partition("use ")[2].partition("(")[0].partition(",")[0].partition(".")[0]
            assert not used or used == "firth" or used in own, answer


def test_answers_about_encoders_name_what_exists():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    from firth.neural.models.bidirectional.predict import BidirectionalLanguageModel
    from firth.neural.models.pretraining.encoder_model import PretrainedEncoder
    from firth.neural.models.sentences.predict import SentenceEncoder
    from firth.text.wordpieces import WordPieces

    for kind, answers in (
        (PretrainedEncoder, ENCODERS),
        (SentenceEncoder, SENTENCE_ENCODERS),
        (BidirectionalLanguageModel, BIDIRECTIONAL),
    ):
        own = set(dir(kind)) | set(inspect.signature(kind).parameters)
        assert own.isdisjoint(answers)
        for answer in answers.values():
            used = re.match(r"\w+", answer.partition("use ")[2])
            assert not used or used[0] == "firth" or used[0] in own, answer
            for name in re.findall(r"firth\.(\w+)", answer):
                assert name in firth.__all__
            for name in re.findall(r"pieces\.(\w+)", answer):
                assert name in dir(WordPieces)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("tokenize", "use pieces.tokenize(text)"),
        ("tokenizer", "use pieces"),
        ("hidden_size", "use dim"),
        ("fill_mask", "use substitutes(sentence, position)"),
        ("predict", "use substitutes(sentence, position); firth.EncoderClassifier learns labels of texts"),
        ("most_similar", "use firth.TextIndex(encoder, texts).search(query), or firth.distil(encoder, text) for words"),
        ("max_seq_length", "use config.max_length"),
    ],
)
def test_pretrained_encoders(name, answer):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    from firth.neural.models.pretraining.encoder_model import PretrainedEncoder

    encoder = PretrainedEncoder.__new__(PretrainedEncoder)
    assert said(encoder, name) == f"'PretrainedEncoder' object has no attribute {name!r}; {answer}"


def test_bidirectional_language_models_read_words_by_token_states():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    from firth.neural.models.bidirectional.predict import BidirectionalLanguageModel

    model = BidirectionalLanguageModel.__new__(BidirectionalLanguageModel)
    for name in ("encode_tokens", "embed_sentence"):
        assert "use token_states(sentences): vectors of words in their context" in said(model, name)


def test_names_of_spacy_and_stanza():
    sentence = DependencySentence.of(["Ada", "met"])
    for name, answer in SENTENCES.items():
        assert said(sentence, name) == f"'DependencySentence' object has no attribute {name!r}; {answer}"
    document = firth.Document([sentence])
    for name, answer in ANNOTATED.items():
        assert said(document, name) == f"'Document' object has no attribute {name!r}; {answer}"
    assert said(sentence, "headss").endswith("did you mean heads?")
    assert copy.copy(document) == pickle.loads(pickle.dumps(document)) == document
