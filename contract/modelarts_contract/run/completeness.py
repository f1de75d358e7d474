"""What a whole run must have seen: a success of every operation, every link followed, most valid requests accepted."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from modelarts_contract.documents import load, operations, resolve

from .outcome import Outcome

__all__ = ["Rejections", "missed_links", "never_succeeded", "rejected_too_often"]

# The share of well-formed requests about existing things that must succeed. It is less for calls whose conditions and
# optional members have rules that no schema states; chains call these with less luck, and are not counted.
SHARE = 0.9
CHANCE = 0.01  # a share that is lower than this by chance alone says nothing: few requests of a run may be such


def never_succeeded(document: str, outcomes: Iterable[Outcome]) -> set[str]:
    """The operations without any success, by id, save for those that the emulator does not have."""
    succeeded = {label for outcome in outcomes for label, _, status in outcome.exchanges() if 200 <= status < 400}
    return {
        id_
        for id_, operation in operations(document).items()
        if operation.not_emulated is None and operation.label not in succeeded
    }


def missed_links(document: str, outcomes: Iterable[Outcome]) -> set[tuple[str, str]]:
    """The links that were not followed with all that they take along: the operation they start from, and the name.

    Links from and to operations that are not emulated are not missed.
    """
    followed = links_followed(document, outcomes)
    served = {id_ for id_, operation in operations(document).items() if operation.not_emulated is None}
    return {
        (source, name)
        for source, name, entry in links(document)
        if not followed[source, name] and {source, resolve(load(document), entry)["operationId"]} <= served
    }


def links_followed(document: str, outcomes: Iterable[Outcome]) -> dict[tuple[str, str], int]:
    """How often each link of the document was followed."""
    seen = [link for outcome in outcomes for _, link, _ in outcome.exchanges() if link]
    labels = {operation.operation_id: operation.label for operation in operations(document).values()}
    return {
        (source, name): sum(link.startswith(f"{labels[source]} -> [") and f"] {name} -> " in link for link in seen)
        for source, name, _ in links(document)
    }


def links(name: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every link of a document: the operation that it starts from, its name, and itself."""
    document = load(name)
    for operation in operations(name).values():
        for response in document["paths"][operation.path][operation.method.lower()]["responses"].values():
            target: Any = response
            if "$ref" in response:
                target = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
            for link, content in target.get("links", {}).items():
                yield operation.operation_id, link, content


@dataclass(frozen=True)
class Rejections:
    """How many valid requests succeeded of how many, and what one of the others sent and received."""

    succeeded: int
    tried: int
    share: float
    example: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.succeeded} of {self.tried} succeeded, at least {self.share:.0%} must; one that was rejected:"


def rejected_too_often(document: str, outcomes: Iterable[Outcome]) -> dict[str, Rejections]:
    """The operations that reject more valid requests than they may, by id."""
    lines = [line for outcome in outcomes for line in outcome.record if line.get("grounded")]
    shares = {
        id_: operation.contract["share"]
        for id_, operation in operations(document).items()
        if "share" in operation.contract
    }
    found = {}
    for id_, operation in operations(document).items():
        mine = [line for line in lines if line["operation"] == operation.label]
        share = shares.get(id_)
        if share is not None:
            mine = [line for line in mine if line["phase"] != "stateful"]
        accepted = sum(200 <= line["status"] < 400 for line in mine)
        if chance_of_fewer(accepted, len(mine), share or SHARE) < CHANCE:
            example: Mapping[str, Any] = next((line["rejected"] for line in mine if "rejected" in line), {})
            found[id_] = Rejections(accepted, len(mine), share or SHARE, example)
    return found


def chance_of_fewer(accepted: int, tried: int, share: float) -> float:
    """The probability that at most this number of requests succeed if the share is the probability of each."""
    return sum(math.comb(tried, count) * share**count * (1 - share) ** (tried - count) for count in range(accepted + 1))
