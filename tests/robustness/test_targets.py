"""What is there already and is the user's own is never written over: texts that are read, and files of other kinds."""

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

import firth
from firth.cli.app import build_app
from firth.counts.phrases import PhraseTable
from firth.errors import CorpusError, FirthError, OptionError
from firth.loading import load

TEXT = "the cat sat on the mat\n" * 3
VECTORS = firth.WordVectors(["a", "b"], [[1.0, 2.0], [3.0, 4.0]])


def invoke(arguments):
    return CliRunner().invoke(build_app(arguments), arguments)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("text.txt", "text.arpa", "other.txt", "other.bin", "other.vec.gz", "texts/one.txt"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(TEXT)
    os.link("text.txt", "linked.txt")


@pytest.mark.parametrize(
    "line",
    [
        "train skipgram text.txt -o text.txt",
        "train skipgram text.txt -o ./text.txt",
        "train skipgram text.txt -o linked.txt",
        "train glove *.txt -o text.txt",
        "train skipgram texts -o texts/new.txt",
        "train fasttext text.txt -o other.bin",
        "train skipgram text.txt -o other.txt",
        "train skipgram text.txt -o other.vec.gz",
        "phrases text.txt -o text.txt",
        "phrases text.txt -o other.txt",
        "subwords train text.txt -o text.txt",
        "classify train other.bin -o other.bin",
        "classify train text.txt -o other.bin",
        "lm train kneser-ney text.arpa -o text.arpa",
        "lm train kneser-ney text.txt -o text.arpa",
        "lm train kneser-ney text.txt -o other.txt",
    ],
)
def test_commands_refuse_to_write_over_a_text(line):
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    answer = invoke(line.split())
    assert isinstance(answer.exception, OptionError)
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_a_message_says_what_is_there_and_what_models_are_saved_as():
    with pytest.raises(OptionError, match=r"begins with 'the cat sat.*; only vectors are replaced: give another name"):
        VECTORS.save("other.txt")
    answer = invoke(["lm", "train", "kneser-ney", "text.txt", "-o", "other.txt"])
    assert "models are saved as a folder" in str(answer.exception)


@pytest.mark.parametrize("text", ["Chapter 1\nIt was\n", "2 3\nnot vectors\n", "a 1 2\nb 3\n", "[1, 2]", "\x1f\x8b"])
@pytest.mark.parametrize("how", [{}, {"format": "glove"}, {"format": "fasttext"}])
def test_saving_vectors_replaces_no_file_of_something_else(text, how):
    Path("v.txt").write_text(text)
    with pytest.raises(OptionError, match="holds something else"):
        VECTORS.save("v.txt", **how)
    assert Path("v.txt").read_text() == text


def test_other_kinds_replace_no_text_either():
    for save in (VECTORS.index("exact").save, PhraseTable([], (), "_").save, VECTORS.save_word2vec_format):
        with pytest.raises(OptionError, match="holds something else"):
            save("text.txt")
    with pytest.raises(OptionError, match="is a file"):
        VECTORS.save("text.txt", format="firth")


@pytest.mark.parametrize("name", ["v.txt", "v.bin", "v.vec.xz", "v.ftz"])
def test_vectors_replace_vectors_of_any_format_and_empty_files(name):
    for format in ("glove", "word2vec", "word2vec-binary", None):
        VECTORS.save(name, format=format if not name.endswith("ftz") else None)
    Path(name).write_bytes(b"")
    VECTORS.save(name)
    assert load(name).words == ["a", "b"]


def test_indexes_and_phrases_replace_their_like():
    table = PhraseTable([{("new", "york"): (3, 2.0)}], (), "_")
    for _ in range(2):
        VECTORS.index("exact").save("v.index")
        table.save("p.json")


def test_a_place_that_cannot_be_written_is_named_as_it_was_given():
    answer = invoke(["train", "skipgram", "text.txt", "-o", "/proc/z"])
    assert isinstance(answer.exception, OSError)
    assert answer.exception.filename == "/proc/z"


@pytest.mark.parametrize("output", ["z.firth", "z.txt"])
def test_an_empty_name_is_not_the_current_folder(output):
    answer = invoke(["train", "skipgram", "", "-o", output])
    assert isinstance(answer.exception, CorpusError)
    assert "an empty name" in str(answer.exception)
    for source in ("", [Path("text.txt"), ""]):
        with pytest.raises(CorpusError, match="an empty name"):
            firth.Corpus.build(source)


@pytest.mark.parametrize(
    "text", ["a long text " * 30, "Is it? " * 90, "one" * 99, "a\0b", "~nobody " * 50, "Why?\nHow?"]
)
def test_a_text_by_itself_is_answered_with_a_short_message(text):
    with pytest.raises(CorpusError, match="a string alone is a path; pass texts as a list") as caught:
        firth.Corpus.build(text)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["a\0b", "a" * 300, "x/" * 3000])
@pytest.mark.parametrize("use", [load, VECTORS.save])
def test_names_that_no_file_can_have_are_refused_in_short(name, use):
    with pytest.raises(FirthError, match="no file can have this name") as caught:
        use(name)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(("name", "hint"), [("text.txt", "leave the column out"), ("rows.json", "name.*jsonl")])
def test_a_column_of_a_file_without_columns_is_refused(name, hint):
    Path("rows.json").write_text('{"text": "a b"}\n')
    with pytest.raises(CorpusError, match=f"has no columns.*{hint}"):
        firth.Corpus.build(name, column="text")
    with pytest.raises(CorpusError, match="standard input has no columns"):
        firth.Corpus.build("-", column="text")


def test_a_column_is_read_of_the_tables_among_texts():
    Path("rows.jsonl").write_text('{"a": "one two", "b": "three"}\n')
    corpus = firth.Corpus.build([Path("text.txt"), Path("rows.jsonl")], column="a", min_count=1)
    assert {"cat", "one"} <= set(corpus.vocabulary.words)
    assert "three" not in corpus.vocabulary.words
