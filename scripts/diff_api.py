"""Compare the documents with their state in history, and say which changes break a client.

    python scripts/diff_api.py v0.1.0                 # lines for a person
    python scripts/diff_api.py v0.1.0 --json          # the same for programs
    python scripts/diff_api.py v0.1.0 --document v2   # one document only

Exit status: 0, nothing breaks; 1, something does; 2, there is nothing to compare.
`docs/adding-an-operation.md` says what counts as breaking.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bundle import DocumentError, bundle
from diff_change import Change, as_json, as_text, ordered
from diff_document import compare
from diff_operation import operations

ROOT = Path(__file__).resolve().parent.parent
Documents = Mapping[str, dict[str, Any]]


class ComparisonError(Exception):
    """One of the two states cannot be read; the message says which and why."""


def git(repository: Path, *arguments: str) -> bytes:
    """What git prints; raises `ComparisonError` with its complaint."""
    done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=False)  # noqa: S607
    if done.returncode:
        raise ComparisonError(done.stderr.decode("utf-8", "replace").strip() or f"git {arguments[0]} failed")
    return done.stdout


def documents_at(repository: Path, base: str) -> Documents:
    """The documents as they were at the revision."""
    try:
        commit = git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}")
    except ComparisonError:
        raise ComparisonError(f"{base} is not a revision of {repository}") from None
    name = commit.decode().strip()
    if not git(repository, "ls-tree", name, "openapi/"):
        return {}
    with tempfile.TemporaryDirectory(prefix="modelarts-diff-") as scratch:
        folder = Path(scratch).resolve()
        with tarfile.open(fileobj=io.BytesIO(git(repository, "archive", "--format=tar", name, "openapi"))) as archive:
            archive.extractall(folder, filter="data")
        try:
            return documents_in(folder / "openapi")
        except ComparisonError as error:
            raise ComparisonError(f"at {base}, {error}".replace(f"{folder}/", "")) from None


def documents_in(folder: Path) -> Documents:
    """The documents of the folder; each has its root file `openapi.yaml` in a folder of its name."""
    try:
        return {file.parent.name: bundle(file).document for file in sorted(folder.glob("*/openapi.yaml"))}
    except DocumentError as error:
        raise ComparisonError(f"a document cannot be bundled: {error}") from None


def changes(old: Documents, new: Documents) -> Iterator[Change]:
    """Every change between two states of all documents."""
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield Change(name, "", "", f"removed, with {len(operations(old[name]))} operations", breaking=True)
        elif name not in old:
            yield Change(name, "", "", f"new, with {len(operations(new[name]))} operations", breaking=False)
        else:
            yield from compare(name, old[name], new[name])


def chosen(old: Documents, new: Documents, name: str | None) -> tuple[Documents, Documents]:
    if name is None:
        return old, new
    if name not in old.keys() | new.keys():
        raise ComparisonError(f"no document is named {name}; there are {', '.join(sorted(old.keys() | new.keys()))}")
    return tuple({name: state[name]} if name in state else {} for state in (old, new))  # type: ignore[return-value]


def main() -> int:
    parser = argparse.ArgumentParser(description="Say which changes of the documents break a client.")
    parser.add_argument("base", help="the revision to compare with, such as a tag, a branch or HEAD~3")
    parser.add_argument("--json", action="store_true", help="print JSON, with the changed texts")
    parser.add_argument("--document", metavar="NAME", help="compare this document only, such as v2")
    parser.add_argument("--repository", type=Path, default=ROOT, help="the checkout, whose files are the new state")
    options = parser.parse_args()
    try:
        old, new = documents_at(options.repository, options.base), documents_in(options.repository / "openapi")
        found = ordered(changes(*chosen(old, new, options.document)))
    except ComparisonError as error:
        print(f"cannot compare: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(as_json(found, options.base), indent=2, ensure_ascii=False))
    else:
        print("\n".join(as_text(found, options.base)))
    return int(any(change.breaking for change in found))


if __name__ == "__main__":
    sys.exit(main())
