"""Sentences of which a tagger is least certain, to be corrected first."""

import json

import numpy as np
import pytest

import firth
from firth.documents import correction
from firth.documents.correction import least_certain, write_corrections
from firth.documents.document import Document
from firth.errors import ArgumentTypeError, OptionError
from firth.readers.conllu import DependencySentence
from tests.unit.documents.stand_ins import Names

TEXT = "Ada left Rome. Nobody  was there.\n\nZoë saw Ada. It rains.\n\nnobody was there.\n\nNobody was there."


class Unsure(Names):
    """A tagger that is the less certain, the more names there are."""

    def uncertainty(self, sentences, *, measure):
        names = [sum(word[0].isupper() for word in each.words) for each in sentences]
        return np.array(names, float) / [1 if measure == "total" else len(each) for each in sentences]


def chosen(*texts, **options):
    return [document.text for document in least_certain(texts, Unsure(), **options)]


def test_the_least_certain_sentences_come_first(monkeypatch):
    """Each once, of equally uncertain ones the first, however many are judged at a time."""
    expected = ["Ada left Rome.", "Zoë saw Ada.", "It rains.", "Nobody  was there.", "nobody was there."]
    for batch in (1, 2, 100):
        monkeypatch.setattr(correction, "BATCH", batch)
        assert chosen(TEXT) == chosen(TEXT, TEXT) == expected
        assert chosen(TEXT, most=2) == expected[:2]
    assert chosen("Ada Bo saw dogs and cats. Xi yes.", measure="total") == ["Ada Bo saw dogs and cats.", "Xi yes."]
    assert chosen("Ada Bo saw dogs and cats. Xi yes.") == ["Ada Bo saw dogs and cats.", "Xi yes."][::-1]
    assert chosen("Am 3. Tag.", language="de") == ["Am 3. Tag."]
    assert chosen("Ada\nBo", lines="sentence") == ["Ada", "Bo"]
    assert least_certain(TEXT, Unsure())[0].text == expected[0]  # one text is no list of letters
    assert least_certain([], Unsure()) == []


def test_sentences_have_their_text_tags_and_confidences():
    document = Document.from_text(TEXT, name="d")
    first, *_ = least_certain([document, Document([DependencySentence.of(["No", "text"])])], Unsure())
    assert (first.name, first.offsets, first.sentences[0].tags) == (
        "d-1", ((0, 3), (4, 8), (9, 13), (13, 14)), ("UP", "LOW", "UP", "LOW"),
    )  # fmt: skip
    assert [first.span_text(start, end) for start, end, _ in first.entities] == ["Ada", "Rome"]
    assert first.confidences == (round(1 / 3, 4), 0.25)


def test_what_is_done_is_left_out(tmp_path):
    """In whichever form, and however its words were split."""
    (tmp_path / "columns.txt").write_text("Ada O\nleft O\nRome. O\n\n", "utf-8")
    done = Document.from_text("Zoë saw\tAda.")
    firth.write_documents(tmp_path / "done.ann", [done])
    prodigy = {"text": "It rains.", "spans": [], "answer": "accept"}
    (tmp_path / "done.jsonl").write_text(json.dumps(prodigy), "utf-8")
    rest = ["Nobody  was there.", "nobody was there."]
    paths = [tmp_path / name for name in ("columns.txt", "done.ann", "done.jsonl")]
    assert chosen(TEXT, done=paths) == rest
    assert chosen(TEXT, done=[["Ada", "left", "Rome", "."], done, DependencySentence.of(["It", "rains."])]) == rest
    assert chosen(TEXT, done=Document.from_text(TEXT)) == chosen(TEXT, done=[Document.from_text(TEXT)]) == []
    assert chosen("Zoë saw.\nAda.", lines="sentence", done=[Document.from_text("Zoë saw. Ada.")]) == []
    with pytest.raises(ArgumentTypeError, match="done: found 3, expected documents, lists of words or paths"):
        chosen(TEXT, done=[3])
    with pytest.raises(OptionError, match="most=0"):
        chosen(TEXT, most=0)
    with pytest.raises(ArgumentTypeError, match="expected a tagger of firth"):
        least_certain(TEXT, Names())


def test_corrections_are_written_and_read_again(tmp_path, recwarn):
    """Brat has all in one text. Label Studio has predictions, which are no annotation before they are corrected."""
    documents = least_certain(TEXT, Unsure(), most=3)
    for name, shape in (("a.jsonl", None), ("b.jsonl", "prodigy"), ("c.jsonl", "doccano"), ("d.conllu", None)):
        write_corrections(tmp_path / name, documents, shape=shape)
        found = list(firth.read_documents(tmp_path / name))
        assert [(each.text, each.entities) for each in found] == [(each.text, each.entities) for each in documents]
        assert bool(found[0].confidences) == (name == "b.jsonl")  # firth's own would not fit what is corrected
    write_corrections(tmp_path / "e.ann", documents)
    (found,) = firth.read_documents(tmp_path / "e.ann")
    assert [sentence.words for sentence in found.sentences] == [each.tokens for each in documents]
    assert len(found.entities) == sum(len(each.entities) for each in documents)
    for name, shape in (("f.json", None), ("g.jsonl", "label-studio")):
        write_corrections(tmp_path / name, documents, shape=shape)
        assert '"predictions"' in (tmp_path / name).read_text("utf-8")
    assert not recwarn.list
