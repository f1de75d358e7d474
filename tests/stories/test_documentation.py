"""The site is built without a warning, and the programs that its pages show run as they stand."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
TYPED = ("how-to/contract.md",)  # whose commands are run, too
RUN = (
    "tutorials/first-job.md",
    "tutorials/hyperparameter-search.md",
    "how-to/connect.md",
    "how-to/generated-client.md",
    "how-to/vendor-sdk.md",
    "how-to/contract.md",
    "how-to/version-1.md",
)
TESTED = ("tutorials/pipeline-tests.md", "how-to/contract.md")
# What people type, and the page that the search must show first; of several right ones any.
SEARCHES = {
    "OOM": "troubleshooting",
    "CUDA out of memory": "troubleshooting",
    "No module named": "troubleshooting",
    "401": "troubleshooting",
    "token expired": "troubleshooting",
    "AK/SK": "configuration",
    "retry": "configuration",
    "timeout": "configuration",
    "log follow": "jobs reference/cli/job",
    "resume": "troubleshooting",
    "checkpoint": "troubleshooting",
    "spot": "troubleshooting",
    "flavor": "reference/v2/flavors reference/cli/flavor",
    "Slurm": "how-to/slurm",
    "Ray": "how-to/ray",
    "proxy": "configuration",
    "offline": "index",
    "CI": "how-to/ci",
    "GitLab": "how-to/ci",
    "mock": "tutorials/pipeline-tests",
    "schemathesis": "how-to/contract",
    "hypothesis": "how-to/contract",
    "regenerate": "how-to/regenerate",
    "diff": "how-to/contract how-to/regenerate",
    "hyperparameter search": "tutorials/hyperparameter-search",
    "TensorBoard": "how-to/version-1",
    "two nodes": "cli",
    "environment variables": "configuration",
    "delete": "reference/cli/job",
    "price": "reference/v2/flavors",
}
SHOWN_ONLY = (
    "adding-an-executor.md",
    "jobs.md",
    "configuration.md",
    "emulator-control.md",
    "moxing.md",
    "object-storage.md",
)  # parts of programs


def programs(page: str) -> str:
    """The page's Python blocks one after the other, as a reader enters them."""
    return "\n".join(BLOCK.findall((DOCS / page).read_text("utf-8")))


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=100)


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
    done = run(node, ROOT / "tests" / "docs" / "search.js", site, *SEARCHES, cwd=ROOT)
    assert done.returncode == 0, done.stderr

    found = {words: places[0].partition(".html")[0] for words, places in json.loads(done.stdout).items()}
    assert {words: page for words, page in found.items() if page not in SEARCHES[words].split()} == {}
    index = (site / "search.json").read_text("utf-8")
    assert "decisions.html" not in index
    assert "changelog.html" not in index


def test_every_operation_and_every_command_has_its_section(site: Path) -> None:
    """The reference is complete: it is made from the documents and from the commands, a page for each group."""
    import modelarts_openapi

    for name in modelarts_openapi.NAMES:
        overview = (site / "reference" / f"{name}.html").read_text("utf-8")
        pages = "".join(page.read_text("utf-8") for page in (site / "reference" / name).glob("*.html"))
        for path, item in modelarts_openapi.load(name)["paths"].items():
            for method in {"get", "post", "put", "patch", "delete", "head"} & set(item):
                assert f"{method.upper()} {path}" in overview
                assert f"{method.upper()} {path}" in pages
    emulator = (site / "reference" / "cli" / "emulator.html").read_text("utf-8")
    assert "modelarts emulator env" in emulator
    assert "--executor" in emulator


def test_no_page_of_the_reference_is_endless(site: Path) -> None:
    """A page has at most 80 headings and 300 rows of tables."""
    for page in site.glob("reference/**/*.html"):
        text = page.read_text("utf-8")
        assert (text.count("headerlink") <= 80, text.count("<tr>") <= 300) == (True, True), page.relative_to(site)


def test_every_page_with_python_is_known_here() -> None:
    """A new page with code is either run or, as parts of programs, shown only."""
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if "```python" in page.read_text("utf-8")}

    assert pages == {"index.md", *RUN, *TESTED, *SHOWN_ONLY}


@pytest.mark.parametrize("page", RUN)
def test_the_programs_of_a_page_run(
    page: str, environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a folder that has the repository's examples and documents, beside a running emulator.

    Then the commands of a page that has them in the order in which they can be typed.
    """
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shutil.copytree(ROOT / "openapi", tmp_path / "openapi")

    program = "\n".join(block for block in BLOCK.findall((DOCS / page).read_text("utf-8")) if "def test_" not in block)

    done = run(sys.executable, "-W", "error", "-c", program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    if page in TYPED:
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        typed = run("sh", "-ec", "\n".join(SHELL.findall((DOCS / page).read_text("utf-8"))), cwd=tmp_path)
        assert typed.returncode == 0, typed.stdout + typed.stderr


def test_the_first_page_shows_what_its_program_prints(environment: dict[str, str], tmp_path: Path) -> None:
    """Line by line, but for names, times and ids."""
    text = (DOCS / "index.md").read_text("utf-8")
    shown = re.findall(r"```text\n(.*?)```", text, re.DOTALL)[0].splitlines()

    done = run(sys.executable, "-c", programs("index.md"), cwd=tmp_path)

    assert [generic(line) for line in done.stdout.splitlines()] == [generic(line) for line in shown]


def generic(line: str) -> str:
    return re.sub(r"(?<= )/\S+|\b[0-9a-f]{6,}\b|\d+", "#", line)


@pytest.mark.parametrize("page", TESTED)
def test_the_tests_of_a_page_pass(page: str, tmp_path: Path) -> None:
    """In a project of its own, with the plugin as users install it."""
    tests = [block for block in BLOCK.findall((DOCS / page).read_text("utf-8")) if "def test_" in block]
    (tmp_path / "test_page.py").write_text("\n".join(tests))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    done = run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_page.py", cwd=tmp_path)

    assert done.returncode == 0, done.stdout
    assert (
        f"{len(re.findall('^def test_', (tmp_path / 'test_page.py').read_text(), re.MULTILINE))} passed" in done.stdout
    )
