"""The site is built without warnings and without a network, and holds what it promises."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("material", reason="mkdocs-material is not installed: pip install 'firth[docs]'")
pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed: pip install 'firth[docs]'")
pytestmark = pytest.mark.slow


class Fetched(HTMLParser):
    """What a browser fetches for a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag in {"script", "img", "iframe", "source"} and values.get("src"):
            self.addresses.append(values["src"])
        if tag == "link" and values.get("rel") in {"stylesheet", "icon", "preconnect"}:
            self.addresses.append(values["href"])


def pages(site: Path) -> dict[str, str]:
    return {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))
    }


def test_pages_fetch_nothing_from_elsewhere(site):
    far = {
        (name, address)
        for name, page in pages(site).items()
        for address in Fetched(page).addresses
        if re.match(r"(https?:)?//", address)
    }
    assert far == set()


def test_every_method_has_formula_picture_sources_and_when_to_use_it(site):
    methods = {name: page for name, page in pages(site).items() if re.fullmatch(r"methods/[^/]+/index.html", name)}
    assert len(methods) > 20
    for name, page in methods.items():
        for part in ('<svg class="method"', 'id="when-to-use-it"', 'id="formula"', 'id="sources"', 'id="in-firth"'):
            assert part in page, f"{name} lacks {part}"


def test_the_reference_has_every_public_name(site):
    import firth

    reference = "".join(page for name, page in pages(site).items() if name.startswith("api/"))
    missing = [name for name in firth.__all__ if not re.search(rf'id="firth[\w.]*\.{name}"', reference)]
    assert missing == []


def test_options_in_the_reference_are_those_of_the_class(site):
    page = (site / "api/word-and-document-vectors/index.html").read_text(encoding="utf-8")
    assert "negative samples per prediction" in page
    assert page.count("<code>noise_exponent</code>") >= 4  # Word2Vec, StructuredWord2Vec, FastText, ParagraphVectors
