"""A service with defects: a proxy in front of the one under test that breaks one promise of each named operation.

A defect is a function of the request and of the way to the real service; it returns the response instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

from tests.contract.played import with_json

import modelarts_openapi
from modelarts_contract import proxy
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse

__all__ = ["Defect", "ProxyRequest", "ProxyResponse", "serving"]

JSON = {"content-type": "application/json"}
Defect = Callable[[ProxyRequest, Forward], ProxyResponse]


def serving(upstream: str, defects: Mapping[str, Defect], document: str = "v2") -> AbstractContextManager[str]:
    """Serve what is behind `upstream` with these defects of the document's operations; the address.

    A defect is for an operation, for a path as documented (methods that it does not have), or for `<method> *`.
    """
    patterns = [
        (re.compile(re.sub(r"\{\w+\}", "[^/]+", path)), path, item)
        for path, item in modelarts_openapi.load(document)["paths"].items()
    ]

    def handle(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        for pattern, template, item in patterns:
            if pattern.fullmatch(request.path):
                operation = item.get(request.method.lower(), {}).get("operationId", template)
                defect = defects.get(operation) or defects.get(f"{request.method} *")
                return defect(request, forward) if defect else forward(request)
        return forward(request)

    return proxy.serving(upstream, handle)


def status(wrong: int) -> Defect:
    """A success has another status."""
    return lambda request, forward: replace(found, status=wrong) if (found := forward(request)).status == 200 else found


def without(member: str) -> Defect:
    """A success lacks a member."""
    return lambda request, forward: with_json(
        forward(request), lambda body: {key: body[key] for key in body if key != member}
    )


def with_text(member: str) -> Defect:
    """A number in a success is a text."""
    return lambda request, forward: with_json(forward(request), lambda body: {**body, member: str(body[member])})


def open_door(token: str) -> Defect:
    """Whoever comes without a token, or with a wrong one, gets in."""
    return lambda request, forward: forward(replace(request, headers={**request.headers, "x-auth-token": token}))


def no_allow(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """A method that there is not is rejected without saying which there are."""
    found = forward(request)
    return replace(found, headers={name: text for name, text in found.headers.items() if name != "allow"})


def unlisted_code(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """A rejection carries a code that no page lists for it."""
    found = forward(request)
    return replace(found, body=re.sub(rb"ModelArts\.(2775|0105)", b"ModelArts.9999", found.body))


def bare_rejection(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """A rejection is not in the service's envelope."""
    found = forward(request)
    return replace(found, body=b'{"detail": "no"}') if found.status == 400 else found


def gullible(instead: Any) -> Defect:
    """What is malformed is taken for good."""

    def response(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        return ProxyResponse(200, json.dumps(instead).encode(), JSON) if found.status == 400 else found

    return response


def boundless(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """A page may have any size."""
    pairs = [part for part in request.query.split("&") if not re.fullmatch(r"limit=\d+", part)]
    return forward(replace(request, query="&".join(pairs)))


def fragile(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """An empty text breaks the service."""
    found = forward(request)
    broken = ProxyResponse(500, b'{"error_code": "ModelArts.2950", "error_msg": "broken"}', JSON)
    return broken if b'""' in request.body and found.status == 200 else found


class Moody:
    """Every second request that would succeed is rejected."""

    def __init__(self) -> None:
        self.successes = 0

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        found = forward(request)
        self.successes += found.status < 300
        rejected = b'{"error_code": "ModelArts.2764", "error_msg": "not today"}'
        return ProxyResponse(400, rejected, JSON) if found.status < 300 and self.successes % 2 else found
