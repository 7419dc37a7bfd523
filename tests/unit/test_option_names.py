"""A name that is no option is answered with what was meant: in Python, in `firth compare`, on the command line."""

import dataclasses
import inspect
import pickle
import re
import sys

import pytest

import firth
from firth.cli import app
from firth.corpus.options import CorpusOptions
from firth.corpus.table_options import TableOptions
from firth.errors import OptionError, UnknownOptionError
from firth.option_names import PUBLIC_NAMES, SYNONYMS, TEXT_OPTIONS, suggestion, synonym


def said(kind, *unnamed, **named):
    with pytest.raises(UnknownOptionError) as caught:
        kind(*unnamed, **named)
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "named", "message"),
    [
        (
            "Word2Vec",
            {"vector_size": 9},
            "vector_size=9: Word2Vec has no such option; use dim (dimension of the vectors)",
        ),
        ("Word2Vec", {"size": 9}, "use dim"),
        ("Word2Vec", {"alpha": 0.1}, "use lr (initial learning rate)"),
        ("Word2Vec", {"min_alpha": 0.1}, "use lr_end_factor (final learning rate as a share of lr)"),
        ("Word2Vec", {"sg": 1}, "use architecture ('skipgram' or 'cbow')"),
        ("Word2Vec", {"hs": 1}, "use objective ('negative' or 'hierarchical'"),
        ("Word2Vec", {"iter": 3}, "use epochs"),
        ("Word2Vec", {"ws": 3}, "use window"),
        ("Word2Vec", {"workers": 4}, "workers=4: an argument of train: Word2Vec(...).train(text, threads=...)"),
        ("Word2Vec", {"num_workers": 4}, "an argument of train: Word2Vec(...).train(text, threads=...)"),
        ("Word2Vec", {"ckpt": "a"}, "an argument of train: Word2Vec(...).train(text, checkpoint=...)"),
        ("Word2Vec", {"vectors_lockf": 0}, "an argument of train: Word2Vec(...).train(text, freeze=...)"),
        ("Word2Vec", {"cluster": "auto"}, "firth.Cluster(address=...).train(model, text) trains on a cluster"),
        ("Word2Vec", {"hosts": ["a"]}, "firth.Cluster(address=...).train(model, text) trains on a cluster"),
        ("Cluster", {"hosts": ["a"]}, "Cluster has no such option; use address (address of a Ray cluster"),
        ("Cluster", {"cluster": "auto"}, "use address"),
        ("Cluster", {"num_workers": 2}, "use workers"),
        ("Cluster", {"threads": 2}, "use workers"),
        ("Word2Vec", {"seed": 4}, "an argument of train: Word2Vec(...).train(text, seed=...)"),
        (
            "Word2Vec",
            {"min_count": 5},
            "an option of the text: Word2Vec(...).train(text, min_count=...) or Corpus.build(",
        ),
        ("Word2Vec", {"max_vocab_size": 5}, "an option of the text: Word2Vec(...).train(text, max_size=...)"),
        ("Word2Vec", {"sentences": [["a"]]}, "sentences=[['a']]: pass the text to train: Word2Vec(...).train(text)"),
        ("Word2Vec", {"sentences": "line"}, "sentences='line': an option of the text"),
        ("Word2Vec", {"widnow": 3}, "widnow=3: Word2Vec has no such option; did you mean window"),
        ("Word2Vec", {"zebra": 3}, "Word2Vec has no such option; expected one of architecture, objective, tree, dim,"),
        ("TextClassifier", {"wordNgrams": 2}, "use word_ngrams"),
        ("TextClassifier", {"minCount": 2}, "use min_count"),
        ("GloVe", {"vector_size": 2}, "use dim"),
        ("GenerationOptions", {"max_new_tokens": 2}, "use max_length"),
        ("Procrustes", {"workers": 2}, "Procrustes has no such option; expected one of method"),
    ],
)
def test_what_was_meant(kind, named, message):
    assert message in said(getattr(firth, kind), **named)


def test_options_of_the_training_of_neural_models():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    training = "an option of TrainingOptions: RecurrentLM(...).train(text, training=TrainingOptions({}=...))"
    assert training.format("lr") in said(firth.RecurrentLM, learning_rate=0.1)
    assert training.format("epochs") in said(firth.RecurrentLM, epochs=3)
    assert "use hidden" in said(firth.RecurrentLM, hidden_size=3)
    assert "use optimiser" in said(firth.TrainingOptions, optimizer="adam")


def test_every_unknown_name_has_its_line():
    lines = said(firth.Word2Vec, dim=9, vector_size=100, min_count=5, workers=4).splitlines()
    assert [line.partition("=")[0] for line in lines] == ["vector_size", "min_count", "workers"]


def test_values_without_names():
    message = said(firth.Word2Vec, [["a", "b"]] * 99)
    assert len(message) < 250
    assert "Word2Vec takes options by name, such as architecture='skipgram'; pass the text to train" in message
    assert "text" not in said(firth.GenerationOptions, 3)


def test_a_value_without_a_name_is_shown_with_the_name_that_it_may_have():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert "'bert': EncoderClassifier takes options by name, such as encoder='bert'" in said(
        firth.EncoderClassifier, "bert"
    )
    assert "such as encoder=None" in said(firth.EncoderClassifier, 3)


def test_it_is_a_type_error_and_an_option_error():
    for family in (TypeError, ValueError, OptionError, firth.FirthError):
        with pytest.raises(family):
            firth.Word2Vec(colour=1)
    assert str(pickle.loads(pickle.dumps(UnknownOptionError("text")))) == "text"


def test_an_options_class_shows_its_options():
    signature = inspect.signature(firth.Word2Vec)
    assert list(signature.parameters) == [field.name for field in dataclasses.fields(firth.Word2Vec)]
    model = firth.Word2Vec(dim=7)
    assert pickle.loads(pickle.dumps(model)) == model == dataclasses.replace(firth.Word2Vec(), dim=7)
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.dim = 8


def test_a_text_takes_names_of_gensim_too():
    with pytest.raises(OptionError, match=r"workers=4: not an argument of train; use threads"):
        firth.Word2Vec().train(["a b"], workers=4)
    with pytest.raises(OptionError, match="max_vocab_size=4: not an argument of build; use max_size"):
        firth.Corpus.build(["a b"], max_vocab_size=4)


def test_options_of_a_text_are_those_of_a_corpus():
    names = {field.name for kind in (CorpusOptions, TableOptions) for field in dataclasses.fields(kind)}
    assert set(TEXT_OPTIONS) == names | {"column", "cache"}


def test_every_synonym_leads_to_an_option():
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    known = {
        "threads",
        "seed",
        "embed",
        "start",
        "freeze",
        "checkpoint",
        *TEXT_OPTIONS,
        "cluster",
    }  # the last is a flag only
    for name in firth.__all__:
        known |= getattr(getattr(firth, name), "__dataclass_fields__", {}).keys()
    known |= inspect.signature(firth.TfidfIndex).parameters.keys()  # no options class
    meant = {each for other in SYNONYMS.values() for each in ((other,) if isinstance(other, str) else other)}
    assert meant <= known


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("Electra", "embedding_size", "use embedding_dim (width of the vectors of tokens"),
        ("MaskedLM", "embedding_size", "use dim (width of the encoder)"),
        ("Electra", "generator_dim", "use generator (width of the generator, as a share of the encoder's)"),
        ("Electra", "temperature", "Electra has no such option; expected one of embedding_dim, generator, weight, dim"),
        ("MaskedLM", "hidden_size", "use dim (width of the encoder)"),
        ("BidirectionalLM", "hidden_size", "use dim (width of the vector of a word"),
        ("RecurrentLM", "hidden_size", "use hidden ("),
        ("Context2Vec", "units", "use hidden (width of the state of each LSTM)"),
        ("MaskedLM", "mlm_probability", "use mask_rate (share of tokens that are hidden)"),
        ("MaskedLM", "whole_word_masking", "use masking ('tokens' or 'words' or 'spans')"),
        ("MaskedLM", "max_position_embeddings", "use max_length (length of a sequence in word pieces"),
        ("TransformerLM", "max_position_embeddings", "use context ("),
        ("MaskedLM", "max_seq_length", "use max_length ("),
        ("MaskedLM", "fp16", "an option of TrainingOptions: MaskedLM(...).train(text, training=TrainingOptions(prec"),
        ("MaskedLM", "resume", "an argument of train: MaskedLM(...).train(text, checkpoint=...)"),
        ("MaskedLM", "model_name_or_path", "an argument of train: MaskedLM(...).train(text, start=...)"),
        ("EncoderClassifier", "model_name_or_path", "use encoder (pretrained encoder: its folder)"),
        ("Tagger", "model_name_or_path", "an argument of train: Tagger(...).train(text, embed=...)"),
    ],
)
def test_names_of_pretrained_encoders(kind, name, message):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    assert message in said(getattr(firth, kind), **{name: 3})


@pytest.mark.parametrize("kind", ["Tagger", "BiaffineParser", "RecurrentClassifier"])
def test_embed_is_an_argument_of_train_where_it_takes_one(kind):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    of = getattr(firth, kind)
    assert said(of, embed="elmo.model") == (
        f"embed='elmo.model': an argument of train: {kind}(...).train(text, embed=...)"
    )


def test_suggestions():
    assert synonym("size", ["dim", "size_limit"]) == "dim"
    assert synonym("size", ["width"]) is None
    assert synonym("embedding_size", ["dim", "embedding_dim"]) == "embedding_dim"
    assert synonym("embedding_size", iter(["dim"])) == "dim"
    assert suggestion("size", ["dim", "sizes"]) == "use dim"
    assert suggestion("sizs", ["dim", "sizes"]) == "did you mean sizes?"
    assert suggestion("colour", []) == "expected one of none"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["skipgram", "--vector-size", "9"], "No such option: --vector-size; use --dim: Dimension of the vectors"),
        (["lsa", "--workers=9"], "No such option: --workers; use --threads: "),
        (["cbow", "--widnow", "9"], "No such option: --widnow (Possible options: --window"),
        (["cbow", "--colour", "9"], "No such option: --colour"),
    ],
)
def test_flags(monkeypatch, capsys, arguments, message):
    assert message in complaint(monkeypatch, capsys, "train", *arguments)


def test_public_names_of_other_libraries_are_answered_with_ours():
    for name, ours in PUBLIC_NAMES.items():
        with pytest.raises(AttributeError) as caught:
            getattr(firth, name)
        assert str(caught.value) == f"module 'firth' has no attribute {name!r}; use firth.{ours}"
        value = firth
        for part in re.split(r"[(:, ]", ours)[0].split("."):
            value = getattr(value, part)


def test_phrases_learn_from_a_text():
    with pytest.raises(firth.FirthError, match=r"pass the text to learn: Phrases\(\.\.\.\)\.learn\(text\)"):
        firth.Phrases([["new", "york"]], threshold=1)
    with pytest.raises(firth.FirthError, match=r"sentences=.*: pass the text to learn"):
        firth.Phrases(sentences=[["new", "york"]])


def test_flags_of_language_models(monkeypatch, capsys):
    message = complaint(monkeypatch, capsys, "lm", "train", "kneser-ney", "--max-vocab-size", "2")
    assert "No such option: --max-vocab-size; use --max-size: " in message
    message = complaint(monkeypatch, capsys, "lm", "train", "kneser-ney", "--workers", "2", status=1)
    assert "--workers 2 without --cluster; use --threads for threads of this machine" in message


def complaint(monkeypatch, capsys, *arguments, status=2):
    monkeypatch.setattr(sys, "argv", ["firth", *arguments, "text.txt", "-o", "x"])
    monkeypatch.setenv("COLUMNS", "300")
    with pytest.raises(SystemExit) as ended:
        app.main()
    assert ended.value.code == status
    return capsys.readouterr().err


@pytest.mark.parametrize("outputs", [("-oA.arpa", "-oB.arpa"), ("-o", "A", "-oB"), ("-oA", "--output=B")])
def test_two_outputs_are_refused(monkeypatch, capsys, outputs):
    monkeypatch.setattr(sys, "argv", ["firth", "lm", "train", "kneser-ney", "text.txt", *outputs])
    with pytest.raises(SystemExit):
        app.main()
    assert "expected one output" in capsys.readouterr().err


def test_models_of_a_comparison_are_checked_before_the_text_is_read(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["firth", "compare", "no-such-text.txt", "-o", "x", "--models", "word2vec"])
    with pytest.raises(SystemExit):
        app.main()
    error = capsys.readouterr().err
    assert "word2vec" in error
    assert "no-such-text" not in error
