"""What only a whole run shows: an operation that never succeeds, or rejects too many valid requests."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from modelarts_contract.documents import operations
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.run.outcome import Outcome, Response
from modelarts_contract.run.service import Service

__all__ = ["incomplete"]

# The share of well-formed requests about existing things that must succeed. It is less for calls whose conditions and
# optional members have rules that no schema states.
SHARE = 0.9
CHANCE = 0.01  # a share that is lower than this by chance alone says nothing: few requests of a run may be such


def incomplete(service: Service, document: str, outcomes: Sequence[Outcome]) -> Iterator[Finding]:
    """What a whole run of a document misses."""
    known = operations(document)

    def finding(id_: str, message: str) -> Finding:
        return Finding(Kind.REJECTED, id_, message, document=document, label=known[id_].label)

    for id_ in sorted(id_ for id_ in never_succeeded(document, outcomes) if service.lacks(known[id_]) is None):
        yield finding(id_, "no request to the operation succeeds, and at least one must")
    for id_, (text, rejected) in rejected_too_often(document, outcomes).items():
        yield replace(finding(id_, text), request=rejected.request, response=rejected.response)


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
