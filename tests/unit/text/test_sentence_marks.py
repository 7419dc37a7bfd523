"""Characters that end sentences."""

import re
import unicodedata

from firth.text.sentence_marks import ANY, COMMAS, FREE, SENTENCE_TERMINAL, SPACED


def test_the_property_is_that_of_unicode():
    assert len(SENTENCE_TERMINAL) == len(set(SENTENCE_TERMINAL)) == 172  # "Total code points" of PropList.txt
    known = [unicodedata.category(each) for each in SENTENCE_TERMINAL if unicodedata.category(each) != "Cn"]
    assert set(known) == {"Po"}


def test_each_mark_is_of_one_kind():
    assert not set(SPACED) & set(FREE)
    assert {*SENTENCE_TERMINAL} - {*COMMAS} <= {*SPACED, *FREE}
    assert all(re.fullmatch(f"[{ANY}]", each) for each in SPACED + FREE)
