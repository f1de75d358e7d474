"""The site is built without a warning, loads nothing from elsewhere, and what it leads to is there."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest

import modelarts_openapi

pytestmark = pytest.mark.ci

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SEARCHES = {
    words: pages.split()
    for pages, typed in tomllib.loads((ROOT / "tests/data/searches.toml").read_text("utf-8")).items()
    for words in typed
}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)


class References(HTMLParser):
    """Addresses that a page loads something from, and those that it links to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.loaded: set[str] = set()
        self.linked: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in ("script", "img", "link", "iframe") and (address := values.get("src") or values.get("href")):
            self.loaded.add(address)
        elif tag == "a" and (address := values.get("href")):
            self.linked.add(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = run(sys.executable, DOCS / "build.py", folder, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def test_a_page_loads_nothing_from_elsewhere_and_its_links_lead_to_pages(site: Path) -> None:
    """The site is read offline; a link to a page or a heading that does not exist is an error."""
    pages = {page: References(page) for page in site.rglob("*.html") if page.name != "404.html"}
    assert len(pages) > 20

    foreign = {address for found in pages.values() for address in found.loaded if "//" in address}
    assert foreign == set()

    for page, found in pages.items():
        for address in found.loaded:
            assert (page.parent / address).exists(), f"{page.relative_to(site)} loads {address}"
        for address in found.linked:
            path, _, heading = address.partition("#")
            if "//" in address or address.startswith("mailto:"):
                continue
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), f"{page.relative_to(site)} links to {address}"
            if heading and target.suffix == ".html":
                assert f'id="{heading}"' in target.read_text("utf-8"), f"{page.relative_to(site)} links to {address}"


def test_pages_can_be_searched_when_they_are_opened_from_the_disk(site: Path) -> None:
    """Browsers load no JSON and start no worker there: the index is a script, and a frame stands for the worker."""
    assert (site / "search.js").read_text("utf-8").startswith("var __index = ")
    assert "./assets/iframe-worker.js" in References(site / "index.html").loaded


def test_the_search_shows_the_right_page_first(site: Path) -> None:
    """The site's own search, run as in a browser; the decisions and the changelog are not searched."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is missing: it runs the site's search")
    done = run(node, Path(__file__).with_name("search.js"), site, *SEARCHES, cwd=ROOT)
    assert done.returncode == 0, done.stderr

    first = {words: places[0] for words, places in json.loads(done.stdout).items()}
    assert {
        words: place for words, place in first.items() if not {place, place.partition(".html")[0]} & {*SEARCHES[words]}
    } == {}
    index = (site / "search.json").read_text("utf-8")
    assert "decisions.html" not in index
    assert "changelog.html" not in index


def test_every_operation_and_every_command_has_its_section(site: Path) -> None:
    """The reference is complete: it is made from the documents and from the commands, a page for each group."""
    for name in modelarts_openapi.NAMES:
        overview = (site / "reference" / f"{name}.html").read_text("utf-8")
        pages = "".join(page.read_text("utf-8") for page in (site / "reference" / name).glob("*.html"))
        for path, item in modelarts_openapi.load(name)["paths"].items():
            for method in {"get", "post", "put", "patch", "delete", "head"} & set(item):
                assert f"{method.upper()} {path}" in overview, (path, method)
                assert f"{method.upper()} {path}" in pages, (path, method)
    emulator = (site / "reference" / "cli" / "emulator.html").read_text("utf-8")
    assert "modelarts emulator env" in emulator
    assert "--executor" in emulator


def test_no_page_of_the_reference_is_endless(site: Path) -> None:
    """A page has at most 80 headings and 300 rows of tables."""
    for page in site.glob("reference/**/*.html"):
        text = page.read_text("utf-8")
        assert (text.count("headerlink") <= 80, text.count("<tr>") <= 300) == (True, True), page.relative_to(site)
