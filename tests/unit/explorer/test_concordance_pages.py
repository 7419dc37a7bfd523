"""Pages of a concordance: those of the concordance itself, read once, no further than is asked for."""

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

import firth
from firth.errors import CorpusError, UnknownModelError
from firth.explorer import concordance_pages
from firth.explorer.concordance_pages import ConcordancePages
from firth.explorer.view_schemas import ConcordanceRequest


@pytest.fixture
def corpus(tmp_path):
    for folder, lines in (("a", ["The cat sat.", "A cat, a dog."]), ("b", ["Cats; the", "cat ate!"] * 4)):
        (tmp_path / "texts" / folder).mkdir(parents=True)
        (tmp_path / "texts" / folder / "x.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return firth.Corpus.build(tmp_path / "texts", min_count=1, cache=tmp_path / "cache", progress=False)


def asked(query="cat", **more):
    return ConcordanceRequest(query=query, **more)


def test_pages_are_those_of_the_concordance(corpus):
    pages = ConcordancePages({"text": corpus})
    for sort in ("file", "left", "right"):
        expected = [(row.line, row.before, row.match, row.after) for row in corpus.concordance("cat", sort=sort)]
        found = [pages.page(asked(sort=sort, page=number, n=4)) for number in range(3)]
        rows = [row for page in found for row in page["rows"]]
        assert [tuple(row[name] for name in ("line", "before", "match", "after")) for row in rows] == expected
        assert [(page["more"], page["found"], page["complete"]) for page in found] == [
            (True, 6, True),
            (False, 6, True),
            (False, 6, True),
        ]
    assert [row["file"] for row in rows].count("b/x.txt") == 4  # below the folder of all
    assert (found[0]["files"], found[0]["unit"]) == (2, "files")
    assert pages.page(asked("cat*"))["forms"] == [{"form": "cat", "count": 6}, {"form": "cats", "count": 4}]
    assert pages.page(asked("none"))["rows"] == []


def test_a_page_reads_no_further_than_its_time(corpus, monkeypatch):
    monkeypatch.setattr(concordance_pages, "COUNTING", 0.0)
    pages = ConcordancePages({"text": corpus})
    first = pages.page(asked(n=2))
    assert (len(first["rows"]), first["found"], first["more"], first["complete"]) == (2, 3, True, False)
    reading = pages._reading
    last = pages.page(asked(n=2, page=2))
    assert (len(last["rows"]), last["found"], last["more"], last["complete"]) == (2, 6, False, True)
    assert pages._reading is reading  # goes on where it was


def test_only_so_many_are_kept(corpus, monkeypatch):
    monkeypatch.setattr(concordance_pages, "KEPT", 3)
    pages = ConcordancePages({"text": corpus})
    for sort in ("file", "left"):
        found = pages.page(asked(n=2, page=1, sort=sort))
        assert (len(found["rows"]), found["found"], found["more"], found["kept"]) == (1, 6, False, 3)


def test_a_text_that_is_gone_is_an_error_until_it_is_back(corpus, tmp_path):
    pages = ConcordancePages({"text": corpus})
    (tmp_path / "texts").rename(tmp_path / "elsewhere")
    with pytest.raises(CorpusError, match="texts"):
        pages.page(asked())
    (tmp_path / "elsewhere").rename(tmp_path / "texts")
    found = pages.page(asked())
    assert (found["found"], found["notes"]) == (6, [])
    (tmp_path / "texts" / "b" / "x.txt").write_text("no cat", encoding="utf-8")
    assert "build the corpus again" in pages.page(asked(sort="left"))["notes"][0]
    with pytest.raises(CorpusError, match="expected a word, a phrase"):
        pages.page(asked("  "))
    with pytest.raises(UnknownModelError):
        pages.page(asked(model="other"))
