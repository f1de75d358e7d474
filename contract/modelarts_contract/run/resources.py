"""The kinds of things that runs create, as the overlays declare them, and how a thing of a run is found and stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import modelarts_openapi
from modelarts_contract.documents import Operation, operations, overlay
from modelarts_contract.exchange import Exchange
from modelarts_contract.expressions import evaluate
from modelarts_contract.run.effects import EffectError
from modelarts_contract.run.judging import Judge
from modelarts_contract.seen import dig, items_of, parsed

__all__ = ["RESOURCES", "Resource"]


@dataclass(frozen=True)
class Resource:
    """A kind of things: where a thing has its `id`, its `name` and its `phase`, and the operations that are about it.

    `search` has the parameters with which the list has a thing of the name `$known.name`.
    """

    kind: str
    document: str
    id: str
    name: str
    listing: str
    search: Mapping[str, Any]
    show: str
    delete: str
    stop: str = ""
    phase: str = ""

    def operation(self, role: str) -> Operation:
        return operations(self.document)[getattr(self, role)]

    def path(self, id_: str) -> dict[str, str]:
        """The parameters of paths to the thing."""
        return {self.operation("delete").path_names[0]: id_}

    def listed(self, judge: Judge, given: Mapping[str, Any]) -> Iterator[Any]:
        """The things that a list with these parameters has; raises EffectError if it cannot be read."""
        listing = self.operation("listing")
        in_body = listing.pagination["in"] == "body"
        exchange = judge.call(listing, {}, None if in_body else given, given if in_body else None)
        if not 200 <= exchange.status < 300:
            raise EffectError(f"the list cannot be read: status {exchange.status}", exchange)
        yield from items_of(listing, parsed(exchange.response_body))

    def find(self, judge: Judge, name: str) -> Iterator[str]:
        """The ids of the things of exactly this name; raises EffectError if the list cannot be read."""
        items = self.listed(judge, evaluate(self.search, {"known": {"name": name}}))
        yield from (str(dig(item, self.id)) for item in items if dig(item, self.name) == name)

    def page(self, judge: Judge) -> Iterator[Any]:
        """The first things of the list; raises EffectError if it cannot be read."""
        limit = self.operation("listing").pagination["limit"]
        return self.listed(judge, {limit: self.search[limit]})

    def stopped(self, judge: Judge, id_: str) -> Iterator[Exchange]:
        """Stop a job, or all versions of one; yield the exchanges."""
        stop, path = self.operation("stop"), self.path(id_)
        if stop.path_names == list(path):
            yield judge.call(stop, path, None, {"action_type": "terminate"})
            return
        versions = dig(parsed(judge.call(self.operation("show"), path).response_body), "versions")
        for version in versions if isinstance(versions, list) else ():
            yield judge.call(stop, {**path, "version_id": dig(version, "version_id")})


RESOURCES = {
    kind: Resource(kind, document, **declared)
    for document in modelarts_openapi.NAMES
    for kind, declared in overlay(document).get("resources", {}).items()
}
