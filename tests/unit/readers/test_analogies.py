import pytest

from firth.errors import FormatError
from firth.readers.analogies import read_analogies


def written(folder, text, encoding="utf-8"):
    path = folder / "gold.txt"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("a b c d\ne f g h\n", ["", ""]),
        (": one\na b c d\n: two parts\ne f g h\n", ["one", "two parts"]),
        ("a b c d JJ_JJR\ne f g h NN_NNS\n", ["JJ_JJR", "NN_NNS"]),
        ("JJ_JJR a b c d\nNN_NNS$ e f g h\n", ["JJ_JJR", "NN_NNS$"]),
        ("# of ours\n\na\tb\tc\td\r\ne f g h", ["", ""]),
    ],
)
def test_questions(tmp_path, text, sections):
    gold = read_analogies(written(tmp_path, text))
    assert gold.words == [("a", "b", "c", "d"), ("e", "f", "g", "h")]
    assert gold.sections == sections


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        (": only\n", "no questions"),
        (": x\na b c\n", "line 2: 3 words, expected 4"),
        ("a b c d e\n", "line 1: 5 words, expected 4"),
    ],
)
def test_what_is_no_set_of_questions_is_refused(tmp_path, text, message):
    with pytest.raises(FormatError, match=message):
        read_analogies(written(tmp_path, text))


def test_reads_googles_questions(shared_data):
    gold = read_analogies(shared_data / "analogy/questions-words.txt")
    assert len(gold.words) == 19544
    assert len(set(gold.sections)) == 14
    assert gold.words[0] == ("Athens", "Greece", "Baghdad", "Iraq")
