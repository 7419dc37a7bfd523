"""Runs and their text in the explorer: whiskers, what is not stable, and every occurrence page by page."""

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
def page(browser, folder):
    problems = []
    with explorer(folder, "runs.firth", "--corpus", "texts") as address:
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
