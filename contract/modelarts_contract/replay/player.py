"""Plays a recording on another service, which in practice is an emulator, and keeps what that responds with.

Ids that the other service gives take the place of recorded ones, and its own project, login and token those of the
recording. What existed before the recording began, the other service does not have: such requests are left out.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx

from modelarts_contract.documents import Documents, Operation
from modelarts_contract.exchange import Exchange
from modelarts_contract.redaction import IDS, REDACTED

from .ids import Ids, collection
from .values import json_of, texts

__all__ = ["Played", "Player", "Service"]

TIMEOUT_S = 60
PROJECT = "project_id"
LOGIN = "createToken"
OK, NO_CONTENT, TOO_MANY_REQUESTS, SERVER_ERROR = 200, 204, 429, 500
CONTENT_TIMEOUT_S, CONTENT_POLL_S = 5.0, 0.05


@dataclass(frozen=True)
class Service:
    """Where a recording is played; `login_body` is the body of a successful login, `advance` moves its clock (s)."""

    endpoint: str
    project_id: str
    login_body: Mapping[str, Any] = field(repr=False)
    advance: Callable[[float], None]


@dataclass(frozen=True)
class Played:
    """A recorded exchange with what the other service made of it; `skipped` says why there is nothing."""

    recorded: Exchange
    emulated: Exchange | None
    skipped: str = ""


class Player:
    """Plays exchanges in their order; `close` it, or use it as a context manager. Raises httpx.HTTPError."""

    def __init__(self, service: Service, documents: Documents) -> None:
        self._service = service
        self._documents = documents
        self._client = httpx.Client(base_url=service.endpoint, timeout=TIMEOUT_S, trust_env=False)
        self._token, self._subject_token = self._log_in(), self._log_in()
        self._ids = Ids()
        self._time: datetime | None = None

    def __enter__(self) -> Player:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._client.close()

    def play(self, recorded: Exchange) -> Played:
        """Send the request with what stands for its ids here, and learn the ids of the response."""
        address = urlsplit(recorded.url)
        found = self._documents.find(recorded.method, address.path)
        if found is None:
            return Played(recorded, None, "no document has this request")
        if recorded.status == 0:
            return Played(recorded, None, "the recording has no response")
        if recorded.status == TOO_MANY_REQUESTS or recorded.status >= SERVER_ERROR:
            return Played(recorded, None, f"status {recorded.status} says how the service was, not what it was asked")
        operation, values = found
        body = json_of(recorded.request_body)
        if recorded.request_body and body is None:
            return Played(recorded, None, "the request is not JSON")
        if recorded.status < 400 and (unknown := self._unknown(operation, values, body)):
            return Played(recorded, None, f"{unknown} existed before the recording")
        self._pass_time(time_of(recorded))
        path = operation.url_path(self._ids.path(operation, values) | {PROJECT: self._service.project_id})
        query = [(name, self._ids.text(value)) for name, value in parse_qsl(address.query, keep_blank_values=True)]
        request = self._client.build_request(
            recorded.method,
            f"{path}?{urlencode(query)}" if query else path,
            headers=self._headers(operation, recorded),
            content=None if body is None else json.dumps(self._body(operation, recorded, body)),
        )
        emulated = self._sent(request, recorded)
        if recorded.status < 400 and emulated.status < 400:
            self._ids.learn(collection(operation), json_of(recorded.response_body), json_of(emulated.response_body))
        return Played(recorded, emulated)

    def _sent(self, request: httpx.Request, recorded: Exchange) -> Exchange:
        """Send the request; wait for content that the recording has, because a log comes a moment after its job."""
        give_up = time.monotonic() + CONTENT_TIMEOUT_S
        while True:
            emulated = Exchange.of(self._client.send(request))
            is_early = request.method == "GET" and (recorded.status, emulated.status) == (OK, NO_CONTENT)
            if not is_early or time.monotonic() > give_up:
                return emulated
            time.sleep(CONTENT_POLL_S)

    def _log_in(self) -> str:
        response = self._client.post("/v3/auth/tokens", json=dict(self._service.login_body))
        return str(response.raise_for_status().headers["X-Subject-Token"])

    def _unknown(self, operation: Operation, values: Mapping[str, str], body: Any) -> str:
        """An id in the request that no earlier response had; empty if there is none."""
        for name, value in values.items():
            if name != PROJECT and not self._ids.knows(collection(operation), name, value):
                return f"{name} {value}"
        if operation.name == "iam":
            return ""
        return next(
            (f"id {found}" for text in texts(body) for found in IDS.findall(text) if not self._ids.has(found)), ""
        )

    def _pass_time(self, now: datetime) -> None:
        moment = now if now.tzinfo else now.replace(tzinfo=UTC)
        if self._time is not None and moment > self._time:
            self._service.advance((moment - self._time).total_seconds())
        self._time = max(self._time or moment, moment)

    def _headers(self, operation: Operation, recorded: Exchange) -> dict[str, str]:
        media = recorded.request_headers.get("content-type", "application/json")
        headers = {"Content-Type": media} if recorded.request_body else {}
        if operation.definition.get("security") != []:
            headers["X-Auth-Token"] = REDACTED if recorded.status == 401 else self._token
        if "x-subject-token" in recorded.request_headers:
            headers["X-Subject-Token"] = self._subject_token if recorded.status < 400 else REDACTED
        return headers

    def _body(self, operation: Operation, recorded: Exchange, body: Any) -> Any:
        if operation.operation_id == LOGIN and recorded.status < 400:
            return dict(self._service.login_body)
        return self._ids.value(with_token(body, self._subject_token) if recorded.status < 400 else body)


def with_token(body: Any, token: str) -> Any:
    """The body of an exchange of tokens with one that is valid, in place of the redacted one."""
    identity = body.get("auth", {}).get("identity", {}) if isinstance(body, dict) else {}
    if not isinstance(identity, dict) or "token" not in identity:
        return body
    return {**body, "auth": {**body["auth"], "identity": {**identity, "token": {"id": token}}}}


def time_of(exchange: Exchange) -> datetime:
    """When the service responded, by its own clock if the response has a date."""
    try:
        return parsedate_to_datetime(exchange.response_headers["date"])
    except (KeyError, ValueError):
        return exchange.started_at
