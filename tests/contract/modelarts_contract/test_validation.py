"""Findings about exchanges: what breaks the contract, what is new, and what is fine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modelarts_openapi
from modelarts_contract.documents import Documents, operations, operations_of
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Kind
from modelarts_contract.rules.session import Session
from modelarts_contract.validation import findings
from modelarts_documents.schema import resolve

PROJECT = "6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34"
JOBS = f"https://modelarts.example.com/v2/{PROJECT}/training-jobs"
LOG = " (source: page querying_training_job_logs)"
DOCUMENTS = Documents()


def example() -> tuple[Any, Any]:
    """The first example of a request that creates a job, and of the response."""
    operation = operations("v2")["createTrainingJob"]
    parts = operation.definition["requestBody"], operation.response(201) or {}
    bodies = [next(iter(part["content"]["application/json"]["examples"].values()))["value"] for part in parts]
    # a page prints a path of its own request without its first letters
    sent, received = json.loads(json.dumps(bodies).replace('"s://', '"obs://'))
    return sent, received


def kinds(exchange: Exchange) -> list[Kind]:
    return [finding.kind for finding in findings(exchange, DOCUMENTS)]


def created(request: Any = None, response: Any = None, status: int = 201, url: str = JOBS) -> Exchange:
    """The creation of a job as in the example, with another body of the request or response."""
    sent, received = example()
    return Exchange(
        method="POST",
        url=url,
        status=status,
        request_body=json.dumps(sent if request is None else request).encode(),
        response_body=json.dumps(received if response is None else response).encode(),
    )


def test_an_exchange_as_in_the_examples_has_no_findings() -> None:
    assert kinds(created()) == []


def test_what_a_client_sends_wrongly_is_found() -> None:
    """A wrong type, a missing body, bytes that are not JSON, and a query parameter that is not documented."""
    wrong = {"kind": "job", "metadata": {"name": 5}}

    (finding, *_) = findings(created(wrong), DOCUMENTS)
    assert (finding.kind, finding.where) == (Kind.INVALID_REQUEST, "metadata.name")
    assert kinds(Exchange("POST", JOBS, 201, response_body=created().response_body)) == [Kind.INVALID_REQUEST]
    assert kinds(Exchange("POST", JOBS, 201, request_body=b"<a>", response_body=created().response_body)) == [
        Kind.INVALID_REQUEST
    ]
    assert kinds(created(url=f"{JOBS}?dry_run=1")) == [Kind.UNKNOWN_PARAMETER]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("log_file=job-a.0", []),
        ("", [f"query parameter log_file is missing{LOG}"]),
        ("log_file=job-a.0&lines=501", [f"query parameter lines: 501 is greater than the maximum of 500{LOG}"]),
    ],
)
def test_a_parameter_that_is_missing_or_invalid_is_found(query: str, found: list[str]) -> None:
    url = f"https://modelarts.example.com/v1/{PROJECT}/training-jobs/1/versions/2/aom-log?{query}"
    about = findings(Exchange("GET", url, 200, response_body=b"{}"), DOCUMENTS)

    assert [each.message for each in about if each.kind is Kind.INVALID_PARAMETER] == found


def test_a_finding_about_a_request_says_what_the_rule_rests_on() -> None:
    """The observation beside the field of the document, or else the page of the operation."""
    url = f"{JOBS}/{PROJECT}/actions"
    observed = Exchange("POST", url, 202, request_body=b'{"action_type": "pause"}')
    printed = Exchange("POST", url, 202, request_body=b'{"action": "restart"}')

    assert "(source: The page has `terminate` alone; the service" in next(findings(observed, DOCUMENTS)).message
    assert next(findings(printed, DOCUMENTS)).message.endswith("(source: page terminating_a_training_job)")


def test_a_rejected_request_is_not_judged() -> None:
    """Clients may try what happens; the rejection itself has to be as documented."""
    error = {"error_code": "ModelArts.2788", "error_msg": "Invalid parameter."}

    assert kinds(created({"kind": 1}, error, 400)) == []
    assert kinds(created({"kind": 1}, {**error, "error_code": "ModelArts.0000"}, 400)) == [Kind.UNKNOWN_CODE]


def test_what_the_service_sends_wrongly_is_found() -> None:
    """A wrong type, HTML instead of JSON, and a status that no document has."""
    assert kinds(created(response={"kind": 5}))[:1] == [Kind.INVALID_RESPONSE]
    html = Exchange("POST", JOBS, 201, request_body=created().request_body, response_body=b"<html>")
    (finding,) = findings(html, DOCUMENTS)
    assert (finding.kind, finding.message) == (Kind.INVALID_RESPONSE, "the response is not JSON: '<html>'")
    assert kinds(created(status=302)) == [Kind.UNKNOWN_STATUS]


def test_fields_and_values_that_are_new_are_found_and_do_not_break_the_contract() -> None:
    """Responses are open: wherever in the response, with the way to the schema that the field belongs to."""
    _, job = example()
    job["status"] = {**job["status"], "phase": "Hibernating"}
    job["metadata"]["colour"] = "red"

    found = {finding.kind: finding for finding in findings(created(response=job), DOCUMENTS)}

    assert set(found) == {Kind.UNKNOWN_FIELD, Kind.UNKNOWN_VALUE}
    assert not any(finding.breaks_contract for finding in found.values())
    field = found[Kind.UNKNOWN_FIELD]
    assert (field.where, field.pointer[-1]) == ("metadata.colour", "JobMetadata")
    assert found[Kind.UNKNOWN_VALUE].where == "status.phase"


@pytest.mark.parametrize(
    ("method", "path", "message"),
    [
        ("GET", "/v9/jobs", "no document has GET /v9/jobs"),
        (
            "PATCH",
            f"/v2/{PROJECT}/training-jobs",
            f"no document has PATCH /v2/{PROJECT}/training-jobs; the path has POST",
        ),
    ],
)
def test_an_unknown_operation_is_named_with_what_the_path_has(method: str, path: str, message: str) -> None:
    (finding,) = findings(Exchange(method, f"https://example.com{path}", 200), DOCUMENTS)

    assert (finding.kind, finding.message) == (Kind.UNKNOWN_OPERATION, message)


THING = {"content": {"application/json": {"schema": {"type": "object", "required": ["id"]}}}}
OTHER = {"content": {"application/json; charset=utf-8": {"schema": {"type": "object", "required": ["said"]}}}}


def of_small_document(request: httpx.Request, status: int, body: object, *parameters: Any) -> list[Kind]:
    """What is found about an exchange of an operation with these parameters, and with ranges of statuses."""
    responses = {"2XX": THING, "202": OTHER, "4XX": {"$ref": "#/components/responses/No"}, "default": OTHER}
    document = {
        "openapi": "3.1.0",
        "paths": {"/things": {"get": {"parameters": parameters, "responses": responses}}},
        "components": {"responses": {"No": {**THING, "x-error-codes": ["A.1"]}}},
    }
    documents = Documents(())
    documents.operations = tuple(operations_of("small", document))
    content = json.dumps(body).encode()
    return [each.kind for each in findings(Exchange("GET", str(request.url), status, {}, b"", {}, content), documents)]


@pytest.mark.parametrize(
    ("status", "body", "found"),
    [
        (200, {"id": 1}, []),
        (204, {"said": 1}, [Kind.INVALID_RESPONSE]),
        (202, {"said": 1}, []),
        (302, {}, [Kind.UNKNOWN_STATUS]),
        (404, {"id": 1, "error_code": "A.1"}, []),
        (404, {"id": 1, "error_code": "A.2"}, [Kind.UNKNOWN_CODE]),
        (503, {"said": 1}, []),
        (503, {"id": 1}, [Kind.INVALID_RESPONSE]),
    ],
)
def test_a_range_of_statuses_is_documented(status: int, body: object, found: list[Kind]) -> None:
    """An exact status goes before its range, and the range before the default, which is of rejections."""
    assert of_small_document(httpx.Request("GET", "http://h/things"), status, body) == found


NUMBERS = {"type": "array", "items": {"type": "integer"}}
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "integer": st.integers(),
    "boolean": st.booleans(),
    "number": st.floats(-1e9, 1e9),
    "string": st.text(),
}


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data())
def test_what_a_client_sends_in_a_query_is_understood(kind: str, data: st.DataObject) -> None:
    """One value, and a list: the document allows this one alone."""
    one, entries = data.draw(VALUES[kind]), data.draw(st.lists(VALUES[kind], min_size=1))
    schemas = {"one": {"type": kind, "const": one}, "all": {"type": "array", "items": {"type": kind}, "const": entries}}
    parameters = [{"name": name, "in": "query", "schema": schema} for name, schema in schemas.items()]
    request = httpx.Request("GET", "http://h/things", params={"one": one, "all": entries})

    assert of_small_document(request, 200, {"id": 1}, *parameters) == []


@pytest.mark.parametrize(
    ("query", "parameter", "found"),
    [
        ("p=1,2", {"explode": False, "schema": NUMBERS}, []),
        ("p=1,a", {"explode": False, "schema": NUMBERS}, [Kind.INVALID_PARAMETER]),
        ("p=a|b", {"style": "pipeDelimited", "schema": {"type": "array", "minItems": 2}}, []),
        ("p=a&p=b", {"schema": {"type": "string"}}, [Kind.INVALID_PARAMETER]),
        ("x=1", {"schema": {"type": "object", "properties": {"x": {"type": "integer"}}}}, []),
        ("y=1", {"schema": {"type": "object", "properties": {"x": {"type": "integer"}}}}, [Kind.UNKNOWN_PARAMETER]),
        ("p[x]=1", {"style": "deepObject", "schema": {"type": "object", "required": ["x"]}}, []),
        ("", {"required": True, "schema": {"type": "array"}}, [Kind.INVALID_PARAMETER]),
    ],
)  # fmt: skip
def test_a_list_or_an_object_in_a_query_is_read_as_documented(
    query: str, parameter: dict[str, Any], found: list[Kind]
) -> None:
    request = httpx.Request("GET", f"http://h/things?{query}")

    assert of_small_document(request, 200, {"id": 1}, {"name": "p", "in": "query", **parameter}) == found


@pytest.mark.parametrize("name", ["pool-name", "a.b", "_x"])
def test_a_parameter_of_a_path_may_have_any_name(name: str) -> None:
    """An operation with fewer of them goes before one with more."""
    parameter = {"name": name, "in": "path", "required": True, "schema": {"type": "integer"}}
    item = {"parameters": [parameter], "get": {"responses": {}}}
    documents = Documents(())
    documents.operations = tuple(
        operations_of("small", {"paths": {f"/a.b/{{{name}}}/c": item, f"/{{x}}/{{{name}}}/c": item}})
    )

    found = documents.find("get", "/a.b/5%2F6/c")

    assert found is not None
    assert (found[0].path, found[1]) == (f"/a.b/{{{name}}}/c", {name: "5/6"})
    assert found[0].url_path(found[1]) == "/a.b/5%2F6/c"
    assert documents.find("get", "/axb/5/6/c") is None


FORM = {Kind.INVALID_RESPONSE, Kind.UNKNOWN_STATUS, Kind.UNKNOWN_CODE, Kind.UNKNOWN_FIELD}
ABRIDGED = {  # the page prints a part of a list, a text or an object
    "createToken.created",
    "listJobResourceSpecs.tensorflow-use-case",
    "listTrainingJobVersions.own-image",
    "showTrainingJobEngines.first-five",
    "showTrainingJobEngines.pytorch-use-case",
    "showTrainingJobLogsPreview.service-lines",
}
MISPRINTS = {"listRegions.four", "listVisualizationJobs.one"}  # a made-up address, a time with a digit too few


@pytest.mark.parametrize("name", modelarts_openapi.NAMES)
def test_no_rule_contradicts_what_pages_print(name: str) -> None:
    """But for the ids in the path, which are made up here; requests are not looked at."""
    found = [
        f"{key}: {finding.message}"
        for key, exchange in printed(name)
        for finding in Session(DOCUMENTS).see(exchange)
        if finding.breaks_contract or finding.kind is Kind.UNKNOWN_FIELD
        if finding.kind not in list(Kind)[:4] and "was sent as" not in finding.message
        if finding.kind in FORM or key not in ABRIDGED | MISPRINTS
    ]

    assert found == []


def printed(name: str) -> Iterator[tuple[str, Exchange]]:
    """The responses that pages print, by the names of the examples."""
    for operation in operations(name).values():
        url = f"https://modelarts.example.com{operation.path}".replace("{", "").replace("}", "")
        for status, response in operation.definition["responses"].items():
            for content in resolve(operation.document, response).get("content", {}).values():
                for key, example in content.get("examples", {}).items() if status.isdigit() else ():
                    body = json.dumps(resolve(operation.document, example)["value"]).encode()
                    yield key, Exchange(operation.method, url, int(status), response_body=body)


def test_a_wrong_time_is_told_once() -> None:
    """Although it does not fit to several others: a token that expires before it was issued."""
    examples = modelarts_openapi.load("iam")["paths"]["/v3/auth/tokens"]["get"]["responses"]["200"]["content"]
    body = next(iter(examples["application/json"]["examples"].values()))["value"]
    body["token"]["expires_at"] = "2020-01-01T00:00:00.000000Z"
    headers = {"content-type": "application/json", "date": "Wed, 25 Nov 2026 10:00:00 GMT"}
    shown = Exchange("GET", "https://iam.example.com/v3/auth/tokens", 200, {}, b"", headers, json.dumps(body).encode())

    found = [each.where for each in Session(DOCUMENTS).see(shown) if each.kind == Kind.TIME]

    assert found == ["token.expires_at"]
