"""Coreference files in the columns of CoNLL-2012."""

import io
import tarfile

import pytest

from firth.documents.coreference_files import read_coreference, write_coreference
from firth.documents.document import Document, Entity
from firth.errors import CorpusError, FormatError
from firth.readers.conllu import DependencySentence

CONLL = """#begin document (bc/a_0); part 000
bc/a_0 0 0 Ada NNP (TOP* - - - - * (1)
bc/a_0 0 1 saw VBD * - - - - * -
bc/a_0 0 2 her PRP$ * - - - - * (2|(1)
bc/a_0 0 3 dog NN *) - - - - * 2)

bc/a_0 0 0 It PRP * - - - - * (2)

#end document
#begin document (bc/a_0); part 001
bc/a_0 1 0 Hm UH * - - - - * -

#end document
"""


def test_columns_parts_and_nested_mentions(tmp_path):
    (tmp_path / "a.v4_gold_conll").write_text(CONLL)
    first, second = read_coreference(tmp_path)
    assert (first.name, second.name) == ("bc/a_0", "bc/a_0 part 1")
    assert first.tokens == ("Ada", "saw", "her", "dog", "It")
    assert first.sentence_starts == (0, 4)
    assert first.clusters == (((0, 1), (2, 3)), ((2, 4), (4, 5)))
    assert first.sentences[0].language_tags == ("NNP", "VBD", "PRP$", "NN")
    assert second.clusters == ()


def test_gum_has_types_and_brackets_without_bars(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text(
        "# begin document a\n0\tDutch\t(abstract-2(place-1-Old_Dutch)\n1\tart\tabstract-2)\n# end document\n"
    )
    (document,) = read_coreference(path)
    assert document.clusters == (((0, 2),), ((0, 1),))
    assert document.entities == (Entity(0, 2, "abstract"), Entity(0, 1, "place"))


def test_crossing_mentions_come_back_as_written(tmp_path):
    """(0, 3) and (2, 5) cross; two mentions of one chain nest and end together."""
    words = [DependencySentence.of(["a", "b", "c"]), DependencySentence.of(["d", "e", "f", "g"])]
    document = Document(tuple(words), "x", clusters=(((0, 3), (4, 7), (5, 7)), ((2, 5),), ((3, 4),)))
    write_coreference(tmp_path / "x.conll", [document, document])
    assert [each.clusters for each in read_coreference(tmp_path / "x.conll")] == [document.clusters] * 2


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("#begin document (a (b); c); part 000", "a (b); c"),
        ("#begin document (a) b); part 003", "a) b part 3"),
        ("# begin document a;b", "a;b"),
        ("#begin document (a)", "a"),
        ("#begin document ();", "x"),
    ],
)
def test_names_of_documents(tmp_path, line, name):
    (tmp_path / "x.conll").write_text(f"{line}\n0\tHm\t_\n#end document\n")
    (document,) = read_coreference(tmp_path / "x.conll")
    assert document.name == name
    write_coreference(tmp_path / "y.conll", [document])
    assert [each.name for each in read_coreference(tmp_path / "y.conll")] == [name]


def test_a_dash_is_a_tag_where_others_are(tmp_path):
    words = DependencySentence.of(["a", "b"])
    for tags, found in ((("-", "X"), ("-", "X")), (("-", "_"), ("_", "_"))):
        write_coreference(tmp_path / "x.conll", [Document([words.annotated(language_tags=tags)])])
        assert next(read_coreference(tmp_path / "x.conll")).sentences[0].language_tags == found
    with pytest.raises(FormatError, match="the document '0' holds a lone surrogate"):
        write_coreference(tmp_path / "x.conll", [Document([DependencySentence.of(["\ud800"])])])


def test_members_of_an_archive_are_read_in_the_order_of_their_names(tmp_path):
    path = tmp_path / "all.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in ("b.conll", "README", "a.conll"):
            content = f"#begin document ({name}); part 0\n{name}\t0\t0\tHm\t_\t_\t\n".encode()
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    assert [document.name for document in read_coreference(path)] == ["a.conll", "b.conll"]


LINE = "0\tA\t{}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", r"line 1: 2 columns, expected 3 .* or at least 6"),
        (LINE.format("_") + LINE.format("1)"), r"line 2: a mention of chain 1 is closed that was not opened"),
        (LINE.format("(4") + LINE.format("_"), r"line 1: a mention of chain 4 is opened and not closed"),
        (LINE.format("(1)|(2)"), r"line 1: the mention that ends here, of 1 tokens, is in the chains 1 and 2"),
        (LINE.format("(x)"), r"line 1: '\(x\)' in the last column; expected brackets"),
        ("0\t\t_\n", "line 1: an empty word"),
        ("\n", "no documents"),
    ],
)
def test_unsound_files_are_named_with_their_line(tmp_path, text, message):
    path = tmp_path / "bad.conll"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        list(read_coreference(path))
    with pytest.raises(CorpusError, match="no such file"):
        list(read_coreference(tmp_path / "none"))


def test_unsound_mentions_can_be_left_out(tmp_path):
    path = tmp_path / "bad.conll"
    path.write_text(LINE.format("(1)|(2)") + LINE.format("3)") + LINE.format("(4"))
    with pytest.warns(UserWarning, match=r"3 problems .* line 1: the mention that ends here"):
        (document,) = read_coreference(path, strict=False)
    assert document.clusters == (((0, 1),),)


def _archive(shared_data, name):
    path = shared_data / "coreference" / name
    if not path.is_file():
        pytest.skip(f"{path} is missing: FIRTH_DATA names a folder without it")
    return path


def test_litbank(shared_data):
    documents = list(read_coreference(_archive(shared_data, "litbank-coref/litbank_coref_conll.tar.gz")))
    assert len(documents) == 100
    assert sum(len(document.mentions) for document in documents) == 29_103
    assert documents[5].name == "113_the_secret_garden_brat"
    assert len(documents[5].sentences) == 109
    assert documents[5].entities == ()


def test_gum(shared_data):
    documents = read_coreference(_archive(shared_data, "gum-coref/gum_coref.tar.gz"))
    document = next(each for each in documents if each.name == "GENTLE_dictionary_next")
    assert document.entities[0] == Entity(0, 1, "abstract")
    assert len(document.sentences) == 1


def test_crossing_mentions_of_one_chain_are_refused(tmp_path):
    words = DependencySentence.of(["a", "b", "c", "d"])
    nested = Document((words,), name="a\tb", clusters=[[(0, 3), (1, 3), (0, 1)], [(2, 4)]])
    write_coreference(tmp_path / "x.conll", [nested])
    (back,) = read_coreference(tmp_path / "x.conll")
    assert (back.name, back.clusters) == ("a b", nested.clusters)
    crossing = Document((words,), name="n", clusters=[[(0, 3), (1, 4)]])
    with pytest.raises(FormatError, match=r"'n': the mentions \(0, 3\) and \(1, 4\) of one chain cross.*JSONL"):
        write_coreference(tmp_path / "y.conll", [crossing])
    assert not (tmp_path / "y.conll").exists()
