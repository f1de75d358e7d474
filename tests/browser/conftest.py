"""A real browser that looks at the page of a real emulator."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from tests.overlays.ui.conftest import Served, ma, served, trained

__all__ = ["ma", "served", "trained"]

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
WAIT_MS = 300_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The machine's Chromium; while it runs, its event loop is that of this thread, so no other test can have one."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip("chromium is missing: install it, such as by apt-get install chromium")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: make browser")
    with sync_api.sync_playwright() as playwright:
        # Root, as in CI, has no sandbox; all that is looked at is ours.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Tab:
    """A tab that has logged in; it notes what a page must not do: errors, and requests to others."""

    def __init__(self, browser: Any, served: Served, **options: Any) -> None:
        self.served = served
        self.context = browser.new_context(**options)
        self.context.set_default_timeout(WAIT_MS)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self._note(message))
        self.page.on("request", lambda request: self._check(request.url))
        self.page.goto(served.address)
        self.page.wait_for_selector("#main h1")

    def _note(self, message: Any) -> None:
        """The login page is a 401, which browsers report."""
        if message.type == "error" and "401" not in message.text:
            self.errors.append(f"{message.text} {message.location.get('url')}")

    def _check(self, url: str) -> None:
        if not url.startswith((self.served.url, "data:", "blob:")):
            self.foreign.append(url)

    def open(self, path: str) -> Any:
        self.page.goto(f"{self.served.url}{path}")
        return self.page


@pytest.fixture
def tab(browser: Any, served: Served) -> Iterator[Tab]:
    """A tab of somebody who came with the printed address."""
    found = Tab(browser, served, viewport={"width": 1200, "height": 800})
    yield found
    found.context.close()
    assert (found.errors, found.foreign) == ([], [])
