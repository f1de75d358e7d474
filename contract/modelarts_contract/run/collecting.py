"""The result of a run, made of the records of its processes."""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from modelarts_contract.documents import Operation, operations
from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding, Kind, Message
from modelarts_contract.redaction import REDACTED, Redaction
from modelarts_contract.run import baseline
from modelarts_contract.run.assumptions import judged
from modelarts_contract.run.causes import OF_RESPONSE, by_cause
from modelarts_contract.run.completeness import incomplete
from modelarts_contract.run.outcome import Outcome, Response
from modelarts_contract.run.plan import Plan
from modelarts_contract.run.result import DocumentResult, OperationResult, PromiseResult, Result, Skipped, Verdict
from modelarts_contract.run.service import NOT_BEGUN, Service
from modelarts_documents.secrets import is_secret

__all__ = ["Redactor", "collected", "unreached"]

TAIL = 4000  # characters of what schemathesis said when it broke off
REFUSED = {401, 403, 404, 429, 502, 503, 504}  # at a service, these can have causes that no contract is about
SHORTEST = 6  # characters; a shorter secret would be found in other words
SINGLE = ("examples", "coverage", "fuzzing", "reading")  # phases that a run of one operation has, too


class Redactor:
    """Replaces the secrets of a service, wherever they stand in a text, and the guard's addresses by the service's.

    Of a real service, it also replaces what a recording has other words for.
    """

    def __init__(self, service: Service, redaction: Redaction | None = None) -> None:
        found = {secret for secret in service.secrets() if len(secret) >= SHORTEST}
        self._replaced = dict.fromkeys(sorted(found, key=len, reverse=True), REDACTED) | service.addresses
        self._redaction = redaction if service.is_real else None

    def __call__(self, text: str) -> str:
        """The text; of one with several paragraphs, such as schemas and bodies, the first where names are hidden."""
        text = self._without_secrets(text)
        return self._redaction.sentence(text.partition("\n\n")[0]) if self._redaction is not None else text

    def _without_secrets(self, text: str) -> str:
        for secret, replacement in self._replaced.items():
            text = text.replace(secret, replacement)
        return text

    def messages(self, finding: Finding) -> tuple[Message | None, Message | None]:
        """The request and the response of a finding."""
        sent, received = finding.request, finding.response
        if self._redaction is not None and sent is not None:
            sent, shown = Message.of(self._redaction(exchange_of(sent, received)))
            received = received and shown
        return self._message(sent), self._message(received)

    def _message(self, message: Message | None) -> Message | None:
        if message is None:
            return None
        headers = {
            name: REDACTED if is_secret(name) else self._without_secrets(value)
            for name, value in message.headers.items()
        }
        url = message.url and self._without_secrets(message.url)
        return replace(message, headers=headers, body=self._without_secrets(message.body), url=url)


def exchange_of(request: Message, response: Message | None) -> Exchange:
    sent = (request.headers, request.body.encode(errors="replace"))
    received = (response.headers, response.body.encode(errors="replace")) if response is not None else ()
    status = (response.status if response is not None else 0) or 0
    return Exchange(str(request.method), str(request.url), status, *sent, *received)


def collected(
    plan: Plan,
    service: Service,
    outcomes: Mapping[str, Sequence[Outcome]],
    promises: Sequence[PromiseResult],
    started_at: datetime,
    duration_s: float,
    redaction: Redaction | None = None,
    *,
    is_interrupted: bool = False,
) -> Result:
    """Put together what the processes of a run recorded; credentials are left out."""
    redact = Redactor(service, redaction)
    found = by_cause(
        completed(plan, name, each, redact)
        for name in outcomes
        for each in findings_of(plan, service, name, outcomes[name], is_whole=not is_interrupted)
    )
    return Result(
        service=service.shown,
        is_emulator=not service.is_real,
        run=service.prefix.removeprefix("contract-").rstrip("-") or "local",
        seed=plan.seed,
        started_at=started_at.isoformat(timespec="seconds"),
        duration_s=round(duration_s, 3),
        documents={name: document_of(plan, service, name, outcomes[name], found) for name in outcomes},
        findings=found,
        promises=[replace(promise, reason=redact(promise.reason)) for promise in promises],
        notes=list(map(redact, notes_of(outcomes))),
        known_notes=baseline.known_notes(plan.baseline) if plan.baseline is not None else (),
        skipped=list(skipped(plan, service)),
        trouble="it was interrupted" if is_interrupted else redact(service.trouble or ""),
        is_interrupted=is_interrupted,
    )


def unreached(plan: Plan, service: str, reason: str) -> Result:
    """The result of a run that could not begin."""
    documents = {
        name: DocumentResult(
            {id_: OperationResult(each.method, each.path, reason=NOT_BEGUN) for id_, each in operations(name).items()}
        )
        for name in plan.documents
    }
    now = datetime.now(UTC).isoformat(timespec="seconds")
    nothing_seen = judged((), plan.documents)
    return Result(service, False, "", plan.seed, now, 0.0, documents, trouble=reason, assumptions=nothing_seen)


def document_of(
    plan: Plan, service: Service, name: str, outcomes: Sequence[Outcome], findings: Iterable[Finding]
) -> DocumentResult:
    """What was sent to the operations of a document, and what came back."""
    responses: defaultdict[str, list[Response]] = defaultdict(list)
    for response in (response for outcome in outcomes for response in outcome.responses):
        responses[response.operation].append(response)
    broken = {each.label for finding in findings if not finding.known for each in (finding, *finding.also)}
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
        is_other = plan.operations and operation.operation_id not in plan.operations
        reason = "other operations were chosen" if is_other else service.reason_to_skip(operation)
        return "not checked", reason or "nothing that exists leads there"
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


def skipped(plan: Plan, service: Service) -> Iterator[Skipped]:
    """What kinds of checks are left out."""
    yield from service.left_out
    if plan.operations:
        yield Skipped("what only a whole run shows", "operations were chosen")


def notes_of(outcomes: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """Fields and values that the documents do not have, by what is new; they break nothing.

    A field that a finding names, because another one is missing beside it, is not said again.
    """
    places: dict[str, list[str]] = {}
    for document, of_document in outcomes.items():
        found = [each for outcome in of_document for each in outcome.findings]
        renamed = {(each.label, name) for each in found if isinstance(each.value, list) for name in each.value}
        for new in (new for outcome in of_document for new in outcome.notes):
            value = re.search(r"has the value ('[^']*'|\S+),", new.message)
            what = f"{new.kind} {new.field}" + (f" = {value[1]}" if value else "")
            if (new.label, new.field) not in renamed:
                places.setdefault(what, []).append(f"{document} {new.operation}")
    return [f"{what}: {', '.join(dict.fromkeys(found))}" for what, found in places.items()]


def findings_of(
    plan: Plan, service: Service, name: str, outcomes: Sequence[Outcome], *, is_whole: bool
) -> Iterator[Finding]:
    """The findings of a document, those of single requests first; those of a whole run if it `is_whole`."""
    for outcome in outcomes:
        for found in outcome.findings:
            status = found.response.status if found.response is not None else None
            is_refused = service.is_real and found.check and found.kind in OF_RESPONSE and status in REFUSED
            if not is_refused:
                yield found
        if is_whole and outcome.exit_status not in (0, 1):
            output = f"{outcome.name}: {outcome.exit_status}\n{outcome.output[-TAIL:]}"
            yield Finding(Kind.BROKE_OFF, "", output, document=name)
    if is_whole and not plan.operations and not service.is_real:
        yield from incomplete(service, name, outcomes)


def completed(plan: Plan, name: str, found: Finding, redact: Redactor) -> Finding:
    """The finding with its document and the command that repeats it, without credentials."""
    is_single = found.phase in SINGLE and found.kind is not Kind.PHASE  # which several operations show
    request, response = redact.messages(found)
    shown = replace(
        found,
        document=name,
        message=redact(found.message),
        where=redact(found.where),
        request=request,
        response=response,
        repeat=repeat(plan, name, found.operation if is_single else ""),
    )
    return replace(shown, known=shown.id in plan.known)


def repeat(plan: Plan, name: str, operation: str) -> str:
    """The command that finds it again."""
    command = ["modelarts", "contract", "run", "--documents", name, "--seed", str(plan.seed), *plan.access]
    if operation:
        command += ["--operation", operation]
    return shlex.join(command)
