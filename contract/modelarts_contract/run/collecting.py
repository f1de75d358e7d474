"""The result of a run, made of the records of its processes."""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from modelarts_contract.documents import Operation, operations
from modelarts_contract.finding import Kind
from modelarts_contract.redaction import REDACTED
from modelarts_contract.run import baseline
from modelarts_contract.run.outcome import Outcome, Response
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
    without_values,
)
from modelarts_contract.run.service import Service

__all__ = ["Redactor", "collected"]

# What schemathesis shows of the token in a command, and what a shell can replace.
FILTERED, TOKEN_OF_SHELL = "X-Auth-Token: [Filtered]", '"X-Auth-Token: $MODELARTS_TOKEN"'
TAIL = 4000  # characters of what schemathesis said when it broke off
WHOLE_RUN = {  # what it means that a whole run misses something, by the name of the check
    "never_succeeded": "No request to the operation succeeds",
    "rejected_too_often": "The operation rejects too many valid requests",
    "broke_off": "The run broke off",
}
# Checks that fail together for one response: only the first is a finding.
SAME_RESPONSE = ("not_a_server_error", "status_code_conformance", "documented_code", "positive_data_acceptance")
SCHEMA = "response_schema_conformance"  # says of a whole response what ours says of each field
REFUSED = {401, 403, 404, 429, 502, 503, 504}  # at a service, these can have causes that no contract is about
SECRET_HEADERS = re.compile(r"authorization|cookie|token|secret|password|signature|credential|key", re.IGNORECASE)
SHORTEST = 6  # characters; a shorter secret would be found in other words
SINGLE = ("examples", "coverage", "fuzzing", "reading")  # phases that a run of one operation has, too
# The share of well-formed requests about existing things that must succeed. It is less for calls whose conditions and
# optional members have rules that no schema states.
SHARE = 0.9
CHANCE = 0.01  # a share that is lower than this by chance alone says nothing: few requests of a run may be such


class Redactor:
    """Replaces the secrets of a service, wherever they stand in a text, and the guard's addresses by the service's."""

    def __init__(self, service: Service) -> None:
        found = {secret for secret in service.secrets() if len(secret) >= SHORTEST}
        self._replaced = dict.fromkeys(sorted(found, key=len, reverse=True), REDACTED) | service.addresses

    def __call__(self, text: str) -> str:
        for secret, replacement in self._replaced.items():
            text = text.replace(secret, replacement)
        return text

    def message(self, message: Message | None) -> Message | None:
        """A request or a response with its secret headers replaced."""
        if message is None:
            return None
        headers = {
            name: REDACTED if SECRET_HEADERS.search(name) else self(value) for name, value in message.headers.items()
        }
        url = self(message.url) if message.url is not None else None
        return replace(message, headers=headers, body=self(message.body), url=url)


def collected(
    plan: Plan,
    service: Service,
    outcomes: Mapping[str, Sequence[Outcome]],
    promises: Sequence[PromiseResult],
    started_at: datetime,
    duration_s: float,
    processor_s: float,
    schemathesis_s: float = 0,
    *,
    is_interrupted: bool = False,
) -> Result:
    """Put together what the processes of a run recorded; credentials are left out."""
    redact = Redactor(service)
    found = list(
        merged(
            completed(plan, name, each, redact)
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
        schemathesis_s=round(schemathesis_s, 1),
        documents={name: document_of(plan, service, name, outcomes[name], found) for name in outcomes},
        findings=found,
        promises=[replace(promise, reason=redact(promise.reason)) for promise in promises],
        notes=notes_of(outcomes),
        known_notes=baseline.known_notes(plan.baseline) if plan.baseline is not None else (),
        skipped=list(skipped(plan, service)),
        trouble="it was interrupted" if is_interrupted else redact(service.trouble or ""),
        is_interrupted=is_interrupted,
    )


def document_of(
    plan: Plan, service: Service, name: str, outcomes: Sequence[Outcome], findings: Iterable[Finding]
) -> DocumentResult:
    """What was sent to the operations of a document, and what came back."""
    responses: defaultdict[str, list[Response]] = defaultdict(list)
    for response in (response for outcome in outcomes for response in outcome.responses):
        responses[response.operation].append(response)
    broken = {label for finding in findings if not finding.known for label in (finding.label, *finding.also)}
    found = {}
    for id_, operation in operations(name).items():
        statuses = Counter(response.status for response in responses[operation.label])
        checked = [response for response in responses[operation.label] if response.checks]
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
            phases=dict(Counter(response.phase for response in checked)),
        )
    return DocumentResult(found)


def verdict_of(plan: Plan, service: Service, operation: Operation, checked: Sequence[Response]) -> tuple[Verdict, str]:
    """What a run without findings says about an operation, and why it is not more."""
    if any(response.is_success for response in checked):
        return "kept", ""
    if (lacking := service.lacks(operation)) is not None:
        return "not available", lacking
    if not checked:
        return "not checked", reason_to_skip(plan, service, operation) or "nothing that exists leads there"
    refused = [response for response in checked if response.status == 403 or response.code.startswith("APIG.01")]
    if refused:
        return "not available", f"status {refused[0].status} {refused[0].code}".strip()
    statuses = {response.status for response in checked}
    if 401 in statuses:
        return "not checked", "the service does not accept the login for it (status 401)"
    if not operation.is_emulated and 501 in statuses:
        return "not available", "not emulated"
    if any(status in (0, 429) or status >= 500 for status in statuses):
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
    if not service.can_call(operation):
        return "an access key has no token"
    if service.is_real and operation.kind == "login":
        return "it is about credentials: a run calls it for its own login only"
    if service.is_real and operation.kind != "read":
        return "a run at a real service only reads, save for the stories of --write"
    return None


def skipped(plan: Plan, service: Service) -> Iterator[Skipped]:
    """What kinds of checks are left out."""
    yield from service.left_out
    if plan.operations:
        yield Skipped("what only a whole run shows", "operations were chosen")


def never_succeeded(document: str, outcomes: Iterable[Outcome]) -> set[str]:
    """The operations without any success, by id, save for those that the emulator does not have."""
    succeeded = {each.operation for outcome in outcomes for each in outcome.responses if each.is_success}
    served = [operation for operation in operations(document).values() if operation.is_emulated]
    return {operation.operation_id for operation in served if operation.label not in succeeded}


def rejected_too_often(document: str, outcomes: Iterable[Outcome]) -> dict[str, tuple[str, Response]]:
    """The operations that reject more valid requests than they may, by id: how many, and one that was rejected."""
    responses = [each for outcome in outcomes for each in outcome.responses if each.grounded]
    found: dict[str, tuple[str, Response]] = {}
    for id_, operation in operations(document).items():
        mine = [each for each in responses if each.operation == operation.label]
        share, accepted = operation.contract.get("share", SHARE), sum(each.is_success for each in mine)
        if chance_of_fewer(accepted, len(mine), share) < CHANCE:
            text = f"{accepted} of {len(mine)} succeeded, at least {share:.0%} must; one that was rejected:"
            found[id_] = text, next(each for each in mine if not each.is_success)
    return found


def chance_of_fewer(accepted: int, tried: int, share: float) -> float:
    """The probability that at most this number of requests succeed if the share is the probability of each."""
    if not 0 < share < 1:
        return float(share == 0 or accepted == tried)
    whole = math.lgamma(tried + 1)
    return sum(
        math.exp(
            whole
            - math.lgamma(count + 1)
            - math.lgamma(tried - count + 1)
            + count * math.log(share)
            + (tried - count) * math.log(1 - share)
        )
        for count in range(accepted + 1)
    )


def notes_of(outcomes: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """Fields and values that the documents do not have, by what is new; they break nothing."""
    places: dict[str, list[str]] = {}
    for document, of_document in outcomes.items():
        ids = {operation.label: id_ for id_, operation in operations(document).items()}
        for new in (new for outcome in of_document for new in outcome.notes):
            field = new.identity[2].replace("[]", "").rpartition(".")[2]
            value = re.search(r"has the value ('[^']*'|\S+),", new.message)
            what = f"{new.check} {field}" + (f" = {value[1]}" if value else "")
            where = f"{document} {ids.get(new.label, new.label)}"
            places.setdefault(what, []).append(where)
    return [f"{what}: {', '.join(dict.fromkeys(found))}" for what, found in places.items()]


def findings_of(
    plan: Plan, service: Service, name: str, outcomes: Sequence[Outcome], *, is_whole: bool
) -> Iterator[Finding]:
    """The findings of a document, each once, those of single requests first; those of a whole run if it `is_whole`."""
    seen: set[tuple[object, ...]] = set()
    for outcome in outcomes:
        for found in outcome.findings:
            status = found.response.status if found.response is not None else None
            is_same = found.check in SAME_RESPONSE  # of several that fail for a response, one is enough
            cause = (found.label, "response", status) if is_same else found.identity
            is_repeated = found.check == SCHEMA and (found.label, Kind.INVALID_RESPONSE, status) in seen
            is_refused = service.is_real and is_same and status in REFUSED
            if cause not in seen and not is_repeated and not is_refused:
                seen |= {cause, (found.label, found.check, status)}
                yield found
        if is_whole and outcome.exit_status not in (0, 1):
            yield whole_run(name, "", "broke_off", f"{outcome.name}: {outcome.exit_status}\n{outcome.output[-TAIL:]}")
    if plan.operations or service.is_real or not is_whole:
        return
    known = operations(name)
    for id_ in sorted(id_ for id_ in never_succeeded(name, outcomes) if service.lacks(known[id_]) is None):
        yield whole_run(name, known[id_].label, "never_succeeded", "every operation must succeed at least once")
    for id_, (text, rejected) in rejected_too_often(name, outcomes).items():
        found = whole_run(name, known[id_].label, "rejected_too_often", text)
        yield replace(found, request=rejected.request, response=rejected.response)


def whole_run(name: str, label: str, check: str, message: str) -> Finding:
    """A finding that no single request shows."""
    found = Finding.of((label or name, check, "WholeRun", ""), title=WHOLE_RUN[check], message=message)
    return replace(found, label=label)


def merged(findings: Iterable[Finding]) -> Iterator[Finding]:
    """One finding for each cause: operations that fail in the same way are named by the first."""
    first: dict[tuple[str, ...], Finding] = {}
    for each in findings:
        is_mergeable = each.phase is not None and each.request is not None and not each.known
        key = (each.check, without_values(each.message)) if is_mergeable else each.identity
        known = first.setdefault(key, each)
        if each.label not in (known.label, *known.also):
            first[key] = replace(known, also=(*known.also, each.label))
    yield from first.values()


def completed(plan: Plan, name: str, found: Finding, redact: Redactor) -> Finding:
    """The finding with its operation and the command that repeats it, without credentials."""
    operation = {each.label: id_ for id_, each in operations(name).items()}.get(found.label)
    is_single = found.phase in SINGLE and found.check != Kind.PHASE  # which several operations show
    return replace(
        found,
        document=name,
        operation=operation,
        message=redact(found.message),
        request=redact.message(found.request),
        response=redact.message(found.response),
        curl=redact(found.curl or curl(found.request)).replace(shlex.quote(FILTERED), TOKEN_OF_SHELL),
        repeat=repeat(plan, name, operation if is_single else None),
        known=found.id in plan.known,
    )


def curl(request: Message | None) -> str:
    """The request as a command, with the token as schemathesis shows it."""
    if request is None:
        return ""
    token = ["-H", FILTERED] if "x-auth-token" in request.headers else []
    content = ["-H", "Content-Type: application/json", "-d", request.body] if request.body else []
    return shlex.join(["curl", "-X", str(request.method), *token, *content, str(request.url)])


def repeat(plan: Plan, name: str, operation: str | None) -> str:
    """The command that finds it again."""
    command = ["modelarts", "contract", "run", "--documents", name, "--seed", str(plan.seed), *plan.access]
    if operation is not None:
        command += ["--operation", operation]
    return shlex.join(command)
