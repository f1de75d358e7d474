"""The result of a run, made of the records of its processes."""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from modelarts_contract import login
from modelarts_contract.documents import Operation, operations
from modelarts_contract.redaction import REDACTED
from modelarts_contract.run import baseline
from modelarts_contract.run.completeness import never_succeeded, rejected_too_often
from modelarts_contract.run.outcome import Outcome, without_values
from modelarts_contract.run.plan import Plan
from modelarts_contract.run.result import (
    DocumentResult,
    Finding,
    Message,
    OperationResult,
    PromiseResult,
    Result,
    Skipped,
    Verdict,
)
from modelarts_contract.run.service import Service
from modelarts_contract.validation import Kind

__all__ = ["Redactor", "collected"]

# What schemathesis shows of the token in a command, and what a shell can replace.
FILTERED, TOKEN_OF_SHELL = "'X-Auth-Token: [Filtered]'", '"X-Auth-Token: $MODELARTS_TOKEN"'
TAIL = 4000  # characters of what schemathesis said when it broke off
WHOLE_RUN = {  # what it means that a whole run misses something, by the name of the check
    "never_succeeded": "No request to the operation succeeds",
    "rejected_too_often": "The operation rejects too many valid requests",
    "broke_off": "The run broke off",
}
# Checks that fail together for one response: only the first is a finding.
SAME_RESPONSE = ("not_a_server_error", "status_code_conformance", "documented_code", "positive_data_acceptance")
SCHEMA = "response_schema_conformance"  # says of a whole response what ours says of each field
NO_TOKEN = {  # why a run has none of the tokens that a service must reject
    login.EXPIRED: "CONTRACT_EXPIRED_TOKEN is not set",
    login.REVOKED: "the login is not by password, or the service lets nobody end a token",
}
REFUSED = {401, 403, 404, 429, 502, 503, 504}  # at a service, these can have causes that no contract is about
SECRET_HEADERS = re.compile(r"authorization|cookie|token|secret|password|signature|credential|key", re.IGNORECASE)
SHORTEST = 6  # characters; a shorter secret would be found in other words
SINGLE = ("examples", "coverage", "fuzzing", "reading")  # phases that a run of one operation has, too


class Redactor:
    """Replaces the secrets of a service, wherever they stand in a text, and the guard's addresses by the service's."""

    def __init__(self, service: Service) -> None:
        found = {secret for secret in service.secrets() if len(secret) >= SHORTEST}
        self._replaced = dict.fromkeys(sorted(found, key=len, reverse=True), REDACTED) | service.addresses

    def __call__(self, text: str) -> str:
        for secret, replacement in self._replaced.items():
            text = text.replace(secret, replacement)
        return text

    def message(self, message: Mapping[str, Any]) -> Message:
        """A request or a response with its secret headers replaced."""
        headers = {
            name: REDACTED if SECRET_HEADERS.search(name) else self(value) for name, value in message["headers"].items()
        }
        texts = {name: self(value) for name, value in message.items() if isinstance(value, str)}
        return Message(**{**message, **texts, "headers": headers})


def collected(
    plan: Plan,
    service: Service,
    outcomes: Mapping[str, Sequence[Outcome]],
    promises: Sequence[PromiseResult],
    started_at: datetime,
    duration_s: float,
    processor_s: float,
    *,
    is_interrupted: bool = False,
) -> Result:
    """Put together what the processes of a run recorded; credentials are left out."""
    redact = Redactor(service)
    found = list(
        merged(
            finding(plan, name, each, redact)
            for name in outcomes
            for each in findings_of(plan, service, name, outcomes[name], is_whole=not is_interrupted)
        )
    )
    return Result(
        service=service.shown,
        is_emulator=not service.is_real,
        run=service.prefix.removeprefix("contract-").rstrip("-") or "local",
        seed=plan.seed,
        started_at=started_at.isoformat(timespec="seconds"),
        duration_s=round(duration_s, 3),
        processor_s=round(processor_s, 1),
        schemathesis_s=round(sum(each.processor_s for found in outcomes.values() for each in found), 1),
        documents={name: document_of(plan, service, name, outcomes[name], found) for name in outcomes},
        findings=found,
        promises=[replace(promise, reason=redact(promise.reason)) for promise in promises],
        news=news_of(outcomes),
        known_news=baseline.known_notes(plan.baseline) if plan.baseline is not None else (),
        skipped=list(skipped(plan, service)),
        trouble="it was interrupted" if is_interrupted else redact(service.trouble or ""),
        is_interrupted=is_interrupted,
    )


def document_of(
    plan: Plan, service: Service, name: str, outcomes: Sequence[Outcome], findings: Iterable[Finding]
) -> DocumentResult:
    """What was sent to the operations of a document, and what came back."""
    lines: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for line in (line for outcome in outcomes for line in outcome.exchanges()):
        lines[line["operation"]].append(line)
    broken = {label for finding in findings if not finding.known for label in (finding.label, *finding.also)}
    found = {}
    for id_, operation in operations(name).items():
        statuses = Counter(line["status"] for line in lines[operation.label])
        checked = [line for line in lines[operation.label] if line["checks"]]
        verdict, reason = verdict_of(plan, service, operation, checked)
        if operation.label in broken:
            verdict, reason = "broken", ""
        found[id_] = OperationResult(
            method=operation.method,
            path=operation.path,
            verdict=verdict,
            reason=reason,
            cases=len(checked),
            statuses={str(status): count for status, count in sorted(statuses.items())},
            phases=dict(Counter(line["phase"] for line in checked)),
        )
    return DocumentResult(found)


def verdict_of(
    plan: Plan, service: Service, operation: Operation, checked: Sequence[Mapping[str, Any]]
) -> tuple[Verdict, str]:
    """What a run without findings says about an operation, and why it is not more."""
    if any(200 <= line["status"] < 400 for line in checked):
        return "kept", ""
    if (lacking := service.lacks(operation)) is not None:
        return "not available", lacking
    if not checked:
        return "not checked", reason_to_skip(plan, service, operation) or "nothing that exists leads there"
    refused = [line for line in checked if line["status"] == 403 or str(line.get("code", "")).startswith("APIG.01")]
    if refused:
        return "not available", f"status {refused[0]['status']} {refused[0].get('code', '')}".strip()
    if any(line["status"] == 401 for line in checked):
        return "not checked", "the service does not accept the login for it (status 401)"
    if not operation.is_emulated and any(line["status"] == 501 for line in checked):
        return "not available", "not emulated"
    if any(line["status"] in (0, 429) or line["status"] >= 500 for line in checked):
        return "inconclusive", "there was no response, or a temporary error"
    return "not checked", "every request was rejected, none was about something that exists"


def reason_to_skip(plan: Plan, service: Service, operation: Operation) -> str | None:
    """Why the run sends nothing to an operation, None if it does."""
    if plan.operations and operation.operation_id not in plan.operations:
        return "other operations were chosen"
    if not service.is_real and not operation.is_emulated:
        return "not emulated"
    if service.trouble is not None:
        return "the run ended before"
    if service.is_real and operation.kind == "login":
        return "a run at a real service logs in by itself"
    if service.is_real and operation.kind != "read":
        return "a run at a real service only reads, save for the stories of --write"
    return None


def skipped(plan: Plan, service: Service) -> Iterator[Skipped]:
    """What kinds of checks are left out."""
    if service.is_real:
        yield Skipped("other methods, malformed requests to paid operations", "a real service")
        yield Skipped("a second user's token", "a second user of the service is not configured")
        for what, reason in NO_TOKEN.items():
            if what not in service.ended_tokens:
                yield Skipped(f"requests with a token that {what}", reason)
    if plan.operations:
        yield Skipped("what only a whole run shows", "operations were chosen")


def news_of(outcomes: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """Fields and values that the documents do not have, by what is new; they break nothing."""
    places: dict[str, list[str]] = {}
    for document, of_document in outcomes.items():
        ids = {operation.label: id_ for id_, operation in operations(document).items()}
        for line in (line["news"] for outcome in of_document for line in outcome.record if "news" in line):
            field = line["identity"][2].replace("[]", "").rpartition(".")[2]
            value = re.search(r"has the value ('[^']*'|\S+),", line["message"])
            what = f"{line['check']} {field}" + (f" = {value[1]}" if value else "")
            where = f"{document} {ids.get(line['operation'], line['operation'])}"
            places.setdefault(what, []).append(where)
    return [f"{what}: {', '.join(dict.fromkeys(found))}" for what, found in places.items()]


def findings_of(
    plan: Plan, service: Service, name: str, outcomes: Sequence[Outcome], *, is_whole: bool
) -> Iterator[Mapping[str, Any]]:
    """The findings of a document, each once, those of single requests first; those of a whole run if it `is_whole`."""
    seen = set()
    for outcome in outcomes:
        for found in outcome.findings:
            identity, response = tuple(found["identity"]), found.get("response") or {}
            cause = cause_of(found)
            operation, check, status = found["operation"], found["check"], response.get("status")
            is_repeated = check == SCHEMA and (operation, Kind.INVALID_RESPONSE, status) in seen
            if identity in seen or cause in seen or is_repeated:
                continue
            is_refused = service.is_real and check in SAME_RESPONSE and status in REFUSED
            if not is_refused:
                seen |= {identity, cause, (operation, check, status)}
                yield found
        if is_whole and outcome.exit_status not in (0, 1):
            yield whole_run(name, "", "broke_off", f"{outcome.name}: {outcome.exit_status}\n{outcome.output[-TAIL:]}")
    if plan.operations or service.is_real or not is_whole:
        return
    labels = {id_: operation.label for id_, operation in operations(name).items()}
    for id_ in sorted(never_succeeded(name, outcomes) - service.lacking(name)):
        yield whole_run(name, labels[id_], "never_succeeded", "every operation must succeed at least once")
    for id_, (text, rejected) in rejected_too_often(name, outcomes).items():
        yield {**whole_run(name, labels[id_], "rejected_too_often", text), **rejected}


def whole_run(name: str, label: str, check: str, message: str) -> dict[str, Any]:
    """A finding that no single request shows, in the form of records."""
    identity = (label or name, check, "WholeRun", "")
    return {"operation": label, "check": check, "identity": identity, "title": WHOLE_RUN[check], "message": message}


def cause_of(found: Mapping[str, Any]) -> tuple[Any, ...]:
    """What is the same for findings of one response: of several checks that fail for it, one is enough."""
    status = (found.get("response") or {}).get("status")
    check = "response" if found["check"] in SAME_RESPONSE else found["check"]
    return found["operation"], check, status if check == "response" else tuple(found["identity"])


def merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One finding for each cause: operations that fail in the same way are named by the first."""
    first: dict[tuple[str, ...], Finding] = {}
    for each in findings:
        is_mergeable = each.phase is not None and each.request is not None and not each.known
        key = (each.check, without_values(each.message)) if is_mergeable else each.identity
        known = first.get(tuple(key))
        if known is None:
            first[tuple(key)] = each
        elif each.label not in (known.label, *known.also):
            first[tuple(key)] = replace(known, also=(*known.also, each.label))
    yield from first.values()


def finding(plan: Plan, name: str, found: Mapping[str, Any], redact: Redactor) -> Finding:
    """What a record has as a finding, without credentials."""
    ids = {operation.label: id_ for id_, operation in operations(name).items()}
    operation, phase, identity = ids.get(found["operation"]), found.get("phase"), tuple(found["identity"])
    is_single = phase in SINGLE and found["check"] != Kind.PHASE  # which several operations show
    return Finding(
        id=identify(identity),
        identity=identity,
        document=name,
        operation=operation,
        label=found["operation"],
        check=found["check"],
        title=found["title"],
        message=redact(found["message"]),
        phase=phase,
        request=redact.message(found["request"]) if "request" in found else None,
        response=redact.message(found["response"]) if "response" in found else None,
        curl=redact(found.get("curl", "")).replace(FILTERED, TOKEN_OF_SHELL),
        repeat=repeat(plan, name, operation if is_single else None),
        known=identify(identity) in plan.known,
    )


def identify(identity: Iterable[str]) -> str:
    """Six hexadecimal digits, which are the same for the same finding, as those of a baseline."""
    return sha256("\0".join(identity).encode(errors="replace")).hexdigest()[:6]


def repeat(plan: Plan, name: str, operation: str | None) -> str:
    """The command that finds it again."""
    command = ["modelarts", "contract", "run", "--documents", name, "--seed", str(plan.seed), *plan.access]
    if operation is not None:
        command += ["--operation", operation]
    return shlex.join(command)
