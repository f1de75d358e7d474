"""What clients ask for is read, rejected, or known to be unread: nothing is ignored without a word."""

from __future__ import annotations

import copy
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import BUCKET, CODE

import modelarts_openapi
from modelarts_emulator.http.call import Call, Response
from modelarts_emulator.server import Emulator
from modelarts_emulator.testing.unused_fields import UnusedFields

# TrackedObject that change nothing here, and why that is right; docs/emulator-differences.md says so, too.
KNOWN: dict[str, set[str]] = {"createAlgorithm": set(), "createTrainingJob": set()}

Schema = dict[str, Any]


def call(body: Any = None, **query: Any) -> Call:
    return Call(path={}, query=query, headers={}, body=body, identities=())


@pytest.mark.parametrize(
    ("read", "unread"),
    [
        (lambda body: body["a"], ["b"]),
        (lambda body: body.get("b"), ["a", "b.c"]),
        (lambda body: body["b"]["c"], ["a"]),
        (lambda body: dict(body), ["b.c"]),
        (lambda body: {**body, "b": {**body["b"]}}, []),
        (lambda body: json.dumps(body), []),
        (lambda body: copy.deepcopy(body["b"]), ["a"]),
        (lambda body: "a" in body, ["a", "b"]),
    ],
)
def test_a_member_is_read_once_it_was_asked_for_copied_or_encoded(
    read: Callable[[Any], Any], unread: list[str]
) -> None:
    watch = UnusedFields()

    def handler(call: Call) -> Response:
        read(call.body)
        return Response(200)

    watch.watch("create", handler)(call({"a": 1, "b": {"c": 2}}))

    assert watch.report().get("create", []) == unread


def test_members_of_lists_and_query_parameters_are_watched_as_well() -> None:
    watch = UnusedFields()

    watch.watch("list", lambda call: Response(200, call.body["filters"]))(call({"filters": [{"key": "name"}]}, limit=1))

    assert watch.report() == {"list": ["filters[].key", "limit"]}


def test_a_rejected_request_is_not_reported() -> None:
    watch = UnusedFields()

    watch.watch("create", lambda call: Response(400))(call({"a": 1}))

    assert watch.report() == {}


def test_an_unread_member_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    watched = UnusedFields().watch("create", lambda call: Response(200))
    with caplog.at_level(logging.WARNING):
        watched(call({"secret": "s3cret"}))
        watched(call({"secret": "s3cret"}))

    assert [record.getMessage() for record in caplog.records] == ["create: nothing reads secret"]


@pytest.fixture
def api(tmp_path: Path, puppet: Any, log_in: Callable[..., Any]) -> Iterator[Any]:
    """A client of an emulator that reports what it does not read."""
    with Emulator(tmp_path / "data", executor=puppet, unread=True, keep_jobs=True, max_running_jobs=1) as emulator:
        yield log_in(emulator)


def resolved(document: Schema, schema: Schema) -> Schema:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]] | {
            name: value for name, value in schema.items() if name != "$ref"
        }
    return schema


def leaves(document: Schema, schema: Schema, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every scalar, map or list of scalars that the schema documents; `[]` in a path stands for a list's entry."""
    schema = resolved(document, schema)
    if "properties" in schema:
        for name, member in schema["properties"].items():
            yield from leaves(document, member, (*above, name))
    elif schema.get("type") == "array" and "properties" in resolved(document, schema["items"]):
        yield from leaves(document, schema["items"], (*above, "[]"))
    else:
        yield above, schema


def value_of(document: Schema, schema: Schema) -> Any:
    """Something that the schema allows and that asks for something."""
    if "enum" in schema:
        return schema["enum"][-1]
    kind = schema.get("type")
    if kind == "array":
        return [value_of(document, resolved(document, schema["items"]))]
    if kind == "object":
        return {"a": "1"}
    return {"integer": 1, "number": 1.0, "boolean": True}.get(str(kind), "1")


def put(body: Any, path: tuple[str, ...], value: Any) -> Any:
    """The body with this value at this place, in the first entry of every list on the way."""
    if not path:
        return value
    step, *rest = path
    if step == "[]":
        entries = list(body or [{}])
        return [put(entries[0], tuple(rest), value), *entries[1:]]
    return {**(body or {}), step: put((body or {}).get(step), tuple(rest), value)}


def schema_of(document: Schema, operation_id: str) -> Schema:
    """What the operation's request has to be."""
    for item in document["paths"].values():
        for operation in item.values():
            if isinstance(operation, dict) and operation.get("operationId") == operation_id:
                schema: Schema = operation["requestBody"]["content"]["application/json"]["schema"]
                return schema
    raise KeyError(operation_id)


def rich_job(api: Any) -> Any:
    """A job with a channel and a hyperparameter, so that more can be asked of them."""
    remote = {"obs": {"obs_url": f"/{api.bucket}/pytorch/"}}
    channel = {"name": "data_url", "remote": remote}
    parameter = {"name": "rate", "value": "1", "description": "how fast"}
    body = api.job_body(parameters=[parameter], inputs=[channel], outputs=[channel | {"name": "train_url"}])
    body["spec"]["auto_stop"] = {"time_unit": "HOURS", "duration": 2}
    return body


@pytest.mark.parametrize(
    ("operation_id", "path", "example"),
    [
        ("createTrainingJob", "/training-jobs", "job"),
        ("createAlgorithm", "/algorithms", "algorithm"),
    ],
)
def test_every_documented_member_is_read_or_rejected_or_known(
    api: Any, caplog: pytest.LogCaptureFixture, operation_id: str, path: str, example: str
) -> None:
    """Each member is asked for by itself, on top of a request that is accepted."""
    document = modelarts_openapi.load("v2")
    accepted = 0
    for place, schema in leaves(document, schema_of(document, operation_id)):
        body = rich_job(api) if example == "job" else api.algorithm_body()
        if place != ("metadata", "name"):
            body = put(body, place, value_of(document, schema))
        accepted += api.call("POST", path, json=body).status_code == 201

    reports = [
        record.getMessage() for record in caplog.records if record.name == "modelarts_emulator.testing.unused_fields"
    ]
    assert {report.rpartition(" ")[2] for report in reports} == KNOWN[operation_id]
    assert accepted > 20


V1_OPERATIONS = [
    ("createTrainingJob", "POST", "/training-jobs"),
    ("createTrainingJobVersion", "POST", "/training-jobs/{job}/versions"),
    ("updateTrainingJob", "PUT", "/training-jobs/{job}"),
    ("createTrainingJobConfig", "POST", "/training-job-configs"),
    ("updateTrainingJobConfig", "PUT", "/training-job-configs/settings"),
]


def v1_body(operation_id: str, number: int, version_id: int) -> Any:
    """A request of version 1 that is accepted; jobs and results have names of their own."""
    settings = {"worker_server_num": 1, "spec_id": 7}
    config = settings | {
        "app_url": f"/{BUCKET}/pytorch/fast_example/code/cpu/",
        "boot_file_url": f"/{BUCKET}/{CODE}",
        "data_url": f"/{BUCKET}/pytorch/",
        "parameter": [{"label": "rate", "value": "1"}],
    }
    return {
        "createTrainingJob": {"job_name": f"job-{number}", "config": config},
        "createTrainingJobVersion": {"config": config | {"pre_version_id": version_id}},
        "updateTrainingJob": {"job_desc": "again"},
        "createTrainingJobConfig": settings | {"config_name": f"config-{number}"},
        "updateTrainingJobConfig": settings,
    }[operation_id]


def test_every_documented_member_of_version_1_is_read_or_rejected(api: Any, caplog: pytest.LogCaptureFixture) -> None:
    document = modelarts_openapi.load("v1")
    project = api.project.replace("/v2/", "/v1/")
    body = v1_body("createTrainingJob", 0, 0)
    job = api.http.post(f"{project}/training-jobs", json=body).json()
    config = {"config_name": "settings", "worker_server_num": 1, "spec_id": 7}
    api.http.post(f"{project}/training-job-configs", json=config)
    accepted = 0
    for operation_id, method, path in V1_OPERATIONS:
        for number, (place, schema) in enumerate(leaves(document, schema_of(document, operation_id)), 1):
            body = v1_body(operation_id, number, job["version_id"])
            if place[-1] not in ("job_name", "config_name", "pre_version_id"):
                body = put(body, place, value_of(document, schema))
            response = api.http.request(method, project + path.format(job=job["job_id"]), json=body)
            accepted += response.status_code == 200

    reports = [record.getMessage() for record in caplog.records if "nothing reads" in record.getMessage()]
    assert reports == []
    assert accepted > 20
