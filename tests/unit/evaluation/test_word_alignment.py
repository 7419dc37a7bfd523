"""Words that two annotations of a text share, by hand."""

import pytest

from firth.evaluation.word_alignment import Annotation, shared_words
from firth.readers.conllu import DependencySentence


def annotation(text):
    """Tokens between spaces, as one sentence; "au=à+le" is a token of two words, "~" a space inside a token."""
    rows, number = [], 0
    for token in text.replace("~", "\u00a0").split(" "):
        form, _, words = token.partition("=")
        forms = words.split("+") if words else [form]
        if words:
            rows.append((f"{number + 1}-{number + len(forms)}", form, *["_"] * 8))
        for each in forms:
            number += 1
            rows.append((str(number), each, *["_"] * 8))
    return Annotation([DependencySentence(tuple(rows))], "gold")


@pytest.mark.parametrize(
    ("gold", "system", "shared"),
    [
        ("a b c", "a b c", [(0, 0), (1, 1), (2, 2)]),
        ("ab c", "a bc", []),
        ("ab c d", "a b cd", []),
        ("a~b c", "ab c", [(0, 0), (1, 1)]),
        ("au=à+le bar", "au=à+le bar", [(0, 0), (1, 1), (2, 2)]),
        ("au=À+le bar", "au=à+les bar", [(0, 0), (2, 2)]),  # in lower case, one by one
        ("au=à+le bar", "au bar", [(2, 1)]),
        ("dámelo=da+me+lo y", "dámelo=da+lo y", [(0, 0), (2, 1), (3, 2)]),
        ("x aub=a+u+b y", "x a u b y", [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]),  # words inside the token of the other
        ("x ab=b+a y", "x a b y", [(0, 0), (2, 1), (3, 3)]),  # of two longest ones that without the first gold word
        ("ab=a+b cd=c+d e", "a bc=b+c d e", [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]),  # one stretch of three tokens
        ("ab=a+b cd", "a bcd", [(0, 0)]),  # "bcd" goes beyond the end of the stretch
    ],
)
def test_by_hand(gold, system, shared):
    ours, theirs = shared_words(annotation(gold), annotation(system))
    assert list(zip(ours.tolist(), theirs.tolist(), strict=True)) == shared


def test_spans():
    both = annotation("a~b au=à+le c")
    assert both.text == "abauc"
    assert both.tokens.tolist() == [[0, 2], [2, 4], [4, 5]]
    assert both.spans.tolist() == [[0, 2], [2, 4], [2, 4], [4, 5]]
    assert both.sentences.tolist() == [[0, 5]]
    assert both.multiword == [False, True, True, False]
