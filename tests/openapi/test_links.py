"""A link of the documents leads somewhere: its target exists and gets what it needs from a real response."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.openapi.conftest import each_operation, file_of, operations

# Operations of version 2 to which no link leads yet; this list only shrinks.
WITHOUT_LINK = {
    *(
        "changeTrainingExperiment",
        "createTrainJobTags",
        "deleteTrainJobTags",
        "showTrainJobTags",
        "createSaveImageJob",
        "showSaveImageJob",
    ),
    *("listFtArtifacts", "publishFtArtifacts", "showFtDetail", "showFtMetrics", "notifyTrainingJobInformation"),
    *("listTrainingJobStages", "listTrainingJobTasks", "showTrainingJobLogsFromAom", "showTrainingJobRoutePlan"),
}


def links(operation: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any], list[Any]]]:
    """Every link with the schema of the response that it starts from, and the examples of that, which may be none."""
    for response in operation.successes.values():
        media = response.get("content", {}).get("application/json", {})
        payloads = [example["value"] for example in media.get("examples", {}).values()]
        for link in map(operation.resolve, response.get("links", {}).values()):
            yield link, media.get("schema", {}), payloads


def evaluated(value: Any, operation: Any, response: Any) -> Any:
    """The value with runtime expressions replaced by what they stand for."""
    if isinstance(value, Mapping):
        return {key: evaluated(child, operation, response) for key, child in value.items()}
    if isinstance(value, list):
        return [evaluated(child, operation, response) for child in value]
    if not isinstance(value, str) or not value.startswith("$"):
        return value
    if match := re.fullmatch(r"\$request\.(path|query)\.(\w+)", value):
        types = {p["name"]: p["schema"]["type"] for p in operation.parameters if p["in"] == match[1]}
        return {"string": "a", "integer": 1}[types[match[2]]]
    if match := re.fullmatch(r"\$(request|response)\.body#(/.+)", value):
        requests = [payload for _, payload, schema in operation.examples if schema == operation.request_schema]
        body = requests[0] if match[1] == "request" else response
        for key in match[2].removeprefix("/").split("/"):
            body = body[int(key)] if isinstance(body, list) else body[key]
        return body
    pytest.fail(f"{value} is not an expression that this test knows")


def as_read(schema: dict[str, Any], value: Any) -> Any:
    """The value as the service reads it from an address, where everything is text."""
    return int(value) if schema["type"] == "integer" and str(value).isdigit() else value


def member(operation: Any, schema: dict[str, Any], pointer: str) -> dict[str, Any] | None:
    """The schema of what a pointer into a body leads to; None if the schema has no such member."""
    schema = operation.resolve(schema)
    if not pointer:
        return schema
    key, _, rest = pointer.partition("/")
    for branch in (schema, *map(operation.resolve, [*schema.get("anyOf", ()), *schema.get("allOf", ())])):
        inner = branch.get("items") if key.isdigit() else branch.get("properties", {}).get(key)
        if inner is not None:
            return member(operation, inner, rest)
    return None


def problems_without_example(link: dict[str, Any], operation: Any, response: dict[str, Any]) -> list[str]:
    """The expressions of a link that lead to no member of the body; there is no payload to read them from."""
    parts = {"request": operation.request_schema or {}, "response": response}
    found = re.findall(r"\$(request|response)\.body#/([^\s,'}]+)", str([link["parameters"], link.get("requestBody")]))
    return [
        f"the link to {link['operationId']} takes /{pointer} of the {part}, which has no such field"
        for part, pointer in found
        if member(operation, parts[part], pointer) is None
    ]


def where_it_comes_from(operation: Any) -> str:
    """The file to which a link to the operation belongs: that of the path before its last id, if there is one."""
    before = re.sub(r"/\{(?!project_id)\w+\}(?!.*/\{).*$", "", operation.path)
    makers = [file_of(each) for each in operations() if (each.name, each.path) == (operation.name, before)]
    return f", in {makers[0]}" if makers else ""


def test_every_operation_that_needs_an_id_is_the_target_of_a_link() -> None:
    """It says to tools where the id comes from."""
    targets = {(operation.name, link["operationId"]) for operation in operations() for link, _, _ in links(operation)}
    needing = [each for each in operations() if set(re.findall(r"{(\w+)}", each.path)) - {"project_id"}]
    missing = [each for each in needing if (each.name, each.id) not in targets]

    if linked := WITHOUT_LINK - {each.id for each in missing}:
        pytest.fail(f"these have a link now, take them out of WITHOUT_LINK: {', '.join(sorted(linked))}")
    if lines := [
        f"no link leads to {each.name} {each.id} ({file_of(each)}): "
        f"add one to `links` of the response that has the id{where_it_comes_from(each)}"
        for each in missing
        if each.id not in WITHOUT_LINK
    ]:
        pytest.fail("\n".join(lines), pytrace=False)


@each_operation()
def test_no_published_link_has_a_body_that_only_some_tools_understand(operation: Any) -> None:
    """Generators of clients reject a document in which the body of a link is anything but a text."""
    links = [link for response in operation.responses.values() for link in response.get("links", {}).values()]
    published = [operation.resolve(link) for link in links]

    assert [link for link in published if not isinstance(link.get("requestBody", ""), str)] == []
    assert [link for link in published if "x-schemathesis" in link] == []


@each_operation(lambda operation: any(links(operation)))
def test_a_link_gives_its_target_every_path_parameter_and_a_valid_body(
    operation: Any, by_id: dict[tuple[str, str], Any]
) -> None:
    for link, schema, payloads in links(operation):
        target = by_id[operation.name, link["operationId"]]
        parameters = {p["name"]: p for p in target.parameters}
        names = set(link["parameters"])

        assert names <= set(parameters), link
        assert {name for name, parameter in parameters.items() if parameter["in"] == "path"} <= names, link
        assert problems_without_example(link, operation, schema) == [], link
        for response in payloads:
            given = evaluated(link["parameters"], operation, response)
            schemas = {name: parameters[name]["schema"] for name in given}
            assert [s for name, s in schemas.items() if target.findings(s, as_read(s, given[name]))] == [], link
            if "requestBody" in link:
                sent = evaluated(link["requestBody"], operation, response)
                assert target.findings(target.request_schema, sent) == [], link
