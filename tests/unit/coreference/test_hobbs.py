"""Hobbs' algorithm: the full order of proposals on trees worked by hand."""

import pytest

from firth.coreference.hobbs import category, hobbs, most_recent, noun_phrases
from firth.errors import ArgumentTypeError, OptionError, UnknownOptionError
from firth.readers.brackets import parse_bracketed
from firth.readers.conllu import DependencySentence

CAMELOT = """(S (NP (DT the) (NN castle) (PP (IN in) (NP (NNP Camelot)))) (VP (VBD remained)
    (NP (DT the) (NN residence) (PP (IN of) (NP (DT the) (NN king))))
    (PP (IN until) (NP (NP (CD 536)) (SBAR (WRB when) (S (NP (PRP he)) (VP (VBD moved) (NP (PRP it))
    (PP (TO to) (NP (NNP London))))))))))"""


def proposed(text, word, **how):
    """(step, phrase) of every proposal for the only pronoun with these letters in the last tree."""
    trees = list(parse_bracketed(text, "a test"))
    place = [each.lower() for each in trees[-1].sentence].index(word)
    return [(each.step, str(each.phrase)) for each in hobbs(trees, place, every=True, **how).proposals]


def test_the_castle_in_camelot():
    """Hobbs 1978, figure 2. The walk from "it" climbs over the clause "he moved it" to the NP of 536, by its clause.

    The subject "he" has neither NP nor S between it and that clause, so step 3 leaves it out. Step 6 proposes 536, and
    step 7 what stands left of the path in the main clause, level by level: the castle and the residence (depths 1 and
    2), Camelot (3) and the king (4).
    """
    after = [
        (6, "536 when he moved it to London"),
        (7, "536"),
        (7, "the castle in Camelot"),
        (7, "the residence of the king"),
        (7, "Camelot"),
        (7, "the king"),
    ]
    assert proposed(CAMELOT, "it") == after
    assert proposed(CAMELOT, "he") == after  # nothing is left of the subject in its own clause


def test_the_first_proposal_that_agrees_is_the_antecedent():
    """Neither dates nor castles move: Hobbs' two rejections lead to the residence; "he" is the king."""
    trees = list(parse_bracketed(CAMELOT, "a test"))
    heads = {"it": {"residence"}, "he": {"king"}}

    def agrees(pronoun, phrase):
        return trees[0].sentence[phrase.head] in heads[pronoun]

    it, he = (hobbs(trees, trees[0].sentence.index(word), agrees=agrees) for word in ("it", "he"))
    assert str(it.antecedent) == "the residence of the king"
    assert [each.agrees for each in it.proposals] == [False, False, False, True]  # and no more are made
    assert str(he.antecedent) == "the king"
    assert (he.antecedent.start, he.antecedent.head, he.antecedent.sentence) == (8, 9, 0)
    assert str(it).splitlines()[0] == "step 6: 536 when he moved it to London (does not agree)"


def test_sentences_before_the_last_one_first():
    """Jurafsky and Martin: the subject of the same clause is no antecedent of "it"; then the sentences before."""
    text = """(S (NP (NNP John)) (VP (VBD saw) (NP (DT a) (NN car)) (PP (IN at) (NP (DT the) (NN dealership)))))
    (S (NP (PRP He)) (VP (VBD showed) (NP (PRP it)) (PP (TO to) (NP (NNP Bob)))))
    (S (NP (PRP She)) (VP (VBD bought) (NP (PRP it))))"""
    expected = [(4, "He"), (4, "it"), (4, "Bob"), (4, "John"), (4, "a car"), (4, "the dealership")]
    assert proposed(text, "it") == expected
    trees = list(parse_bracketed(text, "a test"))
    second = hobbs(trees, 2, sentence=1, every=True)
    assert [str(each.phrase) for each in second.proposals] == ["John", "a car", "the dealership"]


@pytest.mark.parametrize(
    ("preposition", "expected"), [("in", [(6, "a driver in his truck"), (7, "Mr. Smith")]), ("of", [(7, "Mr. Smith")])]
)
def test_complements_of_a_noun_are_inside_its_nominal(preposition, expected):
    """Hobbs 1978, section 2: a driver *in* his truck may be the owner of it, a driver *of* his truck is not."""
    text = f"""(S (NP (NNP Mr.) (NNP Smith)) (VP (VBD saw) (NP (DT a) (NN driver)
    (PP (IN {preposition}) (NP (PRP$ his) (NN truck))))))"""
    assert proposed(text, "his") == expected


def test_a_nominal_on_the_path_keeps_its_noun_phrase_out():
    text = """(S (NP (NNP Smith)) (VP (VBD saw) (NP (Det a) (Nominal (Noun driver) (PP (P of) (NP (Det (NP (PRP his)))
    (Nominal (Noun truck))))))))"""
    assert proposed(text, "his") == [(7, "Smith")]
    outside = text.replace("(Nominal (Noun driver) (PP", "(Nominal (Noun driver)) (PP", 1).replace(
        "))))))))", ")))))))"
    )
    assert proposed(outside.replace("(P of)", "(P in)"), "his") == [(6, "a driver in his truck"), (7, "Smith")]


def test_a_possessor_is_reached_but_not_the_subject_of_the_same_clause():
    """ "Ann's brother saw her": the brother is in the way (no NP or S between), Ann is below an NP: step 3."""
    text = "(S (NP (NP (NNP Ann) (POS 's)) (NN brother)) (VP (VBD saw) (NP (PRP her))))"
    assert proposed(text, "her") == [(3, "Ann 's")]


def test_a_reflexive_pronoun_is_bound_in_its_own_clause():
    text = """(S (NP (NNP John)) (VP (VBD said) (SBAR (IN that) (S (NP (NP (NNP Bill) (POS 's)) (NN friend))
    (VP (VBD saw) (NP (PRP himself)))))))"""
    assert proposed(text, "himself") == [(3, "Bill 's friend"), (7, "John")]
    assert proposed(text.replace("himself", "him"), "him") == [(3, "Bill 's"), (7, "John")]


def test_what_follows_is_searched_but_not_below_phrases_and_clauses():
    """Step 8: in "When he left, the friend of Ann said that Bill slept" neither Ann nor Bill is proposed."""
    text = """(S (SBAR (WRB When) (S (NP (PRP he)) (VP (VBD left)))) (, ,) (NP (DT the) (NN friend) (PP (IN of)
    (NP (NNP Ann)))) (VP (VBD saw) (NP (DT a) (NN dog)) (SBAR (IN that) (S (NP (NNP Bill)) (VP (VBD fed))))))"""
    assert proposed(text, "he") == [(8, "the friend of Ann"), (8, "a dog")]


def test_a_relative_clause_proposes_its_noun_phrase():
    """From the clause in the subject, step 6 proposes the subject; the object stands right of the path: step 8."""
    text = """(S (NP (DT the) (NN man) (SBAR (WHNP (WP who)) (S (NP (PRP he)) (VP (VBD met))))) (VP (VBD liked)
    (NP (NNP Bill))))"""
    assert proposed(text, "he") == [(6, "the man who he met"), (8, "Bill")]


def test_conjuncts_and_functions_of_the_penn_treebank():
    """Labels count without functions; an empty element is no noun phrase."""
    text = """(S (NP-SBJ-1 (NP (NNP Ann)) (CC and) (NP (NNP Bill))) (VP (VBD asked) (S (NP-SBJ (-NONE- *-1)) (VP (TO to)
    (VP (VB see) (NP (PRP them)))))))"""
    assert proposed(text, "them") == [(7, "Ann and Bill"), (7, "Ann"), (7, "Bill")]
    assert [category(label) for label in ("NP-SBJ-1", "S=2", "-NONE-", "N-BAR", "np")] == [
        "NP", "S", "-NONE-", "N-BAR", "NP",
    ]  # fmt: skip


def test_fragments_and_lonely_pronouns():
    assert proposed("(FRAG (PRP him))", "him") == []
    assert proposed("(PRP him)", "him") == []
    assert proposed("(NP (NNP Ann)) (FRAG (PRP her))", "her") == [(4, "Ann")]
    assert str(hobbs(list(parse_bracketed("(PRP him)", "a test")), 0)) == "no proposal"


def test_noun_phrases_have_heads():
    (tree,) = parse_bracketed(CAMELOT, "a test")
    heads = {str(phrase): tree.sentence[phrase.head] for phrase in noun_phrases(tree)}
    assert heads["the castle in Camelot"] == "castle"
    assert heads["the residence of the king"] == "residence"
    assert heads["536 when he moved it to London"] == "536"


TREES = list(parse_bracketed("(S (NP (PRP he)) (VP (VBD left)))", "a test"))


@pytest.mark.parametrize("method", [hobbs, most_recent])
def test_a_sentence_or_word_that_is_missing(method):
    with pytest.raises(OptionError, match="word=2: there are 2 words in its sentence; expected a number below 2"):
        method(TREES, 2)
    with pytest.raises(OptionError, match="sentence=1: there are 1 trees"):
        method(TREES, 0, sentence=1)
    with pytest.raises(OptionError, match="there are 0 trees"):
        method([], 0)
    for word in ("he", 0.0, None):
        with pytest.raises(ArgumentTypeError, match=r"word=.*: expected a number, from 0 for the first of the 2 words"):
            method(TREES, word)


@pytest.mark.parametrize("method", [hobbs, most_recent])
def test_what_holds_no_trees(method):
    for wrong in ("He left", None, TREES[0], [DependencySentence.of(["He", "left"])], ["He left"]):
        with pytest.raises(
            ArgumentTypeError, match="expected trees of constituents of consecutive sentences, in a list"
        ):
            method(wrong, 0)
    with pytest.raises(ArgumentTypeError, match="agrees=True: expected a function"):
        method(TREES, 0, agrees=True)
    with pytest.raises(UnknownOptionError, match="not an argument of"):
        method(TREES, pronoun=0)
    assert str(method(iter(TREES), 0)) == "no proposal"


def test_phrases_of_what_is_no_tree():
    for wrong in ("He left", None, TREES):
        with pytest.raises(
            ArgumentTypeError, match=r"expected a tree of constituents: those of firth.readers.read_bracketed"
        ):
            noun_phrases(wrong)
