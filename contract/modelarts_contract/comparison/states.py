"""States of the documents that can be compared: files, folders, git revisions, addresses, or as installed."""

from __future__ import annotations

import posixpath
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx
import yaml

import modelarts_openapi

from .change import Change
from .document import compare
from .operation import operations

__all__ = ["ComparisonError", "changes", "shown", "state"]

INSTALLED = "installed"
BUNDLED = "generated/modelarts_openapi"  # where revisions of the project have the bundled documents
SUFFIXES = (".json", ".yaml", ".yml")
TIMEOUT_S = 30.0
# Folders of files that become components of a bundled document; what other files hold is put in place.
COMPONENTS = ("headers", "links", "parameters", "requestBodies", "responses", "schemas")
Documents = dict[str, dict[str, Any]]
Read = Callable[[str], bytes]


class ComparisonError(Exception):
    """A state cannot be read; the message says which and why."""


class Yaml(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML in which `no` is a word and `2024-01-01` a string, as in YAML 1.2 and JSON."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {  # noqa: RUF012
        first: [(tag, pattern) for tag, pattern in known if not tag.endswith((":bool", ":timestamp"))]
        for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


Yaml.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(?:true|false)$"), [*"tf"])


def state(named: str) -> Documents:
    """The documents by their names.

    `named` is `installed` (those of this toolkit), a URL, a file, a folder, a git revision with the project's bundled
    documents, or `REVISION:PATH`. A folder has one document in a file, or one in a folder with `openapi.yaml`.
    Raises ComparisonError, also for a document that refers to what is not there.
    """
    if named == INSTALLED:
        return {name: modelarts_openapi.load(name) for name in modelarts_openapi.NAMES}
    if urlsplit(named).scheme in ("http", "https"):
        return {Path(urlsplit(named).path).stem or "document": Bundler(download, named).bundle()}
    path = Path(named)
    if path.exists():
        files = [path] if path.is_file() else [*path.glob("*"), *path.glob("*/openapi.*")]
        roots = roots_of(path.as_posix(), [file.as_posix() for file in files])
        return {name: Bundler(local, root).bundle() for name, root in roots.items()}
    return revision(named)


def roots_of(path: str, files: Iterable[str]) -> dict[str, str]:
    """The files of documents by the documents' names: the path itself, those in the folder, or those a level deeper."""
    found = [Path(file) for file in sorted(files) if file.endswith(SUFFIXES)]
    if Path(path) in found:
        return {Path(path).stem: path}
    roots = {file.stem: file.as_posix() for file in found if file.parent == Path(path)}
    nested = {f.parent.name: f.as_posix() for f in found if f.parent.parent == Path(path) and f.stem == "openapi"}
    if not (roots or nested):
        raise ComparisonError(f"{path} holds no document: name a folder with {', '.join(SUFFIXES)} files")
    return roots or nested


def revision(named: str) -> Documents:
    """The documents of a git revision, or of a path in one; none if the project is older than they are."""
    name, _, path = named.partition(":")
    try:
        commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").decode().strip()
    except ComparisonError:
        raise ComparisonError(
            f"{named} is neither a URL, a file, a folder, nor a revision of the git repository in {Path.cwd()}"
        ) from None
    path = posixpath.normpath(path or BUNDLED)
    files = git("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit, path).decode().split("\0")
    if not any(files) and path == BUNDLED:
        return {}

    def committed(file: str) -> bytes:
        return git("cat-file", "blob", f"{commit}:{file}")

    return {document: Bundler(committed, root).bundle() for document, root in roots_of(path, files).items()}


def git(*arguments: str) -> bytes:
    """What git prints; raises ComparisonError with its complaint."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False)  # noqa: S603, S607 - no shell
    except FileNotFoundError:
        raise ComparisonError("git is not installed: name files or folders instead of revisions") from None
    if done.returncode:
        raise ComparisonError(done.stderr.decode("utf-8", "replace").strip() or f"git {arguments[0]} failed")
    return done.stdout


def local(file: str) -> bytes:
    try:
        return Path(file).read_bytes()
    except OSError as error:
        raise ComparisonError(f"{file} cannot be read: {error.strerror}") from None


def download(url: str) -> bytes:
    try:
        response = httpx.get(url, follow_redirects=True, timeout=TIMEOUT_S)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise ComparisonError(f"{shown(url)} cannot be read: {error}") from None
    if response.status_code != httpx.codes.OK:
        raise ComparisonError(f"{shown(url)} cannot be read: the server responds with {response.status_code}")
    return response.content


def shown(named: str) -> str:
    """The name of a state for people: of a URL without user, password and query, which can be secrets."""
    parts = urlsplit(named)
    if parts.scheme not in ("http", "https"):
        return named
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


@dataclass
class Bundler:
    """Makes one document of a file and those to which it refers; `read` reads one of them."""

    read: Read
    root: str
    components: dict[str, dict[str, Any]] = field(default_factory=dict)

    def bundle(self) -> dict[str, Any]:
        """The document; raises ComparisonError if it is none, or refers to what is not there."""
        try:
            document = self.load(self.root)
        except RecursionError:
            raise ComparisonError(f"{shown(self.root)} refers to itself without end") from None
        if not isinstance(document, dict) or not isinstance(document.get("paths"), dict):
            raise ComparisonError(f"{shown(self.root)} is not an OpenAPI document: it has no paths")
        for kind, lifted in self.components.items():
            document.setdefault("components", {}).setdefault(kind, {}).update(lifted)
        return document

    def load(self, file: str) -> Any:
        try:
            return self.build(yaml.load(self.read(file), Yaml), file)  # noqa: S506 - a safe loader
        except (ValueError, yaml.YAMLError) as error:
            raise ComparisonError(f"{shown(file)} is neither JSON nor YAML: {' '.join(str(error).split())}") from None

    def build(self, node: Any, file: str) -> Any:
        """The value with its references to files followed."""
        if isinstance(node, list):
            return [self.build(item, file) for item in node]
        if not isinstance(node, dict):
            return node
        reference = node.get("$ref")
        if not isinstance(reference, str) or reference.startswith("#"):
            return {str(key): self.build(value, file) for key, value in node.items()}
        is_url = urlsplit(file).scheme in ("http", "https")
        target = urljoin(file, reference) if is_url else posixpath.normpath(f"{posixpath.dirname(file)}/{reference}")
        kind = Path(target).parent.name
        if kind not in COMPONENTS:
            return self.load(target)
        section, name = self.components.setdefault(kind, {}), Path(urlsplit(target).path).stem
        if name not in section:
            section[name] = None  # a schema that refers to itself finds its name taken
            section[name] = self.load(target)
        return {**node, "$ref": f"#/components/{kind}/{name}"}


def changes(old: Documents, new: Documents) -> Iterator[Change]:
    """Every change between two states; of two documents alone the names do not matter."""
    if len(old) == len(new) == 1:
        old = dict(zip(new, old.values(), strict=True))
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            what = f"removed, with {len(operations(old[name]))} operations"
            yield Change("", what, breaking=True, document=name)
        elif name not in old:
            what = f"new, with {len(operations(new[name]))} operations"
            yield Change("", what, breaking=False, document=name)
        else:
            try:
                yield from compare(name, old[name], new[name])
            except LookupError as error:
                raise ComparisonError(f"{name} lacks a part that it needs: {error.args[0]}") from None
