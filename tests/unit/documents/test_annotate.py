"""Annotation of texts and files: the same whether it was interrupted or not."""

import contextlib
import json
import signal
from types import SimpleNamespace

import pytest

import firth
from firth.documents import annotate as module
from firth.documents import pieces
from firth.documents.annotate import annotate, annotate_files
from firth.documents.document import Document, Entity
from firth.documents.files import read_documents
from firth.documents.unfinished import finished
from firth.errors import ArgumentTypeError, CorpusError, FileError, FormatError, MissingFileError, OptionError
from tests.unit.documents.stand_ins import Chain, Names, SameWord, is_probe

TEXTS = ["Ada Byron met Mr. Babbage in London. She left.\n\nBabbage stayed. Ada wrote.", "", "nothing here."] * 3


def models():
    return {"tagger": Names(), "parser": Chain(), "coref": SameWord()}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "SIZE", 12)
    monkeypatch.setattr("firth.documents.unfinished.INTERVAL", 0.0)
    paths = [tmp_path / f"{number}.txt" for number in range(len(TEXTS))]
    for path, text in zip(paths, TEXTS, strict=True):
        path.write_text(text, "utf-8")
    return paths


def test_texts_in_memory():
    found = firth.annotate(TEXTS[0], **models())
    assert found.entities[:2] == (Entity(0, 2, "NAME"), Entity(3, 5, "NAME"))
    assert [[found.span_text(*span) for span in cluster] for cluster in found.clusters] == [
        ["Ada"] * 2,
        ["Babbage"] * 2,
    ]
    assert annotate([TEXTS[0], found], **models()) == [found, found]
    assert annotate(["", Document(())]) == [Document(()), Document(())]
    assert annotate("a b", tokeniser=list).tokens == ("a", "b")
    with pytest.raises(ArgumentTypeError, match=r"expected a text or a firth\.Document"):
        annotate([1])
    for texts, problem in ((3, "texts=3 is an int; expected a list of texts"), ({"a": ["b"]}, "columns 'a'")):
        with pytest.raises(ArgumentTypeError, match=problem):
            annotate(texts)


def test_the_language_of_raw_text(tmp_path):
    (tmp_path / "a.txt").write_text("Am 3. Tag.", "utf-8")
    out = tmp_path / "out.jsonl"
    assert [annotate_files(tmp_path / "a.txt", out, language=code).sentences for code in (None, "de")] == [2, 1]
    assert [len(annotate("Am 3. Tag.", language=code).sentences) for code in (None, "de")] == [2, 1]
    with pytest.raises(OptionError, match="language='deutsch': expected a code"):
        annotate_files(tmp_path / "a.txt", out, language="deutsch")


@pytest.mark.parametrize("ending", ["conllu", "jsonl"])
def test_files_hold_what_texts_give(files, tmp_path, ending):
    out = tmp_path / f"out.{ending}"
    result = annotate_files(files, out, **models())
    expected = [Document.from_text(text, name=path.stem) for path, text in zip(files, TEXTS, strict=True)]
    expected = annotate(expected, **models())
    found = list(read_documents(out))
    assert [(each.name, each.tokens, each.entities, each.clusters, each.text) for each in found] == [
        (each.name, each.tokens, each.entities, each.clusters, each.text) for each in expected
    ]
    if ending == "jsonl":
        assert found == expected
    assert (result.documents, result.tokens, result.resumed) == (9, sum(map(len, expected)), 0)
    assert result.entities == sum(len(each.entities) for each in expected)
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


@pytest.mark.filterwarnings("ignore:.* documents became one text")  # of brat, which is written whole
@pytest.mark.parametrize("ending", ["conllu", "jsonl", "ann"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_call_goes_on(files, tmp_path, ending, error):
    """It is stopped after every piece in turn; a part that was written behind the last record is written again."""

    class Stopped(Names):
        left = 1

        def predict(self, sentences):
            self.left -= not is_probe(sentences)
            if self.left < 0:
                raise error
            return super().predict(sentences)

    whole, out = tmp_path / f"whole.{ending}", tmp_path / f"out.{ending}"
    annotate_files(files, whole, **models() | {"tagger": Names()})
    calls, resumed = 0, []
    while not out.exists():
        calls += 1
        assert calls < 30
        tagger = Stopped()
        try:
            result = annotate_files(files, out, **models() | {"tagger": tagger})
        except error:
            part = out.with_name(out.name + ".part")
            if part.exists():
                with part.open("ab") as file:
                    file.write(b"torn")
                with part.with_name(part.name + ".jsonl").open("ab") as file:
                    file.write(b'7\t{"sent')
                resumed.append(finished(out).documents)
    assert out.read_bytes() == whole.read_bytes()
    assert calls >= 5
    assert resumed == sorted(resumed)
    assert result.resumed > 0
    assert result.tokens == sum(map(len, read_documents(whole)))


def test_the_finished_part_of_another_call_is_left_alone(files, tmp_path):
    class Failing(Names):
        def predict(self, sentences):
            if self.calls > 1:
                raise MemoryError
            return super().predict(sentences)

    out = tmp_path / "out.jsonl"
    with pytest.raises(MemoryError):
        annotate_files(files, out, tagger=Failing())
    assert finished(out) is not None
    with pytest.raises(OptionError, match=r"out\.jsonl\.part is the finished part of an interrupted call with other"):
        annotate_files(files[1:], out, tagger=Failing())
    assert finished(out) is not None


def test_nothing_finished_leaves_nothing(files, tmp_path):
    files[0].write_bytes(b"a\n\xff")
    with pytest.raises(FormatError, match=r"0\.txt line 2: not UTF-8"):
        annotate_files(files, tmp_path / "out.jsonl")
    assert finished(tmp_path / "out.jsonl") is None
    assert not list(tmp_path.glob("out*"))


def test_a_signal_keeps_what_is_finished(files, tmp_path, monkeypatch):
    request = SimpleNamespace(stop=False)

    class Signalled(Names):
        def predict(self, sentences):
            request.stop = self.calls > 3
            return super().predict(sentences)

    from contextlib import contextmanager

    @contextmanager
    def stopping():
        yield request

    monkeypatch.setattr(module, "stopping", stopping)
    with pytest.raises(KeyboardInterrupt):
        annotate_files(files, tmp_path / "out.conllu", tagger=Signalled())
    assert finished(tmp_path / "out.conllu").documents > 0


def test_a_long_text_becomes_several_documents(tmp_path):
    path = tmp_path / "novel.txt"
    path.write_text("Ada came.\n\n" * 7, "utf-8")
    annotate_files(path, tmp_path / "out.jsonl", longest=20)
    found = list(read_documents(tmp_path / "out.jsonl"))
    assert [each.name for each in found] == ["novel", "novel-2", "novel-3", "novel-4"]
    assert "".join(each.text for each in found) == path.read_text("utf-8")
    assert [len(each) for each in found] == [6, 6, 6, 3]


def test_annotation_that_is_there_stays(tmp_path):
    line = "# x\n1\tAda\tada\t_\t_\t_\t_\t_\t_\tNER=B-PER|Entity=(e1)\n\n"
    (tmp_path / "in.conllu").write_text(line + "# newdoc id = b\n" + line, "utf-8")
    annotate_files(tmp_path / "in.conllu", tmp_path / "out.conllu")
    assert (tmp_path / "out.conllu").read_text("utf-8") == "# newdoc id = in\n" + line + "# newdoc id = b\n" + line
    annotate_files(tmp_path / "in.conllu", tmp_path / "out.conllu", tagger=Names())
    assert "1\tAda\tada\tUP\t_\t_\t_\t_\t_\tNER=B-NAME|Entity=(e1)" in (tmp_path / "out.conllu").read_text("utf-8")


def test_texts_without_words_are_documents(tmp_path):
    for name, text in (("a", ""), ("b", "\ufeff \n"), ("c", "")):
        (tmp_path / f"{name}.txt").write_text(text, "utf-8")
    for ending in ("conllu", "jsonl"):
        out = tmp_path / f"out.{ending}"
        assert annotate_files(sorted(tmp_path.glob("*.txt")), out).documents == 3
        assert [(each.name, len(each)) for each in read_documents(out)] == [("a", 0), ("b", 0), ("c", 0)]
        annotate_files(tmp_path / "a.txt", out)
        assert [each.name for each in read_documents(out)] == ["a"]


def test_what_cannot_be_written_or_read(files, tmp_path):
    out = tmp_path / "out.jsonl"
    for paths, target in (([Document(())], out), (3, out), (files, Document(())), (files, 3)):
        with pytest.raises(ArgumentTypeError, match=r"path: found (3|Document.*), expected"):
            annotate_files(paths, target)
    with pytest.raises(CorpusError, match="no files"):
        annotate_files([], out)
    with pytest.raises(MissingFileError, match=r"9\.txt"):
        annotate_files([*files, tmp_path / "9.txt"], out)
    with pytest.raises(OptionError, match="expected files, such as"):
        annotate_files(tmp_path, out)
    with pytest.raises(OptionError, match=r"ends in \.conllu or \.jsonl"):
        annotate_files(files, tmp_path / "out.txt")
    with pytest.raises(OptionError, match="expected at least 1"):
        annotate_files(files, out, processes=0)
    with pytest.raises(OptionError, match="several processes load the models themselves"):
        annotate_files(files, out, tagger=Names(), processes=2)
    out.write_text("my notes")
    with pytest.raises(OptionError, match="holds something else"):
        annotate_files(files, out)
    out.write_text(json.dumps({"sentences": []}))
    with pytest.raises(OptionError, match="is a file to read"):
        annotate_files([*files, out], out)
    annotate_files(files, out)


def test_confidences_of_entities(files, tmp_path):
    """The product of the probabilities of their tags; here that of a word is 1 by its letters."""
    document = annotate("Ada Byron met Bo.", tagger=Names(), confidences=True)
    assert (document.entities[0][:2], document.confidences) == ((0, 2), (round(1 / 15, 4), 0.5))
    assert annotate("Ada Byron met Bo.", tagger=Names()).confidences == ()
    out = tmp_path / "out.jsonl"
    annotate_files(files, out, **models(), confidences=True)
    found = list(read_documents(out))
    assert [each.confidences for each in found] == [
        each.confidences for each in annotate(TEXTS, **models(), confidences=True)
    ]
    assert sum(len(each.confidences) for each in found) > 9
    with pytest.raises(OptionError, match="confidences=True: no tagger marks entities"):
        annotate("Ada.", confidences=True)
    for name, shape in (("a.conllu", None), ("a.csv", None), ("a.jsonl", "spacy"), ("a.json", "label-studio")):
        with pytest.raises(OptionError, match=rf"{name} has no place for them; expected a file named \.jsonl"):
            annotate_files(files, tmp_path / name, **models(), shape=shape, confidences=True)


def test_several_processes_give_the_same(files, tmp_path):
    annotate_files(files, tmp_path / "one.conllu")
    annotate_files(files, tmp_path / "two.conllu", processes=2)
    assert (tmp_path / "one.conllu").read_bytes() == (tmp_path / "two.conllu").read_bytes()
    # Whatever CoNLL-U holds, its sentences go to the processes as JSON and back.
    rows = ["1-2", "a\u2028b", *"________"], ["1", "\u00a0", "l\r", *"______", ""], ["2", "_", '"', *"______", "\\u\r"]
    odd = ("\n".join(map("\t".join, rows)) + "\n\n") * 9
    (tmp_path / "odd.conllu").write_text(f"# newdoc id = )\n\n# x\u00a0\n{odd}# newdoc\n{odd}", "utf-8", newline="")
    for processes in (1, 2):
        annotate_files(tmp_path / "odd.conllu", tmp_path / f"odd{processes}.jsonl", processes=processes)
    assert (tmp_path / "odd1.jsonl").read_bytes() == (tmp_path / "odd2.jsonl").read_bytes()
    assert len(list(read_documents(tmp_path / "odd1.jsonl"))) == 2
    files[8].write_bytes(b"1\t\xff")
    with pytest.raises(FormatError):
        annotate_files(files, tmp_path / "three.conllu", processes=2)
    (tmp_path / "empty").mkdir()
    with pytest.raises((OptionError, FormatError, OSError)):
        annotate_files(files, tmp_path / "four.conllu", tagger=tmp_path / "empty", processes=2)


@contextlib.contextmanager
def files_of_at_most(size):
    """A limit on the size of files stands for the full disk: the write fails in the middle just so."""
    resource = pytest.importorskip("resource", reason="Python's module resource is missing: only POSIX systems have it")
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_disk_that_is_full_at_once_leaves_nothing(files, tmp_path):
    out = tmp_path / "out.jsonl"
    with files_of_at_most(200), pytest.raises(FileError, match=r"out\.jsonl\S*: File too large; write elsewhere"):
        annotate_files(files, out, **models())
    assert sorted(tmp_path.iterdir()) == sorted(files)


def test_a_disk_that_fills_up_keeps_what_is_finished_and_says_so(files, tmp_path):
    out, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    annotate_files(files, whole, **models())
    out.write_bytes(b"{}\n")
    with files_of_at_most(2500), pytest.raises(FileError) as found:
        annotate_files(files, out, **models())
    assert str(found.value).startswith(f"{out}: File too large; what is finished stays in {out}.part: the same call")
    assert out.read_bytes() == b"{}\n"
    assert finished(out).documents > 0
    assert annotate_files(files, out, **models()).resumed > 0
    assert out.read_bytes() == whole.read_bytes()
    assert not list(tmp_path.glob("*.part*"))


@pytest.mark.parametrize(
    "text", ["Ada met Tom. She left!  " * 60, "ada met tom and went " * 60, "愛達來了。她走了。" * 60, "a" * 900]
)
def test_a_text_without_empty_lines_is_cut_all_the_same(tmp_path, monkeypatch, text):
    """So that memory is bounded: behind sentences, else at white space, else anywhere."""
    monkeypatch.setattr(module, "BLOCK", 64)
    path, out = tmp_path / "a.txt", tmp_path / "out.jsonl"
    path.write_text(text, "utf-8")
    with pytest.warns(UserWarning, match=r"a\.txt: no empty line in \d+ characters; it is cut behind sentences"):
        annotate_files(path, out, longest=100)
    found = list(read_documents(out))
    assert "".join(each.text for each in found) == text
    assert max(len(each.text) for each in found) <= 264
    assert len(found) >= len(text) / 264
    if "." in text or "。" in text:
        assert all(each.text.rstrip()[-1] in ".!。" for each in found)


def test_a_line_that_is_many_times_as_long_is_cut_as_often(tmp_path):
    path, out = tmp_path / "a.txt", tmp_path / "out.jsonl"
    path.write_text("Ada met Tom. " * 200, "utf-8")
    with pytest.warns(UserWarning, match="no empty line"):
        annotate_files(path, out, longest=100)
    assert max(len(each.text) for each in read_documents(out)) <= 200


@pytest.mark.parametrize("longest", range(95, 130, 4))
def test_a_long_text_is_not_cut_behind_an_abbreviation(tmp_path, longest):
    path, out = tmp_path / "a.txt", tmp_path / "out.jsonl"
    path.write_text("Mr. Hill of the U.S. Army left. " * 60, "utf-8")
    with pytest.warns(UserWarning, match="no empty line"):
        result = annotate_files(path, out, longest=longest)
    assert (result.sentences, result.documents > 5) == (60, True)


def test_lines_that_are_sentences_are_not_cut(tmp_path):
    path, out = tmp_path / "a.txt", tmp_path / "out.jsonl"
    path.write_text("Ada met Tom. She left, and so on\n" * 60, "utf-8")
    with pytest.warns(UserWarning, match="no empty line"):
        result = annotate_files(path, out, longest=100, lines="sentence")
    assert (result.sentences, result.documents > 5) == (60, True)


def test_progress_tells_how_much_is_left(files, tmp_path):
    """The size of raw text says about how many tokens there are; what was finished before is not to be done."""
    told = []
    annotate_files(files, tmp_path / "out.jsonl", tagger=Names(), progress=told.append)
    assert told[-1].total == told[-1].done > told[0].done
    assert told[0].remaining > 0
    assert told[-1].done * 0.5 < told[1].total < told[-1].done * 2

    def stop(status):
        if status.done > told[-1].done / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        annotate_files(files, tmp_path / "again.jsonl", tagger=Names(), progress=stop)
    again = []
    annotate_files(files, tmp_path / "again.jsonl", tagger=Names(), progress=again.append)
    assert again[-1].total == again[-1].done < told[-1].done
