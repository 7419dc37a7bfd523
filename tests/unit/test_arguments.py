"""Options of functions are in their signatures and help, and a wrong name gets the right one."""

import dataclasses
import inspect
import pydoc
import typing

import numpy as np
import pytest

import firth
from firth.bias.methods import METHODS, DebiasingArguments
from firth.corpus.options import CorpusArguments, CorpusOptions, TextArguments, TextOptions, TokenArguments
from firth.errors import ArgumentTypeError, FirthError, UnknownOptionError
from firth.hints import TEXT_OPTIONS
from firth.options import SIZE_DEFAULT, may_be_by_size
from firth.vectors.index.options import OPTIONS, EffortArguments, IndexArguments
from firth.vectors.io.table import LoadArguments

VECTORS = firth.WordVectors(["red", "green", "blue"], np.eye(3, dtype=np.float32))


def names_of(kind: type) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


def said(call, *args, **named) -> str:
    with pytest.raises(UnknownOptionError) as caught:
        call(*args, **named)
    return str(caught.value)


class TestArgumentsAndOptionsAgree:
    """A TypedDict repeats the names and types of options: it has exactly those of the one definition."""

    @pytest.mark.parametrize(("arguments", "kind"), [(CorpusArguments, CorpusOptions), (TextArguments, TextOptions)])
    def test_of_a_text(self, arguments, kind):
        hints, fields = typing.get_type_hints(arguments), typing.get_type_hints(kind)
        assert set(hints) == names_of(kind)
        free = {"stop_words", "tokens"}  # a list does for a tuple, and a tokeniser of another library for a function
        assert {name: hints[name] for name in set(hints) - free} == {name: fields[name] for name in set(hints) - free}
        assert set(typing.get_args(fields["tokens"])) <= set(typing.get_args(hints["tokens"]))

    def test_of_tokens(self):
        assert typing.get_type_hints(TokenArguments).items() <= typing.get_type_hints(CorpusArguments).items()
        assert set(TEXT_OPTIONS) == names_of(TextOptions)

    def test_of_indexes(self):
        fields = {name: hint for kind in OPTIONS.values() for name, hint in typing.get_type_hints(kind).items()}
        assert typing.get_type_hints(IndexArguments) == fields
        assert typing.get_type_hints(EffortArguments).items() <= fields.items()

    def test_of_load(self):
        parameters = dict(list(inspect.signature(firth.load).parameters.items())[2:])
        hints = typing.get_type_hints(LoadArguments)
        assert {name: parameter.annotation for name, parameter in parameters.items()} == hints

    def test_of_debiasing(self):
        names = {name for method in METHODS.values() for name in method.options}
        assert set(typing.get_type_hints(DebiasingArguments)) == names


class TestHelp:
    @pytest.mark.parametrize("name", ["Word2Vec", "GloVe", "TextClassifier", "NgramLM", "Phrases", "GenerationOptions"])
    def test_help_lists_every_option(self, name):
        kind = getattr(firth, name)
        text = pydoc.plain(pydoc.render_doc(kind))
        for field in dataclasses.fields(kind):
            (line,) = [line for line in text.splitlines() if line.startswith(f" |      {field.name}: ")]
            assert field.metadata["help"] in line
            default = SIZE_DEFAULT if field.default is None and may_be_by_size(field) else repr(field.default)
            assert f"default {default}" in line

    def test_an_option_has_its_range(self):
        lines = [line.strip() for line in (firth.Word2Vec.__doc__ or "").splitlines()]
        assert "dim: dimension of the vectors (a whole number of at least 1; default 100)" in lines
        (line,) = [line for line in lines if line.startswith("architecture: ")]
        assert line.endswith("('skipgram' or 'cbow'; default 'skipgram')")
        (line,) = [line for line in lines if line.startswith("shrink_windows: ")]
        assert line.endswith("(True or False; default True)")

    def test_options_of_a_text_are_in_the_help_of_methods(self):
        (field,) = [field for field in dataclasses.fields(CorpusOptions) if field.name == "min_count"]
        for method in (firth.Corpus.build, firth.Word2Vec.train, firth.Phrases.learn, firth.NgramLM.train):
            assert f"min_count: {field.metadata['help']} (a whole number" in (inspect.getdoc(method) or "")
        assert "**text" not in (firth.Word2Vec.train.__doc__ or "")
        assert "default 1)" in (firth.Phrases.learn.__doc__ or "")


class TestSignatures:
    def test_options_of_a_text_stand_one_by_one(self):
        parameters = inspect.signature(firth.Word2Vec.train).parameters
        assert list(parameters)[:4] == ["self", "corpus", "seed", "threads"]
        assert set(TEXT_OPTIONS) <= set(parameters)
        assert parameters["min_count"].default == CorpusOptions().min_count
        assert parameters["min_count"].kind is inspect.Parameter.KEYWORD_ONLY
        assert inspect.signature(firth.NgramLM.train).parameters["unknown"].default == "<unk>"
        assert set(inspect.signature(firth.Corpus.build).parameters) >= names_of(CorpusOptions)
        assert "csls" in inspect.signature(firth.WordVectors.index).parameters

    def test_no_public_function_takes_any_name(self):
        """Whatever `firth` exports names its arguments: `**options: Any` would tell editors and checkers nothing."""
        open_ended = []
        for name in firth.__all__:
            value = getattr(firth, name)
            members = inspect.getmembers(value, callable) if inspect.isclass(value) or inspect.ismodule(value) else []
            for place, function in [(name, value), *((f"{name}.{member}", each) for member, each in members)]:
                if place.rpartition(".")[2].startswith("_") or inspect.isclass(function):
                    continue
                if not str(getattr(function, "__module__", "")).startswith("firth"):
                    continue  # of Python's own classes
                last = list(inspect.signature(function).parameters.values())[-1:]
                if last and last[0].kind is last[0].VAR_KEYWORD and not typing.is_typeddict(*unpacked(last[0])):
                    open_ended.append(place)
        assert open_ended == ["Cluster.train"]  # it hands all on to the train of any model


def unpacked(parameter):
    return typing.get_args(parameter.annotation) or (None,)


class TestUnknownNames:
    @pytest.mark.parametrize(
        ("call", "named", "message"),
        [
            (
                lambda **named: VECTORS.most_similar("red", **named),
                {"n": 3},
                "n=3: not an argument of most_similar; use topn",
            ),
            (lambda **named: VECTORS.analogy("red", "green", "blue", **named), {"topn": 3}, "use n"),
            (lambda **named: VECTORS.index("hnsw", **named), {"efConstruction": 3}, "expected one of kind, "),
            (lambda **named: firth.Word2Vec().train(["a b"], **named), {"workers": 4}, "use threads"),
            (lambda **named: firth.Corpus.build(["a b"], **named), {"tokenizer": str.split}, "use tokens"),
            (lambda **named: firth.Corpus.build(["a b"], **named), {"vocab_size": 9}, "use max_size"),
            (lambda **named: firth.evaluate(VECTORS, **named), {"sets": "men"}, "use suites"),
            (lambda **named: firth.load("x", **named), {"binary": True}, "expected one of path, kind, format"),
            (  # a method that the class inherits, and that stands elsewhere under another name
                lambda **named: firth.GCN().train([[0]], **named),
                {"edge_index": [[0]], "nodes": 3},
                "edge_index=[[0]]: not an argument of train; use edges\n"
                "nodes=3: not an argument of train; expected one of edges, features, ",
            ),
        ],
    )
    def test_what_was_meant(self, call, named, message):
        assert message in said(call, **named)

    def test_an_option_of_the_model(self):
        message = said(firth.TextClassifier().train, ["a"], ["b"], epochs=3)
        assert message == (
            "epochs=3: not an argument of train, but an option of TextClassifier: TextClassifier(epochs=3).train(...)"
        )
        assert "Word2Vec(dim=9).train(...)" in said(firth.Word2Vec().train, ["a b"], vector_size=9)

    def test_an_option_of_an_argument(self):
        model = firth.NgramLM(order=2, smoothing="add-k").train(["a b c"] * 5, min_count=1, progress=False)
        message = said(model.generate, "a", temperature=0.5)
        assert message.endswith("generate(..., options=GenerationOptions(temperature=0.5))")
        assert "use n" in said(model.generate, "a", num_return_sequences=3)
        assert "use topn" in said(model.next_words, "a", n=3)

    def test_every_unknown_name_has_its_line(self):
        lines = said(firth.Word2Vec().train, ["a b"], workers=4, size=9).splitlines()
        assert [line.partition("=")[0] for line in lines] == ["workers", "size"]

    def test_a_mistake_inside_is_not_explained_away(self):
        def broken(text):
            raise TypeError("inside")

        with pytest.raises(TypeError, match=r"^inside$"):
            firth.Corpus.build(["a b"], tokens=broken)
        with pytest.raises(TypeError, match=r"^train: source is missing$"):
            firth.TextClassifier().train()
        with pytest.raises(TypeError, match=r"^train: features and labels are missing$"):
            firth.GCN().train([[0]])

    def test_a_text_under_the_name_of_an_option(self):
        message = said(firth.Word2Vec().train, sentences=[["a", "b"]])
        assert message == "sentences=[['a', 'b']]: corpus is missing; give it first: train([['a', 'b']])"
        assert said(firth.Subwords.train, ["a"], vocab_size=9).endswith("use size")


class TestWrongValues:
    def test_classes_that_are_made_otherwise(self):
        for kind, way in (
            (firth.Corpus, "firth.Corpus.build('x.txt')"),
            (firth.WordVectors, "firth.load('x.txt')"),
            (firth.Classifier, "firth.load('x.txt')"),
        ):
            with pytest.raises(ArgumentTypeError) as caught:
                kind("x.txt")
            assert way in str(caught.value)
            assert isinstance(caught.value, TypeError)

    def test_a_path_where_vectors_belong(self):
        for train in (firth.Word2Vec().train, firth.TextClassifier().train, firth.ParagraphVectors().train):
            with pytest.raises(
                ArgumentTypeError, match=r"start='a\.firth' is a str; expected vectors: firth\.load\('a\.firth'\)"
            ):
                train(["a b"], start="a.firth")
        with pytest.raises(ArgumentTypeError, match=r"firth\.load\('a\.firth'\)"):
            firth.Procrustes().align("a.firth", VECTORS, [("red", "red")])
        with pytest.raises(ArgumentTypeError, match=r"firth\.load\('a\.firth'\)"):
            firth.postprocess.centre("a.firth")

    def test_a_dictionary_where_options_belong(self):
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
        with pytest.raises(ArgumentTypeError, match=r"TrainingOptions\(epochs=2, lr=0\.1\)"):
            firth.RecurrentLM().train(["a b"], training={"epochs": 2, "lr": 0.1})

    def test_options_of_training_under_another_name(self):
        pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
        training = firth.TrainingOptions()
        for name in ("options", "args"):  # the first is also what `train` calls the model itself
            assert said(firth.RecurrentLM().train, ["a b"], **{name: training}).endswith("use training")

    def test_it_is_of_the_family(self):
        assert issubclass(UnknownOptionError, FirthError)
        assert issubclass(UnknownOptionError, TypeError)


@pytest.mark.parametrize(
    ("named", "option"), [({"num_workers": 2}, "workers"), ({"threads": 2}, "workers"), ({"hosts": 2}, "address")]
)
def test_names_of_options_of_clusters(named, option):
    with pytest.raises(UnknownOptionError, match=rf"an option of Cluster: Cluster\({option}=2\).train\(...\)"):
        firth.Cluster().train(firth.Word2Vec(), "text.txt", **named)
