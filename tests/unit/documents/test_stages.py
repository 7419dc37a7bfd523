"""Stages: columns, entities, trees and chains of models that have `predict`."""

from types import SimpleNamespace

import pytest

from firth.documents.document import Document, Entity
from firth.documents.stages import Stages, described
from firth.errors import ArgumentTypeError, CorpusError, OptionError, brief
from firth.readers.conllu import DependencySentence
from tests.unit.documents.stand_ins import Chain, Names, SameWord

DOCUMENT = Document.from_text("Ada Byron met Ada. she left.", name="d")


def test_every_stage_adds_to_the_document():
    found = Stages.of(Names(), Chain(), SameWord()).annotated(DOCUMENT)
    assert (found.name, found.text, found.offsets) == (DOCUMENT.name, DOCUMENT.text, DOCUMENT.offsets)
    assert found.sentences[0].tags == ("UP", "UP", "LOW", "UP", "LOW", "LOW", "LOW", "LOW")
    assert found.sentences[0].heads == tuple(range(8))
    assert found.entities == (Entity(0, 2, "NAME"), Entity(3, 4, "NAME"))
    assert found.clusters == (((0, 1), (3, 4)),)
    assert found.sentences[0].comment_lines == DOCUMENT.sentences[0].comment_lines


def test_a_sentence_takes_the_columns_of_a_tagger_at_once(monkeypatch):
    """Each change of a sentence copies its rows."""
    tagger = SimpleNamespace(
        predict=lambda every: [SimpleNamespace(tags={"upos": s.words, "feats": ("_",) * len(s)}) for s in every]
    )
    stages, changed, annotated = Stages.of(tagger), list[str](), DependencySentence.annotated
    monkeypatch.setattr(
        DependencySentence,
        "annotated",
        lambda self, **given: changed.append(*self.words[:1]) or annotated(self, **given),
    )
    found = stages.sentence_stages(DOCUMENT.sentences)
    assert changed == [sentence.words[0] for sentence in DOCUMENT.sentences]
    assert found.sentences[0].tags == DOCUMENT.sentences[0].words


def test_an_earlier_tagger_has_its_entities():
    class Others(Names):
        def predict(self, sentences):
            return [SimpleNamespace(tags={"x": ("O", "B-X", "I-X", "S-X", "O")[: len(each)]}) for each in sentences]

    document = Document(DOCUMENT.sentences[:1])
    both = Stages.of([Names(), Others()]).annotated(document)
    assert both.entities == (Entity(0, 2, "NAME"), Entity(3, 4, "NAME"))
    both = Stages.of((Others(), Names())).annotated(document)
    assert both.entities == (Entity(1, 3, "X"), Entity(3, 4, "X"))


def test_entities_stay_where_no_tagger_finds_any():
    document = DOCUMENT.annotated(entities=[(0, 1, "PER")])
    assert Stages.of(parser=None).annotated(document) == document
    assert Stages.of(Names()).annotated(document).entities[0] == Entity(0, 2, "NAME")


def test_a_tagger_of_columns_needs_no_probabilities():
    """Confidences are those of entities: scores of parts of speech may be margins, those of other spans not."""

    class Margins:
        target = "upos"

        def predict(self, sentences, *, probabilities=False):
            if probabilities:
                raise OptionError("scores are no probabilities")
            return [SimpleNamespace(tags={self.target: ("O",) * len(each)}) for each in sentences]

    taggers, margins = [Margins(), Names()], Margins()
    assert len(Stages.of(taggers, confidences=True).annotated(DOCUMENT).confidences) == 2
    margins.target = "x"
    with pytest.raises(OptionError, match="scores are no probabilities"):
        Stages.of([margins, Names()], confidences=True)


class Documents:
    def predict(self, documents):
        raise CorpusError(f"documents: item 0 is {brief(documents[0])}; expected documents")


class Short:
    def predict(self, sentences):
        raise CorpusError(f"sentence 1 ('{sentences[0].words[0]}') is too short")


def test_models_of_other_tasks_are_refused(tmp_path):
    with pytest.raises(ArgumentTypeError, match="expected a tagger"):
        Stages.of(Chain())
    with pytest.raises(ArgumentTypeError, match="expected a parser"):
        Stages.of(parser=SimpleNamespace(predict=lambda texts: "label"))
    with pytest.raises(ArgumentTypeError, match="expected a coreference model"):
        Stages.of(coref=object())
    with pytest.raises(
        ArgumentTypeError, match=r"found .*, expected a parser$"
    ):  # with no word of what it was tried on
        Stages.of(parser=Documents())
    with pytest.raises(ArgumentTypeError, match="expected a parser: a sentence is too short"):
        Stages.of(parser=Short())
    import firth

    firth.WordVectors(["a"], [[1.0]]).save(tmp_path / "v")
    with pytest.raises(ArgumentTypeError, match=r"v: .*expected a tagger"):
        Stages.of(str(tmp_path / "v"))


def test_taggers_that_leave_tags_of_the_file_to_the_parser_are_refused():
    class Morphology(Chain):
        columns = ("upos", "feats")

    feats = SimpleNamespace(predict=lambda every: [SimpleNamespace(tags={"feats": ("_",) * len(s)}) for s in every])
    with pytest.raises(ArgumentTypeError, match=r"reads upos and feats; this tagger gives only upos and ner; expected"):
        Stages.of(Names(), Morphology())
    assert Stages.of([Names(), feats], Morphology()).annotated(DOCUMENT).sentences[0].heads
    assert Stages.of(parser=Morphology()).targets == ()  # the tags of the file, all of them


def test_other_targets_mark_spans():
    odd = SimpleNamespace(predict=lambda sentences: [SimpleNamespace(tags={"mood": ("good",)}) for _ in sentences])
    with pytest.raises(OptionError, match="target 'mood' has the tag 'good'; expected upos, xpos, feats"):
        Stages.of(odd).annotated(DOCUMENT)


def test_a_word_that_a_tagger_leaves_untagged_stops_nothing():
    """ "_" would mean in CoNLL-U that nobody tagged the word, which parsers refuse; among entities it means none."""
    tags = {"upos": ("_",) * 8, "feats": ("_",) * 8, "ner": ("_", "B-X", *["O"] * 6)}
    tagger = SimpleNamespace(
        predict=lambda every: [SimpleNamespace(tags={k: v[: len(s)] for k, v in tags.items()}) for s in every]
    )
    found = Stages.of(tagger, Chain()).annotated(DOCUMENT)
    assert (found.sentences[0].tags, found.sentences[0].features) == (("X",) * 8, ("_",) * 8)
    assert found.entities == (Entity(1, 2, "X"),)


def test_what_a_model_reads_must_be_there():
    class Strict(Chain):
        def predict(self, sentences):
            if any(each.tags[0] == "_" for each in sentences):
                raise CorpusError("sentence 1 ('a') has no upos tags")
            return super().predict(sentences)

    Stages.of(Names(), Strict()).check_raw_text()
    with pytest.raises(OptionError, match="by these models alone: a sentence has no upos tags; add a tagger, whose"):
        Stages.of(parser=Strict()).check_raw_text()

    class NounPhrases(SameWord):
        def predict(self, document, *, mentions):
            if not document.sentences[0].heads:
                raise CorpusError("sentence 1 of the document has no tree")
            return super().predict(document, mentions=mentions)

    with pytest.raises(OptionError, match="by these models alone: a sentence has no tree; add a parser"):
        Stages.of(Names(), coref=NounPhrases()).check_raw_text()


def test_chains_have_two_mentions():
    class Single:
        def predict(self, document, *, mentions):
            chains = [[(0, 1)], [(1, 2), (3, 4)]]
            return document.annotated(clusters=chains[: len(document)])

    assert Stages.of(coref=Single()).annotated(DOCUMENT).clusters == (((1, 2), (3, 4)),)


def test_a_model_saved_anew_is_another(tmp_path):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "a").write_text("1")
    before = described({"tagger": tmp_path / "m", "parser": None, "coref": Names()})
    assert before == described({"tagger": [tmp_path / "m"], "parser": None, "coref": Names()})
    (tmp_path / "m" / "a").write_text("12")
    assert before != described({"tagger": tmp_path / "m", "parser": None, "coref": Names()})
