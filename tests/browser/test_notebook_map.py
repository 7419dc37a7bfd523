"""The map of a notebook's cell in frames of the kinds that notebooks make: it fills the frame on each of many loads."""

import json

import numpy as np
import pytest

pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'firth[browser]'")

import firth
from tests.browser.served import keep, needs_browser

pytestmark = needs_browser

# How a notebook puts the HTML of a result into its page; each ends with a frame of 800 x 560 pixels.
FRAMES = {
    "at once": "place.innerHTML = html;",
    "hidden at first": "place.style.display = 'none'; place.innerHTML = html; later(() => (place.style.display = ''));",
    "low at first": "place.innerHTML = html; place.firstChild.style.height = '40px';"
    "later(() => (place.firstChild.style.height = '560px'));",
    "narrow at first": "place.style.width = '8px'; place.innerHTML = html; later(() => (place.style.width = ''));",
    "in a frame of its own": "const outer = document.createElement('iframe'); outer.style.cssText = "
    "'border:0;width:820px;height:0'; outer.srcdoc = html; place.append(outer);"
    "later(() => (outer.style.height = '600px'));",
}
# The share of its width and height over which the labels of a map are spread.
SPREAD = """() => {
  const canvas = document.querySelectorAll("#map canvas")[1];
  if (!canvas || !canvas.width || !canvas.height) return [0, 0];
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let [left, right, top, bottom] = [canvas.width, 0, canvas.height, 0];
  for (let i = 3; i < data.length; i += 16) {
    if (!data[i]) continue;
    const [x, y] = [((i - 3) / 4) % canvas.width, Math.floor((i - 3) / 4 / canvas.width)];
    [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
  }
  return [(right - left) / canvas.width, (bottom - top) / canvas.height, canvas.clientWidth];
}"""


@pytest.fixture(scope="module")
def html():
    words = [f"word{number}" for number in range(60)]
    rows = np.random.default_rng(0).standard_normal((60, 8)).astype("f4")
    return firth.WordVectors(words, rows).explore()._repr_html_()


def test_twenty_loads_fill_the_frame(browser, html):
    page = browser.new_page(
        viewport={"width": 860, "height": 3300}, device_scale_factor=0.5
    )  # out of sight, frames rest
    spreads = []
    for load in range(4):
        page.set_content("<div class=place style='width:800px'></div>" * len(FRAMES))
        scripts = [
            f"(() => {{ const place = places[{number}]; {script} }})();"
            for number, script in enumerate(FRAMES.values())
        ]
        page.evaluate(f"""() => {{
          const [places, html] = [document.querySelectorAll(".place"), {json.dumps(html)}];
          const later = (act) => setTimeout(act, {100 * load});
          {" ".join(scripts)}
        }}""")
        page.wait_for_timeout(100 * load)  # until all have their sizes
        for _ in range(50):  # a busy machine takes longer
            page.wait_for_timeout(100)
            drawn = [frame.evaluate(SPREAD) for frame in page.frames[1:] if frame.query_selector("#map canvas")]
            if len(drawn) == len(FRAMES) and min(each[0] for each in drawn) > 0:
                break
        spreads += drawn
    keep(page, "notebook-map")
    page.close()
    assert [each for each in spreads if max(each[:2]) < 0.8 or min(each[:2]) < 0.4 or each[2] < 790] == []
