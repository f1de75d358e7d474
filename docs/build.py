"""Build the documentation site: `python docs/build.py [FOLDER]` makes FOLDER/html, by default in .cache/site.

The pages are the Markdown files of this folder, those of the repository that READERS maps to a page, and the reference,
which is generated from the documents, the commands and the docstrings. Warnings are errors; nothing is downloaded.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import command_reference
import operation_reference

DOCS = Path(__file__).parent
ROOT = DOCS.parent
READERS = {
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "openapi/README.md": "documents.md",
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".cache" / "site"
    pages = folder / "docs"
    shutil.rmtree(pages, ignore_errors=True)
    for name, text in [*written(), *operation_reference.pages(), *command_reference.pages()]:
        page = pages / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, "utf-8")
    check_navigation(pages)
    shutil.copy(DOCS / "site.toml", folder / "zensical.toml")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    built = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    if built.returncode != 0 or not (folder / "html" / "index.html").exists():
        raise SystemExit(f"the site cannot be built:\n{built.stdout}{built.stderr}")
    print(f"the site is in {folder / 'html'}")


def written() -> Iterator[tuple[str, str]]:
    """The pages that somebody wrote, by their name on the site."""
    for page in DOCS.rglob("*.md"):
        yield str(page.relative_to(DOCS)), page.read_text("utf-8").replace("](../openapi/README.md)", "](documents.md)")
    for source, name in READERS.items():
        text = (ROOT / source).read_text("utf-8").replace("](docs/", "](")
        for other, page_name in READERS.items():
            text = text.replace(f"]({other})", f"]({page_name})")
        yield name, re.sub(r"\[([^\]]+)\]\((?:\.\./|README\.md)[^)]*\)", r"\1", text)


def check_navigation(pages: Path) -> None:
    """Every page stands in the navigation; raises SystemExit with those that do not."""
    navigation = tomllib.loads((DOCS / "site.toml").read_text("utf-8"))["project"]["nav"]
    listed = set(names_in(navigation))
    found = {str(page.relative_to(pages)) for page in pages.rglob("*.md")}
    if listed != found:
        raise SystemExit(f"docs/site.toml: the navigation and the pages differ in {sorted(listed ^ found)}")


def names_in(entry: object) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, list):
        for child in entry:
            yield from names_in(child)
    elif isinstance(entry, dict):
        for child in entry.values():
            yield from names_in(child)


if __name__ == "__main__":
    main()
