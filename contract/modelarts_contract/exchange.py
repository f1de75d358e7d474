"""One request of a client with its response."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

__all__ = ["Exchange", "Exponent", "loads", "within"]

DEEPEST = 100  # levels of objects and lists
TOO_DEEP = "it is nested too deeply"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response; header names become lower case, bodies are decoded of their content encoding.

    `status` is 0 if there was no response. `has_request_body` and `has_body` are false where nobody kept the body of
    the request or the response, so that it is not known. `attempts` counts how often a run has sent the request: only
    the last response is kept.
    """

    method: str
    url: str
    status: int
    request_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    request_body: bytes = field(default=b"", repr=False)
    response_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    response_body: bytes = field(default=b"", repr=False)
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    duration_s: float = 0.0
    has_request_body: bool = True
    has_body: bool = True
    attempts: int = 1

    def __post_init__(self) -> None:
        for name in ("request_headers", "response_headers"):
            given: Mapping[str, str] = getattr(self, name)
            object.__setattr__(self, name, {key.lower(): value for key, value in given.items()})

    @property
    def ended_at(self) -> datetime:
        """When the response was complete."""
        return self.started_at + timedelta(seconds=self.duration_s)

    @classmethod
    def of(cls, response: httpx.Response, started_at: datetime | None = None) -> Exchange:
        """The exchange of a response; bodies of requests and responses that are streams are not known."""
        request = response.request
        sent, received = content_of(request), content_of(response)
        return cls(
            method=request.method,
            url=str(request.url),
            status=response.status_code,
            request_headers=dict(request.headers),
            request_body=sent or b"",
            response_headers=dict(response.headers),
            response_body=received or b"",
            started_at=started_at or datetime.now(UTC),
            duration_s=response.elapsed.total_seconds() if hasattr(response, "_elapsed") else 0.0,
            has_request_body=sent is not None,
            has_body=received is not None,
        )


class Exponent(float):
    """A number in the form `1.5E3`, which many clients do not read as a whole number."""


def as_number(text: str) -> float:
    return Exponent(text) if "e" in text.casefold() else float(text)


def loads(body: bytes, *, keep_exponents: bool = False) -> Any:
    """The JSON value; ValueError for anything else, also for JSON that is nested too deeply, or half a character."""
    try:
        value = json.loads(body, parse_float=as_number if keep_exponents else None)
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    level = [value] if body.count(b"[") + body.count(b"{") > DEEPEST else []
    for _ in range(DEEPEST):  # deeper, neither validators nor rules go
        inner = [each for each in level if isinstance(each, dict | list)]
        level = [child for each in inner for child in (each.values() if isinstance(each, dict) else each)]
    if level:
        raise ValueError(TOO_DEEP)
    if b"\\" in body or not body.isascii():
        json.dumps(value, ensure_ascii=False).encode()  # fails for half of a surrogate pair, which is no text
    return value


def within(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """A JSON value and all that is in it, outer ones first, each with the name of the member that it is in."""
    yield name, value
    for key, child in value.items() if isinstance(value, dict) else ():
        yield from within(child, key)
    for child in value if isinstance(value, list) else ():
        yield from within(child, name)


def content_of(message: httpx.Request | httpx.Response) -> bytes | None:
    """The body; None for a stream that nobody has read to its end."""
    try:
        return message.content
    except (httpx.RequestNotRead, httpx.ResponseNotRead):
        return None
