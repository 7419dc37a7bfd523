"""Dependency trees as trees of constituents."""

import itertools

import pytest

from firth.coreference.hobbs import hobbs
from firth.coreference.phrases import phrase_tree
from firth.errors import ArgumentTypeError, ShapeError
from firth.readers.brackets import bracketed
from firth.readers.conllu import DependencySentence, read_conllu


def sentence(*rows):
    """Rows of (word, tag, head, relation)."""
    words, tags, heads, relations = zip(*rows, strict=True)
    return DependencySentence.of(words).annotated(tags=tags, heads=heads, relations=relations)


def test_a_clause_with_a_prepositional_phrase_and_a_possessive_pronoun():
    made = phrase_tree(
        sentence(
            ("Smith", "PROPN", 2, "nsubj"),
            ("saw", "VERB", 0, "root"),
            ("a", "DET", 4, "det"),
            ("driver", "NOUN", 2, "obj"),
            ("in", "ADP", 7, "case"),
            ("his", "PRON", 7, "nmod:poss"),
            ("truck", "NOUN", 4, "nmod"),
            (".", "PUNCT", 2, "punct"),
        )
    )
    assert bracketed(made) == (
        "(S (NP (PROPN Smith)) (VP (VERB saw) (NP (DET a) (NOUN driver) "
        "(PP (ADP in) (NP (PRP$ his) (NOUN truck))))) (PUNCT .))"
    )
    assert [str(each.phrase) for each in hobbs([made], 5).proposals] == ["a driver in his truck"]


def test_conjuncts_clauses_and_infinitives():
    """Verbs that share a subject share its clause; one with its own begins a clause. An infinitive is a VP."""
    shared = sentence(
        ("Ann", "PROPN", 2, "nsubj"),
        ("came", "VERB", 0, "root"),
        ("and", "CCONJ", 4, "cc"),
        ("sang", "VERB", 2, "conj"),
    )
    assert bracketed(phrase_tree(shared)) == "(S (NP (PROPN Ann)) (VP (VP (VERB came)) (CCONJ and) (VP (VERB sang))))"
    own = sentence(
        ("Ann", "PROPN", 2, "nsubj"),
        ("came", "VERB", 0, "root"),
        ("and", "CCONJ", 5, "cc"),
        ("Bill", "PROPN", 5, "nsubj"),
        ("went", "VERB", 2, "conj"),
    )
    assert bracketed(phrase_tree(own)) == (
        "(S (S (NP (PROPN Ann)) (VP (VERB came))) (CCONJ and) (S (NP (PROPN Bill)) (VP (VERB went))))"
    )
    infinitive = sentence(
        ("Ann", "PROPN", 2, "nsubj"),
        ("wants", "VERB", 0, "root"),
        ("to", "PART", 4, "mark"),
        ("see", "VERB", 2, "xcomp"),
        ("her", "PRON", 4, "obj"),
    )
    made = phrase_tree(infinitive)
    assert bracketed(made) == ("(S (NP (PROPN Ann)) (VP (VERB wants) (VP (PART to) (VP (VERB see) (NP (PRON her))))))")
    assert hobbs([made], 4).antecedent is None  # Ann is the subject of the same clause


def test_predicates_relative_clauses_and_names():
    made = phrase_tree(
        sentence(
            ("Ann", "PROPN", 8, "nsubj"),
            ("Lee", "PROPN", 1, "flat"),
            (",", "PUNCT", 5, "punct"),
            ("who", "PRON", 5, "nsubj"),
            ("sang", "VERB", 1, "acl:relcl"),
            (",", "PUNCT", 5, "punct"),
            ("is", "AUX", 8, "cop"),
            ("singer", "NOUN", 0, "root"),
        )
    )
    assert bracketed(made) == (
        "(S (NP (PROPN Ann) (PROPN Lee) (PUNCT ,) (SBAR (S (WHNP who) (VP (VERB sang))))) (PUNCT ,) "
        "(VP (AUX is) (NP (NOUN singer))))"
    )


@pytest.mark.parametrize("file", ["UD_English-LinES/en_lines-ud-test", "UD_German-GSD/de_gsd-ud-test"])
def test_words_stay_in_their_order_in_treebanks(file, shared_data):
    for each in itertools.islice(read_conllu(shared_data / "dependencies" / f"{file}.conllu.gz"), 500):
        assert phrase_tree(each).sentence == each.words


def test_a_sentence_without_a_tree():
    with pytest.raises(ShapeError, match="the sentence 'He left' has no heads; parse it first"):
        phrase_tree(DependencySentence.of(["He", "left"]))
    with pytest.raises(ArgumentTypeError, match="'He left': expected a DependencySentence"):
        phrase_tree("He left")
