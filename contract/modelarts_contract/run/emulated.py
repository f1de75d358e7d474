"""The service that a run starts for itself: an emulator in which everything exists that the documents need."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import modelarts_openapi
from modelarts_contract.documents import overlay
from modelarts_toolkit import Obs
from modelarts_toolkit.settings.config import Config

from . import emulator, login
from .service import Service
from .setup import prepared, put_objects

DAY_S = 86_400.0

__all__ = ["login_of", "objects_of", "serving"]


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
