import json
import re
import sys

import pytest

from firth.errors import MissingExtraError, OptionError
from firth.plots import word_axis
from firth.plots.saving import check_target, missing_letters


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.pdf", "a.html", "a.PNG"])
def test_the_extension_selects_the_format(pictures, tmp_path, name):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pip install 'firth[plots]'")
    pictures["map"].save(tmp_path / "new" / name)
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}[
        name.lower().rpartition(".")[2]
    ]
    assert (tmp_path / "new" / name).read_bytes().startswith(begins)
    assert [path.name for path in (tmp_path / "new").iterdir()] == [name]


@pytest.mark.parametrize("name", ["a.eps", "a", ".png", "a.png.txt"])
def test_another_extension_is_refused(pictures, tmp_path, name):
    with pytest.raises(OptionError, match=r"expected a name that ends in \.png, \.svg, \.pdf, \.html"):
        pictures["map"].save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_refused(pictures, tmp_path):
    (tmp_path / "a.png").mkdir()
    with pytest.raises(OptionError, match="is a folder"):
        pictures["map"].save(tmp_path / "a.png")


@pytest.mark.parametrize("name", ["a.png", "a.svg", "a.html"])
def test_a_missing_library_is_an_error_with_the_command_to_install_it(pictures, tmp_path, monkeypatch, name):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"matplotlib is needed .*: pip install .*\[plots\]"):
        check_target(tmp_path / name)


def test_letters_without_a_font_are_reported_for_pictures_but_not_for_pages(pictures, tmp_path):
    assert missing_letters(pictures["map"], tmp_path / "a.png") == ""
    assert missing_letters(pictures["map"], tmp_path / "a.html") == ""


def test_a_page_fetches_nothing_and_holds_the_picture_and_its_numbers(picture, embedded, tmp_path):
    picture.save(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert not re.search(r'(src|href)="(?!#|data:)', page)
    assert f"<title>{picture.title}</title>" in page
    if picture.kind != "map":
        assert embedded(page, "rows") == json.loads(json.dumps(list(picture.rows)))
        assert page.count("<svg") == 1


def test_words_that_are_markup_stay_words(scripts, embedded, tmp_path):
    word_axis(scripts, (scripts.words[0], scripts.words[1]), scripts.words, title="</title><script>").save(
        tmp_path / "a.html"
    )
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.count("</script>") == 1
    assert "&lt;b&gt;&amp;amp;" in page
    assert {row["word"] for row in embedded(page, "rows")} <= set(scripts.words)
