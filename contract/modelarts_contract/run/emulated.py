"""The service that a run starts for itself: an emulator in which everything exists that the documents need."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import modelarts_openapi
from modelarts_contract import emulator, login
from modelarts_contract.documents import operations, overlay
from modelarts_contract.emulator import EmulatorError, login_of
from modelarts_contract.expressions import Names, Scope, evaluate, keep
from modelarts_contract.objects import objects_of, put_objects
from modelarts_contract.run.effects import EffectError, show_effects
from modelarts_contract.run.judging import Judge
from modelarts_contract.run.service import Service
from modelarts_contract.seen import dig, parsed

NOT_SUPPORTED = "ModelArts.2858"  # the emulator lacks what a call needs, such as the libraries of searches
DAY_S = 86_400.0
LIMIT_S = 90.0  # of a call that is repeated: a disk that still writes what was installed holds up every commit

__all__ = ["prepared", "serving"]


@contextlib.contextmanager
def serving(folder: Path, documents: Iterable[str] = modelarts_openapi.NAMES) -> Iterator[Service]:
    """Serve an emulator with its data in this folder, in which everything exists that these documents need.

    Raises EmulatorError if it does not start.
    """
    neighbour = emulator.identity("neighbour")
    with emulator.serving(folder, emulator.identity("owner"), neighbour) as running:
        environment, right = running.environment, login_of(running.environment)
        ended = {login.EXPIRED: login.token(running.endpoint, right)}
        running.control("clock", {"advance": DAY_S})  # tokens last as long
        ended[login.REVOKED] = login.token(running.endpoint, right)
        login.revoke(running.endpoint, ended[login.REVOKED])
        for name in modelarts_openapi.NAMES:
            for plan in overlay(name).get("plans", ()):
                running.control("plans", plan)
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


def prepared(service: Service, document: str) -> dict[str, Any]:
    """Make the calls of the document's `setup`; return what is known then. Raises EmulatorError.

    A group is a list of steps, as effects have them (effects.py). A group for which the emulator lacks a library ends
    with the call that says so, and its sentence is known under `unavailable`.
    """
    known = copy.deepcopy(service.stand_ins)
    scope: Scope = {"known": known, "names": Names(service.prefix)}
    known |= evaluate(overlay(document).get("known", {}), scope)
    with Judge(service, (document,)) as judge:
        for group, steps in overlay(document)["setup"].items():
            try:
                for step in steps:
                    made(judge, document, step, scope)
            except EffectError as error:
                response = parsed(error.exchange.response_body) if error.exchange else None
                if dig(response, "error_code") != NOT_SUPPORTED:
                    raise EmulatorError(str(error)) from None
                keep(known, f"unavailable.{group}", dig(response, "error_msg"))
    return known


def made(judge: Judge, document: str, step: Mapping[str, Any], scope: Scope) -> None:
    """Make a call of a setup, again as long as its effect is missing; raises EffectError."""
    give_up = time.monotonic() + LIMIT_S
    while True:
        try:
            return show_effects(judge, document, [step], scope)
        except EffectError:
            if operations(document)[step["call"]].kind != "read" or time.monotonic() > give_up:
                raise
