"""Running text to sentences."""

import pytest

from firth.text.sentence_ends import split_sentences


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three? Four", 4),
        ("Mr. and Mrs. Dashwood lived at St. James. They left.", 2),
        ('"Stop!" he cried. "Why?" She ran.', 3),
        ("It rained... and it rained... It stopped.", 2),
        ("See No. 7 on p. 12. He said no. 7 men left", 2),
        ("J. R. R. Tolkien wrote. So did I. Then I slept.", 3),
        ("It costs 3.14 dollars, e.g. here; at 5 p.m. we left.", 1),
        ("(He left.) [She stayed.] 3 men came.", 3),
        ("これは文です。これも文です！「はい。」終わり", 4),
        ("Qué dijo. ¿Vino? Sí.", 3),
        ("no end", 1),
        ("Ends with a full stop. ", 1),
        ("", 0),
        (" \n ", 0),
    ],
)
def test_number_of_sentences(text, count):
    assert len(split_sentences(text)) == count


def test_nothing_but_white_space_is_lost():
    text = 'He said: "I will." And then? "Wait!" cried Dr. Who.'
    assert " ".join(split_sentences(text)) == text
