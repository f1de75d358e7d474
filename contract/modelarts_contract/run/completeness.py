"""What a whole run must have seen: a success of every operation, and most valid requests accepted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from modelarts_contract.documents import operations
from modelarts_contract.run.outcome import Outcome

__all__ = ["never_succeeded", "rejected_too_often"]

# The share of well-formed requests about existing things that must succeed. It is less for calls whose conditions and
# optional members have rules that no schema states.
SHARE = 0.9
CHANCE = 0.01  # a share that is lower than this by chance alone says nothing: few requests of a run may be such


def never_succeeded(document: str, outcomes: Iterable[Outcome]) -> set[str]:
    """The operations without any success, by id, save for those that the emulator does not have."""
    lines = [line for outcome in outcomes for line in outcome.exchanges()]
    succeeded = {line["operation"] for line in lines if is_success(line)}
    served = [operation for operation in operations(document).values() if operation.is_emulated]
    return {operation.operation_id for operation in served if operation.label not in succeeded}


def is_success(line: Mapping[str, Any]) -> bool:
    return 200 <= int(line["status"]) < 400


def rejected_too_often(document: str, outcomes: Iterable[Outcome]) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """The operations that reject more valid requests than they may, by id: how many, and one that was rejected."""
    lines = [line for outcome in outcomes for line in outcome.exchanges() if line.get("grounded")]
    found: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for id_, operation in operations(document).items():
        mine = [line for line in lines if line["operation"] == operation.label]
        share, accepted = operation.contract.get("share", SHARE), sum(map(is_success, mine))
        if chance_of_fewer(accepted, len(mine), share) < CHANCE:
            text = f"{accepted} of {len(mine)} succeeded, at least {share:.0%} must; one that was rejected:"
            found[id_] = text, next((line["rejected"] for line in mine if "rejected" in line), {})
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
