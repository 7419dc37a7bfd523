"""A pipeline from raw text to trees: training, annotation, scores, saving, commands."""

import json
import shutil
import warnings
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth import loading
from firth.cli import app
from firth.documents import annotate as annotation
from firth.documents.processes import InProcess
from firth.documents.stages import Stages
from firth.errors import ArgumentTypeError, CorpusError, FormatError, OptionError
from firth.pipeline.raw_text import raw_text
from firth.readers.conllu import DependencySentence, read_conllu, write_conllu
from tests.unit.pipeline.treebanks import treebank


@pytest.fixture(scope="module")
def pipeline():
    with pytest.warns(UserWarning, match="the treebank has no xpos: the pipeline does not learn them"):
        return firth.Pipeline(parser="transition", epochs=12).train(treebank(90), seed=1, progress=False)


def test_raw_text_becomes_trees(pipeline):
    gold = treebank(30, seed=7)
    scores = pipeline.test(gold)
    assert scores["Words"].f1 == scores["Sentences"].f1 == 1
    assert scores["UPOS"].f1 > 0.95
    assert scores["Lemmas"].f1 > 0.9
    assert scores["LAS"].f1 > 0.8
    assert pipeline.targets == ("upos", "feats", "lemma")


def test_it_is_saved_whole_and_its_models_open_alone(pipeline, tmp_path):
    text = raw_text(treebank(5, seed=3)).text
    pipeline.save(tmp_path / "p")
    assert firth.load(tmp_path / "p").annotate(text) == pipeline.annotate(text)
    assert firth.load(tmp_path / "p" / "model-1").targets == pipeline.targets
    assert firth.annotate(text, pipeline=tmp_path / "p") == firth.annotate(text, pipeline=pipeline)


def test_the_models_of_a_folder_are_opened_once(pipeline, tmp_path, monkeypatch):
    """In one process; several open tagger and parser in folders that the pipeline names."""
    pipeline.save(tmp_path / "p")
    opened, load = list[str](), loading.load
    monkeypatch.setattr(loading, "load", lambda path: opened.append(str(path)) or load(path))
    firth.annotate("M. Blanc aime le livre.", pipeline=tmp_path / "p")
    (tmp_path / "a.txt").write_text("M. Blanc aime le livre.", encoding="utf-8")
    firth.annotate_files(tmp_path / "a.txt", tmp_path / "a.conllu", pipeline=tmp_path / "p", progress=False)
    given = list[dict[str, object]]()
    stages = Stages.of(pipeline.tagger, pipeline.parser)
    monkeypatch.setattr(annotation, "Processes", lambda models, *_, **__: given.append(models) or InProcess(stages))
    out = tmp_path / "b.conllu"
    firth.annotate_files(tmp_path / "a.txt", out, pipeline=tmp_path / "p", processes=2, progress=False)
    assert [given[0]["tagger"], given[0]["parser"]] == [[str(tmp_path / "p/model-1")], str(tmp_path / "p/model-2")]
    assert opened == [str(tmp_path / "p")] * 3
    assert [firth.load(folder).columns for folder in pipeline.folders(tmp_path / "p")[1:]] == [pipeline.parser.columns]


def test_files_are_annotated_by_a_folder(pipeline, tmp_path, capsys):
    pipeline.save(tmp_path / "p")
    raw = raw_text(treebank(6, seed=4))
    (tmp_path / "a.txt").write_text(raw.text, encoding="utf-8")
    write_conllu(tmp_path / "gold.conllu", treebank(6, seed=4))
    app_of(["annotate", tmp_path / "a.txt", "--pipeline", tmp_path / "p", "-o", tmp_path / "a.conllu"])
    sentences = list(read_conllu(tmp_path / "a.conllu"))
    assert [sentence.words for sentence in sentences] == [sentence.words for sentence in treebank(6, seed=4)]
    capsys.readouterr()
    app_of(["pipeline", "test", tmp_path / "p", tmp_path / "gold.conllu", "--json", "-q"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["metric"] for row in rows][:3] == ["Tokens", "Sentences", "Words"]


def test_an_interrupted_tagger_leaves_out_the_parser(monkeypatch):
    """The next model would start behind the first Ctrl-C."""
    train = firth.Tagger.train

    def interrupted(self, *given, **named):
        model = train(self, *given, **named)
        model.metadata["training"]["ended"] = "interrupted"
        return model

    monkeypatch.setattr(firth.Tagger, "train", interrupted)
    options = firth.Pipeline(parser="transition", epochs=1)
    with pytest.warns(UserWarning, match="no xpos"), pytest.warns(UserWarning, match="the pipeline has no parser"):
        model = options.train(treebank(20), seed=1, progress=False)
    assert model.parser is None
    assert model.metadata["training"]["interrupted"]


def test_what_is_no_pipeline_is_refused(pipeline, tmp_path):
    with pytest.raises(ArgumentTypeError, match="expected a pipeline"):
        firth.annotate("a", pipeline=7)
    (tmp_path / "a.txt").write_text("a", encoding="utf-8")
    with pytest.raises(ArgumentTypeError, match="a file; expected the folder of a pipeline"):
        firth.annotate("a", pipeline=tmp_path / "a.txt")
    with pytest.raises(OptionError, match="language with a pipeline"):
        firth.annotate("a", pipeline=pipeline, language="fr")
    with pytest.raises(CorpusError, match="neither tags nor trees"), pytest.warns(UserWarning, match="has no upos"):
        firth.Pipeline().train([DependencySentence.of(["a", "b"])] * 20, progress=False)
    with pytest.raises(CorpusError, match="one sentence"):
        firth.Pipeline().train(treebank(1), progress=False)


def test_what_its_folder_is_good_for_is_said(pipeline, tmp_path, capsys):
    pipeline.save(tmp_path / "p")
    app_of(["info", tmp_path / "p", "--json", "-q"])
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["training"]["sentences"], list(pipeline.parts())) == (
        "pipeline", 81, [name for name in facts if name.startswith("model-")],
    )  # fmt: skip
    assert facts["model-2"]["about"] == repr(pipeline.parser).strip("<>")
    assert facts["model-0"]["training"] == pipeline.tokeniser.metadata["training"]
    write_conllu(tmp_path / "a.conllu", treebank(1))
    for command in (["tag", "predict"], ["parse", "predict"], ["tag", "test"]):
        with pytest.raises(OptionError, match=r"holds a pipeline, expected a .*; use `firth annotate TEXT --pipeline`"):
            app.build_app(command)([*command, str(tmp_path / "p"), str(tmp_path / "a.conllu")], standalone_mode=False)
    with pytest.raises(OptionError, match="expected word vectors; use `firth annotate TEXT --pipeline`"):
        firth.loading.load_vectors(tmp_path / "p")
    with pytest.raises(ArgumentTypeError, match="expected a parser; give it as pipeline="):
        firth.annotate("a", parser=tmp_path / "p")
    with pytest.raises(ArgumentTypeError, match=r"expected a pipeline, .*; give it as tagger="):
        firth.annotate("a", pipeline=tmp_path / "p" / "model-1")


@pytest.mark.parametrize("part", ["model-0", "model-1", "model-2"])
@pytest.mark.parametrize("damage", ["missing", "altered", "another model than was saved here, or damaged"])
def test_the_part_of_a_folder_that_is_damaged_is_named(pipeline, tmp_path, part, damage):
    pipeline.save(tmp_path / "p")
    if damage == "altered":
        weights = tmp_path / "p" / part / "model.safetensors"
        content = bytearray(weights.read_bytes())
        content[-9] ^= 1
        weights.write_bytes(content)
    else:
        shutil.rmtree(tmp_path / "p" / part)
    if damage.startswith("another"):
        firth.LearnedTokeniser(epochs=1).train(treebank(9)).save(tmp_path / "p" / part)
    named = rf"p/{part}/model\.safetensors: altered" if damage == "altered" else rf"p/{part} is {damage}; fetch"
    with pytest.raises(FormatError, match=named):
        firth.annotate("a", pipeline=tmp_path / "p")


@pytest.mark.parametrize(
    ("content", "tokens"),
    [
        (b"", []),
        (b" \t\n\n  \r\n", []),
        (b"!", ["!"]),
        (b"M. Blanc aime\r\nle livre.\r\n\r\nle parc\r\n", ["M.", "Blanc", "aime", "le", "livre", ".", "le", "parc"]),
        ("\ufeffM. Blanc".encode(), ["M.", "Blanc"]),
        ("M. Blanc aime le marché.".encode("utf-16"), ["M.", "Blanc", "aime", "le", "marché", "."]),
        (b"le " + b"a" * 100_000 + b" du.", ["le", "a" * 100_000, "du", "."]),
    ],
)
def test_odd_texts_have_all_their_tokens(pipeline, tmp_path, content, tokens):
    (tmp_path / "a.txt").write_bytes(content)
    firth.annotate_files(tmp_path / "a.txt", tmp_path / "a.conllu", pipeline=pipeline, progress=False)
    found = [
        token
        for document in firth.read_documents(tmp_path / "a.conllu")
        for s in document.sentences
        for token in s.tokens
    ]
    assert found == tokens


def test_what_a_treebank_lacks_is_left_out_and_told():
    """Sentences of one word, without spaces, lemmas, features and heads."""
    words = [DependencySentence.of([word]).annotated(tags=[tag]) for word, tag in [("Oui", "INTJ"), ("Paris", "PROPN")]]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = firth.Pipeline(epochs=1).train(words * 10, progress=False)
    messages = [str(warning.message) for warning in told]
    assert "the treebank has no xpos, feats, lemma, trees: the pipeline does not learn them" in messages
    assert any("a space after every token" in message for message in messages)
    assert (model.targets, model.parser) == (("upos",), None)
    (sentence,) = model.annotate("Oui").sentences
    assert (sentence.words, sentence.lemmas, sentence.heads) == (("Oui",), ("_",), ())


def test_held_out_sentences_without_trees_are_told():
    flat = [replace(s, rows=tuple((*r[:6], "_", "_", *r[8:]) for r in s.rows)) for s in treebank(3, seed=2)]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        firth.Pipeline(parser="transition", epochs=1).train(treebank(20), held_out=flat, progress=False)
    messages = [str(warning.message) for warning in told]
    assert "no held-out sentence has a tree: the last 2 of 20 select the parser's epoch" in messages


def app_of(arguments):
    """Run the command line."""
    assert app._run(list(map(str, arguments))) == 0
