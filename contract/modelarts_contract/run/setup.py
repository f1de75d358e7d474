"""What is made at an emulator before its documents are tried: the `setup` of their overlays.

A group is a list of calls, each by the id of its operation, with `path`, `query` and `body`, or the `example` of that
name for a body; `set` puts values into the body at JSON pointers. `until` repeats the call until its response has these
values at these pointers, or any value for `$any`; `keep` stores parts of the request and the response under names of
`$known`, with dots for names in names.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable, Mapping
from typing import Any

import httpx

from modelarts_contract.documents import Operation, load, operations, overlay
from modelarts_toolkit import Obs

from .emulator import EmulatorError
from .expressions import Names, Scope, at, changed, evaluate
from .objects import put
from .service import Service

__all__ = ["SetupError", "prepared", "put_objects"]

LIMIT_S = 90.0  # of a call that is repeated: a disk that still writes what was installed holds up every commit
ANY = "$any"


class SetupError(EmulatorError):
    """A call of a setup failed at the emulator; the message has the response."""


def put_objects(obs: Obs, names: Iterable[str]) -> None:
    """Put a boot file into object storage under each name, `bucket/key`."""
    keys: dict[str, list[str]] = {}
    for name in names:
        bucket, _, key = name.partition("/")
        keys.setdefault(bucket, []).append(key)
    for bucket in keys:
        obs.create_bucket(bucket)
        put(obs, bucket, keys[bucket])


def prepared(service: Service, document: str, *groups: str) -> dict[str, Any]:
    """Run these groups of the document's setup, by default all; return what is known then. Raises SetupError."""
    setup = overlay(document)["setup"]
    known = copy.deepcopy(service.stand_ins)
    scope: Scope = {"known": known, "names": Names(service.prefix)}
    known |= evaluate(overlay(document).get("known", {}), scope)
    headers = {"X-Auth-Token": service.token}
    with httpx.Client(headers=headers, timeout=120, verify=service.tls, trust_env=False) as client:
        for group in groups or setup:
            for step in setup[group]:
                found = called(service, client, document, step, scope)
                for name, value in step.get("keep", {}).items():
                    keep(known, name, evaluate(value, {**scope, **found}))
    return known


def called(
    service: Service, client: httpx.Client, document: str, step: Mapping[str, Any], scope: Scope
) -> dict[str, Any]:
    """Make a call of a setup, and return its body and that of the response, which may be one that it waits for."""
    operation = operations(document)[step["call"]]
    path = {"project_id": service.environment["MODELARTS_PROJECT_ID"], **evaluate(step.get("path", {}), scope)}
    url = service.url_of(document) + operation.path.format_map(path)
    body = example(document, operation, step["example"]) if "example" in step else evaluate(step.get("body"), scope)
    body = None if body is None else changed(body, {"set": step.get("set", {})}, scope)
    until: Mapping[str, Any] = step.get("until", {})
    give_up = time.monotonic() + LIMIT_S
    while True:
        response = client.request(operation.method, url, params=evaluate(step.get("query"), scope), json=body)
        if not response.is_success:
            raise SetupError(f"{step['call']} gives status {response.status_code}: {response.text}")
        shown = response.json() if response.content else None
        if all(is_there(at(shown, pointer), value) for pointer, value in until.items()):
            return {"request.body": body, "response.body": shown}
        if time.monotonic() > give_up:
            raise SetupError(f"{step['call']} did not give {until} in {LIMIT_S:.0f} s: {response.text}")
        time.sleep(service.poll_s)


def example(document: str, operation: Operation, name: str) -> Any:
    """The body of a request that the document prints under the name."""
    raw = load(document)["paths"][operation.path][operation.method.lower()]
    return raw["requestBody"]["content"]["application/json"]["examples"][name]["value"]


def is_there(found: Any, value: Any) -> bool:
    return found is not None if value == ANY else bool(found == value)


def keep(known: dict[str, Any], name: str, value: Any) -> None:
    """Store the value under the name; dots lead into further dictionaries."""
    *parents, last = name.split(".")
    for parent in parents:
        known = known.setdefault(parent, {})
    known[last] = value
