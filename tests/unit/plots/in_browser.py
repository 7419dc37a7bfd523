"""Draws a page in a browser, to see what it made of it."""

import json
import re
import shutil
import subprocess

import pytest

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
answer.textContent = JSON.stringify({boxes, fetched});
document.body.append(answer);
</script></body>"""


def in_browser(page: str, folder) -> dict:
    path = folder / "page.html"
    path.write_text(page.replace("</body>", ASK), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1200,900", "--virtual-time-budget=5000"]
    command = [CHROMIUM, *options, f"--user-data-dir={folder / 'profile'}", "--dump-dom", path.as_uri()]
    dumped = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=100, check=True).stdout
    (answer,) = re.findall(r'<pre id="answer">(.*?)</pre>', dumped, re.DOTALL)
    return json.loads(answer.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
