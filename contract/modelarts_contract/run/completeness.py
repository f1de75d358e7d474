"""What a whole run must have seen: a success of every operation, every link followed, most valid requests accepted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from modelarts_contract.documents import load, operations, resolve

from .outcome import Outcome

__all__ = ["leading", "links_followed", "missed_links", "never_succeeded", "rejected_too_often"]

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


def missed_links(document: str, outcomes: Iterable[Outcome], lacking: Collection[str] = ()) -> set[tuple[str, str]]:
    """The links that were not followed: the operation that they start from, and the name.

    Links from and to operations that are not emulated, or `lacking` because the emulator has no library for them, are
    not missed.
    """
    followed = links_followed(document, outcomes)
    served = {id_ for id_, operation in operations(document).items() if operation.is_emulated} - set(lacking)
    return {
        (source, name)
        for source, name, entry in links(document)
        if not followed[source, name] and {source, resolve(load(document), entry)["operationId"]} <= served
    }


def links_followed(document: str, outcomes: Iterable[Outcome]) -> dict[tuple[str, str], int]:
    """How often each link of the document was followed; one to what reads counts if it led to a success."""
    reads = {operation.label for operation in operations(document).values() if operation.kind == "read"}
    lines = [line for outcome in outcomes for line in outcome.exchanges() if "link" in line]
    seen = Counter(line["link"] for line in lines if is_success(line) or line["operation"] not in reads)
    labels = {operation.operation_id: operation.label for operation in operations(document).values()}
    return {
        (source, name): sum(
            count
            for link, count in seen.items()
            if link.startswith(f"{labels[source]} -> [") and f"] {name} -> " in link
        )
        for source, name, _ in links(document)
    }


def links(name: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every link of a document: the operation that it starts from, its name, and itself."""
    document = load(name)
    for operation in operations(name).values():
        for response in operation.definition["responses"].values():
            for link, content in resolve(document, response).get("links", {}).items():
                yield operation.operation_id, link, content


def leading(document: str, missed: Iterable[tuple[str, str]]) -> set[str]:
    """The operations that chains need to follow these links: those on the shortest ways there, and the targets."""
    targets: dict[str, dict[str, str]] = {}
    for source, name, entry in links(document):
        targets.setdefault(source, {})[name] = resolve(load(document), entry)["operationId"]
    ways = {id_: {id_} for id_, operation in operations(document).items() if not operation.path_names}
    for _ in targets:
        longer = {target: {*way, target} for id_, way in ways.items() for target in targets.get(id_, {}).values()}
        ways = longer | ways
    return {id_ for source, name in missed for id_ in (*ways.get(source, ()), source, targets[source][name])}


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
