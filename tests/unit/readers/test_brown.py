"""The Brown corpus: words without their tags, paragraph by paragraph."""

import zipfile

import pytest

from firth.errors import FormatError
from firth.readers.brown import read_brown


def archive(folder, **texts):
    path = folder / "brown.zip"
    with zipfile.ZipFile(path, "w") as file:
        for name, text in texts.items():
            file.writestr(f"brown/{name}", text)
    return path


def test_tags_go_and_blank_lines_part_paragraphs(tmp_path):
    """1/2/cd is the word 1/2 with the tag cd; two sentences on lines of their own are one paragraph."""
    path = archive(
        tmp_path, cb01="b/x\n", ca01="\n\tThe/at 1/2/cd ./.\n\tNo/at\n\n\n\tEnd/nn\n", README="not/a text/b\n"
    )
    assert list(read_brown(path)) == [["The", "1/2", ".", "No"], ["End"], ["b"]]


def test_what_is_no_archive_is_called_so(tmp_path):
    (tmp_path / "brown.zip").write_text("The/at", encoding="ascii")
    with pytest.raises(FormatError, match=r"not a readable zip archive .*expected NLTK's brown\.zip"):
        list(read_brown(tmp_path / "brown.zip"))
    with pytest.raises(FormatError, match="has no texts"):
        list(read_brown(archive(tmp_path, README="a")))


def test_the_real_one(shared_data):
    """Francis and Kucera's corpus as NLTK has it: 1,161,192 words in 15,667 paragraphs."""
    paragraphs = list(read_brown(shared_data / "language" / "brown" / "brown.zip"))
    assert len(paragraphs) == 15_667
    assert sum(map(len, paragraphs)) == 1_161_192
    assert paragraphs[0][:5] == ["The", "Fulton", "County", "Grand", "Jury"]
