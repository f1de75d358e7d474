"""A link of the documents leads somewhere: its target exists and gets what it needs from a real response."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.openapi.conftest import each_operation, operations

# Operations of version 2 to which no link leads yet; this list only shrinks.
WITHOUT_LINK = {
    *("changeTrainingExperiment", "deleteTrainingExperiment", "showTrainingExperimentDetails"),
    *("createTrainJobTags", "deleteTrainJobTags", "showTrainJobTags", "createSaveImageJob", "showSaveImageJob"),
    *("listFtArtifacts", "publishFtArtifacts", "showFtDetail", "showFtMetrics", "notifyTrainingJobInformation"),
    *("listTrainingJobStages", "listTrainingJobTasks", "showTrainingJobLogsFromAom", "showTrainingJobRoutePlan"),
}


def links(operation: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every link with a response that it can start from."""
    for response in operation.successes.values():
        media = response.get("content", {}).get("application/json", {})
        for link in map(operation.resolve, response.get("links", {}).values()):
            for example in media.get("examples", {}).values():
                yield link, example["value"]


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


def test_every_operation_that_needs_an_id_is_the_target_of_a_link() -> None:
    """It says to tools where the id comes from."""
    targets = {link["operationId"] for operation in operations() for link, _ in links(operation)}
    needing = {each.id for each in operations() if set(re.findall(r"{(\w+)}", each.path)) - {"project_id"}}

    assert needing - targets == WITHOUT_LINK


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
    for link, response in links(operation):
        target = by_id[operation.name, link["operationId"]]
        parameters = {p["name"]: p for p in target.parameters}
        given = evaluated(link["parameters"], operation, response)

        assert set(given) <= set(parameters), link
        assert {name for name, parameter in parameters.items() if parameter["in"] == "path"} <= set(given), link
        schemas = {name: parameters[name]["schema"] for name in given}
        assert [s for name, s in schemas.items() if target.findings(s, as_read(s, given[name]))] == [], link
        if "requestBody" in link:
            sent = evaluated(link["requestBody"], operation, response)
            assert target.findings(target.request_schema, sent) == [], link
