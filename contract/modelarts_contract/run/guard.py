"""The only way from the contract tests to a real service: a local proxy that lets nothing through but what is safe.

Reading passes. Creating passes if writing is allowed and the name is the run's own. Changing, stopping and deleting
pass for ids that the run's journal has, or that the run made up; documented operations only. The proxy holds the
credentials: schemathesis knows the placeholder TOKEN, so that no report can show the real ones.
It keeps to a request rate and repeats requests that get status 429.
"""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx

from modelarts_contract import proxy
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_toolkit.connector import auth_of
from modelarts_toolkit.errors import ToolkitError
from modelarts_toolkit.settings.config import Config

from . import operations
from .journal import Journal
from .operations import HARMLESS, Operation

__all__ = ["TOKEN", "Guard"]

TOKEN = "placeholder-token-of-the-contract-tests"
MADE_UP = "absent"  # ids that start with the run's prefix and this name nothing
ATTEMPTS = 6  # of a request that gets 429
LONGEST_WAIT_S = 60.0
LOST_LIMIT = 3  # requests without a response, one after the other


class Guard:
    """Decides on every request of one run; `rejected` has those that were not sent, with the reason.

    `trouble` says why nothing more is sent: the service responds to no request, or not to our credentials.
    """

    def __init__(self, config: Config, journal: Journal | None, rate: float) -> None:
        """Without a journal, only reading passes; `rate` is the number of requests per second."""
        self.journal = journal
        self.may_create = journal is not None
        self.rejected: list[str] = []
        self.trouble: str | None = None
        self._config = config
        self._auth = auth_of(config)
        self._pause_s = 1 / rate
        self._next_at = 0.0
        self._lost = 0
        self._mutex = threading.Lock()

    @property
    def upstream(self) -> str:
        """The URL of the service."""
        return str(self._config.endpoint)

    @contextlib.contextmanager
    def serving(self) -> Iterator[tuple[str, str]]:
        """Serve ModelArts and IAM through the guard; yield both addresses."""
        with (
            proxy.serving(str(self._config.endpoint), self.training, config=self._config) as training,
            proxy.serving(str(self._config.iam_endpoint), self.iam, config=self._config) as iam,
        ):
            yield training, iam

    def training(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        """Send on a request to ModelArts if it is safe."""
        operation = next(
            filter(None, (operations.find(name, request.method, request.path) for name in ("v1", "v2"))), None
        )
        problem = foreign_token(request) or self._problem(operation, request)
        if problem:
            return self._reject(request, problem)
        if operation is not None and operation.kind == "create":
            return self._create(operation, request, forward)
        return self._send(request, forward)

    def iam(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        """Send on a request to IAM if it reads."""
        operation = operations.find("iam", request.method, request.path)
        problem = foreign_token(request) or self._problem(operation, request)
        return self._reject(request, problem) if problem else self._send(request, forward)

    def _problem(self, operation: Operation | None, request: ProxyRequest) -> str | None:
        """Why the request is not safe, None if it is."""
        if request.method in HARMLESS or (operation is not None and operation.kind == "read"):
            return None
        if operation is None:
            return "no document has this operation"
        if self.journal is None:
            return "the run only reads"
        if operation.kind == "create" and not self.may_create:
            return "the run is being cleaned up"
        parameters = operation.path_parameters(request.path) or {}
        if parameters.get("project_id") != self._config.project_id:
            return "it is for another project"
        if operation.owner_parameter is not None:
            id_ = parameters[operation.owner_parameter]
            is_made_up = id_.startswith(f"{self.journal.prefix}{MADE_UP}")
            if not is_made_up and not self.journal.has(operation.collection, id_):
                return "the run did not create what it changes"
        name = name_in(request.body)
        if not (name is None and operation.kind == "change") and not str(name).startswith(self.journal.prefix):
            return f"the name does not start with {self.journal.prefix}"
        return None

    def _create(self, operation: Operation, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        assert self.journal is not None
        kind, name = operation.collection, str(name_in(request.body))
        self.journal.announce(kind, name)
        response = self._send(request, forward)
        if 200 <= response.status < 300:
            with contextlib.suppress(ValueError, LookupError, TypeError):  # Clean-up finds it by its name then.
                self.journal.created(kind, name, str(json.loads(response.body)["metadata"]["id"]))
        elif 400 <= response.status < 500:
            self.journal.rejected(kind, name)
        return response

    def _send(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        """Send the request at the run's pace, again after each 429; nothing more once there is trouble."""
        is_ours = request.headers.get("x-auth-token") == TOKEN
        if is_ours:
            headers = {name: value for name, value in request.headers.items() if name != "x-auth-token"}
            request = replace(request, headers=headers, auth=self._auth)
        for attempt in range(ATTEMPTS):
            if self.trouble is not None:
                return message(503, f"not sent to the service: {self.trouble}")
            self._wait_for_turn()
            try:
                response = forward(request)
            except ToolkitError as error:  # of the login, which goes before the request
                return self._give_up(401, f"the login failed: {error}")
            except httpx.TransportError as error:
                self._lost += 1
                if self._lost >= LOST_LIMIT:
                    return self._give_up(502, f"no response to {LOST_LIMIT} requests: {type(error).__name__}")
                raise
            self._lost = 0
            if is_ours and response.status == 401:
                return self._give_up(401, f"the service does not accept the credentials any more: {words(response)}")
            if response.status != 429:
                return response
            if attempt < ATTEMPTS - 1:
                time.sleep(retry_after_s(response, attempt))
        return self._give_up(429, f"the service asks to slow down (429), {ATTEMPTS} times in a row: try again later")

    def _wait_for_turn(self) -> None:
        with self._mutex:
            now = time.monotonic()
            self._next_at = max(now, self._next_at) + self._pause_s
            wait_s = self._next_at - self._pause_s - now
        time.sleep(max(0.0, wait_s))

    def _give_up(self, status: int, trouble: str) -> ProxyResponse:
        self.trouble = self.trouble or trouble
        return message(status, trouble)

    def _reject(self, request: ProxyRequest, problem: str) -> ProxyResponse:
        self.rejected.append(f"{request.method} {request.path}: {problem}")
        return message(403, f"not sent to the service: {problem}")


def words(response: ProxyResponse) -> str:
    """What a rejection says."""
    return response.body.decode("utf-8", "replace")[:300]


def message(status: int, text: str) -> ProxyResponse:
    body = {"error_code": "Guard", "error_msg": text}
    return ProxyResponse(status, json.dumps(body).encode(), {"content-type": "application/json"})


def foreign_token(request: ProxyRequest) -> str | None:
    """Why the token is not sent; a request without one is."""
    token = request.headers.get("x-auth-token")
    return None if token in {None, TOKEN} else "its token is made up"


def name_in(body: bytes) -> Any:
    """The `metadata.name` of a body, None if it has none."""
    try:
        content = json.loads(body or b"null")
    except ValueError:
        return None
    metadata = content.get("metadata") if isinstance(content, dict) else None
    return metadata.get("name") if isinstance(metadata, dict) else None


def retry_after_s(response: ProxyResponse, attempt: int) -> float:
    """How long the service asks to wait, at most a minute; twice as long each time if it does not say."""
    try:
        asked_s = float(response.headers.get("retry-after", ""))
    except ValueError:
        asked_s = 2.0**attempt
    return min(max(asked_s, 0.0), LONGEST_WAIT_S)
