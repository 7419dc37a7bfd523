"""Sentences with tags from files and objects."""

import json

import pytest

pandas = pytest.importorskip("pandas", reason="pandas is not installed: pip install 'firth[pandas]'")
pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")

import firth
from firth.documents.document import Entity
from firth.documents.files import write_documents
from firth.errors import CorpusError, FormatError, OptionError
from firth.neural.models.parsers.size_defaults import tag_of
from firth.neural.models.tagging.data import Reading, default_targets, read_tagged
from firth.readers.columns import read_columns
from firth.readers.conllu import read_conllu

CONLLU = "1\tShe\tshe\tPRON\tPRP\tCase=Nom\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
COLUMNS = "EU NNP I-ORG\nrejects VBZ O\n\nPeter NNP I-PER\n"


@pytest.fixture
def conllu(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    return path


@pytest.fixture
def columns(tmp_path):
    path = tmp_path / "a.train"
    path.write_text(COLUMNS, encoding="utf-8")
    return path


def test_conllu(conllu):
    examples = read_tagged(conllu, ["upos", "feats"])
    assert examples.tags == {"upos": [("PRON", "VERB")], "feats": [("Case=Nom", "_")]}
    assert examples.sentences[0].words == ("She", "runs")
    assert read_tagged(list(read_conllu(conllu)), ["xpos"]).tags == {"xpos": [("PRP", "VBZ")]}


def test_columns_by_number_or_the_last_one(columns):
    assert read_tagged(columns, ["ner"]).tags == {"ner": [("I-ORG", "O"), ("I-PER",)]}
    both = read_tagged([str(columns)], ["2", "3"])
    assert both.tags == {"2": [("NNP", "VBZ"), ("NNP",)], "3": [("I-ORG", "O"), ("I-PER",)]}
    assert both.rows([1]).sentences == [("Peter",)]
    assert len(read_tagged(list(read_columns(columns)), ["ner"])) == 2


def test_columns_by_name_and_behind_one_that_counts(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("token\tpos\tner\nIda\tNE\tB-PER\nlief\tV\tO\n", encoding="utf-8")
    assert read_tagged(path, ["pos"]).tags == {"pos": [("NE", "V")]}
    path.write_text("1\tIda\tB-PER\tO\n2\tlief\tO\tO\n", encoding="utf-8")
    with pytest.warns(UserWarning, match="column 2 is read as words"):
        found = read_tagged(path, ["3"])
    assert (found.sentences, found.tags) == ([("Ida", "lief")], {"3": [("B-PER", "O")]})
    with (
        pytest.warns(UserWarning, match="column 2 is read as words"),
        pytest.warns(UserWarning, match="tags are read from the last of 2 columns, 4; number another one"),
    ):
        assert read_tagged(path, ["tag"]).tags == {"tag": [("O", "O")]}
    assert read_tagged(path, ["2"], Reading(word_column=1)).tags == {"2": [("Ida", "lief")]}


def test_python_objects(conllu):
    pairs = [("He eats", ["PRON", "VERB"]), (["Run"], ["VERB"]), ("", [])]
    assert read_tagged(pairs, ["pos"]).tags == {"pos": [("PRON", "VERB"), ("VERB",)]}
    both = read_tagged([(["a"], {"x": ["1"], "y": ["2"]})], ["y", "x"])
    assert list(both.tags) == ["y", "x"]
    (sentence,) = read_conllu(conllu)
    document = firth.Document((sentence, sentence), entities=[Entity(0, 1, "A"), Entity(2, 4, "B"), Entity(3, 4, "C")])
    with pytest.warns(UserWarning, match="left out 1 of 3 entities, which are inside or across others"):
        found = read_tagged([document], ["ner", "upos"]).tags
    assert found == {"ner": [("B-A", "O"), ("B-B", "I-B")], "upos": [("PRON", "VERB")] * 2}


def test_entities_of_files_of_documents(conllu, tmp_path):
    """What `firth annotate` writes can be learned from."""
    document = firth.Document(tuple(read_conllu(conllu)) * 2, entities=[Entity(0, 1, "A"), Entity(2, 4, "B")])
    for name in ("d.jsonl", "d.conllu"):
        write_documents(tmp_path / name, [document, document])
        found = read_tagged(tmp_path / name, ["ner", "upos"])
        assert found.tags == {"ner": [("B-A", "O"), ("B-B", "I-B")] * 2, "upos": [("PRON", "VERB")] * 4}
    assert [default_targets(each) for each in (tmp_path / "d.jsonl", [str(tmp_path / "d.jsonl")])] == [("ner",)] * 2
    assert default_targets(tmp_path / "d.conllu") == ("upos", "feats")


TWO_ROOTS = CONLLU.replace("\t2\tnsubj", "\t0\troot")


def test_heads_of_a_treebank_do_not_matter(tmp_path):
    """Two roots, a cycle, and heads that are partly "_"."""
    path = tmp_path / "a.conllu"
    heads = (TWO_ROOTS, CONLLU.replace("\t0\troot", "\t1\tdep"), CONLLU.replace("\t2\tnsubj", "\t_\t_"))
    path.write_text("".join(heads), encoding="utf-8")
    assert read_tagged(path, ["upos"]).tags == {"upos": [("PRON", "VERB")] * 3}


def test_damaged_sentences_do_not_end_a_training(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(f"{CONLLU}1\tShe\n\n{CONLLU}", encoding="utf-8")
    with pytest.warns(UserWarning, match="skipped 1 of 3 sentences: line 4: 2 columns, expected 10"):
        assert len(read_tagged(path, ["upos"])) == 2
    with pytest.raises(FormatError, match="line 4: 2 columns"):
        read_tagged(path, ["upos"], Reading(on_error="stop"))


def test_entities_of_other_programs(tmp_path):
    """Spans as doccano writes them; a table of words."""
    spans = {
        "text": "Ada Byron left. She met Zoë.",
        "label": [[0, 9, "PER"], [4, 9, "X"], [24, 27, "PER"], [4, 14, "Y"]],
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(spans), encoding="utf-8")
    with pytest.warns(UserWarning, match="left out 2 of 4 entities, which are inside or across others or go over"):
        found = read_tagged(tmp_path / "a.jsonl", ["ner"])
    assert found.tags == {"ner": [("B-PER", "I-PER", "O", "O"), ("O", "O", "B-PER", "O")]}
    assert default_targets(tmp_path / "a.jsonl") == ("ner",)
    (tmp_path / "a.csv").write_text("Sentence,Word,POS,Tag\n1,Ada,NNP,U-PER\n2,left,VBD,O\n", encoding="utf-8")
    assert read_tagged(tmp_path / "a.csv", ["tag"]).tags == {"tag": [("U-PER",), ("O",)]}
    assert read_tagged([tmp_path / "a.csv"], ["pos"]).tags == {"pos": [("NNP",), ("VBD",)]}
    assert default_targets(tmp_path / "a.csv") == ("tag",)
    with pytest.raises(OptionError, match="word_column='5': expected a number from 1 to 4, or one of Sentence, Word"):
        read_tagged(tmp_path / "a.csv", ["tag"], Reading(word_column=5))


def test_words_that_conllu_leaves_without_a_tag_are_no_gold(conllu):
    """ "_" means that nobody tagged the word; of features it means that there are none."""
    (whole,) = read_conllu(conllu)
    partly = whole.annotated(tags=["_", "VERB"])
    with pytest.warns(UserWarning, match="left out 1 sentence with words without upos"):
        assert read_tagged([whole, partly], ["upos"]).tags == {"upos": [("PRON", "VERB")]}
    assert len(read_tagged([whole, partly], ["feats"])) == 2
    with pytest.raises(CorpusError, match="every sentence has words without upos"):
        read_tagged([partly], ["upos"])


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([[("John", "B-PER"), ("lives", "O")]], [("B-PER", "O")]),  # of NLTK; two words
        ([[["a", "X"], ["b", "Y"], ["c", "Z"]], [["a", "X"], ["b", "Y"]], []], [("X", "Y", "Z"), ("X", "Y")]),
        ([(["a", "b"], ["X", "Y"])], [("X", "Y")]),
        ([[("a", "b"), ("X", "Y")], [("a", "b", "c"), ("X", "Y", "Z")]], [("X", "Y"), ("X", "Y", "Z")]),
    ],
)
def test_pairs_of_words_and_tags(items, expected):
    found = read_tagged(items, ["tag"])
    assert found.tags == {"tag": expected}
    assert [len(words) for words in found.sentences] == list(map(len, expected))


def test_targets_that_nobody_names(conllu, columns):
    sentences = list(read_conllu(conllu))
    assert [default_targets(each) for each in (conllu, [str(conllu)], sentences)] == [("upos", "feats")] * 3
    assert [default_targets(each) for each in (columns, [("a", ["X"])], [])] == [("tag",)] * 3
    plain = firth.Document(tuple(sentences))
    assert default_targets([plain]) == ("upos", "feats")
    assert default_targets([plain, plain.annotated(entities=[Entity(0, 1, "A")])]) == ("ner",)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ("upos", "feats")),
        ({"features": ["_", "_"]}, ("upos",)),
        ({"tags": ["_", "_"]}, ("xpos",)),
        ({"tags": ["_", "_"], "language_tags": ["_", "_"]}, ("upos",)),
    ],
)
def test_a_treebank_has_the_tags_by_default_that_a_parser_reads(tmp_path, changes, expected):
    sentences = [sentence.annotated(**changes) for sentence in read_conllu(_written(tmp_path, CONLLU))]
    assert default_targets(sentences) == expected
    assert default_targets(_written(tmp_path, f"{sentences[0]}\n\n1\tdamaged\n\n")) == expected
    assert firth.TransitionParser(tag=tag_of(sentences)).columns in (expected, ())


def _written(folder, text):
    path = folder / "b.conllu"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("source", "targets", "error", "problem"),
    [
        ("nothing.conllu", ["upos"], CorpusError, "no such file"),
        ([], ["upos"], CorpusError, "no sentences"),
        (3, ["upos"], CorpusError, "found 3"),
        (["missing.txt"], ["upos"], CorpusError, "missing.txt: no such file"),
        ([("a b", ["X"])], ["pos"], CorpusError, "1 tag for 2 words"),
        ([("a", {"x": ["1"]})], ["y"], OptionError, "no tags for the target 'y'"),
        ([(["", "b"], ["X", "Y"])], ["pos"], FormatError, "words that are not empty"),
        ([("a", ["X"], 3)], ["pos"], CorpusError, "item 0 is"),
        ([("a b", ["X", None])], ["pos"], CorpusError, "item 0: a word has the tag None"),
        ([("a b", None)], ["pos"], CorpusError, "item 0: the tags None; expected a list"),
        ([("I", "X")], ["pos"], CorpusError, "item 0: the tags 'X' are one string"),
        (
            pandas.DataFrame({"words": ["a"], "tags": ["X"]}),
            ["pos"],
            CorpusError,
            "a DataFrame with the columns 'words'",
        ),
    ],
)
def test_what_is_refused(source, targets, error, problem):
    with pytest.raises(error, match=problem):
        read_tagged(source, targets)


def test_a_file_without_entities_beside_others(tmp_path):
    """What `firth tag correct` chose may have no name in it; of files that all lack them nobody marked any."""
    marked, plain = tmp_path / "marked.jsonl", tmp_path / "plain.jsonl"
    marked.write_text('{"text": "Ada left.", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}\n')
    plain.write_text('{"text": "She left.", "spans": [], "answer": "accept"}\n')
    assert default_targets([plain, marked]) == default_targets(plain) == ("ner",)
    with pytest.warns(UserWarning, match=r"plain.jsonl: no entities; read as 1 sentence without any"):
        examples = read_tagged([plain, marked], ["ner"])
    assert examples.tags["ner"] == [("O", "O", "O"), ("B-PER", "O", "O")]
    with pytest.raises(OptionError, match="the target 'ner', and no entities; expected texts with spans"):
        read_tagged(plain, ["ner"])
    with pytest.warns(UserWarning, match="no entities; read"), pytest.raises(OptionError, match="expected texts with"):
        read_tagged([plain, plain], ["ner"])


def test_targets_that_a_file_lacks_are_refused(conllu, columns):
    with pytest.raises(OptionError, match="the target 'pos'; CoNLL-U has upos, xpos, feats"):
        read_tagged(conllu, ["pos"])
    with pytest.raises(OptionError, match="the target 'ner', and no entities; CoNLL-U has them as NER="):
        read_tagged(conllu, ["ner"])
    for target in ("4", "1", "0"):
        with pytest.raises(OptionError, match="expected a column from 1 to 3, except that of the words, 1"):
            read_tagged(columns, [target])
    with pytest.raises(OptionError, match="expected numbers of columns"):
        read_tagged(columns, ["pos", "ner"])
