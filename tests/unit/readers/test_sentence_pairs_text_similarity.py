import pytest

from firth.errors import FormatError
from firth.readers.sentence_pairs import read_text_similarity


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.test.tsv").write_text(text, encoding="utf-8")
    (folder / "one.train.tsv").write_text("1.5\tnot\tread\n2\ta\tb\n3\ta\tb\n", encoding="utf-8")
    return folder


def test_a_folder_has_parts(tmp_path):
    write(tmp_path, one="1.5\ta\tb\n2\tc\td\n0\te\tf\n", two="4\tg\th\n3\ti\tj\n1\tk\tl\n")
    both = read_text_similarity(tmp_path)
    assert both.pairs.scores.tolist() == [1.5, 2, 0, 4, 3, 1]
    assert list(both.pairs.first) == list("acegik")
    assert both.parts == {"one": slice(0, 3), "two": slice(3, 6)}
    files = [tmp_path / "one.test.tsv", tmp_path / "two.test.tsv"]
    assert read_text_similarity(files).parts == both.parts
    alone = read_text_similarity(files[1])
    assert (alone.pairs.scores.tolist(), alone.parts) == ([4, 3, 1], {})


def test_what_is_no_set(tmp_path):
    with pytest.raises(FormatError, match="no file of pairs"):
        read_text_similarity(tmp_path)
    write(tmp_path, one="yes\ta\tb\nno\tc\td\nno\te\tf\n")
    with pytest.raises(FormatError, match="labels such as 'yes', expected scores"):
        read_text_similarity(tmp_path)
