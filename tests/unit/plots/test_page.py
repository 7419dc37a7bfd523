import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest

from firth.plots import word_map
from firth.plots.page import render

pytest.importorskip("plotly", reason="plotly is not installed: pip install 'firth[plots]'")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
in_a_browser = pytest.mark.skipif(CHROMIUM is None, reason="no browser: install Debian's package chromium, or Chrome")

# Appended to a page: what a browser made of it, written where a dump of the document shows it.
ASK = """<script>
const boxes = [...document.querySelectorAll(".annotation-text")].map(node => {
  const box = node.getBoundingClientRect();
  return {text: node.textContent, box: [box.left, box.top, box.right, box.bottom]};
});
const fetched = performance.getEntriesByType("resource").map(entry => entry.name);
const answer = document.createElement("pre");
answer.id = "answer";
answer.textContent = JSON.stringify({boxes, fetched, drawn: document.querySelectorAll("svg.main-svg").length});
document.body.append(answer);
</script></body>"""


class Links(HTMLParser):
    """Every address that a page would fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.found += [value for name, value in attrs if name in {"src", "href", "data", "srcset", "poster"}]


def in_browser(page: str, folder) -> dict:
    path = folder / "page.html"
    path.write_text(page.replace("</body>", ASK), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,900", "--virtual-time-budget=5000"]
    command = [CHROMIUM, *options, f"--user-data-dir={folder / 'profile'}", "--dump-dom", path.as_uri()]
    dumped = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=100, check=True).stdout
    (answer,) = re.findall(r'<pre id="answer">(.*?)</pre>', dumped, re.DOTALL)
    return json.loads(answer.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))


def test_a_page_fetches_nothing_and_holds_the_plotted_numbers(picture, embedded):
    page = render(picture)
    links = Links()
    links.feed(page)
    assert links.found == []
    assert len(page) < 6e6
    assert embedded(page, "rows") == json.loads(json.dumps(list(picture.rows)))
    drawing = embedded(page, "drawing")
    assert set(drawing) == {"data", "layout", "config"}
    assert drawing["layout"]["width"] == round(100 * picture.size[0])
    assert f"<title>{picture.title}</title>" in page


def test_the_drawing_has_the_points_of_the_picture(pictures, embedded):
    (points,) = pictures["map"].marks
    drawing = embedded(render(pictures["map"]), "drawing")
    dots = [trace for trace in drawing["data"] if trace.get("text")]
    found = {word: (x, y) for trace in dots for word, x, y in zip(trace["text"], trace["x"], trace["y"], strict=True)}
    assert found == dict(zip(points.labels, map(tuple, points.xy.tolist()), strict=True))
    legend = [trace["name"] for trace in drawing["data"] if trace.get("showlegend", True)]
    assert legend == ["colours", "house"]


def test_the_drawing_has_the_cosines_of_a_heat_map(pictures, embedded):
    (heat,) = pictures["similarity"].marks
    drawing = embedded(render(pictures["similarity"]), "drawing")
    assert drawing["data"][0]["z"] == heat.values.tolist()
    assert drawing["layout"]["xaxis"]["ticktext"] == list(heat.labels)


def test_intervals_are_broken_lines(pictures, embedded):
    intervals = pictures["models"].marks[0]
    drawing = embedded(render(pictures["models"]), "drawing")
    lines = [trace for trace in drawing["data"] if trace["mode"] == "lines"]
    assert [trace["x"] for trace in lines] == [[*ends[:, 0].tolist(), None] for ends in intervals.ends]


def test_words_that_are_markup_stay_words(scripts, embedded):
    page = render(word_map(scripts, scripts.words, title="</title><script>alert(1)</script>"))
    assert page.count("</script>") == 4  # the library, two of JSON, the one that draws
    assert "<script>alert" not in page
    assert [row["word"] for row in embedded(page, "rows")] == scripts.words
    labels = [label["text"] for label in embedded(page, "drawing")["layout"]["annotations"]]
    assert "&lt;b&gt;&amp;amp;" in labels


@in_a_browser
def test_a_browser_draws_it_and_fetches_nothing(pictures, tmp_path):
    answer = in_browser(render(pictures["time"]), tmp_path)
    assert answer["drawn"] > 0
    assert answer["fetched"] == []
    assert {pictures["time"].title, "cbow", "glove"} <= {box["text"] for box in answer["boxes"]}


@in_a_browser
def test_labels_do_not_overlap_in_a_browser(many, scripts, tmp_path):
    """Of three hundred dots some have labels; no two labels share a place, in letters as the browser draws them."""
    for space in (many, scripts):
        picture = word_map(space, space.words, number=300, heads=space.words[:2], method="pca")
        answer = in_browser(render(picture), tmp_path)
        outside = {picture.title, picture.caption}
        found = np.array([box["box"] for box in answer["boxes"] if box["text"] not in outside])
        assert len(found) > (30 if space is many else 9)
        low, high = found[:, :2], found[:, 2:]
        shared = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
        assert np.triu((shared > 0.5).all(axis=2), 1).sum() == 0
