"""What a run's own requests show: each exchange is judged by the documents and the rules, and recorded."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx

from modelarts_contract.documents import Documents, Operation
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.proxy import ATTEMPTS, OWN
from modelarts_contract.rules.session import OF_STATUS, TEMPORARY, Session, code_of, is_unavailable
from modelarts_contract.rules.stored import is_absent
from modelarts_contract.run.outcome import Outcome, Response
from modelarts_contract.run.service import SUBJECT, Service
from modelarts_contract.seen import Seen
from modelarts_contract.validation import GATEWAY, in_form
from modelarts_toolkit.http.transport import tls_context

__all__ = ["Judge"]

REPEATS = 5  # of a request that gets no response, or a temporary error
OF_REQUEST = {Kind.UNKNOWN_PARAMETER, Kind.INVALID_PARAMETER, Kind.INVALID_REQUEST}


class Judge:
    """Sends requests to a service, and records what they show; `phase` is where the run is."""

    def __init__(self, service: Service, names: Iterable[str]) -> None:
        self.service = service
        self.documents = Documents(names)
        self.session = Session(self.documents, service.secrets(), lag_s=service.lag_s, deletion_s=service.deletion_s)
        self.phase = "reading"
        self.exchanges: list[Exchange] = []
        self.failures: dict[str, Exchange] = {}
        self.statuses: dict[str, Counter[int]] = {}
        self._contradictions: dict[int, list[Finding]] = {}  # by id() of their exchanges, all of which are kept
        self.broken: set[tuple[str, str]] = set()  # phases of the run, with the operations of their findings
        self.deletion_s = service.deletion_s  # what is left to wait until deleted things are gone
        self._records: dict[str, list[Response | Finding]] = {name: [] for name in self.documents.names}
        limit_s = 600 if service.is_real else 30  # the guard may wait a while before it sends a request
        self._client = httpx.Client(timeout=limit_s, verify=tls_context(is_https=False), trust_env=False)

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def send(
        self,
        operation: Operation,
        path: Mapping[str, Any],
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        token: str | None = None,
    ) -> Exchange:
        """Send a request of the operation; status 0 if there was no response. The token is the run's by default."""
        values = {"project_id": self.service.environment["MODELARTS_PROJECT_ID"], **path}
        url = self.service.url_of(operation.name) + operation.url_path(values)
        token = self.service.token if token is None else token
        headers = {"X-Auth-Token": token} if token else {}
        if SUBJECT in operation.parameters("header"):
            headers[SUBJECT] = self.service.token
        given = {} if body is None else {"json": body}
        request = self._client.build_request(
            operation.method, url, params=dict(query or {}) or None, headers=headers, **given
        )
        started_at = datetime.now(UTC)
        try:
            exchange = Exchange.of(self._client.send(request), started_at)
            attempts = exchange.response_headers.get(ATTEMPTS, "1")
            exchange = replace(exchange, attempts=int(attempts) if attempts.isdigit() else 1)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            said = f"{type(error).__name__}: {error}".encode()
            return Exchange(operation.method, str(request.url), 0, started_at=started_at, response_body=said)
        if OWN not in exchange.response_headers:
            return exchange
        return replace(exchange, status=0, response_headers={})  # the guard's words are not the service's

    def check(self, operation: Operation, exchange: Exchange) -> list[Finding]:
        """Count an exchange; return what is wrong with it or new in it."""
        self.statuses.setdefault(operation.label, Counter())[exchange.status] += 1
        response = Response(self.phase, operation.label, exchange.status, code=code_of(exchange))
        self._records[operation.name].append(response)
        self.exchanges.append(exchange)
        self.session.forget_pages()  # the reader compares pages, and asks again for those that do not fit
        found = self.session.see(exchange) if exchange.status else []
        if exchange.status >= 500:  # that it fails is one finding, which the reader makes; its text may be another
            self.failures[operation.label] = exchange
            return [each for each in found if each.kind in (Kind.LEAK, Kind.RULE_FAILED)]
        contradictions = [each for each in found if each.kind is Kind.SUCCESS and exchange.status < 400]
        is_no_success = any(each.kind is Kind.INVALID_RESPONSE for each in found)
        if contradictions and is_no_success:  # a rejection with the wrong status, which has nothing of a success
            self._contradictions[id(exchange)] = contradictions
            return contradictions
        return [each for each in found if each.kind not in OF_STATUS] if self.is_refused(exchange) else found

    def check_login(self, exchange: Exchange) -> None:
        """Record what is wrong with a login, without its secrets."""
        seen = Seen.of(exchange, self.documents)
        if SUBJECT.lower() in exchange.response_headers:  # as requests about the token name it
            exchange = replace(exchange, response_headers={**exchange.response_headers, SUBJECT: self.service.token})
        found = self.session.see(exchange) if seen is not None and exchange.status < 400 else []
        shown = replace(exchange, request_body=b"", request_headers={}, response_headers={})
        if seen is not None:
            self.statuses.setdefault(seen.operation.label, Counter())[exchange.status] += 1
            self.record(seen.operation, shown, [each for each in found if each.kind != Kind.INVALID_REQUEST])

    def is_refused(self, exchange: Exchange) -> bool:
        """Whether a real service does not accept the run's login for this request."""
        is_ours = exchange.request_headers.get("x-auth-token") == self.service.token
        return self.service.is_real and exchange.status == 401 and is_ours

    def is_rejected(self, exchange: Exchange) -> bool:
        """Whether a request that the document allows is rejected, and neither for the account nor by the gateway."""
        seen = Seen.of(exchange, self.documents)
        is_refusal = 400 <= exchange.status < 500 and exchange.status not in TEMPORARY and not is_unavailable(exchange)
        if seen is None or not is_refusal or (code_of(exchange).startswith(GATEWAY) and exchange.status != 401):
            return False
        return all(each.kind not in OF_REQUEST for each in in_form(seen, rejected_requests=True))

    def record(self, operation: Operation, exchange: Exchange | None, findings: Iterable[Finding]) -> None:
        """Record findings with their exchange; of a success that says it is a rejection, only that it does."""
        findings = list(findings)
        for found in findings and self._contradictions.get(id(exchange), findings):
            self.broken |= {(self.phase, operation.label)} if found.breaks_contract else set()
            about = replace(found, document=operation.name, operation=operation.operation_id, label=operation.label)
            self._records[operation.name].append(about.shown_by(exchange, self.phase))

    def call(self, operation: Operation, path: Mapping[str, Any], query: Any = None, body: Any = None) -> Exchange:
        """Send a request, and record all that is wrong with its exchange or new in it."""
        exchange = self.send_with_retries(operation, path, query, body)
        self.record(operation, exchange, self.check(operation, exchange))
        return exchange

    def send_with_retries(
        self,
        operation: Operation,
        path: Mapping[str, Any],
        query: Any = None,
        body: Any = None,
        token: str | None = None,
    ) -> Exchange:
        """Send a request again until its response is not temporary; the last exchange, which is the one to judge.

        What creates something is repeated after 429 only: any other error may come after it was done.
        """
        exchange = self.send(operation, path, query, body, token)
        while self.is_temporary(operation, exchange) and exchange.attempts < REPEATS:
            time.sleep(min(self.service.poll_s, 2.0**exchange.attempts))
            again = self.send(operation, path, query, body, token)
            exchange = replace(again, attempts=exchange.attempts + again.attempts)
        return exchange

    def is_temporary(self, operation: Operation, exchange: Exchange) -> bool:
        """Whether the request can be sent again, and may then get another response."""
        is_slow = exchange.status == 0 and b"Timeout" in exchange.response_body
        if self.service.trouble is not None or (is_slow and exchange.attempts > 1):
            return False
        if operation.kind == "create":
            return exchange.status == 429
        return exchange.status == 0 or exchange.status in TEMPORARY

    def report(self, operation: Operation, exchange: Exchange | None, kind: Kind, message: str) -> None:
        """Record a finding that no rule makes."""
        self.record(operation, exchange, [Finding(kind, operation.operation_id, message, pointer=operation.pointer)])

    def is_absent(self, exchange: Exchange) -> bool:
        """Whether the response says that there is no such thing."""
        seen = Seen.of(exchange, self.documents)
        return seen is not None and is_absent(seen)

    def outcomes(self) -> dict[str, Outcome]:
        """What was recorded, by document."""
        return {name: Outcome(f"{name}-reading", 0, "", record) for name, record in self._records.items()}
