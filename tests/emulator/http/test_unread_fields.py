"""What clients ask for is read or rejected: nothing is ignored without a word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.emulator.conftest import BUCKET, CODE

import modelarts_openapi
from modelarts_documents.schema import operations, resolve
from modelarts_emulator.engine import database as opening
from modelarts_emulator.http import app
from modelarts_emulator.http import contract as contracts
from modelarts_emulator.http.family import Call, Response
from modelarts_emulator.server import Emulator

Schema = Mapping[str, Any]


class TrackedObject(dict[str, Any]):
    """A JSON object that remembers which of its members were read."""

    def __init__(self, members: Any) -> None:
        super().__init__((name, _track(value)) for name, value in members.items())
        self.seen: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:
        # Overridden so that `dict(members)` and `{**members}` go through `__getitem__`.
        return super().__iter__()

    def get(self, name: str, default: Any = None) -> Any:
        self.seen.add(name)
        return super().get(name, default)

    def items(self) -> Any:
        self.seen.update(self)
        return super().items()

    def values(self) -> Any:
        self.seen.update(self)
        return super().values()


def _track(value: Any) -> Any:
    if isinstance(value, dict):
        return TrackedObject(value)
    return [_track(entry) for entry in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """The same value without tracking; all of it counts as read."""
    if isinstance(value, dict):
        return {name: _plain(member) for name, member in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def _unread(value: Any, path: str = "") -> Iterator[str]:
    """The paths of members that were not read, the outermost only."""
    if isinstance(value, TrackedObject):
        for name, member in dict.items(value):
            inner = f"{path}.{name}".lstrip(".")
            if name in value.seen:
                yield from _unread(member, inner)
            else:
                yield inner
    elif isinstance(value, list):
        for entry in value:
            yield from _unread(entry, f"{path}[]")


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """By operation, the members of accepted requests that neither a handler has read nor the database stored."""
    found: dict[str, set[str]] = defaultdict(set)

    def tracking(operation_id: str, handler: Any) -> Any:
        def tracked(context: Any, call: Call) -> Response:
            body, query = _track(call.body), TrackedObject(call.query)
            response: Response = handler(context, replace(call, body=body, query=query))
            if response.status < 400:
                found[operation_id].update(_unread(body), _unread(query))
            return response

        return tracked

    def bind(contract: Any, handlers: Any, not_emulated: Any) -> Any:
        bound = contracts.bind(contract, handlers, not_emulated)
        return {name: tracking(name, handler) for name, handler in bound.items()}

    monkeypatch.setattr(app, "bind", bind)
    monkeypatch.setattr(opening, "encode", lambda value: contracts.encode(_plain(value)))
    return found


@pytest.fixture
def api(tmp_path: Path, puppet: Any, log_in: Callable[..., Any], unread: Any) -> Iterator[Any]:
    """A client of an emulator whose handlers are watched."""
    with Emulator(tmp_path / "data", executor=puppet, keep_jobs=True, max_running_jobs=1) as emulator:
        yield log_in(emulator)


def leaves(document: Schema, schema: Schema, above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Schema]]:
    """Every scalar, map or list of scalars that the schema documents; `[]` in a path stands for a list's entry."""
    schema = resolve(document, schema)
    if "properties" in schema:
        for name, member in schema["properties"].items():
            yield from leaves(document, member, (*above, name))
    elif schema.get("type") == "array" and "properties" in resolve(document, schema["items"]):
        yield from leaves(document, schema["items"], (*above, "[]"))
    else:
        yield above, schema


def value_of(document: Schema, schema: Schema) -> Any:
    """Something that the schema allows and that asks for something."""
    if "enum" in schema:
        return schema["enum"][-1]
    kind = schema.get("type")
    if kind == "array":
        return [value_of(document, resolve(document, schema["items"]))]
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
    found = {each["operationId"]: each for _, _, _, each in operations(document)}[operation_id]
    schema: Schema = found["requestBody"]["content"]["application/json"]["schema"]
    return schema


def requests_of_v2(api: Any) -> list[tuple[str, str, str, Callable[[], Any]]]:
    """Operation, method, path and body of requests that are accepted."""

    def rich_job() -> Any:
        """A job with a channel and a hyperparameter, so that more can be asked of them."""
        channel = {"name": "data_url", "remote": {"obs": {"obs_url": f"/{api.bucket}/pytorch/"}}}
        parameter = {"name": "rate", "value": "1", "description": "how fast"}
        body = api.job_body(parameters=[parameter], inputs=[channel], outputs=[channel | {"name": "train_url"}])
        body["spec"]["auto_stop"] = {"time_unit": "HOURS", "duration": 2}
        return body

    return [
        ("createTrainingJob", "POST", "/training-jobs", rich_job),
        ("createAlgorithm", "POST", "/algorithms", api.algorithm_body),
    ]


def requests_of_v1(api: Any) -> list[tuple[str, str, str, Callable[[], Any]]]:
    """The same for version 1."""
    settings = {"worker_server_num": 1, "spec_id": 7}
    program = {"app_url": f"/{BUCKET}/pytorch/fast_example/code/cpu/", "boot_file_url": f"/{BUCKET}/{CODE}"}
    more = {"data_url": f"/{BUCKET}/pytorch/", "parameter": [{"label": "rate", "value": "1"}]}
    config = settings | program | more
    project = f"/v1/{api.identity.project_id}"
    job = api.http.post(f"{project}/training-jobs", json={"job_name": "first", "config": config}).json()
    api.http.post(f"{project}/training-job-configs", json=settings | {"config_name": "settings"})
    further = {"config": config | {"pre_version_id": job["version_id"]}}
    job_path, config_path = f"/training-jobs/{job['job_id']}", "/training-job-configs"
    return [
        ("createTrainingJob", "POST", "/training-jobs", lambda: {"job_name": api.unique("job"), "config": config}),
        ("createTrainingJobVersion", "POST", f"{job_path}/versions", lambda: further),
        ("updateTrainingJob", "PUT", job_path, lambda: {"job_desc": "again"}),
        ("createTrainingJobConfig", "POST", config_path, lambda: settings | {"config_name": api.unique("config")}),
        ("updateTrainingJobConfig", "PUT", f"{config_path}/settings", lambda: settings),
    ]


@pytest.mark.parametrize(("version", "requests_of"), [("v1", requests_of_v1), ("v2", requests_of_v2)])
def test_every_documented_member_is_read_or_rejected(
    api: Any, unread: dict[str, set[str]], version: str, requests_of: Any
) -> None:
    """Each member is asked for by itself, on top of a request that is accepted."""
    document = modelarts_openapi.load(version)
    accepted = 0
    for operation_id, method, path, body_of in requests_of(api):
        for place, schema in leaves(document, schema_of(document, operation_id)):
            body = body_of()
            if place != ("metadata", "name") and place[-1] not in ("job_name", "config_name", "pre_version_id"):
                body = put(body, place, value_of(document, schema))
            url = f"/{version}/{api.identity.project_id}{path}"
            accepted += api.http.request(method, url, json=body).is_success

    assert {name: found for name, found in unread.items() if found} == {}
    assert accepted > 20
