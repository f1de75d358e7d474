"""The only way from the contract tests to a real service: a local proxy that lets nothing through but what is safe.

Documented operations that read pass. Creating passes if writing is allowed and the name is the run's own. Changing,
stopping and deleting pass for ids that the run's journal has, or that the run made up. The proxy holds the
credentials: schemathesis knows the placeholder TOKEN, so that no report can show the real ones.
A request that reads may go without a token, with a made-up one, or to another project: it must be rejected there.
The guard keeps to a request rate, and repeats what gets 429, and what does not create and gets no response, 502, 503
or 504. The header ATTEMPTS of a response says how often its request was sent.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Any

import httpx

import modelarts_openapi
from modelarts_contract import proxy
from modelarts_contract.documents import HARMLESS, Documents, Operation
from modelarts_contract.exchange import Exchange
from modelarts_contract.proxy import ATTEMPTS as SENT
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.resources import resource_of
from modelarts_contract.run.journal import Journal
from modelarts_contract.seen import dig, parsed, status_of
from modelarts_toolkit.connection.connector import auth_of
from modelarts_toolkit.errors import ToolkitError
from modelarts_toolkit.settings.config import Config

__all__ = ["TOKEN", "Guard", "response_limit_s"]

TOKEN = "placeholder-token-of-the-contract-tests"
MADE_UP = "absent"  # ids that start with the run's prefix and this name nothing
ATTEMPTS = 6  # of a request that gets 429
REPEATS = 3  # of a request that gets another temporary error
LONGEST_WAIT_S = 60.0
RESPONSE_S = 120.0  # for a whole response
LOST_LIMIT = 3  # requests without a response, one after the other
TROUBLED_LIMIT = 4  # operations, one after the other, that get a temporary error although they were repeated
REFUSED_LIMIT = 3  # operations, one after the other, that get 401: the login is not accepted any more
TEMPORARY = {502, 503, 504}
RESET = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)  # of a connection that was there
ID = re.compile("[0-9A-Za-z_-]+")


class AboutItself(httpx.Auth):
    """A login whose token is also what the request is about."""

    def __init__(self, login: httpx.Auth) -> None:
        self.login = login

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        """Repeat the token in each request that carries it."""
        flow = self.login.sync_auth_flow(request)
        sent = next(flow)
        with contextlib.suppress(StopIteration):
            while True:
                if "x-auth-token" in sent.headers:
                    sent.headers["x-subject-token"] = sent.headers["x-auth-token"]
                sent = flow.send((yield sent))


class Guard:
    """Decides on every request of one run; `rejected` has those that were not sent, with the reason.

    `trouble` says why nothing more is sent: the service responds to no request, or not to our credentials.
    """

    def __init__(self, config: Config, journal: Journal | None, rate: float) -> None:
        """Without a journal, only reading passes; `rate` is the number of requests per second."""
        self.journal = journal
        self.may_create = journal is not None
        self.rejected: list[str] = []
        self.addresses: dict[str, str] = {}
        self.trouble: str | None = None
        self.logins: list[Exchange] = []  # with their passwords: no report may have them
        self._config = config
        self._auth = auth_of(config)
        self._pause_s = 1 / rate
        self._next_at = 0.0
        self._lost = 0
        self._troubled: set[str] = set()
        self._refused: set[str] = set()
        self._mutex = threading.Lock()
        self._documents = {
            "ma": Documents([name for name in modelarts_openapi.NAMES if name != "iam"]),
            "iam": Documents(["iam"]),
        }

    @contextlib.contextmanager
    def serving(self) -> Iterator[tuple[str, str]]:
        """Serve ModelArts and IAM through the guard; yield both addresses."""
        options: dict[str, Any] = {"config": self._config, "limit_s": response_limit_s(), "watch": self._watch}
        with (
            proxy.serving(str(self._config.endpoint), self.training, **options) as training,
            proxy.serving(str(self._config.iam_endpoint), self.iam, **options) as iam,
        ):
            self.addresses = {training: str(self._config.endpoint), iam: str(self._config.iam_endpoint)}
            yield training, iam

    def _watch(self, response: httpx.Response) -> None:
        """Keep the logins, which the requests of the run need."""
        if response.request.method == "POST" and response.request.url.path.endswith("/auth/tokens"):
            response.read()
            self.logins.append(Exchange.of(response))

    def training(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        """Send on a request to ModelArts if it is safe."""
        found = self._documents["ma"].find(request.method, request.path)
        if problem := self._problem(found, request):
            return self._reject(request, problem)
        assert found is not None
        operation = found[0]

        def with_its_status(request: ProxyRequest) -> ProxyResponse:
            response = forward(request)
            return replace(response, status=status_of(operation, response.status, parsed(response.body)))

        if operation.kind == "create":
            return self._create(operation, request, with_its_status)
        return self._send(request, with_its_status)

    def iam(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        """Send on a request to IAM if it reads."""
        problem = self._problem(self._documents["iam"].find(request.method, request.path), request)
        return self._reject(request, problem) if problem else self._send(request, forward)

    def _problem(self, found: tuple[Operation, dict[str, str]] | None, request: ProxyRequest) -> str | None:
        """Why the request is not safe, None if it is."""
        if found is None:
            return "no document has this operation"
        if request.method in HARMLESS or found[0].kind == "read":
            return None
        if request.headers.get("x-auth-token") not in {None, TOKEN}:
            return "its token is made up"
        if self.journal is None:
            return "the run only reads"
        operation, parameters = found
        if operation.kind == "create" and not self.may_create:
            return "the run is being cleaned up"
        if parameters.get("project_id") != self._config.project_id:
            return "it is for another project"
        if not all(ID.fullmatch(value) for value in parameters.values()):
            return "an id has special characters"
        resource, body = resource_of(operation), parsed(request.body)
        if resource is None:
            return "no overlay declares how what it changes is deleted"
        is_new = operation.kind == "create" and not operation.path_names
        ids = [] if is_new else resource.ids(operation, parameters, body)
        made_up = f"{self.journal.prefix}{MADE_UP}"
        if not is_new and not (ids and all(i.startswith(made_up) or self.journal.has(resource.kind, i) for i in ids)):
            return "the run did not create what it changes"
        names = resource.names(operation, body)
        if (is_new and not names) or not all(str(name).startswith(self.journal.prefix) for name in names):
            return f"the name does not start with {self.journal.prefix}"
        return None

    def _create(self, operation: Operation, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        """Send on what creates something; a part of an object, such as a version, goes with that."""
        assert self.journal is not None
        resource = resource_of(operation)
        if operation.path_names or resource is None:
            return self._send(request, forward)
        kind, name = resource.kind, str(resource.names(operation, parsed(request.body))[0])
        self.journal.announce(kind, name)
        response = self._send(request, forward)
        id_ = resource.created_id(parsed(response.body), name) if 200 <= response.status < 300 else None
        if id_ is not None:  # else clean-up finds it by its name
            self.journal.created(kind, name, id_)
        elif 400 <= response.status < 500:
            self.journal.rejected(kind, name)
        return response

    def _send(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        """Send the request at the run's pace, again where that helps; nothing more once there is trouble."""
        is_ours = request.headers.get("x-auth-token") == TOKEN
        if is_ours:
            headers = {name: value for name, value in request.headers.items() if name != "x-auth-token"}
            if headers.get("x-subject-token") == TOKEN:
                del headers["x-subject-token"]
                request = replace(request, headers=headers, auth=AboutItself(self._auth))
            else:
                request = replace(request, headers=headers, auth=self._auth)
        for attempt in range(ATTEMPTS):
            if self.trouble is not None:
                return ProxyResponse.own(503, f"not sent to the service: {self.trouble}")
            self._wait_for_turn()
            try:
                response = forward(request)
            except ToolkitError as error:  # of the login, which goes before the request
                return self._give_up(401, f"the login failed: {error}")
            except httpx.TransportError as error:
                if isinstance(error, RESET) and self._is_repeatable(request) and attempt < REPEATS:
                    time.sleep(min(self._pause_s, 2.0**attempt))
                    continue
                self._lost += 1
                if self._lost >= LOST_LIMIT:
                    return self._give_up(502, f"no response to {LOST_LIMIT} requests: {type(error).__name__}")
                raise
            self._lost = 0
            if is_ours and response.status == 401:
                trouble = f"the service does not accept the credentials any more: {error_text(response.body)}"
                return self._pass_on(self._refused, REFUSED_LIMIT, request, response, trouble)
            self._refused -= self._refused if is_ours else set()
            is_temporary = response.status in TEMPORARY and self._is_repeatable(request)
            if response.status != 429 and not is_temporary:
                self._troubled.clear()
                return replace(response, headers={**response.headers, SENT: str(attempt + 1)})
            if is_temporary and attempt >= REPEATS:
                trouble = f"the service responds with {response.status} only: try again later"
                return self._pass_on(self._troubled, TROUBLED_LIMIT, request, response, trouble)
            if attempt < ATTEMPTS - 1:
                time.sleep(retry_after_s(response, attempt))
        return self._give_up(429, f"the service asks to slow down (429), {ATTEMPTS} times in a row: try again later")

    def _is_repeatable(self, request: ProxyRequest) -> bool:
        """Whether the request has the same effect if it is sent twice."""
        found = self._documents["ma"].find(request.method, request.path)
        return request.method in {*HARMLESS, "PUT", "DELETE"} or (found is not None and found[0].kind == "read")

    def _pass_on(
        self, failed: set[str], limit: int, request: ProxyRequest, response: ProxyResponse, trouble: str
    ) -> ProxyResponse:
        """Pass on an error that one operation may have; if several have it in a row, nothing more is sent."""
        found = self._documents["ma"].find(request.method, request.path)
        failed.add(found[0].label if found is not None else request.path)
        return response if len(failed) < limit else self._give_up(response.status, trouble)

    def _wait_for_turn(self) -> None:
        with self._mutex:
            now = time.monotonic()
            self._next_at = max(now, self._next_at) + self._pause_s
            wait_s = self._next_at - self._pause_s - now
        time.sleep(max(0.0, wait_s))

    def _give_up(self, status: int, trouble: str) -> ProxyResponse:
        self.trouble = self.trouble or trouble
        return ProxyResponse.own(status, trouble)

    def _reject(self, request: ProxyRequest, problem: str) -> ProxyResponse:
        self.rejected.append(f"{request.method} {request.path}: {problem}")
        return ProxyResponse.own(403, f"not sent to the service: {problem}")


def response_limit_s() -> float:
    """The longest time that a response may take, in seconds."""
    return float(os.environ.get("CONTRACT_RESPONSE_S") or RESPONSE_S)


def error_text(body: bytes) -> str:
    """What an error says: its code and its sentence, or the beginning of another body."""
    content = parsed(body)
    said = [str(part) for name in ("error_code", "error_msg") if (part := dig(content, name))]
    return " ".join(said) or body.decode("utf-8", "replace")[:300]


def retry_after_s(response: ProxyResponse, attempt: int) -> float:
    """How long the service asks to wait, at most a minute; twice as long each time if it does not say."""
    try:
        asked_s = float(response.headers.get("retry-after", ""))
    except ValueError:
        asked_s = 2.0**attempt
    return min(max(asked_s, 0.0), LONGEST_WAIT_S)
