"""What a client sends arrives as it was given, and what a service responds is given back whole: every operation.

The service is made of the document alone, and so are requests and responses.
`ROUND_TRIPS=200` tries as many of each operation instead of a few, and others in every run.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import h11
import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.generated.bodies import Bodies
from tests.generated.documented_service import URL, Arrived, DocumentedService, over_the_wire
from tests.generated.names import snake

import modelarts_openapi
from modelarts_api.client import Client
from modelarts_api.errors import ApiError
from modelarts_contract.documents import Documents, Operation
from modelarts_documents.messages import status_key
from modelarts_documents.schema import json_schema

ABSENT = object()
EXAMPLES = int(os.environ.get("ROUND_TRIPS", "0"))
FEW = settings(
    max_examples=EXAMPLES or 4,
    derandomize=not EXAMPLES,
    suppress_health_check=list(HealthCheck),
)
# Tests are given names: an operation would be printed with its whole document.
OPERATIONS = {f"{operation.name}-{operation.operation_id}": operation for operation in Documents().operations}
PATH_TEXT = st.text(min_size=1, max_size=12).filter(lambda text: text not in {".", ".."})
HEADER_TEXT = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as running:
        yield running


@pytest.fixture(scope="module")
def services() -> dict[str, DocumentedService]:
    """By the document's name."""
    return {name: DocumentedService(name) for name in modelarts_openapi.NAMES}


def call(
    operation: Operation,
    handler: Callable[[httpx.Request], httpx.Response],
    runner: asyncio.Runner,
    project_id: str,
    arguments: list[Any],
    named: dict[str, Any],
    kinds: tuple[str, ...] = ("Api", "AsyncApi"),
) -> list[Any]:
    """What the methods of these classes give, or the ApiErrors that they raise."""
    given: list[Any] = []
    client = Client(URL, httpx_args={"transport": httpx.MockTransport(handler)})
    try:
        for kind in kinds:
            try:
                result = method(kind, operation, client, project_id)(*arguments, **named)
                given.append(runner.run(result) if inspect.iscoroutine(result) else result)
            except ApiError as error:
                given.append(error)
    finally:
        client.close()
        runner.run(client.aclose())
    return given


def method(kind: str, operation: Operation, client: Client, project_id: str) -> Any:
    """The method of the operation, of a class of its document's package."""
    api = getattr(import_module(f"modelarts_api.{operation.name}"), kind)
    bound = api(client, *([project_id] if "project_id" in inspect.signature(api).parameters else []))
    return getattr(getattr(bound, operation.definition["tags"][0].replace("-", "_")), snake(operation.operation_id))


@dataclass(frozen=True)
class Given:
    """The arguments of a call, and how they have to arrive."""

    project_id: str
    arguments: list[Any]
    named: dict[str, Any]
    arrived: Arrived


@functools.cache
def requests(name: str, bodies: Bodies) -> st.SearchStrategy[Given]:
    """Valid calls of the operation; in half of them the body is a model instead of a mapping."""
    operation = OPERATIONS[name]
    schema = operation.body_schema()
    drawn = [
        st.fixed_dictionaries(
            {name: values(each, bodies) for name, each in operation.parameters(place).items() if each.get("required")},
            optional={
                name: values(each, bodies)
                for name, each in operation.parameters(place).items()
                if not each.get("required")
            },
        )
        for place in ("path", "query", "header")
    ]

    def combined(path: Any, query: Any, header: Any, body: Any, is_model: bool) -> Given:
        arguments = [path[name] for name in operation.parameters("path") if name != "project_id"]
        if schema is not None:
            arguments.append(model_of(operation, schema).from_dict(body) if is_model else body)
        in_path, in_header = ({name: as_text(value) for name, value in part.items()} for part in (path, header))
        in_query = {name: texts for name, value in query.items() if (texts := as_texts(value))}
        content = None if schema is None else as_json(body)
        named = {snake(name): value for name, value in [*query.items(), *header.items()]}
        arrived = Arrived(operation.operation_id, in_path, in_query, in_header, content)
        return Given(path.get("project_id", ""), arguments, named, arrived)

    body = st.none() if schema is None else bodies.of(schema, perturbed=False)
    return st.builds(combined, *drawn, body, st.booleans())


def values(parameter: Any, bodies: Bodies) -> st.SearchStrategy[Any]:
    schema = parameter["schema"]
    if parameter["in"] == "query" or schema["type"] != "string":
        return bodies.of(schema, perturbed=False)
    return PATH_TEXT if parameter["in"] == "path" else HEADER_TEXT


def as_json(value: Any) -> str:
    """A text in which 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


def as_texts(value: Any) -> list[str]:
    """A value of a query: a list is given entry by entry."""
    return [as_text(entry) for entry in (value if isinstance(value, list) else [value])]


def as_text(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def model_of(operation: Operation, schema: Any) -> Any:
    models = import_module(f"modelarts_api.{operation.name}.models")
    return getattr(models, schema["$ref"].rpartition("/")[2])


@pytest.mark.parametrize("name", OPERATIONS)
@FEW
@given(data=st.data())
def test_a_valid_request_arrives_as_it_was_given(
    services: dict[str, DocumentedService],
    bodies: dict[str, Bodies],
    runner: asyncio.Runner,
    name: str,
    data: st.DataObject,
) -> None:
    """Path, query, headers and body; from the synchronous and the asynchronous client."""
    operation = OPERATIONS[name]
    service = services[operation.name]
    given = data.draw(requests(name, bodies[operation.name]))
    service.requests.clear()

    call(operation, service, runner, given.project_id, given.arguments, given.named)

    assert service.requests == [given.arrived, given.arrived]


def statuses(name: str) -> list[int]:
    """A documented status of each response of an operation."""
    responses = OPERATIONS[name].definition["responses"]
    first = {status_key(responses, status): status for status in reversed(range(200, 600))}
    return sorted(status for key, status in first.items() if key)


def schema_of(operation: Operation, status: int) -> Any:
    """The schema of the response with this status."""
    return json_schema(operation.response(status) or {})


def least_arguments(operation: Operation) -> tuple[list[Any], dict[str, Any]]:
    """The arguments that a call needs, by position and by name."""
    named = {
        snake(name): "x"
        for place in ("query", "header")
        for name, parameter in operation.parameters(place).items()
        if parameter.get("required")
    }
    path = {name: 7 if of["schema"]["type"] == "integer" else "x" for name, of in operation.parameters("path").items()}
    arguments: list[Any] = [value for name, value in path.items() if name != "project_id"]
    return [*arguments, *([{}] if operation.body_schema() else [])], named


def respond(operation: Operation, runner: asyncio.Runner, status: int, body: Any) -> list[Any]:
    """What both clients make of this response to a call."""
    content = None if body is ABSENT else json.dumps(body).encode()

    def handler(_: httpx.Request) -> httpx.Response:
        return httpx.Response(status, content=content)

    return call(operation, handler, runner, "p", *least_arguments(operation))


def drawn_body(data: st.DataObject, bodies: Bodies, schema: Any) -> Any:
    """A body as documented, or with fields, values, nulls and kinds that no document has."""
    return ABSENT if schema is None else data.draw(bodies.of(schema, perturbed=data.draw(st.booleans())))


def is_rejection(body: Any) -> bool:
    """Version 1 rejects with status 200, too."""
    is_success = body.get("is_success") if isinstance(body, dict) else True
    return is_success is False or (is_success is None and bool(body.get("error_code")))


def encoded(result: Any) -> str | None:
    """The JSON text of a model, or of a list of models; what is of another kind than documented is kept as it is."""
    if result is None:
        return None
    if isinstance(result, list):
        return as_json([each.to_dict() if hasattr(each, "to_dict") else each for each in result])
    return as_json(result.to_dict())


@pytest.mark.parametrize(
    ("name", "status"), [(name, status) for name in OPERATIONS for status in statuses(name) if status < 400]
)
@FEW
@given(data=st.data())
def test_a_success_is_given_back_whole(
    bodies: dict[str, Bodies], runner: asyncio.Runner, name: str, status: int, data: st.DataObject
) -> None:
    """Encoding what was decoded loses nothing; a body that says that it is a rejection is an error."""
    operation = OPERATIONS[name]
    body = drawn_body(data, bodies[operation.name], schema_of(operation, status))

    for result in respond(operation, runner, status, body):
        if is_rejection(body):
            assert isinstance(result, ApiError), result
        else:
            assert encoded(result) == (None if body is ABSENT else as_json(body)), result


@pytest.mark.parametrize("name", OPERATIONS)
@settings(FEW, max_examples=EXAMPLES or 1)
@given(data=st.data())
def test_a_rejection_is_an_error_with_its_status(
    bodies: dict[str, Bodies], runner: asyncio.Runner, name: str, data: st.DataObject
) -> None:
    """With any documented status, and whatever its body is."""
    operation = OPERATIONS[name]
    status = data.draw(st.sampled_from([status for status in statuses(name) if status >= 400]))
    body = drawn_body(data, bodies[operation.name], schema_of(operation, status))

    for result in respond(operation, runner, status, body):
        assert isinstance(result, ApiError), result
        assert (result.status, bool(str(result))) == (status, True), result


BEYOND_JSON = [float("nan"), float("inf"), object()]
NO_SEGMENT = ["", ".", "..", None, "\ud800"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_invalid_argument_does_not_reach_the_wire(runner: asyncio.Runner, name: str) -> None:
    """One that is missing or unknown, no segment of a path, no JSON, or no header."""
    operation = OPERATIONS[name]
    arguments, named = least_arguments(operation)
    body = [None] if operation.body_schema() else []
    headers = {snake(name): text for name in operation.parameters("header") for text in ("a\r\nb", "\u4e2d")}
    wrong: list[tuple[list[Any], dict[str, Any]]] = [(arguments, {**named, "no_such_parameter": 1})]
    wrong += [(arguments[:-1], named)] * bool(arguments)
    wrong += [(arguments, {name: text for name, text in named.items() if name != left}) for left in named]
    wrong += [
        ([*arguments[:number], text, *arguments[number + 1 :]], named)
        for number in range(len(arguments) - len(body))
        for text in NO_SEGMENT
    ]
    wrong += [([*arguments[:-1], {"x": value}], named) for value in BEYOND_JSON for _ in body]
    wrong += [(arguments, {**named, name: text}) for name, text in headers.items()]
    arrived: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        over_the_wire(request)
        arrived.append(request)
        return httpx.Response(500)

    for by_position, by_name in wrong:
        for kind in ("Api", "AsyncApi"):
            with pytest.raises((TypeError, ValueError, h11.LocalProtocolError)):
                call(operation, handler, runner, "p", by_position, by_name, (kind,))
    assert arrived == []
