"""States of the documents: the installed ones, or those of files, folders, git revisions and URLs, each bundled."""

from __future__ import annotations

import io
import json
import posixpath
import re
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx

import modelarts_openapi
from modelarts_contract.comparison.change import Change
from modelarts_contract.comparison.document import compare, operations
from modelarts_contract.temporary import temporary_folder
from modelarts_documents.files import DocumentError, bundle, is_url
from modelarts_documents.files import shown as shown_place
from modelarts_documents.keys import CLIENT_KEYS, misfits, without_client_keys

__all__ = ["INSTALLED", "ComparisonError", "changes", "not_compared", "shown", "state"]

INSTALLED = "installed"
BUNDLED = "generated/modelarts_openapi"  # where revisions of the project have the bundled documents
PACKAGE = "modelarts_openapi"
INSTALLATIONS = (PACKAGE, f"lib/python*/site-packages/{PACKAGE}")  # in a folder of `pip install --target`, a venv
SUFFIXES = (".json", ".yaml", ".yml")
VERSION = re.compile(rb"""(?:^|[{,])\s*["']?openapi["']?\s*:""", re.MULTILINE)
TIMEOUT_S = 30.0
Documents = dict[str, dict[str, Any]]


class ComparisonError(Exception):
    """A state cannot be read; the message says which and why."""


def state(named: str) -> Documents:
    """The documents by their names.

    `named` is `installed` (those of this toolkit), a URL, a file, a folder, a wheel of the toolkit, a git revision with
    the project's bundled documents, or `REVISION:PATH`. A folder has one document in a file, or one in a folder with
    `openapi.yaml`, or an installed toolkit: the target of `pip install --target`, or an environment.
    Raises ComparisonError, also for a document that refers to what is not there.
    """
    if named == INSTALLED:
        return {name: modelarts_openapi.load(name) for name in modelarts_openapi.NAMES}
    if is_url(named):
        return {Path(urlsplit(named).path).stem or "document": bundled(named)}
    return local(Path(named), named) if Path(named).exists() else revision(named)


def local(path: Path, named: str) -> Documents:
    """The document of a file, or those of a folder or a wheel."""
    if path.suffix == ".whl":
        try:
            with zipfile.ZipFile(path) as wheel:
                names = [name for name in wheel.namelist() if name.startswith(f"{PACKAGE}/") and name.endswith(".json")]
                found = {Path(name).stem: json.loads(wheel.read(name)) for name in names}
        except (zipfile.BadZipFile, OSError) as error:
            raise ComparisonError(f"{named} cannot be read: {error}") from None
        if not found:
            raise ComparisonError(f"{named} holds no document: name a wheel of the toolkit")
        return found
    path = next((found for pattern in INSTALLATIONS for found in sorted(path.glob(pattern))), path)
    files = [path] if path.is_file() else [file for file in sorted(path.glob("*")) if file.suffix in SUFFIXES]
    if len(files) > 1:  # others are parts of a document
        files = [file for file in files if VERSION.search(file.read_bytes())] or files
    roots = {file.stem: file for file in files}
    roots = roots or {file.parent.name: file for file in sorted(path.glob("*/openapi.*")) if file.suffix in SUFFIXES}
    if not roots:
        raise ComparisonError(f"{named} holds no document: name a folder with {', '.join(SUFFIXES)} files")
    return {name: bundled(root) for name, root in roots.items()}


def revision(named: str) -> Documents:
    """The documents of a git revision, or of a path in one; none if the project is older than they are."""
    name, _, path = named.partition(":")
    try:
        commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}").decode().strip()
    except ComparisonError as error:
        fact = f"{named} is neither a URL, a file, a folder, nor a revision of the git repository in {Path.cwd()}"
        if not str(error) and git("rev-parse", "--is-shallow-repository").strip() == b"true":
            fact += ", whose history is cut off: git fetch --unshallow --tags"
        raise ComparisonError(": ".join(filter(None, [fact, str(error)]))) from None
    place = posixpath.normpath(path or BUNDLED)
    top = git("rev-parse", "--show-toplevel").decode().strip()
    if not git("-C", top, "ls-tree", commit, place):
        if path:
            raise ComparisonError(f"{named} holds no document: the revision does not have this path")
        return {}
    archive = git("-C", top, "archive", "--format=tar", commit, place.partition("/")[0])  # with what it refers to
    with temporary_folder() as folder, tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
        try:
            return local(folder / place, named)
        except ComparisonError as error:
            raise ComparisonError(str(error).replace(f"{folder}/", f"{name}:")) from None


def git(*arguments: str) -> bytes:
    """What git prints; raises ComparisonError with what it says of a failure, in one line."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False)  # noqa: S603, S607 - no shell
    except FileNotFoundError:
        raise ComparisonError("git is not installed: name files or folders instead of revisions") from None
    if done.returncode:
        raise ComparisonError(" ".join(done.stderr.decode("utf-8", "replace").removeprefix("fatal: ").split()))
    return done.stdout


def bundled(place: str | Path) -> dict[str, Any]:
    """The document of a file or URL in one piece; raises ComparisonError."""
    try:
        found = bundle(place, content)
        for pointer, fact in misfits(found.document):
            raise found.error(pointer, fact)
        return found.document
    except DocumentError as error:
        raise ComparisonError(str(error)) from None


def content(place: str) -> bytes:
    """The bytes of a file or URL; raises OSError, without secrets."""
    if not is_url(place):
        return Path(place).read_bytes()
    try:
        response = httpx.get(place, follow_redirects=True, timeout=TIMEOUT_S)
    except httpx.InvalidURL:
        raise OSError("it is not a valid URL") from None
    except httpx.HTTPError as error:
        raise OSError(str(error)) from None
    if response.status_code != httpx.codes.OK:
        raise OSError(f"the server responds with {response.status_code}")
    return response.content


def shown(named: str) -> str:
    """The printed name of a state: of a URL without user, password and query, which can be secrets."""
    return shown_place(named) if is_url(named) else named


def not_compared(old: Documents, new: Documents) -> list[str]:
    """The keys that say how a client is made if only one of the states has some: the other one is published."""
    before, after = ({key for key in CLIENT_KEYS if f'"{key}": ' in json.dumps(each)} for each in (old, new))
    return sorted(before ^ after) if not before or not after else []


def changes(old: Documents, new: Documents) -> Iterator[Change]:
    """Every change between two states but of what is `not_compared`; of two documents alone the names do not matter."""
    if len(old) == len(new) == 1:
        old = dict(zip(new, old.values(), strict=True))
    if not_compared(old, new):
        old, new = ({name: without_client_keys(found) for name, found in each.items()} for each in (old, new))
    for name in sorted(old.keys() | new.keys()):
        if name not in new or name not in old:
            what = f"{'new' if name in new else 'removed'}, with {len(operations({**old, **new}[name]))} operations"
            yield Change("", what, breaking=name in old, document=name)
            continue
        try:
            yield from compare(name, old[name], new[name])
        except LookupError as error:
            raise ComparisonError(f"{name} lacks a part that it needs: {error.args[0]}") from None
