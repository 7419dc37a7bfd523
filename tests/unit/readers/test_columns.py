"""Sentences in columns."""

import sys
import warnings

import pytest

import firth
from firth.cli.app import main
from firth.errors import CorpusError, FormatError, OptionError
from firth.readers.columns import read_columns

TEXT = """-DOCSTART- -X- O

EU NNP I-ORG
rejects VBZ O

-DOCSTART- -X- O

German JJ I-MISC
"""


def read(tmp_path, text, **how):
    path = tmp_path / "a.conll"
    path.write_bytes(text.encode())
    return list(read_columns(path, **how))


def test_sentences_with_documents_and_lines(tmp_path):
    first, second = read(tmp_path, TEXT)
    assert first.columns == (("EU", "rejects"), ("NNP", "VBZ"), ("I-ORG", "O"))
    assert (first.words, len(first), first.document, first.line) == (("EU", "rejects"), 2, 0, 3)
    assert (second.words, second.document, second.line) == (("German",), 1, 8)


@pytest.mark.parametrize(
    "text", ["a B-X\r\nb O\r\n\r\nc O", "\n\na\tB-X\nb\tO\n\n\nc\tO\n", "a  B-X \nb O\n \nc O\n\n"]
)
def test_ends_of_lines_tabs_and_spaces(tmp_path, text):
    assert [sentence.columns for sentence in read(tmp_path, text)] == [(("a", "b"), ("B-X", "O")), (("c",), ("O",))]


def test_a_word_between_tabs_may_hold_spaces(tmp_path):
    (sentence,) = read(tmp_path, "New York\tB-X\nno\u00a0break\tO\n")
    assert sentence.words == ("New York", "no\u00a0break")


GERMEVAL = (
    "#\thttp://a.de/b\t[2009-10-17]\n1\tIda\tB-PER\tO\n2\tlief\tO\tO\n\n#\thttp://a.de/c\t[x]\n1\tRom\tB-LOC\tO\n"
)


def test_a_column_that_counts_the_words(tmp_path):
    """GermEval 2014: the words are the second column, and this is said."""
    with pytest.warns(UserWarning, match="column 1 counts the words of each sentence, 1, 2, 3; column 2 is read as"):
        found = read(tmp_path, GERMEVAL)
    assert [(sentence.words, sentence.columns[2], sentence.line) for sentence in found] == [
        (("Ida", "lief"), ("B-PER", "O"), 2),
        (("Rom",), ("B-LOC",), 6),
    ]
    with pytest.warns(UserWarning, match="column 2 is read as words"):
        assert [each.words for each in read(tmp_path, "0 a X\n1 b Y\n\n0 c X\n")] == [("a", "b"), ("c",)]
    assert read(tmp_path, GERMEVAL, word_column=1)[0].words == ("1", "2")
    assert read(tmp_path, GERMEVAL, word_column="2")[0].words == ("Ida", "lief")
    for word_column in (0, 5, "word"):
        with pytest.raises(OptionError, match=f"word_column='{word_column}': expected a number from 1 to 4"):
            read(tmp_path, GERMEVAL, word_column=word_column)
    assert read(tmp_path, "1 CD\n3 CD\n\n1 CD\n")[0].words == ("1", "3")


def test_a_line_that_names_the_columns(tmp_path):
    (found,) = read(tmp_path, "id\ttoken\tner\nx7\tAnn\tB-PER\n")
    assert (found.words, found.names) == (("Ann",), ("id", "token", "ner"))
    assert read(tmp_path, "TOKEN POS TAG\nAnn NNP O\n", word_column="pos")[0].words == ("NNP",)
    with pytest.raises(OptionError, match="expected a number from 1 to 2, or one of word, ner"):
        read(tmp_path, "word ner\nAnn O\n", word_column="x")


def test_comments_are_no_words_and_words_may_begin_with_a_hash(tmp_path):
    text = "# id = 1\n# a text\n#firth B-X\n# O\n\n#begin document (a); part 000\na O\n"
    assert [each.words for each in read(tmp_path, text)] == [("#firth", "#"), ("a",)]
    with pytest.warns(UserWarning, match="read 2 lines before sentences as comments, such as '# id 7 x=train'"):
        (found, _) = read(tmp_path, "# id 7 x=train\na _ _ B-X\n# _ _ O\n\n# id 8 x=train\nb _ _ O\n")
    assert found.words == ("a", "#")


def test_damaged_sentences_are_skipped_and_counted(tmp_path):
    with pytest.warns(UserWarning, match="skipped 1 of 3 sentences: line 3: 1 column, expected 2"):
        found = read(tmp_path, "a O\n\nb\nc O\n\nd O\n", on_error="skip")
    assert [each.words for each in found] == [("a",), ("d",)]


def test_other_files_are_refused(tmp_path):
    for text, message in (
        ('{"sentences": [{"words": ["Ann"]}]}\n', "line 1: JSON .*; documents of firth are files named .jsonl"),
        ("T1\tPER 0 3\tAnn\nT2\tLOC 12 16\tRome\n", "line 1: annotation of brat"),
    ):
        with pytest.raises(FormatError, match=message):
            read(tmp_path, text)
    (sentence,) = read(tmp_path, "{ -LRB-\nword NN\nT1 NN\n")
    assert sentence.words == ("{", "word", "T1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a O\nb\n", "line 2: 1 column, expected 2 as in the lines before"),
        ("a O\n\nb NN O\n", "line 3: 3 columns, expected 2"),
        ("a\nb\n", "line 1: 1 column, expected a word and a tag at least"),
        ("a\t\n", "line 1: 1 column"),
        ("\n \n", "no sentences"),
        ("-DOCSTART- O\n", "no sentences"),
    ],
)
def test_damaged_files_are_refused_with_the_line(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read(tmp_path, text)


def test_names_of_columns_in_any_language(tmp_path):
    """They are no word with a tag of their own."""
    with pytest.warns(UserWarning, match=r"line 1: read as names of the columns, .*, since 'Etikett' is no tag"):
        found = read(tmp_path, "Wort\tEtikett\nIda\tB-PER\nlief\tO\n\nRom\tB-LOC\n")
    assert [each.columns for each in found] == [(("Ida", "lief"), ("B-PER", "O")), (("Rom",), ("B-LOC",))]
    assert found[0].names == ("Wort", "Etikett")


def test_tags_before_their_words(tmp_path):
    """The MIT movie and restaurant corpora: words would be learned as tags."""
    text = "O\tshow\nB-ACTOR\tClint\nI-ACTOR\tEastwood\n\nB-YEAR\t1990\nO\tfilms\n"
    with pytest.raises(
        FormatError, match=r"column 1 holds tags, such as '.-(YEAR|ACTOR)', .*: word_column=2, targets='1'"
    ):
        read(tmp_path, text)
    assert read(tmp_path, text, word_column=2)[0].words == ("show", "Clint", "Eastwood")


CONLLU = """# newdoc id = a
# text = Du chien.
1-2\tDu\t_\t_\t_\t_\t_\t_\t_\t_
1\tDe\tde\tADP\t_\t_\t3\tcase\t_\t_
2\tle\tle\tDET\t_\t_\t3\tdet\t_\t_
3\tchien\tchien\tNOUN\t_\t_\t0\troot\t_\t_
3.1\tnul\tnul\t_\t_\t_\t_\t_\t_\t_

# text = Les chats
1\tLes\tle\tDET\t_\t_\t2\tdet\t_\t_
2\tchats\tchat\tNOUN\t_\t_\t0\troot\t_\t_

"""
WORDS = [["De", "le", "chien"], ["Les", "chats"]]
IOB = "EU NNP B-ORG\nrejects VBZ O\n\nRome NNP B-LOC\n"


def build(path, text, **options):
    path.write_text(text, encoding="utf-8")
    return firth.Corpus.build(path, min_count=1, cache=path.parent / "cache", **options)


def test_words_of_conllu(tmp_path):
    corpus = build(tmp_path / "x.conllu", CONLLU)
    assert list(corpus) == WORDS
    assert corpus.options.tokens == "whitespace"
    assert list(firth.Corpus.build(str(corpus.path.parent.parent / "x.conllu"), column="lemma", min_count=1)) == [
        ["de", "le", "chien"], ["le", "chat"]
    ]  # fmt: skip
    assert list(build(tmp_path / "y.conll", CONLLU)) == WORDS


@pytest.mark.parametrize("name", ["x.conll", "x.iob", "x.bio"])
def test_words_of_columns(tmp_path, name):
    assert list(build(tmp_path / name, IOB)) == [["EU", "rejects"], ["Rome"]]
    assert list(build(tmp_path / name, IOB, column=2)) == [["NNP", "VBZ"], ["NNP"]]
    with pytest.raises(OptionError, match=r"column=9|column='9': expected a number from 1 to 3"):
        build(tmp_path / name, IOB, column=9)


def test_words_of_conll_2012_and_of_counted_columns(tmp_path):
    ontonotes = "#begin document (a); part 000\na 0 0 In IN *\na 0 1 it PRP *\n\n#end document\n"
    assert list(build(tmp_path / "a.conll", ontonotes)) == [["In", "it"]]
    with pytest.warns(UserWarning, match=r"column 2 is read as words. .* \(column\)") as said:
        assert list(build(tmp_path / "b.conll", "1 Ida B-PER\n2 lief O\n")) == [["Ida", "lief"]]
    assert len(said) == 1


def test_damaged_sentences_are_skipped_when_asked(tmp_path):
    damaged = CONLLU.replace("3\tchien", "4\tchien")
    with pytest.warns(UserWarning, match="skipped 1 of 2 sentences"):
        assert list(build(tmp_path / "x.conllu", damaged, on_error="skip")) == WORDS[1:]
    with pytest.raises(FormatError, match="line 6: word number '4', expected 3"):
        firth.Corpus.build(tmp_path / "x.conllu", min_count=1, cache=tmp_path / "cache")
    with pytest.raises(OptionError, match="column='upos': expected 'form' or 'lemma'"):
        build(tmp_path / "x.conllu", CONLLU, column="upos")
    with pytest.raises(FormatError, match="its first sentence has no lemmas"):
        build(tmp_path / "x.conllu", "1\ta" + "\t_" * 8 + "\n\n", column="lemma")


def test_the_command_line_reads_words(tmp_path, monkeypatch):
    (tmp_path / "x.conllu").write_text(CONLLU * 5, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command = ["train", "skipgram", "x.conllu", "-o", "v", "--cache", "c", "--dim", "4", "--epochs", "1"]
    monkeypatch.setattr(sys, "argv", ["firth", *command])
    with pytest.raises(SystemExit, match="0"):
        main()
    assert set(firth.load(tmp_path / "v").words) == {"De", "le", "chien", "Les", "chats"}


@pytest.mark.parametrize(("text", "kind"), [(CONLLU, "conllu"), (IOB, "conll")])
def test_annotation_under_another_name_is_said(tmp_path, text, kind):
    with pytest.warns(UserWarning, match=rf"x\.txt: a word a line, .* a name that ends in \.{kind}$"):
        build(tmp_path / "x.txt", text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        build(tmp_path / "y.txt", "the Big O\nsee B-side\n\nplain text O\n")


def test_text_among_annotated_files_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("plain text")
    (tmp_path / "b.conllu").write_text(CONLLU, encoding="utf-8")
    for files in ("ab", "ba"):
        with pytest.raises(CorpusError, match=r"expected all (files|items) to be of one kind"):
            firth.Corpus.build(
                [tmp_path / f"{each}.{'txt' if each == 'a' else 'conllu'}" for each in files], cache=tmp_path / "c"
            )


def test_a_text_in_place_of_columns(tmp_path):
    (tmp_path / "letter.txt").write_text("Ada went to Rome by boat .\nShe wrote a letter from there to Bo .\n", "utf-8")
    with pytest.raises(FormatError, match=r"9 columns, expected 7 as in .*; if this is text, give the file that marks"):
        list(read_columns(tmp_path / "letter.txt"))
