"""Corpora of the words of annotated files."""

import sys
import warnings

import pytest

import firth
from firth.cli.app import main
from firth.errors import CorpusError, FormatError, OptionError

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
