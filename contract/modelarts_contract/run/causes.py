"""One finding for each cause: what else it makes wrong stands in `also`, and the findings of most weight come first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from modelarts_contract.finding import Finding, Kind

__all__ = ["by_cause"]

# Of one response, these have one cause.
OF_RESPONSE = (Kind.SERVER_ERROR, Kind.UNKNOWN_STATUS, Kind.UNKNOWN_CODE, Kind.REJECTED)
OF_SCHEMA = (Kind.SUCCESS, Kind.INVALID_RESPONSE)  # a rejection with the status of a success does not fit its schema
OF_OPERATION = 3  # weight from which findings of an operation that are not about a field have one cause


def by_cause(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by their weight, those with one cause as one; what the baseline lists stays for itself."""
    groups: list[list[Finding]] = []
    for each in findings:
        group = next((group for group in groups if any(have_one_cause(other, each) for other in group)), None)
        if group is None:
            groups.append([each])
        elif all(each.identity != other.identity for other in group):
            group.append(each)
    found = [merged(group) for group in groups]
    first_of_operation = {id(each) for each in {each.label: each for each in reversed(found)}.values()}
    return sorted(found, key=lambda each: (-each.kind.weight, id(each) not in first_of_operation))


def merged(group: list[Finding]) -> Finding:
    """The heaviest finding of a group, with the others in short."""
    first = max(group, key=lambda each: each.kind.weight)
    others = [replace(each, request=None, response=None, repeat="") for each in group if each is not first]
    return replace(first, also=tuple(others))


def have_one_cause(first: Finding, second: Finding) -> bool:
    """Whether one cause makes both findings, or may do so.

    They say the same of a field of several operations, are of one response and about one field, or say the same of an
    operation as a whole.
    """
    if first.known or second.known:
        return first.identity == second.identity
    is_one_kind, is_one_operation = what_failed(first) == what_failed(second), first.label == second.label
    if is_one_kind and (first.field, said(first)) == (second.field, said(second)):
        return True
    if not is_one_operation:
        return False
    if is_one_kind and not (first.field or second.field) and first.kind.weight >= OF_OPERATION:
        return True
    if second.check and status(first) == status(second):
        kinds = {first.kind, second.kind}
        return is_one_kind or kinds <= {*OF_SCHEMA} or (bool(first.check) and kinds <= {*OF_RESPONSE})
    if response(first) != response(second):
        return False
    is_about_first = bool(first.field) and re.search(rf"\b{re.escape(first.field)}\b", second.message) is not None
    return is_one_kind or is_about_first or {first.kind, second.kind} <= {*OF_RESPONSE}


def said(finding: Finding) -> str:
    """What findings with one cause say alike; of a schema, schemathesis names the field within quotes."""
    return finding.message if finding.check and finding.kind in OF_SCHEMA else finding.form


def what_failed(finding: Finding) -> str:
    return finding.check if finding.kind is Kind.CHECK else finding.kind


def status(finding: Finding) -> int | None:
    return finding.response.status if finding.response is not None else None


def response(finding: Finding) -> tuple[object, ...]:
    """What tells exchanges apart; a finding without one is for itself."""
    sent, received = finding.request, finding.response
    return (sent.url, sent.body, received) if sent is not None and received is not None else (id(finding),)
