"""The explorer's page in a real browser: every view is opened and asked, in light and dark, wide and narrow.

Needs Debian's package chromium (or Chrome) and `pip install 'firth[browser]'`. Pictures of the views are kept in the
folder that FIRTH_SCREENSHOTS names, if it does.
"""

import json
import re
import time
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed: pip install 'firth[browser]'"
)
pytest.importorskip("fastapi", reason="FastAPI is not installed: pip install 'firth[explorer]'")

import firth
from tests.browser.served import explorer, keep, needs_browser, opened, view
from tests.fuzz.readers import READERS, seeds

pytestmark = needs_browser
TOPICS = {
    "food": ["bread", "cheese", "butter", "apple", "soup", "honey", "salt", "pepper"],
    "sea": ["ship", "sailor", "harbour", "anchor", "storm", "wave", "captain", "deck"],
    "music": ["violin", "piano", "singer", "concert", "melody", "chorus", "rhythm", "tune"],
}
HOSTILE = "<img src=x onerror=alert(1)>"


def sentences():
    """Sentences of three topics."""
    random = np.random.default_rng(0)
    lines = []
    for number in range(6000):
        words = list(TOPICS.values())[number % 3]
        lines.append(" ".join(["the", *random.choice(words, 4, replace=False), "and", "a", *random.choice(words, 2)]))
    return lines


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("explorer")
    lines = sentences()
    corpus = firth.Corpus.build(lines, min_count=1, cache=where, progress=False)
    for name, seed in (("first", 0), ("second", 1)):
        vectors = firth.Word2Vec(dim=20, epochs=5, sample=0.0).train(corpus, seed=seed, threads=1, progress=False)
        vectors.add_vector(HOSTILE, np.ones(20, np.float32))
        vectors.save(where / f"{name}.firth")
    firth.NgramLM(order=3, discounts=1, discount_fallback=True).train(lines, progress=False).save(where / "lm.firth")
    topics = {words[place]: name for name, words in TOPICS.items() for place in (0, 1)}
    labelled = [(line, topics[word]) for line in lines for word in topics if word in line.split()]
    firth.TextClassifier(epochs=3, dim=10).train(labelled, progress=False, threads=1).save(where / "topics.firth")
    (where / "text").symlink_to(corpus.path)
    rows = [f'"{line}",{list(TOPICS)[number % 3]},{number}' for number, line in enumerate(lines[:300])]
    (where / "texts.csv").write_text("\n".join(["text,topic,number", *rows]) + "\n", encoding="utf-8")
    return where


@pytest.fixture(scope="module")
def address(folder):
    models = ("first.firth", "second.firth", "lm.firth", "topics.firth")
    texts = ("--corpus", "text", "--texts", "texts.csv", "--column", "text", "--labels", "topic")
    with explorer(folder, *models, *texts) as address:
        yield address


@pytest.fixture
def page(browser, address):
    problems = []
    page = opened(browser, f"{address}#model=first", problems=problems)
    yield page
    page.context.close()
    assert problems == []


def answered(page):
    """Press the button of the form, and return what is below it when it is there."""
    page.click("#view button.main")
    page.wait_for_selector('#view [aria-live][aria-busy="false"]')
    return page.locator("#view [aria-live]")


def test_a_word_its_neighbours_and_its_contexts(page):
    keep(page, "map")
    page.fill("#search", "ho")
    assert page.locator("#found li").all_inner_texts()[0] == "honey"
    page.press("#search", "ArrowDown")
    page.press("#search", "Enter")
    page.wait_for_selector("#view h2 bdi:text-is('honey')")
    near = page.locator("#view .bars button.word").all_inner_texts()
    assert set(near[:5]) <= set(TOPICS["food"])
    assert page.locator("#view .context > :nth-child(3n + 2)").all_inner_texts() == ["honey"] * 12
    keep(page, "word")
    page.click("#view .bars button.word >> nth=0")
    page.wait_for_selector(f"#view h2 bdi:text-is('{near[0]}')")
    assert f"word={near[0]}" in page.url


def test_a_click_on_the_map_opens_the_word_below_it(page):
    row = page.evaluate("firth.rows.get('sailor')")
    x, y = page.evaluate(f"firthMap.at({row})")
    page.locator("#map").click(position={"x": x, "y": y})
    page.wait_for_selector("#view h2 bdi:text-is('sailor')")
    page.locator("#map").hover(position={"x": x + 1, "y": y})


def test_hostile_words_are_text(page):
    page.fill("#search", "<img")
    page.press("#search", "Enter")
    page.wait_for_selector("#view h2 bdi")
    assert page.locator("#view h2").inner_text() == HOSTILE
    assert page.locator("#view img").count() == 0


def test_unknown_words_are_said(page):
    page.fill("#search", "violni")
    page.press("#search", "Enter")
    page.wait_for_selector("#view .note")
    assert "no vector of this word" in page.locator("#view .note").inner_text()
    assert "violin" in page.locator("#view button.word").all_inner_texts()


def test_analogies(page):
    view(page, "analogy")
    for place, word in enumerate(("bread", "cheese", "ship")):
        page.locator("#view input").nth(place).fill(word)
    words = answered(page).locator("button.word").all_inner_texts()
    assert words[0] in TOPICS["sea"]
    keep(page, "analogy")
    view(page, "about")
    view(page, "analogy")
    assert page.locator("#view input").nth(2).input_value() == "ship"


def test_axes_move_the_map(page):
    before = page.evaluate("Array.from(firthMap.points.places.slice(0, 6))")
    view(page, "axes")
    for place, word in enumerate(("bread", "ship", "bread", "violin")):
        page.locator("#view input").nth(place).fill(word)
    bars = answered(page).locator(".bars")
    assert set(bars.nth(1).locator("button.word").all_inner_texts()[:5]) <= set(TOPICS["sea"])
    assert page.evaluate("Array.from(firthMap.points.places.slice(0, 6))") != before
    keep(page, "axes")
    view(page, "word")
    assert page.evaluate("Array.from(firthMap.points.places.slice(0, 6))") == before


def test_a_matrix(page):
    view(page, "matrix")
    page.fill("#view textarea", "ship, sailor, bread, nothing")
    table = answered(page).locator("table")
    cells = table.locator("td").all_inner_texts()[1:]
    assert len(cells) == 9
    assert cells[0] == "1.00"
    assert float(cells[1]) > float(cells[2])
    assert "No vector of nothing" in page.locator("#view .note").inner_text()
    page.fill("#view textarea", "Ship\nsailor\nbread")
    assert answered(page).locator("th button").all_inner_texts() == ["ship", "sailor", "bread"]
    keep(page, "matrix")


def test_two_models(page):
    view(page, "compare")
    found = answered(page)
    assert "that both models have" in found.inner_text()
    assert found.locator(".change").count() > 10
    assert "times" in found.locator(".change").first.inner_text()
    keep(page, "compare")
    page.select_option("#model", "second")
    page.wait_for_selector('#map[aria-busy="false"]')
    assert page.evaluate("firth.mapOf") == "second"


def test_bias(page):
    view(page, "bias")
    for place, words in enumerate(("bread cheese", "ship sailor", "butter soup honey", "anchor storm deck")):
        page.locator("#view input").nth(place).fill(words)
    assert float(answered(page).locator(".big").inner_text().replace("−", "-")) > 1
    keep(page, "bias")


def test_a_lasso_selects_words(page):
    page.click("#lasso")
    box = page.locator("#map").bounding_box()
    corners = [(5, 5), (box["width"] - 5, 5), (box["width"] - 5, box["height"] - 5), (5, box["height"] - 5)]
    for number, (x, y) in enumerate(corners):
        page.mouse.move(box["x"] + x, box["y"] + y, steps=3)
        if not number:
            page.mouse.down()
    page.mouse.up()
    page.wait_for_selector("#view h2:text('words')")
    assert page.locator("#view h2").inner_text() in ("27 words", "28 words")  # of which one may be out of sight
    keep(page, "selection")
    with page.expect_download() as download:
        page.click("#view button:text-is('Save as a list')")
    words = Path(download.value.path()).read_text(encoding="utf-8").split("\n")
    assert "violin" in words


def test_language_models(page):
    view(page, "language")
    page.fill("#view textarea", "the ship sailor")
    bits = [float(each) for each in answered(page).locator(".token small").all_inner_texts()]
    assert len(bits) == 4
    keep(page, "language")
    page.select_option("#view select >> nth=1", "next")
    words = answered(page).locator(".bars > span:nth-child(3n + 1)").all_inner_texts()
    assert set(words[:4]) <= {*TOPICS["sea"], "the", "and", "a", "⟨end⟩"}
    page.select_option("#view select >> nth=1", "generate")
    assert answered(page).locator("p").count() == 3


def test_classifiers(page):
    view(page, "classify")
    page.fill("#view textarea", "the violin and a piano")
    found = answered(page)
    assert found.locator(".bars > span").all_inner_texts()[0] == "music"
    assert found.locator(".token").count() >= 5
    keep(page, "classify")


def test_a_link_restores_the_state(page, browser, address):
    page.fill("#search", "wave")
    page.press("#search", "Enter")
    page.wait_for_selector("#view h2 bdi:text-is('wave')")
    page.select_option("#colour", "counts")
    page.click("#whole")
    page.evaluate("firthMap.zoomAt(200, 200, 3)")
    page.wait_for_timeout(600)
    camera = page.evaluate("firthMap.camera")
    problems = []
    other = opened(browser, page.url, problems=problems)
    other.wait_for_selector("#view h2 bdi:text-is('wave')")
    assert other.locator("#colour").input_value() == "counts"
    other.wait_for_timeout(300)
    assert other.evaluate("firthMap.camera.zoom") == pytest.approx(camera["zoom"], rel=1e-3)
    other.context.close()


def test_what_is_taken_home(page, browser):
    def saved(label):
        page.click(".menu summary")
        with page.expect_download() as download:
            page.click(f"#export button:text-is('{label}')")
        return Path(download.value.path()).read_bytes()

    assert saved("Picture (PNG)")[:8] == b"\x89PNG\r\n\x1a\n"
    svg = saved("Picture (SVG)").decode()
    assert svg.startswith("<svg")
    assert "<circle" in svg
    assert "<img" not in svg
    table = saved("Table of the map (CSV)").decode().splitlines()
    assert table[0] == "word,x,y,group,count"
    assert len(table) == 29
    assert saved("Parquet for embedding-atlas")[:4] == b"PAR1"
    assert len(saved("Vectors for the Projector (TSV)").decode().splitlines()) == 28
    content = saved("Page with the map (HTML)")
    alone = browser.new_context(offline=True).new_page()
    problems = []
    alone.on("pageerror", lambda error: problems.append(str(error)))
    alone.set_content(content.decode())
    alone.fill("#search", "violin")
    alone.wait_for_timeout(300)
    keep(alone, "saved")
    assert alone.locator("#map canvas").count() == 2
    assert problems == []
    alone.context.close()


def test_keys_alone(page):
    page.keyboard.press("/")
    page.keyboard.type("piano")
    page.keyboard.press("Enter")
    page.wait_for_selector("#view h2 bdi:text-is('piano')")
    page.focus("#map")
    zoom = page.evaluate("firthMap.camera.zoom")
    page.keyboard.press("+")
    assert page.evaluate("firthMap.camera.zoom") > zoom
    x = page.evaluate("firthMap.camera.x")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("firthMap.camera.x") > x
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    page.focus("#tab-word")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("#tab-contexts[aria-selected='true']")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("dark", {"color_scheme": "dark"}),
        ("phone", {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}),
        ("plain", {}),
    ],
)
def test_other_screens(browser, address, name, options):
    problems = []
    page = opened(
        browser, f"{address}#model=first{'&plain=1' if name == 'plain' else ''}", problems=problems, **options
    )
    keep(page, f"{name}-map")
    page.fill("#search", "chorus")
    page.press("#search", "Enter")
    page.wait_for_selector("#view h2 bdi:text-is('chorus')")
    keep(page, f"{name}-word")
    painter = page.evaluate("firthMap.painter.constructor.name")
    assert painter == ("PlainPainter" if name == "plain" else "Painter")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.close()
    assert problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(browser, address, scheme):
    axe = pytest.importorskip("axe_playwright_python", reason="axe is not installed: pip install 'firth[browser]'")
    source = next(each for each in Path(str(files(axe))).rglob("axe.min.js")).read_text(encoding="utf-8")
    page = opened(browser, f"{address}#model=first", problems=[], color_scheme=scheme)
    page.evaluate(source)
    for tab in page.locator("#tabs button").all():
        tab.click()
        page.wait_for_selector('#view[aria-busy="false"]')
        result = page.evaluate("axe.run()")
        assert len(result["passes"]) > 20
        found = [
            (each["id"], each["nodes"][0]["html"])
            for each in result["violations"]
            if each["impact"] in ("serious", "critical")
        ]
        assert found == [], tab.inner_text()
    page.context.close()


@pytest.mark.slow
@pytest.mark.parametrize(("words", "dim", "seconds"), [(50_000, 300, 3), (200_000, 100, 10)])
def test_speed_of_a_large_map(browser, tmp_path, words, dim, seconds):
    """The time of the first map; with 50,000 words, frames a second while it is dragged and zoomed, and memory."""
    random = np.random.default_rng(0)
    centres = 2 * random.standard_normal((12, dim))
    rows = random.standard_normal((words, dim)) + centres[random.integers(12, size=words)]
    firth.WordVectors([f"word{n}" for n in range(words)], rows.astype(np.float32)).save(tmp_path / "v.firth")
    with explorer(tmp_path, "v.firth") as address:
        began = time.perf_counter()
        page = opened(browser, address, problems=[])
        first = time.perf_counter() - began
        frames, began = page.evaluate("firthMap.frames"), time.perf_counter()
        page.evaluate("""() => new Promise((done) => {
          const began = performance.now();
          const step = (now) => {
            firthMap.look({ ...firthMap.camera, x: firthMap.camera.x + 0.002, zoom: firthMap.camera.zoom * 1.002 });
            if (now - began < 3000) requestAnimationFrame(step); else done();
          };
          requestAnimationFrame(step);
        })""")
        rate = (page.evaluate("firthMap.frames") - frames) / (time.perf_counter() - began)
        memory = largest_renderer(browser)
        print(f"{words:,} words: first map {first:.2f} s, {rate:.0f} frames/s, {memory:.0f} MB")
        assert page.evaluate("firth.words.length") == words
        assert first < seconds
        assert rate >= 30 or words > 50_000
        assert memory < 600
        page.context.close()


def largest_renderer(browser):
    """Resident MB of the largest process that shows a page."""
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    pages = [each["id"] for each in processes if each["type"] == "renderer"]
    kilobytes = [re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{page}/status").read_text())[1] for page in pages]
    return max(map(int, kilobytes)) / 1000


def test_back_undoes_a_step(page):
    for word in ("wave", "piano"):
        page.fill("#search", word)
        page.press("#search", "Enter")
        page.wait_for_selector(f"#view h2 bdi:text-is('{word}')")
    page.click("#tab-analogy")
    page.wait_for_selector("#view h2:text-is('Analogy')")
    for word in ("piano", "wave"):
        page.go_back()
        page.wait_for_selector(f"#view h2 bdi:text-is('{word}')")


def test_a_group_alone(page):
    before = page.evaluate("Array.from(firthMap.colours)")
    page.click("#legend button >> nth=0")
    alone = page.evaluate("Array.from(firthMap.colours)")
    grey = sum(round(value, 2) == 0.62 for value in alone) // 3
    assert 0 < grey < 28
    page.click("#legend button >> nth=0")
    assert page.evaluate("Array.from(firthMap.colours)") == before
    page.select_option("#colour", "counts")
    assert "times" in page.locator("#legend").inner_text()


def test_a_link_to_what_is_not_there(browser, address):
    problems = []
    page = opened(
        browser, f"{address}#model=none&method=constructor&colour=toString&view=hasOwnProperty", problems=problems
    )
    assert page.locator("#method").input_value() == "pca"
    assert page.locator("#view h2").inner_text() == "Texts"
    assert problems == []
    page.context.close()


def test_the_theme_and_a_link(page):
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
    page.click("#share")
    page.wait_for_selector("#message:not([hidden])")


@pytest.fixture(scope="module")
def annotators(tmp_path_factory):
    """An address whose models annotate, write, answer and have senses: small ones of every kind."""
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'firth[neural]'")
    where = tmp_path_factory.mktemp("annotators")
    tagged = [
        (line.split(), ["X" if word == line.split()[0] else "Y" for word in line.split()]) for line in seeds.LINES
    ]
    training = firth.TrainingOptions(epochs=1, batch_size=8)
    tagger = firth.Tagger(targets="upos", dim=4, hidden=4).train(tagged, training=training, progress=False)
    tagger.save(where / "tagger")
    kinds = ("parser", "translator", "summarizer", "reader", "context2vec", "senses-none")
    for kind in kinds:
        (where / kind).mkdir()
        READERS[kind].make(where / kind / "model")
    seeds.vectors().save(where / "vectors")
    models = ["tagger", *(f"{kind}={kind}/model" for kind in kinds)]
    scores = {"vectors": "vectors", "set": "similar", "metric": "spearman", "value": 0.5, "low": 0.25, "high": 0.75}
    (where / "scores.jsonl").write_text(json.dumps(scores) + "\n", encoding="utf-8")
    with explorer(where, "vectors", *models, "--evaluation", "scores.jsonl") as address:
        yield address


def test_what_models_make_of_texts(browser, annotators):
    problems = []
    page = opened(browser, annotators, problems=problems)
    view(page, "annotate")
    page.fill("#view textarea", "w1 w2 w3 the w4")
    found = answered(page)
    assert found.locator(".token").count() >= 5
    assert found.locator("svg path").count() >= 5
    keep(page, "annotate")
    for name in ("translate", "summarize"):
        view(page, name)
        page.fill("#view textarea", "w1 w2 w3 the w4")
        assert answered(page).locator("p").count() >= 1
        keep(page, name)
    view(page, "answer")
    page.fill("#view input[type=text]", "w1 w2 ?")
    page.fill("#view textarea", "w1 w2 w3 the w4 . w5 w6")
    assert answered(page).locator(".bars").count() == 1
    keep(page, "answer")
    view(page, "substitutes")
    page.fill("#view input[type=text]", "w1 w2 [] w4")
    assert answered(page).locator(".bars > span").count() >= 4
    keep(page, "substitutes")
    view(page, "about")
    assert page.locator("#view td").all_inner_texts() == ["similar", "spearman", "0.500", "0.250 to 0.750"]
    page.fill("#search", "w1")
    page.press("#search", "Enter")
    page.wait_for_selector("#view h3:has-text('Senses')")
    keep(page, "senses")
    assert problems == []
    page.context.close()


def test_texts_are_found_by_their_meaning(page):
    page.select_option("#model", "first: texts")
    page.wait_for_selector('#map[aria-busy="false"]')
    assert page.locator("#caption").inner_text().startswith("300 texts.")
    assert page.locator("#tabs button").all_inner_texts()[0] == "Texts"
    assert page.locator("#tab-analogy").count() == 0
    assert sorted(page.locator("#legend b").all_inner_texts()) == sorted(TOPICS)
    page.fill("#search", "violin and piano and a melody")
    page.press("#search", "Enter")
    page.wait_for_selector("#view .texts li")
    assert page.locator("#view .texts small").all_inner_texts() == ["music"] * 20
    keep(page, "texts")
    first = page.locator("#view .texts button").first.inner_text()
    page.click("#view .texts button >> nth=0")
    page.wait_for_selector(f"#view blockquote:has-text('{first[:40]}')")
    assert page.locator("#view .texts li").count() == 20
    link = page.evaluate("location.href")
    page.goto("about:blank")
    page.goto(link)
    page.wait_for_selector(f"#view blockquote:has-text('{first[:40]}')")
    page.select_option("#colour", "groups")
    assert any("piano" in name or "violin" in name for name in page.locator("#legend b").all_inner_texts())
    page.select_option("#model", "first")
    page.wait_for_selector("#tab-analogy")
    assert page.locator("#tab-texts").count() == 0
