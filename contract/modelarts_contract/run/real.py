"""A real service: how it is reached, what a run creates there, and how it deletes that again.

All settings are those of the toolkit: its variables, a profile, or a cloud of `clouds.yaml`. The service is only read,
unless the access allows the stories of story.py to create their things.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import httpx

from modelarts_contract import login
from modelarts_contract.documents import operations
from modelarts_contract.expressions import evaluate
from modelarts_contract.objects import put
from modelarts_contract.resources import RESOURCES, Resource
from modelarts_contract.rules.kinds import STEPS, phase_of
from modelarts_contract.run import guard
from modelarts_contract.run.effects import EffectError
from modelarts_contract.run.guard import Guard, response_limit_s
from modelarts_contract.run.journal import Entry, Journal, abandoned
from modelarts_contract.run.judging import Judge
from modelarts_contract.run.result import Skipped
from modelarts_contract.run.service import SUBJECT, Service
from modelarts_contract.seen import dig, items_of, parsed
from modelarts_toolkit import ModelArts, Obs
from modelarts_toolkit.errors import ApiError, ConfigError, ConnectionFailed, ObsError, ToolkitError
from modelarts_toolkit.http.deadlines import call_within
from modelarts_toolkit.settings.config import Config

__all__ = ["Access", "LeftError", "ServiceError", "clean", "clean_abandoned", "real", "settings", "upload_code"]

CLEANUP_S = 60.0  # for all stopped jobs of a run to end, and for all deleted ones to be gone
SETTLE_S = 60.0  # how long after a request that got no response its result can still appear
NO_TOKEN = {  # why a run has none of the tokens that a service must reject
    login.EXPIRED: "CONTRACT_EXPIRED_TOKEN is not set",
    login.REVOKED: "the login is not by password, or the service lets nobody end a token",
}
WRITING = ("obs_endpoint", "access_key", "secret_key")  # settings that only a writing run needs


class ServiceError(Exception):
    """The service cannot be tried; the message says what to do."""


class LeftError(ServiceError):
    """Something that a run created is left at the service."""


@dataclass(frozen=True)
class Access:
    """How a service is reached, and what is allowed there; the settings must be for `service`.

    Without `service`, those of the settings is it. `rate` is the number of requests per second, `force` lets a run
    write although others have active jobs; with `rejected_logins`, it sends requests that the service must reject.
    """

    service: str | None = None
    profile: str | None = None
    cloud: str | None = None
    rate: float = 1.0
    write: bool = False
    force: bool = False
    rejected_logins: bool = False


def settings(access: Access) -> Config:
    """The settings of the service; raises ConfigError for those that are missing, or if they are for another one."""
    config = Config.load(access.profile, cloud=access.cloud)
    service = (access.service or config.endpoint or "").rstrip("/")
    if service and not config.endpoint and access.profile is None and access.cloud is None:
        config = Config.load(environ={**os.environ, "MODELARTS_ENDPOINT": service})
    if service and config.endpoint != service:
        raise ConfigError(
            f"the settings are for {config.endpoint or 'no service'}, not for {service}: choose the profile of that"
            " service with --profile, or correct MODELARTS_ENDPOINT"
        )
    config.require_login()
    config.require("endpoint", "iam_endpoint", *(WRITING if access.write else ()))
    return config


@contextlib.contextmanager
def real(access: Access) -> Iterator[tuple[Service, Config, Journal | None]]:
    """Yield the service behind a guard, and the journal of a run that may write; in the end its things are deleted.

    Raises ConfigError for missing settings; ServiceError if the service is not reached, or has active jobs of others
    and the run would write; LeftError if something could not be deleted.
    """
    config = reached(settings(access))
    if not access.write:
        with guarded(config, None, access.rate) as service:
            yield limited(service, access, config), config, None
        return
    clean_abandoned(config, access.rate)
    with (
        contextlib.closing(Journal.create(**target(config))) as journal,
        guarded(config, journal, access.rate) as service,
    ):
        if not access.force:
            reject_company(service)
        try:
            yield limited(service, access, config), config, journal
        finally:
            clean(service, Obs(config), journal)


def reached(config: Config) -> Config:
    """The settings with the id of the project, after a first call; raises ServiceError if that is not as documented."""
    try:
        found, config = first_call(config)
    except ConnectionFailed as problem:
        raise ServiceError(f"{problem}: check the address, and whether this machine reaches it") from None
    except ConfigError:
        raise
    except (ToolkitError, ValueError) as problem:
        if isinstance(problem, ApiError) and problem.url.startswith(str(config.iam_endpoint)) and problem.status < 400:
            with contextlib.suppress(ValueError):  # for another format, which is no login
                json.loads(problem.body)
                said = f"the header {SUBJECT} is missing in the response (status {problem.status})"
                raise ServiceError(f"the login at {problem.url} gives no token: {said}") from None
        is_rejection = isinstance(problem, ApiError) and problem.status >= 400
        what = "the service rejects a first request" if is_rejection else f"{config.endpoint} is not ModelArts"
        raise ServiceError(f"{what}: {problem}") from None
    if not isinstance(getattr(found, "items", None), list):
        raise ServiceError(f"{config.endpoint} is not ModelArts: its list of engines has no items; check --service")
    return config


def first_call(config: Config) -> tuple[Any, Config]:
    """The engines, and the settings with the id of the project; a service that is busy (503) is asked again."""
    attempts = 0
    while True:
        try:
            with ModelArts(config=config) as ma:
                return call_within(response_limit_s(), ma.v2.engines.show_training_job_engines), ma.config
        except ApiError as problem:
            attempts += 1
            if problem.status not in guard.TEMPORARY or attempts > guard.REPEATS:
                raise
        time.sleep(2.0**attempts)


def limited(service: Service, access: Access, config: Config) -> Service:
    """The service with what the access and its login leave out."""
    ended = ended_tokens(config) if access.rejected_logins else {}
    return replace(
        service,
        ended_tokens=ended,
        tries_other_logins=access.rejected_logins,
        has_token=config.require_login() != "keys",
        left_out=tuple(left_out(access, config, ended)),
    )


def left_out(access: Access, config: Config, ended: Collection[str] | None = None) -> Iterator[Skipped]:
    """What a run at a service does not try; `ended` are the kinds of ended tokens that it has, or will have."""
    if ended is None:
        revoked = {login.REVOKED} if config.require_login() == "password" else set()
        ended = revoked | ({login.EXPIRED} if os.environ.get("CONTRACT_EXPIRED_TOKEN") else set())
    if not access.write:
        yield Skipped("whatever creates, changes or deletes", "only --write does that")
    yield Skipped("malformed requests, and methods that no document has", "a real service")
    if access.rejected_logins:
        for what, reason in NO_TOKEN.items():
            if what not in ended:
                yield Skipped(f"requests with a token that {what}", reason)
        yield Skipped("requests with the token of a second user", "no second user is configured")
    else:
        yield Skipped(
            "requests that must be rejected: without a login, with a wrong token, for another project",
            "they look like an attack in an audit log; --rejected-logins sends them",
        )
    if config.require_login() == "keys":
        yield Skipped("what IAM says of a token, and logins by password", "the login is by access key")


def ended_tokens(config: Config) -> dict[str, str]:
    """Tokens that the service must reject, by what happened to them.

    One that has expired is in CONTRACT_EXPIRED_TOKEN; one is revoked here, where the login is by password.
    """
    found = {login.EXPIRED: os.environ.get("CONTRACT_EXPIRED_TOKEN", "")}
    if config.require_login() == "password":
        with contextlib.suppress(httpx.HTTPError, KeyError):
            project = {"name": config.project_name} if config.project_name else {"id": config.project_id}
            user = str(config.username), str(config.password), str(config.domain_name)
            token = login.token(str(config.iam_endpoint), login.body(*user, **project))
            login.revoke(str(config.iam_endpoint), token)
            found[login.REVOKED] = token
    return {what: token for what, token in found.items() if token}


def target(config: Config) -> dict[str, str]:
    return {"endpoint": str(config.endpoint), "project_id": str(config.project_id)}


@contextlib.contextmanager
def guarded(config: Config, journal: Journal | None, rate: float) -> Iterator[Service]:
    """The service behind a guard whose journal knows what may be changed."""
    gate = Guard(config, journal, rate)
    with gate.serving() as (training, iam):
        environment = {
            "MODELARTS_ENDPOINT": training,
            "MODELARTS_IAM_ENDPOINT": iam,
            "MODELARTS_PROJECT_ID": str(config.project_id),
        }
        prefix = journal.prefix if journal else f"contract-{secrets.token_hex(6)}-"
        yield Service(environment, guard.TOKEN, {}, prefix, guard=gate)


def reject_company(service: Service) -> None:
    """Raises ServiceError if others have active jobs in the project."""
    with Judge(service, ("v1", "v2")) as judge:
        active = list(active_names(judge))
    if active:
        raise ServiceError(
            f"the project has active jobs that this run did not create, such as {active[0]!r}: "
            "wait until they have ended, use another project, or run with --force"
        )


def active_names(judge: Judge) -> Iterator[str]:
    """The names of jobs that have not ended, as far as the project shows them."""
    for resource in RESOURCES.values():
        with contextlib.suppress(EffectError):
            for item in listed(judge, resource, {}) if resource.stop else ():
                if phase_of(dig(item, resource.phase)) in STEPS:
                    yield str(dig(item, resource.name))


def upload_code(config: Config, journal: Journal) -> str:
    """Put the boot file into a bucket that is made for the run; return its folder. Raises ServiceError."""
    obs, bucket = Obs(config), journal.prefix.rstrip("-")
    key = "code/boot.py"
    kind, name = "bucket", bucket
    try:
        journal.announce(kind, name)
        obs.create_bucket(bucket)
        kind, name = "object", f"{bucket}/{key}"
        journal.announce(kind, name)
        put(obs, bucket, [key])
    except ObsError as error:
        if "no response" not in str(error):  # without one, what was asked for may have happened
            journal.rejected(kind, name)
        raise ServiceError(f"object storage at {config.obs_endpoint} rejects the code: {error}") from None
    return f"/{bucket}/{key.removesuffix('boot.py')}"


def clean_abandoned(config: Config, rate: float) -> int:
    """Delete what runs left that were killed; return how many there were."""
    runs = 0
    for journal in abandoned(**target(config)):
        with contextlib.closing(journal), guarded(config, journal, rate) as service:
            clean(service, Obs(config), journal)
            runs += 1
    return runs


def clean(service: Service, obs: Obs, journal: Journal) -> None:
    """Delete what the journal says the run created; raises LeftError if anything is left.

    It ends CLEANUP_S after the last deletion at the latest, and says what it waits for.
    """
    assert service.guard is not None
    service.guard.may_create = False
    limit_s = float(os.environ.get("CONTRACT_CLEANUP_S") or CLEANUP_S)
    deadline_s = time.monotonic() + limit_s
    # What fails here stays in the journal.
    with Judge(service, ("v1", "v2")) as judge, contextlib.suppress(EffectError, httpx.HTTPError):
        judge.send(operations("v2")["showTrainingJobEngines"], {})  # sent after all earlier requests
        find_unconfirmed(judge, journal, deadline_s)
        left = [(resource, entry) for kind, resource in RESOURCES.items() for entry in journal.left(kind)]
        for resource, entry in left:
            if resource.stop:
                stop(judge, resource, str(entry.id))
        for resource, entry in left:
            sys.stderr.write(f"deleting {entry.name}\n")
            if delete(judge, resource, str(entry.id), deadline_s):
                journal.deleted(entry)
                deadline_s = time.monotonic() + limit_s
    for entry in [*journal.left("object"), *journal.left("bucket")]:
        delete_object(obs, entry, journal)
    if not journal.is_empty:
        names = [entry.name for kind in (*RESOURCES, "object", "bucket") for entry in journal.left(kind)]
        raise LeftError(f"left at the service: {', '.join(names)}; run modelarts contract clean with the same settings")


def listed(judge: Judge, resource: Resource, conditions: Mapping[str, Any]) -> Iterator[Any]:
    """The first objects of the list that meet the conditions; raises EffectError if it cannot be read."""
    listing = resource.operation("listing")
    limit = listing.pagination["limit"]
    given = {limit: resource.search[limit], **conditions}
    in_body = listing.pagination["in"] == "body"
    exchange = judge.call(listing, {}, None if in_body else given, given if in_body else None)
    if not 200 <= exchange.status < 300:
        raise EffectError(f"the list cannot be read: status {exchange.status}", exchange)
    yield from items_of(listing, parsed(exchange.response_body))


def stop(judge: Judge, resource: Resource, id_: str) -> None:
    """Stop a job, or all versions of one."""
    operation, path = resource.operation("stop"), resource.path(id_)
    if operation.path_names == list(path):
        judge.call(operation, path, None, {"action_type": "terminate"})
        return
    versions = dig(parsed(judge.call(resource.operation("show"), path).response_body), "versions")
    for version in versions if isinstance(versions, list) else ():
        judge.call(operation, {**path, "version_id": dig(version, "version_id")})


def delete(judge: Judge, resource: Resource, id_: str, deadline_s: float) -> bool:
    """Delete a thing, again until it is gone; False if it is not by the deadline, a time of `time.monotonic`."""
    path = resource.path(id_)
    while True:
        judge.send(resource.operation("delete"), path)
        if judge.is_absent(judge.send(resource.operation("show"), path)):
            return True
        if time.monotonic() > deadline_s or judge.service.trouble is not None:
            return False
        time.sleep(judge.service.poll_s)


def find_unconfirmed(judge: Judge, journal: Journal, deadline_s: float) -> None:
    """Learn the ids of things whose creation got no response, by the names that only they can have."""
    for kind, resource in RESOURCES.items():
        for entry in [entry for entry in journal.left(kind) if entry.id is None]:
            settled_at = entry.announced_at + float(os.environ.get("CONTRACT_SETTLE_S") or SETTLE_S)
            while time.monotonic() < deadline_s:
                is_settled = time.time() >= settled_at
                items = listed(judge, resource, evaluate(resource.search, {"known": {"name": entry.name}}))
                ids = [str(dig(item, resource.id)) for item in items if dig(item, resource.name) == entry.name]
                for id_ in ids:
                    journal.created(kind, entry.name, id_)
                if is_settled and not ids:
                    journal.rejected(kind, entry.name)
                if is_settled or ids:
                    break
                time.sleep(min(judge.service.poll_s, max(0.0, settled_at - time.time())))


def delete_object(obs: Obs, entry: Entry, journal: Journal) -> None:
    """Delete an object, or a bucket that the run made; a bucket with more in it stays, and so does its entry."""
    try:
        if entry.kind == "object":
            obs.delete(f"obs://{entry.name}")
        elif not obs.delete_bucket(entry.name):
            return
    except ObsError:
        return
    journal.deleted(entry)
