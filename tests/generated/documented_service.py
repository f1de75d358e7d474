"""A service made of one document alone: it reads requests off the wire, holds them against the document and keeps them.

Nothing of the client is used here, so that a mistake in a template cannot cancel itself out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import h11
import httpx

from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Kind
from modelarts_contract.validation import findings

__all__ = ["URL", "Arrived", "DocumentedService", "over_the_wire"]

URL = "http://service.test"
OF_REQUEST = {Kind.UNKNOWN_OPERATION, Kind.UNKNOWN_PARAMETER, Kind.INVALID_PARAMETER, Kind.INVALID_REQUEST}


@dataclass(frozen=True)
class Arrived:
    """What the service understood of a request: texts as they were before they were encoded, and the body.

    `body` is JSON with sorted names, so that 1, 1.0 and true differ; None if there is none.
    """

    operation_id: str
    path: dict[str, str]
    query: dict[str, list[str]]
    headers: dict[str, str]
    body: str | None


class DocumentedService:
    """Handles the requests of `httpx.MockTransport`: keeps each in `requests`, and responds with a failure."""

    def __init__(self, document: str) -> None:
        self.documents = Documents([document])
        self.requests: list[Arrived] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(self.read(*over_the_wire(request)))
        return httpx.Response(500)

    def read(self, head: h11.Request, content: bytes) -> Arrived:
        """Understand the request; an AssertionError says what the document does not allow."""
        method, target = head.method.decode(), head.target.decode("ascii")
        headers = {name.decode(): value.decode("latin-1") for name, value in head.headers}
        found = findings(Exchange(method, URL + target, 200, headers, content), self.documents)
        assert [finding.message for finding in found if finding.kind in OF_REQUEST] == []
        address = urlsplit(target)
        known = self.documents.find(method, address.path)
        assert known is not None
        operation, path = known
        query = parse_qs(address.query, keep_blank_values=True, strict_parsing=bool(address.query), errors="strict")
        assert bool(content) <= (operation.body_schema() is not None)
        assert bool(content) == (headers.get("content-type") == "application/json")
        documented = {name: headers[name.lower()] for name in operation.parameters("header") if name.lower() in headers}
        body = json.dumps(json.loads(content), sort_keys=True) if content else None
        return Arrived(operation.operation_id, path, query, documented, body)


def over_the_wire(request: httpx.Request) -> tuple[h11.Request, bytes]:
    """Write the request as HTTP/1.1 and read it again."""
    client, server = h11.Connection(h11.CLIENT), h11.Connection(h11.SERVER)
    head = h11.Request(method=request.method, target=request.url.raw_path, headers=request.headers.raw)
    server.receive_data(client.send(head) or b"")
    server.receive_data(client.send(h11.Data(data=request.content)) or b"")
    server.receive_data(client.send(h11.EndOfMessage()) or b"")
    received = server.next_event()
    assert isinstance(received, h11.Request)
    content = b""
    while isinstance(event := server.next_event(), h11.Data):
        content += event.data
    return received, content
