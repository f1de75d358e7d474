"""What schemathesis must know beyond the documents: how to log in, and what exists; and what it sends, written down.

Loaded by the `st` command. What differs between documents is in their overlays; what differs between runs is in the
variable CONTRACT_RUN, a JSON object that runs.py makes. The file RECORD gets a line per exchange and per finding:
schemathesis's own reports of exchanges hold every header and body, and writing them takes a sixth of a run.
"""

from __future__ import annotations

import json
import os
import runpy
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import schemathesis
import schemathesis.cli
from schemathesis.cli import EventHandler
from schemathesis.engine import events

from modelarts_contract.exchange import Exchange
from modelarts_contract.expressions import Names, fingerprint
from modelarts_contract.finding import Finding, Kind, Message
from modelarts_contract.proxy import OWN
from modelarts_contract.run.hints import Hints, kind_of, may_be_right
from modelarts_contract.run.outcome import RECORD, Response, to_line

RUN = json.loads(os.environ["CONTRACT_RUN"])
FIRST = 4  # cases of a kind that are all sent
EVERY = 12  # one of this number of further ones is sent, others under another seed
KINDS = {  # of the findings of checks; those of others, and of users, are of the kind CHECK
    "not_a_server_error": Kind.SERVER_ERROR,
    "status_code_conformance": Kind.UNKNOWN_STATUS,
    "documented_code": Kind.UNKNOWN_CODE,
    "content_type_conformance": Kind.CONTENT_TYPE,
    "response_schema_conformance": Kind.INVALID_RESPONSE,
    "response_headers_conformance": Kind.INVALID_RESPONSE,
    "positive_data_acceptance": Kind.REJECTED,
    "negative_data_rejection": Kind.ACCEPTED,
    "missing_required_header": Kind.ACCEPTED,
    "ignored_auth": Kind.SECURITY,
    "use_after_free": Kind.DELETED,
}

HINTS = Hints(json.loads(Path("openapi.json").read_text("utf-8")), {**RUN["scope"], "names": Names(RUN["prefix"])})
GROUNDED: set[str] = set()
SEEN: Counter[tuple[object, ...]] = Counter()


@schemathesis.cli.handler()
class Recording(EventHandler[Any]):
    """Writes down what schemathesis sends and finds."""

    def start(self, ctx: Any) -> None:
        self.lines = RECORD.open("w")

    def handle_event(self, ctx: Any, event: events.EngineEvent) -> None:
        if isinstance(event, events.ScenarioFinished):
            self.lines.writelines([*map(to_line, responses(event)), *map(to_line, findings(event))])

    def shutdown(self, ctx: Any) -> None:
        self.lines.close()


@schemathesis.auth()
class Token:
    """The login of a run."""

    def get(self, case: schemathesis.Case, context: schemathesis.AuthContext) -> str:
        return str(RUN["scope"]["token"])

    def set(self, case: schemathesis.Case, data: str, context: schemathesis.AuthContext) -> None:
        case.headers["X-Auth-Token"] = data


@schemathesis.hook
def map_case(context: schemathesis.HookContext, case: schemathesis.Case) -> schemathesis.Case:
    """Ground three of four well-formed requests; at a service that others use, nothing is known to exist."""
    if not RUN["is_real"] and HINTS.ground(case):
        GROUNDED.add(case.id)
    return case


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """Drop most of many like cases, those that may be right, and calls that the guard would reject."""
    operation = HINTS.operation(case)
    is_safe = not RUN["is_real"] or kind_of(operation, case) == "read"
    return is_safe and not may_be_right(operation, case) and (RUN["thorough"] or is_kept(case))


def is_kept(case: schemathesis.Case) -> bool:
    """Whether the case is sent: of a large body, the coverage phase makes a thousand that differ in one value."""
    data: Any = case.meta.phase.data if case.meta is not None else None
    if not hasattr(data, "scenario"):
        return True
    kind = (case.operation.label, case.method, data.scenario, data.parameter_location)
    SEEN[kind] += 1
    number = SEEN[kind]
    return number <= FIRST or fingerprint([str(RUN["seed"]), *map(str, kind), number]) % EVERY == 0


@schemathesis.check
def documented_code(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """A rejection carries a code that the document lists for its status."""
    operation = HINTS.operation(case)
    documented = operation.response(response.status_code)
    try:
        body = response.json()
    except ValueError:
        return
    listed = documented and documented.get("x-error-codes")
    code = body.get("error_code") if isinstance(body, dict) else None
    if listed and code and case.method.upper() == operation.method and code not in listed:
        raise AssertionError(
            f"{case.method} {case.path} rejects with {response.status_code} {code}, which is not listed"
        )


def responses(event: events.ScenarioFinished) -> Iterator[Response]:
    """Yield responses, and how many checks looked at each; a case without a response was not sent."""
    for case_id, node in event.recorder.cases.items():
        interaction = event.recorder.interactions.get(case_id)
        if interaction is None or interaction.response is None or is_own(interaction):
            continue
        label, status = f"{node.value.method} {node.value.path}", interaction.response.status_code
        checks, is_grounded = len(event.recorder.checks.get(case_id, ())), case_id in GROUNDED
        kept = Message.of(exchange(interaction)) if is_grounded and status >= 400 else (None, None)
        yield Response(event.phase.value, label, status, checks, is_grounded, "", *kept)


def findings(event: events.ScenarioFinished) -> Iterator[Finding]:
    """Yield what the checks found, each finding with its exchange."""
    for case_id, nodes in event.recorder.checks.items():
        for node in nodes:
            if node.failure_info is None:
                continue
            failure = node.failure_info.failure
            sender = failure.case_id if failure.case_id in event.recorder.cases else case_id
            interaction = event.recorder.interactions.get(sender)
            if interaction is not None and is_own(interaction):
                continue
            case = event.recorder.cases[sender].value
            operation, kind = HINTS.operation(case), KINDS.get(node.name, Kind.CHECK)
            found = Finding(
                kind,
                operation.operation_id if case.method.upper() == operation.method else "",
                f"{node.name}: {failure.message}" if kind is Kind.CHECK else failure.message or failure.title,
                label=f"{case.method} {case.path}",
                check=node.name,
            )
            yield found.shown_by(exchange(interaction) if interaction else None, event.phase.value)


def is_own(interaction: Any) -> bool:
    """Whether the response is that of the guard, and not the service's."""
    return OWN in exchange(interaction).response_headers


def exchange(interaction: Any) -> Exchange:
    """The exchange that schemathesis recorded; status 0 without a response."""
    request, response = interaction.request, interaction.response
    sent = (flat(request.headers), request.body or b"")
    received = (flat(response.headers), response.content or b"") if response is not None else ()
    return Exchange(request.method, request.uri, response.status_code if received else 0, *sent, *received)


def flat(headers: Mapping[str, Any]) -> dict[str, str]:
    return {name: values if isinstance(values, str) else ", ".join(values) for name, values in headers.items()}


if RUN["hooks"] is not None:
    runpy.run_path(RUN["hooks"])
