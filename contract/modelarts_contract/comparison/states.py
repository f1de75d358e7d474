"""States of the documents that can be compared: of a git revision, a folder, a file, or as installed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

import modelarts_openapi
from modelarts_contract.documents import METHODS

from .change import Change
from .document import compare
from .operation import operations
from .shape import find

__all__ = ["ComparisonError", "changes", "last_tag", "state"]

INSTALLED = "installed"
BUNDLED = "generated/modelarts_openapi"  # where revisions of the project have the bundled documents
SUFFIXES = (".json", ".yaml", ".yml")
# C's parser, where PyYAML has it, reads a document in a tenth of the time.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Documents = Mapping[str, dict[str, Any]]


class ComparisonError(Exception):
    """A state cannot be read; the message says which and why."""


def state(named: str, repository: Path) -> Documents:
    """The documents by their names.

    `named` is `installed` (those of this toolkit), a folder of bundled documents, a file with one, or a revision of the
    repository. Raises ComparisonError, also for a document that is not complete in itself.
    """
    if named == INSTALLED:
        return {name: modelarts_openapi.load(name) for name in modelarts_openapi.NAMES}
    path = Path(named)
    if path.is_file():
        return {path.stem: read(path.read_bytes(), named)}
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix in SUFFIXES)
        if not files:
            raise ComparisonError(f"{named} holds no document: name a folder with {', '.join(SUFFIXES)} files")
        return {file.stem: read(file.read_bytes(), str(file)) for file in files}
    return revision(named, repository)


def revision(named: str, repository: Path) -> Documents:
    """The documents of a git revision; none if it is older than they are."""
    try:
        commit = git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{named}^{{commit}}")
    except ComparisonError:
        raise ComparisonError(
            f"{named} is neither a file, a folder, nor a revision of the git repository in {repository.resolve()}"
        ) from None
    name = commit.decode().strip()
    listed = git(repository, "ls-tree", "--full-tree", "--name-only", name, f"{BUNDLED}/").decode().split()
    return {
        Path(file).stem: read(git(repository, "cat-file", "blob", f"{name}:{file}"), f"{named}:{file}")
        for file in listed
        if file.endswith(".json")
    }


def last_tag(repository: Path) -> str | None:
    """The last tag before the work tree; None if there is none."""
    try:
        return git(repository, "describe", "--tags", "--abbrev=0").decode().strip()
    except ComparisonError:
        return None


def git(repository: Path, *arguments: str) -> bytes:
    """What git prints; raises ComparisonError with its complaint."""
    command = ["git", "-C", str(repository), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - no shell
    except FileNotFoundError:
        raise ComparisonError("git is not installed: name files or folders instead of revisions") from None
    if done.returncode:
        raise ComparisonError(done.stderr.decode("utf-8", "replace").strip() or f"git {arguments[0]} failed")
    return done.stdout


def read(content: bytes, named: str) -> dict[str, Any]:
    """The document; raises ComparisonError if it is none, or refers to what it does not contain."""
    try:
        document = json.loads(content) if content.lstrip()[:1] == b"{" else yaml.load(content, LOADER)  # noqa: S506
    except (ValueError, yaml.YAMLError) as error:
        raise ComparisonError(f"{named} is neither JSON nor YAML: {' '.join(str(error).split())}") from None
    if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
        raise ComparisonError(f"{named} is not an OpenAPI document: it has no paths")
    for reference in references(document):
        if not reference.startswith("#/"):
            raise ComparisonError(f"{named} refers to {reference}: bundle its files into one document first")
        try:
            find(document, reference)
        except (LookupError, TypeError):
            raise ComparisonError(f"{named} refers to {reference}, which it does not have") from None
    for path, item in document["paths"].items():
        for method, operation in item.items() if isinstance(item, dict) else ():
            if method in METHODS and not (isinstance(operation, dict) and operation.get("operationId")):
                raise ComparisonError(f"{named}: {method.upper()} {path} has no operationId")
    return document


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(reference := node.get("$ref"), str):
            yield reference
        for child in node.values():
            yield from references(child)
    elif isinstance(node, list):
        for child in node:
            yield from references(child)


def changes(old: Documents, new: Documents) -> Iterator[Change]:
    """Every change between two states."""
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield Change(name, "", "", f"removed, with {len(operations(old[name]))} operations", breaking=True)
        elif name not in old:
            yield Change(name, "", "", f"new, with {len(operations(new[name]))} operations", breaking=False)
        else:
            yield from compare(name, old[name], new[name])
