"""How the objects of a run are found and stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from modelarts_contract.exchange import Exchange
from modelarts_contract.expressions import evaluate
from modelarts_contract.resources import Resource
from modelarts_contract.run.effects import EffectError
from modelarts_contract.run.judging import Judge
from modelarts_contract.seen import dig, items_of, parsed

__all__ = ["find", "page", "stopped"]


def listed(judge: Judge, resource: Resource, given: Mapping[str, Any]) -> Iterator[Any]:
    """The objects that a list with these parameters has; raises EffectError if it cannot be read."""
    listing = resource.operation("listing")
    in_body = listing.pagination["in"] == "body"
    exchange = judge.call(listing, {}, None if in_body else given, given if in_body else None)
    if not 200 <= exchange.status < 300:
        raise EffectError(f"the list cannot be read: status {exchange.status}", exchange)
    yield from items_of(listing, parsed(exchange.response_body))


def find(judge: Judge, resource: Resource, name: str) -> Iterator[str]:
    """The ids of the objects of exactly this name; raises EffectError if the list cannot be read."""
    items = listed(judge, resource, evaluate(resource.search, {"known": {"name": name}}))
    yield from (str(dig(item, resource.id)) for item in items if dig(item, resource.name) == name)


def page(judge: Judge, resource: Resource) -> Iterator[Any]:
    """The first objects of the list; raises EffectError if it cannot be read."""
    limit = resource.operation("listing").pagination["limit"]
    return listed(judge, resource, {limit: resource.search[limit]})


def stopped(judge: Judge, resource: Resource, id_: str) -> Iterator[Exchange]:
    """Stop a job, or all versions of one; yield the exchanges."""
    stop, path = resource.operation("stop"), resource.path(id_)
    if stop.path_names == list(path):
        yield judge.call(stop, path, None, {"action_type": "terminate"})
        return
    versions = dig(parsed(judge.call(resource.operation("show"), path).response_body), "versions")
    for version in versions if isinstance(versions, list) else ():
        yield judge.call(stop, {**path, "version_id": dig(version, "version_id")})
