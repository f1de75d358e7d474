"""A real service: how it is reached, what a run creates there, and how it deletes that again.

SERVICE=https://... names it; all else comes from the settings of the toolkit (its environment variables, or the profile
that MODELARTS_PROFILE names). It is only read, unless WRITE=1 allows to create jobs, algorithms and objects.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from modelarts_toolkit.config import Config
from modelarts_toolkit.errors import ConfigError, ObsError

from . import guard, login
from .guard import Guard
from .journal import Entry, Journal, abandoned
from .objects import Objects, is_rejection
from .promises import ABSENT, STEPS, Project, rejection
from .seeding import seed
from .service import Service, kept

__all__ = ["ServiceError", "clean", "real", "settings"]

CLEANUP_S = 900.0  # for all stopped jobs of a run to end, and for all deleted ones to be gone
SETTLE_S = 60.0  # how long after a request that got no response its result can still appear
ACTIVE = sorted(STEPS)


class ServiceError(Exception):
    """The run must not begin, or has left something behind; the message says what to do."""


def settings(*more: str) -> Config:
    """The settings of the service that SERVICE names.

    Raises ConfigError naming those that are missing, or if they are for another service.
    """
    service = os.environ.get("SERVICE", "").rstrip("/") or None
    config = Config.load()
    if service and not config.endpoint:
        os.environ["MODELARTS_ENDPOINT"] = service
        config = Config.load()
    if service and config.endpoint != service:
        raise ConfigError(
            f"SERVICE is {service}, but the settings are for {config.endpoint}: "
            "choose the profile of SERVICE with MODELARTS_PROFILE, or correct MODELARTS_ENDPOINT"
        )
    config.require("endpoint", "iam_endpoint", "username", "password", "domain_name", "project_id", *more)
    return config


@contextlib.contextmanager
def real() -> Iterator[Service]:
    """Yield the service behind a guard; with WRITE=1, create what the tests need, and delete it in the end.

    Raises ConfigError for missing settings; ServiceError if the service is not reached, and with WRITE=1 if the project
    has active jobs of others and FORCE=1 is not set.
    """
    if os.environ.get("WRITE") != "1":
        with guarded(settings(), None) as service:
            reach(service)
            yield service
        return
    config = settings("obs_endpoint", "access_key", "secret_key")
    objects = Objects(config)
    clean_abandoned(config, objects)
    with contextlib.closing(Journal.create(**target(config))) as journal, guarded(config, journal) as service:
        reach(service)
        reject_company(service)
        try:
            code_dir = upload_code(config, objects, journal)
            yield dataclasses.replace(service, stand_ins=seed(service, code_dir))
        finally:
            clean(service, objects, journal)


def target(config: Config) -> dict[str, str]:
    return {"endpoint": str(config.endpoint), "project_id": str(config.project_id)}


@contextlib.contextmanager
def guarded(config: Config, journal: Journal | None) -> Iterator[Service]:
    """The service behind a guard whose journal knows what may be changed."""
    gate = Guard(config, journal)
    with gate.serving() as (training, iam):
        environment = {
            **kept(),
            "MODELARTS_ENDPOINT": training,
            "MODELARTS_IAM_ENDPOINT": iam,
            "MODELARTS_PROJECT_ID": str(config.project_id),
        }
        body = login.body("placeholder", guard.PASSWORD, "placeholder", name="placeholder")
        prefix = journal.prefix if journal else "contract-"
        yield Service(environment, guard.TOKEN, body, prefix, journal is not None, guard=gate)


def reach(service: Service) -> None:
    """Raises ServiceError, with the reason, if the service does not let us in."""
    with Project(service) as project:
        response = project.call("GET", "/training-job-engines")
    if not response.is_success:
        raise ServiceError(
            f"the service rejects a first request: {response.status_code} {response.text}; check the settings"
        )


def reject_company(service: Service) -> None:
    """Raises ServiceError if others have active jobs in the project, unless FORCE=1."""
    if os.environ.get("FORCE") == "1":
        return
    with Project(service) as project:
        active = [job for job in project.jobs(("phase", "in", ACTIVE)) if job["status"]["phase"] in ACTIVE]
    if active:
        raise ServiceError(
            f"the project has active jobs that this run did not create, such as {active[0]['metadata']['name']!r}: "
            "wait until they have ended, use another project, or set FORCE=1 to run beside them"
        )


def upload_code(config: Config, objects: Objects, journal: Journal) -> str:
    """Put the boot file into the bucket CONTRACT_BUCKET, else into one that is made for the run; return its folder."""
    given = os.environ.get("CONTRACT_BUCKET")
    bucket = given or journal.prefix.rstrip("-")
    key = f"{journal.prefix}code/boot.py"
    kind, name = ("object", f"{bucket}/{key}") if given else ("bucket", bucket)
    try:
        if not given:
            journal.announce(kind, name)
            objects.make_bucket(bucket)
            kind, name = "object", f"{bucket}/{key}"
        journal.announce(kind, name)
        objects.put(bucket, key)
    except ObsError as error:
        if is_rejection(error):
            journal.rejected(kind, name)
        raise ServiceError(f"object storage at {config.obs_endpoint} rejects the code: {error}") from None
    return f"/{bucket}/{key.removesuffix('boot.py')}"


def clean_abandoned(config: Config, objects: Objects) -> int:
    """Delete what runs left that were killed; return how many there were."""
    runs = 0
    for journal in abandoned(**target(config)):
        with contextlib.closing(journal), guarded(config, journal) as service:
            reach(service)
            clean(service, objects, journal)
            runs += 1
    return runs


def clean(service: Service, objects: Objects, journal: Journal) -> None:
    """Delete what the journal says the run created; raises ServiceError if anything is left."""
    assert service.guard is not None
    service.guard.may_create = False
    deadline_s = time.monotonic() + CLEANUP_S
    # What fails here stays in the journal.
    with Project(service) as project, contextlib.suppress(AssertionError, ValueError, httpx.HTTPError):
        project.call("GET", "/training-job-engines")  # sent after all earlier requests
        find_unconfirmed(project, journal)
        jobs, algorithms = journal.left("training-jobs"), journal.left("algorithms")
        for job in jobs:
            project.call("POST", f"/training-jobs/{job.id}/actions", {"action_type": "terminate"})
        for entry in [*jobs, *algorithms]:
            path = f"/{entry.kind}/{entry.id}"
            until(lambda: phase(project, path) not in ACTIVE, service.poll_s, deadline_s)  # noqa: B023 - called in this round only
            project.call("DELETE", path)
            if until(lambda: is_absent(project, path), service.poll_s, deadline_s):  # noqa: B023 - likewise
                journal.deleted(entry)
    for entry in [*journal.left("object"), *journal.left("bucket")]:
        delete_object(objects, entry, journal)
    if not journal.is_empty:
        names = [entry.name for kind in KINDS for entry in journal.left(kind)]
        raise ServiceError(f"left at the service: {', '.join(names)}; run make contract-clean with the same settings")


KINDS = ("training-jobs", "algorithms", "object", "bucket")


def find_unconfirmed(project: Project, journal: Journal) -> None:
    """Learn the ids of jobs and algorithms whose creation got no response, by the names that only they can have."""
    lists: dict[str, Callable[[str], list[Any]]] = {
        "training-jobs": lambda name: project.jobs(("name", "like", [name])),
        "algorithms": lambda name: project.ask("GET", "/algorithms", limit=50, searches=f"name:{name}")["items"],
    }
    for kind, find in lists.items():
        for entry in [entry for entry in journal.left(kind) if entry.id is None]:
            settled_at = entry.announced_at + float(os.environ.get("CONTRACT_SETTLE_S") or SETTLE_S)
            while True:
                is_settled = time.time() >= settled_at
                ids = [item["metadata"]["id"] for item in find(entry.name) if item["metadata"]["name"] == entry.name]
                for id_ in ids:
                    journal.created(kind, entry.name, id_)
                if ids:
                    break
                if is_settled:
                    journal.rejected(kind, entry.name)
                    break
                time.sleep(min(project.service.poll_s, max(0.0, settled_at - time.time())))


def phase(project: Project, path: str) -> str | None:
    """The phase of a job; None for an algorithm, and for what does not exist."""
    response = project.call("GET", path)
    return str(response.json().get("status", {}).get("phase")) if response.is_success else None


def is_absent(project: Project, path: str) -> bool:
    return rejection(project.call("GET", path)) in ABSENT


def until(is_so: Callable[[], bool], poll_s: float, deadline_s: float) -> bool:
    """Wait until it is so; False if it is not by the deadline, a time of `time.monotonic`."""
    while not is_so():
        if time.monotonic() > deadline_s:
            return False
        time.sleep(poll_s)
    return True


def delete_object(objects: Objects, entry: Entry, journal: Journal) -> None:
    """Delete an object, or a bucket that the run made; a bucket with more in it stays, and so does its entry."""
    bucket, _, key = entry.name.partition("/")
    try:
        if entry.kind == "object":
            objects.delete(bucket, key)
        elif not objects.delete_bucket(bucket):
            return
    except ObsError:
        return
    journal.deleted(entry)
