"""The service that a run starts for itself: an emulator in which everything exists that the documents need."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import itertools
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

import modelarts_openapi
from modelarts_contract.documents import Operation, load, operations, overlay
from modelarts_toolkit import Obs
from modelarts_toolkit.settings.config import Config

from . import emulator, login
from .emulator import EmulatorError
from .expressions import Names, Scope, at, changed, evaluate
from .objects import put
from .service import Service

NOT_SUPPORTED = "ModelArts.2858"

DAY_S = 86_400.0
LIMIT_S = 90.0  # of a call that is repeated: a disk that still writes what was installed holds up every commit
ANY = "$any"

__all__ = ["login_of", "objects_of", "prepared", "serving"]


def objects_of(environment: Mapping[str, str]) -> Obs:
    """The object store of an emulator."""
    obs_endpoint, access_key, secret_key = (
        environment[f"MODELARTS_{name}"] for name in ("OBS_ENDPOINT", "ACCESS_KEY", "SECRET_KEY")
    )
    return Obs(Config(obs_endpoint=obs_endpoint, access_key=access_key, secret_key=secret_key))


def login_of(environment: Mapping[str, str]) -> dict[str, Any]:
    """The right login at an emulator."""
    names = ("OS_USERNAME", "OS_PASSWORD", "OS_USER_DOMAIN_NAME")
    return login.body(*(environment[name] for name in names), name=environment["OS_PROJECT_NAME"])


@contextlib.contextmanager
def serving(folder: Path, documents: Iterable[str] = modelarts_openapi.NAMES) -> Iterator[Service]:
    """Serve an emulator with its data in this folder, in which everything exists that these documents need.

    Raises EmulatorError if it does not start.
    """
    neighbour = emulator.identity("neighbour")
    with emulator.serving(folder, emulator.identity("owner"), neighbour) as running:
        environment, right = running.environment, login_of(running.environment)
        ended = {login.EXPIRED: login.token(running.endpoint, right)}
        running.advance(DAY_S)  # tokens last as long
        ended[login.REVOKED] = login.token(running.endpoint, right)
        login.revoke(running.endpoint, ended[login.REVOKED])
        for name in modelarts_openapi.NAMES:
            for plan in overlay(name).get("plans", ()):
                running.plan(**plan)
            put_objects(objects_of(environment), overlay(name).get("objects", ()))
        token = login.token(running.endpoint, right)
        service = Service(environment, token, right, "contract-", ended_tokens=ended)
        user = (neighbour[name] for name in ("user", "password", "account"))
        theirs = login.token(running.endpoint, login.body(*user, name=neighbour["project"]))
        known = {
            "neighbour": {"project_id": neighbour["project_id"], "token": theirs},
            "project": environment["MODELARTS_PROJECT_ID"],
            "region_id": environment["OS_REGION_NAME"],
            "plans": service.plans,
        }
        for name in documents:
            known = prepared(dataclasses.replace(service, stand_ins=known), name)
        yield dataclasses.replace(service, stand_ins=known)


class NotSupportedError(EmulatorError):
    """The emulator lacks what a call needs, such as the libraries of searches."""


def put_objects(obs: Obs, names: Iterable[str]) -> None:
    """Put a boot file into object storage under each name, `bucket/key`."""
    for bucket, found in itertools.groupby(sorted(names), lambda name: name.partition("/")[0]):
        obs.create_bucket(bucket)
        put(obs, bucket, [name.partition("/")[2] for name in found])


def prepared(service: Service, document: str) -> dict[str, Any]:
    """Make the calls of the document's `setup`; return what is known then. Raises EmulatorError.

    A group is a list of calls, each by the id of its operation, with `path`, `query` and `body`, or the `example` of
    that name for a body; `set` puts values into the body at JSON pointers. `until` repeats the call until its response
    has these values at these pointers, or any value for `$any`; `keep` stores parts of the request and the response
    under names of `$known`, with dots for names in names. A group for which the emulator lacks a library ends with the
    call that says so, and its sentence is known under `unavailable`.
    """
    known = copy.deepcopy(service.stand_ins)
    scope: Scope = {"known": known, "names": Names(service.prefix)}
    known |= evaluate(overlay(document).get("known", {}), scope)
    headers = {"X-Auth-Token": service.token}
    with httpx.Client(headers=headers, timeout=120, verify=service.tls, trust_env=False) as client:
        for group, steps in overlay(document)["setup"].items():
            try:
                for step in steps:
                    found = called(service, client, document, step, scope)
                    for name, value in step.get("keep", {}).items():
                        keep(known, name, evaluate(value, {**scope, **found}))
            except NotSupportedError as error:
                keep(known, f"unavailable.{group}", str(error))
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
        if response.status_code == 400 and (problem := response.json()).get("error_code") == NOT_SUPPORTED:
            raise NotSupportedError(problem["error_msg"])
        if not response.is_success:
            raise EmulatorError(f"{step['call']} gives status {response.status_code}: {response.text}")
        shown = response.json() if response.content else None
        seen = {pointer: at(shown, pointer) for pointer in until}
        if all(
            seen[pointer] == value or (value == ANY and seen[pointer] is not None) for pointer, value in until.items()
        ):
            return {"request.body": body, "response.body": shown}
        if time.monotonic() > give_up:
            raise EmulatorError(f"{step['call']} did not give {until} in {LIMIT_S:.0f} s: {response.text}")
        time.sleep(service.poll_s)


def example(document: str, operation: Operation, name: str) -> Any:
    """The body of a request that the document prints under the name."""
    raw = load(document)["paths"][operation.path][operation.method.lower()]
    return raw["requestBody"]["content"]["application/json"]["examples"][name]["value"]


def keep(known: dict[str, Any], name: str, value: Any) -> None:
    """Store the value under the name; dots lead into further dictionaries."""
    *parents, last = name.split(".")
    for parent in parents:
        known = known.setdefault(parent, {})
    known[last] = value
