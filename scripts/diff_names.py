"""Compare the public Python names with those of a git revision: `python scripts/diff_names.py REVISION`.

Public are the names that `modelarts_toolkit` exports, those that the Python reference shows (`docs/reference`), and
what programs of the documentation import or its pages name in full (classes), with their public members.
Exit status 1: one was removed, or its parameters changed, and no line of the newest section of CHANGELOG.md that begins
with "**Breaking:**" names it: a member with its class, `Jobs.stop`, which stands for `AsyncJobs.stop`, too.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import griffe

ROOT = Path(__file__).parents[1]
SOURCES = ("overlays", "emulator", "contract")
PACKAGES = ("modelarts_toolkit", "modelarts_emulator", "modelarts_contract", "modelarts_runtime")
STUB = Path("overlays/modelarts_toolkit/__init__.pyi")
EXPORTED = re.compile(r"^from \S+ import \w+ as (\w+)$", re.MULTILINE)
SHOWN = re.compile(r"^::: (\S+)$", re.MULTILINE)
NAMED = re.compile(r"`(modelarts_(?:toolkit|emulator|contract)(?:\.\w+)*\.[A-Z]\w*)`")
PROGRAM = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
IMPORTED = re.compile(r"^from (modelarts_(?:toolkit|emulator|contract)[\w.]*) import ([\w, ]+)$", re.MULTILINE)
SECTION = re.compile(r"^## ", re.MULTILINE)
BREAKING = re.compile(r"^\* \*\*Breaking:\*\* (.*)$", re.MULTILINE)
Names: TypeAlias = Mapping[str, griffe.Object | griffe.Alias | None]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    command = ["git", "archive", sys.argv[1], *SOURCES, "docs"]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        print(f"git archive {sys.argv[1]}: {archive.stderr.decode().strip()}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")
        paths = public(Path(folder))
        found = sorted(set(breaks(objects(Path(folder), paths), objects(ROOT, paths))))
    newest = [*SECTION.split((ROOT / "CHANGELOG.md").read_text("utf-8"), 2), ""][1]
    named = "\n".join(re.findall("`([^`]+)`", "\n".join(BREAKING.findall(newest))))
    unexplained = [text for path, text in found if not re.search(rf"(?<!\w){written(path)}(?!\w)", named)]
    for _, text in found:
        print(text if text in unexplained else f"{text} (in CHANGELOG.md)")
    print(f"{len(found)} changes of public names break their users; {len(unexplained)} are not in CHANGELOG.md.")
    return 1 if unexplained else 0


def written(path: str) -> str:
    """Return a pattern of how the changelog names a path: what belongs to a class with the name of the class."""
    owner, name = path.split(".")[-2:]
    return rf"(?:{owner}|{owner.removeprefix('Async')})\.{name}" if owner[0].isupper() else name


def public(tree: Path) -> set[str]:
    """Return the paths of the public names of a tree."""
    exported = {f"modelarts_toolkit.{name}" for name in EXPORTED.findall((tree / STUB).read_text("utf-8"))}
    pages = [page.read_text("utf-8") for page in (tree / "docs").rglob("*.md") if page.name != "decisions.md"]
    shown = {path for text in pages for pattern in (SHOWN, NAMED) for path in pattern.findall(text)}
    imports = [found for text in pages for program in PROGRAM.findall(text) for found in IMPORTED.findall(program)]
    return exported | shown | {f"{module}.{name.strip()}" for module, names in imports for name in names.split(",")}


def objects(tree: Path, paths: set[str]) -> Names:
    """Return what stands behind the paths in a tree, which is read and not imported; None for what is not there."""
    loader = griffe.GriffeLoader(search_paths=[tree / name for name in SOURCES], allow_inspection=False)
    for name in PACKAGES:
        loader.load(name)
    loader.resolve_aliases(external=False)
    found: dict[str, griffe.Object | griffe.Alias | None] = {}
    for path in paths:
        try:
            member = loader.modules_collection[path]
            found[path] = member.final_target if isinstance(member, griffe.Alias) else member
        except (KeyError, griffe.AliasResolutionError):
            found[path] = None
    return found


def breaks(old: Names, new: Names) -> Iterator[tuple[str, str]]:
    """Yield the path of each name whose users a change breaks, and the change."""
    for path, before in old.items():
        after = new[path]
        if before is not None and after is None:
            yield path, f"{path}: removed"
        elif before is not None and after is not None:
            for change in griffe.find_breaking_changes(before, after):
                inner = change.obj.path.removeprefix(before.path)
                place = path + (inner if inner != change.obj.path else f".{change.obj.name}")  # of a class that moved
                is_special = change.obj.name.startswith("__")  # a base class may have it now
                if not (is_special and change.kind is griffe.BreakageKind.OBJECT_REMOVED):
                    yield place, f"{place}: {change.kind.value}"


if __name__ == "__main__":
    sys.exit(main())
