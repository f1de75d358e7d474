"""Build the documentation site: `python docs/build.py [FOLDER]` makes FOLDER/html, by default in .cache/site.

The pages are the Markdown files of this folder, those of the repository that READERS maps to a page, and the reference,
which is generated from the documents, the commands and the docstrings. Warnings are errors; nothing is downloaded.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import command_reference
import coverage_tables
import operation_reference

from modelarts_toolkit.jobfiles.schema import job_file_schema

DOCS = Path(__file__).parent
ROOT = DOCS.parent
LINK = re.compile(r"\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")  # to a file of the repository
INCLUDED = re.compile(r'^--8<-- "(.+)"$', re.MULTILINE)  # a line that stands for a file of the repository
READERS = {
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "reporting.md",
    "openapi/README.md": "documents.md",
}
NOT_SEARCHED = {"changelog.md", "decisions.md"}  # they mention everything, and explain nothing to a user


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / ".cache" / "site"
    pages = folder / "docs"
    shutil.rmtree(pages, ignore_errors=True)
    for name, text in [*written(), *operation_reference.pages(), *command_reference.pages()]:
        page = pages / name
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, "utf-8")
    for static in ("pictures", "assets"):
        shutil.copytree(DOCS / static, pages / static)
    (pages / "job.schema.json").write_text(json.dumps(job_file_schema(), indent=2), "utf-8")
    settings = with_folders((DOCS / "site.toml").read_text("utf-8"), pages)
    check_navigation(settings, pages)
    (folder / "zensical.toml").write_text(settings, "utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    built = subprocess.run(
        command, cwd=folder, check=False, capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"}
    )
    if built.returncode != 0 or not (folder / "html" / "index.html").exists():
        raise SystemExit(f"the site cannot be built:\n{built.stdout}{built.stderr}")
    add_words_to_search(folder / "html")
    print(f"the site is in {folder / 'html'}")


def written() -> Iterator[tuple[str, str]]:
    """The pages that somebody wrote, by their name on the site."""
    sources = {page: str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    sources |= {ROOT / source: name for source, name in READERS.items()}
    for page, name in sources.items():
        front = "---\nsearch:\n  exclude: true\n---\n" if name in NOT_SEARCHED else ""
        text = LINK.sub(partial(linked, page, sources), page.read_text("utf-8"))
        if name == "coverage.md":
            text = "\n".join([text, *coverage_tables.tables(), ""])
        yield name, front + INCLUDED.sub(lambda found: (ROOT / found[1]).read_text("utf-8").rstrip(), text)


def linked(page: Path, sources: dict[Path, str], found: re.Match[str]) -> str:
    """The link as it is on the site; its text alone if it leads to a file that is not a page."""
    text, address, heading = found.groups()
    if "://" in address:
        return found[0]
    target = (page.parent / address).resolve()
    if target in sources:
        return f"[{text}]({os.path.relpath(sources[target], Path(sources[page]).parent)}{heading or ''})"
    return found[0] if target.is_relative_to(DOCS) else text


def with_folders(settings: str, pages: Path) -> str:
    """The settings, in whose navigation the name of a folder becomes its overview and the pages in it, by title."""

    def listed(found: re.Match[str]) -> str:
        children = sorted((pages / found[1]).glob("*.md"), key=lambda page: page.stem)
        titles = {page.read_text("utf-8").partition("\n")[0].removeprefix("# "): page for page in children}
        entries = [("Overview", f"{found[1]}.md"), *((title, f"{found[1]}/{titles[title].name}") for title in titles)]
        return "= [" + ", ".join(f'{{ "{title}" = "{name}" }}' for title, name in entries) + "]"

    return re.sub(r'= "(reference/\w+)"', listed, settings)


def check_navigation(settings: str, pages: Path) -> None:
    """Every page stands in the navigation; raises SystemExit with those that do not."""
    navigation = tomllib.loads(settings)["project"]["nav"]
    listed = set(names_in(navigation))
    found = {str(page.relative_to(pages)) for page in pages.rglob("*.md")}
    if listed != found:
        raise SystemExit(f"docs/site.toml: the navigation and the pages differ in {sorted(listed ^ found)}")


def add_words_to_search(html: Path) -> None:
    """Put the words of `search.toml` before the sections that the search knows.

    Raises SystemExit for a place that is not on the site.
    """
    index = json.loads((html / "search.json").read_text("utf-8"))
    sections = {section["location"]: section for section in index["items"]}
    added = []
    for words, place in tomllib.loads((DOCS / "search.toml").read_text("utf-8")).items():
        if place not in sections:
            raise SystemExit(f"docs/search.toml: {place} is not on the site")
        section = sections[place]
        text, path = f"<p>{words}: {section['title']}</p> {section['text']}", [words, *section["path"]]
        added.append(section | {"title": words, "text": text, "path": path})  # what is in all three fields is first
    text = json.dumps(index | {"items": [*added, *index["items"]]}, ensure_ascii=False, separators=(",", ":"))
    (html / "search.json").write_text(text, "utf-8")
    (html / "search.js").write_text(f"var __index = {text}", "utf-8")


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
