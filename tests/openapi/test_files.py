"""The files that the documents are written in: one thing each, named after it, all of them used."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import modelarts_openapi

COMPONENTS = ("schemas", "parameters", "responses", "links")
LINES = 155  # A file that is not a table of fields can be seen as a whole: three operations with links, at most.


@functools.cache
def read(file: Path) -> Any:
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(file.read_text(), loader) if file.suffix == ".yaml" else json.loads(file.read_text())


def nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for child in node.values():
            yield from nodes(child)
    elif isinstance(node, list):
        for child in node:
            yield from nodes(child)


def references(file: Path) -> set[Path]:
    found = (node["$ref"] for node in nodes(read(file)) if file.suffix == ".yaml" and isinstance(node.get("$ref"), str))
    return {(file.parent / reference).resolve() for reference in found}


@pytest.fixture(scope="module")
def files(folder: Path) -> set[Path]:
    """The files of documents; facts and workflows lie beside them."""
    facts = {*folder.glob("shared/*.yaml"), *folder.glob("*/workflows/*.yaml")}
    return {file.resolve() for file in folder.glob("*/**/*") if file.is_file() and file not in facts}


def test_the_published_documents_are_what_the_files_say(folder: Path) -> None:
    """The other tests read the published ones; what is wrong in a file is said as `make generate` does."""
    command = [sys.executable, "scripts/generate.py", "--check"]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=False)

    if done.returncode:
        pytest.fail(done.stderr, pytrace=False)


def test_every_file_is_reached_from_a_document(folder: Path, files: set[Path]) -> None:
    reached: set[Path] = set()
    ahead = {file.resolve() for file in folder.glob("*/openapi.yaml")}
    while ahead:
        reached |= ahead
        ahead = {target for file in ahead for target in references(file)} - reached

    assert files - reached == set()
    assert reached - files == set()


def test_a_component_lies_in_the_folder_of_its_kind_under_its_name(folder: Path, files: set[Path]) -> None:
    names = {file.relative_to(folder.resolve()) for file in files}
    pattern = rf"[a-z0-9]+/(({'|'.join(COMPONENTS)})/[A-Z][A-Za-z0-9]*\.yaml|paths/[a-z0-9-]+\.yaml"
    pattern += r"|examples/[a-z][A-Za-z]+\.[a-z0-9-]+\.json|openapi\.yaml)"

    assert [str(name) for name in names if not re.fullmatch(pattern, name.as_posix())] == []


def test_a_file_that_is_not_a_table_of_members_fits_on_two_screens(files: set[Path]) -> None:
    tables = ("schemas", *modelarts_openapi.NAMES)  # components, and the contents of each document
    seen = [file for file in files if file.suffix == ".yaml" and file.parent.name not in tables]
    lengths = {file.name: len(file.read_text().splitlines()) for file in seen}

    assert {name: lines for name, lines in lengths.items() if lines > LINES} == {}


def test_a_described_thing_has_a_sentence(files: set[Path]) -> None:
    """Every schema and every member is explained."""
    silent = []
    for file in files:
        if file.parent.name != "schemas":
            continue
        schema = read(file)
        members = schema.get("properties", {})
        silent += [] if schema.get("description", "").endswith(".") else [file.stem]
        silent += [f"{file.stem}.{name}" for name, m in members.items() if not m.get("description", "").endswith(".")]

    assert silent == []


def test_a_deviation_and_an_assumption_give_a_reason(files: set[Path]) -> None:
    reasons = {
        node[key]
        for file in files
        for node in nodes(read(file))
        for key in ("x-deviation", "x-assumption")
        if key in node
    }

    assert reasons
    assert [reason for reason in reasons if not reason.endswith(".") or len(reason.split()) < 5] == []
