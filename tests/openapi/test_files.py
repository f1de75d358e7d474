"""The files that the documents are written in: one thing each, named after it, all of them used."""

from __future__ import annotations

import functools
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.openapi.conftest import Operation, operations

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


def test_every_file_is_reached_from_a_document(folder: Path, files: set[Path]) -> None:
    reached: set[Path] = set()
    ahead = {file.resolve() for file in folder.glob("*/openapi.yaml")}
    while ahead:
        reached |= ahead
        ahead = {target for file in ahead for target in references(file)} - reached

    assert files - reached == set(), "no document refers to these: refer to them, or remove them"
    assert reached - files == set(), "documents refer to these, which are not in openapi/"


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

    assert silent == [], "give these a `description` that ends in a full stop"


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


OBSERVED = Path(__file__).parents[1] / "data" / "observed"
FEW = 2  # payloads; one alone shows no rule
# Not required although all known payloads have them, with the reason.
OPTIONAL = {
    ("iam", "Token", "catalog"): "the parameter `nocatalog` leaves it out",
    ("v2", "AlgorithmJobConfig", "code_tree"): "an algorithm on an image of its own has no code",
    ("v1", "CreatedTrainingJob", "resource_id"): "a job that is created without a version has none",
    ("v1", "CreatedTrainingJob", "version_id"): "a job that is created without a version has none",
    ("v1", "CreatedTrainingJob", "version_name"): "a job that is created without a version has none",
    ("v2", "JobResource", "flavor_detail"): "a job in a pool of CPUs has none",
}
# What a request makes without a component of its own.
MADE_BY_REQUESTS = {"TrainingJobVersion", "TrainingJobConfig", "VisualizationJob"}


def payloads(document: str) -> Iterator[tuple[str, Operation, dict[str, Any], Any]]:
    """(source, operation, schema, body) of every known success: the examples of the document, and what was observed."""
    schemas = {}
    for operation in operations():
        if operation.name == document:
            for status, response in operation.successes.items():
                for media in response.get("content", {}).values():
                    schemas[f"{document} {operation.id}", int(status)] = operation, media["schema"]
                    for name, example in media.get("examples", {}).items():
                        yield name, operation, media["schema"], example["value"]
    for path in OBSERVED.rglob("*.yaml"):
        entry = yaml.safe_load(path.read_text("utf-8"))
        response = entry.get("response", {})
        known = schemas.get((entry.get("operation", ""), response.get("status")))
        if known and "body" in response:  # not only a part of it
            yield path.name, *known, response["body"]


def repeats_a_request(components: dict[str, Any], schema: str, field: str) -> bool:
    """Whether requests may leave the field out: a thing that was made without it may lack it, too."""
    requests = [each for name, each in components.items() if name.endswith("Request")]
    if schema not in MADE_BY_REQUESTS:
        requests = [components[f"{schema}Request"]] if f"{schema}Request" in components else []
    return any(field in each.get("properties", {}) and field not in each.get("required", ()) for each in requests)


def test_a_response_requires_what_every_known_payload_has(name: str) -> None:
    """Both ways: no payload lacks a required field, and no field that all payloads have is left optional."""
    components = modelarts_openapi.load(name)["components"]["schemas"]
    seen: dict[str, list[dict[str, Any]]] = defaultdict(list)
    sources: dict[str, set[str]] = defaultdict(set)
    for source, operation, body_schema, body in payloads(name):
        for component, schema, value in operation.values(body_schema, body):
            if isinstance(value, dict) and "properties" in schema:
                seen[component].append(value)
                sources[component].add(source)

    lacking, optional = set(), set()
    for component, values in seen.items():
        required = components[component].get("required", ())
        for field in components[component]["properties"]:
            is_always = all(field in value for value in values)
            if field in required and not is_always:
                lacking.add((name, component, field))
            is_rule = is_always and len(sources[component]) >= FEW
            if field not in required and is_rule and not repeats_a_request(components, component, field):
                optional.add((name, component, field))

    assert lacking == set(), "a known payload lacks these: take them out of `required`"
    assert optional == {each for each in OPTIONAL if each[0] == name}, "all known payloads have these: require them"


def test_at_most_four_successes_are_valid_without_content() -> None:
    """A hollow response is not a success, for any tool that reads the documents."""
    hollow = [
        operation.id
        for operation in operations()
        for response in operation.successes.values()
        for media in response.get("content", {}).values()
        if operation.findings(media["schema"], {}) == []
    ]

    assert len(hollow) <= 4, hollow
