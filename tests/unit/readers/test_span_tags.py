"""Tags that mark spans: their spans, their schemes, broken ones."""

import itertools

import pytest

from firth.errors import FormatError
from firth.readers.span_tags import broken_spans, may_follow, notation_of, scheme_of, span_tags, spans_of


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("B-A I-A O B-B", [(0, 2, "A"), (3, 4, "B")]),
        ("B-A B-A I-A", [(0, 1, "A"), (1, 3, "A")]),
        ("I-A I-A O I-B", [(0, 2, "A"), (3, 4, "B")]),  # broken: the spans count
        ("B-A I-B I-B", [(0, 1, "A"), (1, 3, "B")]),
        ("S-A B-A E-A I-A", [(0, 1, "A"), (1, 3, "A"), (3, 4, "A")]),
        ("O O", []),
        ("", []),
        ("B-A-B I-A-B", [(0, 2, "A-B")]),
        ("B I O", [(0, 2, "")]),
        ("U-A B-A I-A L-A U-A", [(0, 1, "A"), (1, 4, "A"), (4, 5, "A")]),
        ("B M E S", [(0, 3, ""), (3, 4, "")]),
        ("W-A B-A M-A E-A O", [(0, 1, "A"), (1, 4, "A")]),
        ("b-per i-per o", [(0, 2, "per")]),
        ("B_PER I_PER O I_LOC-X", [(0, 2, "PER"), (3, 4, "LOC-X")]),
    ],
)
def test_spans(tags, spans):
    assert spans_of(tags.split()) == spans


@pytest.mark.parametrize("tag", ["PER", "", "X-PER", "BPER", "-PER"])
def test_other_tags_are_refused(tag):
    with pytest.raises(FormatError, match="such as B-PER"):
        spans_of(["O", tag])


@pytest.mark.parametrize(
    ("sentences", "scheme"),
    [
        (["B-A I-A O", "B-A"], "bio"),
        (["I-A I-A O I-B"], "iob1"),
        (["I-A B-A O I-B"], "iob1"),  # a span behind another of its type
        (["I-A O B-B"], "bio"),  # a broken one: IOB1 has no such B
        (["B-A E-A O"], "bioes"),
        (["S-A O"], "bioes"),
        (["B I O"], "bio"),
        (["O O"], None),
        (["NOUN O"], None),
        (["DT NN", "B-A"], None),
        ([], None),
    ],
)
def test_schemes(sentences, scheme):
    assert scheme_of([tags.split() for tags in sentences]) == scheme


@pytest.mark.parametrize("scheme", ["bio", "bioes"])
def test_tags_of_spans_follow_the_rules_and_have_those_spans(scheme):
    """Every sequence of four BIO tags of two types."""
    for tags in itertools.product(["O", "B-A", "I-A", "B-B", "I-B"], repeat=4):
        coded = span_tags(spans_of(tags), 4, scheme)
        assert spans_of(coded) == spans_of(tags)
        assert broken_spans(coded, scheme) == 0
        assert (coded == list(tags)) or scheme == "bioes" or broken_spans(tags, scheme)


@pytest.mark.parametrize("scheme", ["bio", "bioes"])
def test_what_may_follow_is_what_occurs_in_tags_of_spans(scheme):
    """All spans of four words: the pairs of neighbours in their tags are those that are allowed."""
    plain = itertools.product(["O", "B-A", "I-A", "B-B", "I-B"], repeat=4)
    coded = [["O", *span_tags(spans_of(tags), 4, scheme), "O"] for tags in plain]
    seen = {pair for tags in coded for pair in itertools.pairwise(tags)}
    names = {tag for tags in coded for tag in tags}
    assert seen == {pair for pair in itertools.product(names, repeat=2) if may_follow(*pair, scheme)}


@pytest.mark.parametrize(
    ("tags", "notation"),
    [
        ("B-A I-A O", "BIO"),
        ("I-A O", "IOB1"),
        ("S-A O", "BIOES"),
        ("U-A O", "BILOU"),
        ("B-A L-A U-A", "BILOU"),
        ("B M E S", "BMES"),
        ("W-A O", "BMEWO"),
        ("b-a i-a o", "BIO in lower case"),
        ("i_a o", "IOB1 in lower case with '_'"),
        ("B_PER O", "BIO with '_'"),
        ("U-A S-A O", None),  # of no scheme
        ("u o m", None),  # parts of speech
        ("L M", None),
        ("o", None),
    ],
)
def test_how_tags_are_written(tags, notation):
    assert notation_of([tags.split()]) == notation


@pytest.mark.parametrize("letters", ["BIES", "BILU", "BMES", "BMEW", "bies", "bilu"])
@pytest.mark.parametrize("sign", ["-", "_"])
def test_spans_in_any_scheme_are_found_again(letters, sign):
    """Every segmentation of five words into spans of two types: spans -> tags -> spans is the identity."""
    b, i, e, s = letters
    written = {"B": b, "I": i, "E": e, "S": s, "O": "o" if b.islower() else "O"}
    for tags in itertools.product(["O", "B-A", "I-A", "B-B"], repeat=5):
        spans = spans_of(tags)
        coded = [written[tag[0]] + tag[1:].replace("-", sign) for tag in span_tags(spans, 5, "bioes")]
        assert spans_of(coded) == spans
        assert broken_spans(coded, "bioes") == 0
    assert scheme_of([coded, [f"{s}{sign}A", written["O"]]]) == "bioes"


def test_broken_spans_are_counted():
    assert broken_spans(["I-A", "O", "B-A", "I-B"], "bio") == 2
    assert broken_spans(["I-A", "O", "I-B"], "iob1") == 0
    assert broken_spans(["B-A", "O", "S-A"], "bioes") == 1
    assert broken_spans(["b_A", "o", "u_A"], "bioes") == 1
