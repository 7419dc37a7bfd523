"""Runs and their text in the explorer: whiskers, what is not stable, and every occurrence page by page."""

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'firth[browser]'")
pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

import firth
from tests.browser.served import explorer, keep, needs_browser, opened, view

pytestmark = needs_browser
FOOD = ["bread", "cheese", "butter", "apple", "soup", "honey", "salt", "pepper"]
SEA = ["ship", "sailor", "harbour", "anchor", "storm", "wave", "captain", "deck"]
RARE = [f"{letter}{vowel}" for letter in "bcdfghjklmnp" for vowel in ("ay", "oon", "ile")]  # neighbours by chance


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("evidence")
    random = np.random.default_rng(0)
    (where / "texts").mkdir()
    for number in range(40):
        words = FOOD if number % 2 else SEA
        lines = [
            f"The {' '.join(random.choice(words, 4, replace=False))}, and a {words[0]}; "
            f"{' '.join(random.choice(RARE, 2))}."
            for _ in range(6)
        ]
        (where / "texts" / f"{number:02}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    corpus = firth.Corpus.build(where / "texts", min_count=1, cache=where, progress=False)
    model = firth.Word2Vec(dim=10, epochs=3, sample=0.0)
    firth.bootstrap(model, corpus, runs=4, seed=1, threads=1, progress=False).save(where / "runs.firth")
    return where


@pytest.fixture(scope="module")
def address(folder):
    with explorer(folder, "runs.firth", "--corpus", "texts") as address:
        yield address


@pytest.fixture(scope="module")
def page(browser, address):
    problems = []
    page = opened(browser, address, problems=problems)
    yield page
    page.context.close()
    assert problems == []


def test_neighbours_have_whiskers_and_shares(page):
    page.fill("#search", "sailor")
    page.press("#search", "Enter")
    page.wait_for_selector("#view h2 bdi:text-is('sailor')")
    keep(page, "runs-word")
    rows = page.locator("#view .bars.runs .bar")
    assert rows.count() == 10
    for i in range(10):
        bar, ends = rows.nth(i).bounding_box(), rows.nth(i).locator("b").bounding_box()
        value = rows.nth(i).locator("i").bounding_box()
        assert bar["x"] - 1 <= ends["x"] <= value["x"] + value["width"] <= ends["x"] + ends["width"] + 1
    shares = [int(text.split()[0]) for text in page.locator("#view .runs .number:nth-child(4n)").all_inner_texts()]
    faded = page.locator("#view .bar.faded").count()
    assert faded == sum(share < 50 for share in shares) > 0
    assert "fewer than half" in page.locator("#view .legend").inner_text()
    marked = page.evaluate("[...firthMap.marked.values()].filter((kind) => kind === 'near').length")
    assert marked == 10 - faded


def test_similarities_have_intervals(page):
    view(page, "matrix")
    page.fill("#view textarea", "ship sailor bread nothing")
    page.click("#view button.main")
    page.wait_for_selector("#view table")
    assert len(page.locator("#view td small").all_inner_texts()) == 6
    assert " to " in page.locator("#view td small").first.inner_text()
    assert "No vector of nothing" in page.locator("#view .note").inner_text()
    keep(page, "runs-matrix")


def rows(page):
    return page.locator("#view .context.pages .match").all_inner_texts()


def test_every_occurrence_page_by_page(page):
    page.fill("#search", "bread")
    page.press("#search", "Enter")
    page.wait_for_selector("#view h2 bdi:text-is('bread')")
    page.click("#view button.more")
    page.wait_for_selector("#view .context.pages")
    assert rows(page) == ["bread"] * 50
    said = page.locator("#view [aria-live] p").first
    total = int(said.inner_text().split()[4])
    assert said.inner_text() == f"1 to 50 of {total} in 20 files"
    assert page.locator("#view .place").first.inner_text() == "01.txt:1"
    keep(page, "contexts")
    page.click("#view .place >> nth=0")
    assert page.locator("#view blockquote").first.inner_text().startswith("The ")
    for _ in range(-(-total // 50) - 1):
        page.click("#view button:text-is('Next')")
        page.wait_for_selector('#view [aria-live][aria-busy="false"]')
    assert len(rows(page)) == total - 50 * ((total - 1) // 50)
    assert page.locator("#view button:text-is('Next')").is_disabled()
    page.select_option("#view select", "right")
    page.wait_for_selector("#view p:has-text('1 to 50 of')")
    after = [
        re.findall(r"\w+", text.lower())[:3] for text in page.locator("#view .context.pages .after").all_inner_texts()
    ]
    assert after == sorted(after)
    with page.expect_download() as download:
        page.click("#view button:text-is('Save all (CSV)')")
    table = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert table[0] == "file,line,before,match,after,sentence"
    assert len(table) == total + 1
    page.fill("#view input[type=text]", "a bre*")
    page.click("#view button.main")
    page.wait_for_selector("#view p:has-text('of 120 in 20 files')")
    assert rows(page) == ["a bread"] * 50
    page.fill("#view input[type=text]", "nothing")
    page.click("#view button.main")
    assert "has no “nothing”" in page.locator("#view .note").inner_text()


def test_words_come_before_the_map(browser, address):
    """While the map is computed, the page says so, and words are found and shown."""
    held = []

    def hold(route):
        held.append(route)

    page = opened(browser, address, problems=[], wait=False, before=lambda page: page.route("**/map", hold))
    page.wait_for_selector("#waiting:has-text('Computing the map of 55 words …')")
    keep(page, "waiting")
    page.fill("#search", "sail")
    page.press("#search", "Enter")
    page.wait_for_selector("#view .bars.runs")
    assert page.locator("#view .small").first.inner_text().endswith("word 17")
    held[0].continue_()
    page.wait_for_selector("#view .small:has-text('word 17 of 55')")
    assert page.locator("#waiting").is_hidden()
    assert page.evaluate("firthMap.marked.size") > 1
    page.context.close()


def test_the_header_stands_in_a_line(page):
    boxes = [page.locator(name).bounding_box() for name in (".menu summary", "#share", "#theme")]
    assert len({round(box["y"] + box["height"] / 2) for box in boxes}) == 1


def test_a_bar_is_as_long_as_its_cosine(page):
    view(page, "analogy")
    for place, word in enumerate(("ship", "sailor", "bread")):
        page.locator("#view input").nth(place).fill(word)
    page.click("#view button.main")
    page.wait_for_selector("#view .bars")
    for i in range(10):
        full, bar = page.locator("#view .bar").nth(i), page.locator("#view .bar i").nth(i)
        share = bar.bounding_box()["width"] / full.bounding_box()["width"]
        assert share == pytest.approx(abs(float(page.locator("#view .number").nth(i).inner_text())), abs=0.01)


def test_a_search_for_nothing(page):
    page.fill("#search", "")
    page.press("#search", "Enter")
    page.wait_for_selector("#message:has-text('Type a word.')")
    page.fill("#search", "sailro")
    assert "No word of the map holds this" in page.locator("#found").inner_text()
    page.press("#search", "Enter")
    page.wait_for_selector("#view .note:has-text('has no vector of this word')")
    assert "sailor" in page.locator("#view button.word").all_inner_texts()


def test_without_javascript_or_webgl(browser, address):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    assert "needs JavaScript" in page.locator("body").inner_text()
    assert "Export" not in page.locator("body").inner_text()
    keep(page, "no-javascript")
    page.context.close()
    without = """HTMLCanvasElement.prototype.getContext = ((get) => function (kind, ...more) {
      return kind === "webgl" ? null : get.call(this, kind, ...more); })(HTMLCanvasElement.prototype.getContext)"""
    problems = []
    page = opened(browser, address, problems=problems, before=lambda page: page.add_init_script(without))
    assert page.evaluate("firthMap.painter.constructor.name") == "PlainPainter"
    assert page.evaluate("firthMap.frames") > 0
    page.context.close()
    page = opened(browser, address, problems=problems)
    page.evaluate("firthMap.painter.gl.getExtension('WEBGL_lose_context').loseContext()")
    page.wait_for_function(
        "firthMap.painter.constructor.name === 'PlainPainter' && firthMap.painter.fill.length === 55"
    )
    keep(page, "lost-webgl")
    assert problems == []
    page.context.close()


LONG = "donaudampfschifffahrt" * 15  # of more than 300 letters


@pytest.fixture(scope="module")
def long_words(browser, tmp_path_factory):
    """An explorer of words as long as a page of a bad scan, and of their text."""
    where = tmp_path_factory.mktemp("long")
    words = [LONG, f"{LONG}s", "ship", "sea", "storm"]
    rows = np.random.default_rng(0).standard_normal((5, 4)).astype("f4")
    firth.WordVectors(words, rows, counts=[5, 4, 3, 2, 1]).save(where / "long.firth")
    (where / f"{'file' * 40}.txt").write_text(f"the ship {LONG} on the sea\n" * 3 + "ברא אלהים את\n", encoding="utf-8")
    with explorer(where, "long.firth", "--corpus", f"{'file' * 40}.txt") as address:
        yield address


@pytest.mark.parametrize("width", [375, 300])
def test_long_words_and_narrow_windows(browser, long_words, width):
    problems = []
    page = opened(
        browser, f"{long_words}#view=word&word={LONG}", problems=problems, viewport={"width": width, "height": 700}
    )
    for name in ("word", "contexts", "matrix", "about"):
        view(page, name)
        if name == "contexts":
            page.fill("#view input[type=text]", LONG)
        if name == "matrix":
            page.fill("#view textarea", f"{LONG} ship sea")
        if name in ("contexts", "matrix"):
            page.click("#view button.main")
            page.wait_for_selector("#view .context.pages, #view table")
        keep(page, f"long-{width}-{name}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        assert page.evaluate(
            "document.querySelector('#view').scrollWidth <= document.querySelector('#view').clientWidth"
        )
    view(page, "contexts")
    page.fill("#view input[type=text]", "אלהים")
    page.click("#view button.main")
    page.wait_for_selector("#view .context[dir=rtl]")
    sides = [page.locator(f"#view .context .{side}").bounding_box()["x"] for side in ("after", "match", "before")]
    assert sides == sorted(sides)  # read from right to left
    page.fill("#search", "donau")
    keep(page, f"long-{width}-search")
    assert page.locator("#found").bounding_box()["width"] <= width
    page.context.close()
    assert problems == []
