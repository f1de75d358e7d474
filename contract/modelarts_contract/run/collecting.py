"""The result of a run, made of what its processes recorded."""

from __future__ import annotations

import hashlib
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from .completeness import links_followed, missed_links, never_succeeded, rejected_too_often
from .operations import Operation, operations
from .outcome import Outcome
from .redacting import Redactor
from .result import DocumentResult, Finding, Message, OperationResult, PromiseResult, Result, Skipped
from .service import Service

if TYPE_CHECKING:
    from .session import Plan

__all__ = ["collected"]

# What schemathesis shows of the token in a command, and what a shell can replace.
FILTERED, TOKEN_OF_SHELL = "'X-Auth-Token: [Filtered]'", '"X-Auth-Token: $MODELARTS_TOKEN"'
TAIL = 4000  # characters of what schemathesis said when it broke off
# What it means that a whole run misses something, by the name of the check.
WHOLE_RUN = {
    "never_succeeded": "No request to the operation succeeds",
    "rejected_too_often": "The operation rejects too many valid requests",
    "link_not_followed": "No response leads along the link",
    "broke_off": "The run broke off",
    "promise": "A promise is broken",
}


def collected(
    plan: Plan,
    service: Service,
    outcomes: Mapping[str, Sequence[Outcome]],
    promises: Sequence[PromiseResult],
    started_at: datetime,
    duration_s: float,
    cpu_s: float | None,
) -> Result:
    """Put together what the processes of a run recorded; credentials are left out."""
    redact = Redactor(service.secrets())
    found = [finding for name in outcomes for finding in findings_of(plan, service, name, outcomes[name], redact)]
    found += [promise_finding(plan, promise, redact) for promise in promises if promise.status == "broken"]
    cases = sum(outcome.cases().total() for of_document in outcomes.values() for outcome in of_document)
    return Result(
        service=service.shown,
        is_emulator=not service.is_real,
        run=service.prefix.removeprefix("contract-").rstrip("-") or "local",
        seed=plan.seed,
        started_at=started_at.isoformat(timespec="seconds"),
        duration_s=round(duration_s, 3),
        documents={name: document_of(plan, service, name, outcomes[name]) for name in outcomes},
        findings=found,
        promises=promises,
        skipped=list(skipped(plan, service)),
        server_ms_per_case=round(cpu_s * 1000 / cases, 2) if cpu_s is not None and cases else None,
    )


def document_of(plan: Plan, service: Service, name: str, outcomes: Sequence[Outcome]) -> DocumentResult:
    lines = [line for outcome in outcomes for line in outcome.record if "operation" in line]
    by_label: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        by_label.setdefault(line["operation"], []).append(line)
    return DocumentResult(
        {
            id_: operation_of(operation, by_label.get(operation.label, []), reason_to_skip(plan, service, operation))
            for id_, operation in operations(name).items()
        },
        {f"{source} -> {link}": count for (source, link), count in links_followed(name, outcomes).items()},
    )


def operation_of(operation: Operation, lines: Sequence[Mapping[str, Any]], skipped: str | None) -> OperationResult:
    checked = [line for line in lines if line["checks"]]
    valid = [line for line in lines if line["grounded"]]
    return OperationResult(
        method=operation.method,
        path=operation.path,
        cases=len(checked),
        statuses={str(status): count for status, count in sorted(Counter(line["status"] for line in lines).items())},
        phases=dict(Counter(line["phase"] for line in checked)),
        valid={"tried": len(valid), "succeeded": sum(200 <= line["status"] < 400 for line in valid)},
        logins=dict(Counter(line.get("signed", "token") for line in lines if 200 <= line["status"] < 300)),
        skipped=None if lines else skipped or "the run ended before",
    )


def reason_to_skip(plan: Plan, service: Service, operation: Operation) -> str | None:
    """Why the run sends nothing to an operation, None if it does."""
    if plan.operations and operation.operation_id not in plan.operations:
        return "other operations were chosen"
    if not service.is_real and operation.not_emulated is not None:
        return f"not emulated: {operation.not_emulated}"
    if service.is_real and operation.kind == "login":
        return "a run at a real service logs in by itself"
    if service.is_real and operation.kind != "read":
        return "a run at a real service only reads, save for the story of --write"
    return None


def skipped(plan: Plan, service: Service) -> Iterator[Skipped]:
    """What kinds of checks are left out."""
    if service.is_real:
        yield Skipped("made-up credentials, other methods, malformed requests to paid operations", "a real service")
        yield Skipped("a share of valid requests, every link", "a run at a real service is short")
        yield Skipped("other projects", "a second user of the service is not configured")
    else:
        yield Skipped("the story of --write", "on the emulator, the other checks do all of it")
    if plan.operations:
        yield Skipped("what only a whole run shows", "operations were chosen")


def findings_of(
    plan: Plan, service: Service, name: str, outcomes: Sequence[Outcome], redact: Redactor
) -> Iterator[Finding]:
    """The findings of a document, each once, those of single requests first."""
    ids = {operation.label: id_ for id_, operation in operations(name).items()}
    seen = set()
    for outcome in outcomes:
        for found in outcome.findings:
            identity = tuple(found["identity"])
            if identity not in seen:
                seen.add(identity)
                yield finding(plan, service, name, ids.get(found["operation"]), found, redact)
        if outcome.exit_status not in (0, 1):
            said = redact(outcome.output[-TAIL:])
            yield whole_run(plan, name, None, "broke_off", f"{outcome.name}: exit status {outcome.exit_status}\n{said}")
    if plan.operations or service.is_real:
        return
    for id_ in sorted(never_succeeded(name, outcomes, service)):
        yield whole_run(plan, name, id_, "never_succeeded", "every operation must succeed at least once")
    for id_, shown in rejected_too_often(name, outcomes).items():
        example: dict[str, Any] = {part: Message(**redact.message(sent)) for part, sent in shown.example.items()}
        yield replace(whole_run(plan, name, id_, "rejected_too_often", str(shown)), **example)
    for source, link in sorted(missed_links(name, outcomes)):
        yield whole_run(plan, name, source, "link_not_followed", f"the link {link} was not followed", link)


def finding(
    plan: Plan, service: Service, name: str, operation: str | None, found: Mapping[str, Any], redact: Redactor
) -> Finding:
    request, response = (found.get(part) and redact.message(found[part]) for part in ("request", "response"))
    return Finding(
        id=identify(found["identity"]),
        identity=tuple(found["identity"]),
        document=name,
        operation=operation,
        label=found["operation"],
        check=found["check"],
        title=found["title"],
        message=redact(found["message"]),
        phase=found["phase"],
        request=Message(**request) if request else None,
        response=Message(**response) if response else None,
        curl=redact(found["curl"]).replace(FILTERED, TOKEN_OF_SHELL),
        repeat=repeat(plan, service, name, operation if found["phase"] != "stateful" else None),
        known=found["known"],
    )


def whole_run(plan: Plan, name: str, operation: str | None, check: str, message: str, key: str = "") -> Finding:
    """A finding that no single request shows."""
    label = operations(name)[operation].label if operation else ""
    identity = (label or name, check, "WholeRun", key)
    return Finding(
        id=identify(identity),
        identity=identity,
        document=name,
        operation=operation,
        label=label,
        check=check,
        title=WHOLE_RUN.get(check, WHOLE_RUN["promise"]),
        message=message,
        phase=None,
        request=None,
        response=None,
        curl="",
        repeat=repeat(plan, None, name, None),
        known=plan.knows(identity),
    )


def promise_finding(plan: Plan, promise: PromiseResult, redact: Redactor) -> Finding:
    return whole_run(plan, promise.document, None, promise.name, redact(promise.reason))


def identify(identity: Iterable[str]) -> str:
    """Six hexadecimal digits, which are the same for the same finding, as those of a baseline."""
    return hashlib.sha256("\0".join(identity).encode()).hexdigest()[:6]


def repeat(plan: Plan, service: Service | None, name: str, operation: str | None) -> str:
    """The command that finds it again."""
    command = ["modelarts", "contract", "run", "--documents", name, "--seed", str(plan.seed)]
    if service is not None and service.is_real:
        command += ["--service", service.shown]
    if operation is not None:
        command += ["--operation", operation]
    return shlex.join(command)
