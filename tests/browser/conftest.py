"""One browser for all pages."""

import pytest

from tests.browser.served import CHROMIUM, FLAGS


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright is not installed: pip install 'firth[browser]'"
    )
    with playwright.sync_playwright() as program:
        browser = program.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
