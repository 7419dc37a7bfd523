"""An explorer in a process of its own, as users start it, and its page in a real browser."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
needs_browser = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no browser: install Debian's package chromium, or Chrome"),
]


@contextlib.contextmanager
def explorer(folder: Path, *arguments: str) -> Iterator[str]:
    """Start `firth explore` in a folder; the address is known once it answers."""
    command = [sys.executable, "-P", "-m", "firth", "explore", *arguments, "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield next(found[0] for line in process.stderr if (found := re.search(r"http://\S+", line)))
        finally:
            process.terminate()
            process.communicate(timeout=30)


def opened(
    browser: Any,
    address: str,
    *,
    problems: list[str],
    wait: bool = True,
    before: Callable[[Any], Any] = lambda page: None,
    **options: Any,
) -> Any:
    """Open the page and wait for its map; what goes wrong in it is kept.

    Args:
        before: prepares the page before it is loaded.
    """
    home = address.partition("#")[0]
    context = browser.new_context(**{"viewport": {"width": 1360, "height": 860}, **options})
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on(
        "request", lambda request: problems.append(request.url) if not request.url.startswith((home, "blob:")) else None
    )
    before(page)
    page.goto(address)
    if wait:
        page.wait_for_selector('#map[aria-busy="false"]')
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # has its size
    return page


def view(page: Any, name: str) -> None:
    """Open a view."""
    page.click(f"#tab-{name}")
    page.wait_for_selector('#view[aria-busy="false"]')


def keep(page: Any, name: str) -> None:
    """Keep a picture of the page in the folder that FIRTH_SCREENSHOTS names, if it does."""
    if folder := os.environ.get("FIRTH_SCREENSHOTS"):
        page.wait_for_timeout(300)
        page.screenshot(path=Path(folder, f"{name}.png"))
