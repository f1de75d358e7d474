"""A recording is played on an emulator that is started for it, and what both responded with is compared.

Ids that the emulator gives take the place of recorded ones. Left out are logins, operations that the emulator does not
have, and requests about what existed before the recording began.
"""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx

from .documents import Documents, Operation
from .exchange import Exchange
from .redaction import IDS, REDACTED
from .rules import Session
from .run import login
from .run.emulated import login_of, objects_of
from .run.emulator import Identity, serving
from .seen import parsed
from .temporary import temporary_folder
from .validation import Finding

__all__ = ["Comparison", "Difference", "Player", "differences", "job_plans", "object_paths", "replayed"]

TIMEOUT_S = 60
PROJECT = "project_id"
OK, NO_CONTENT, UNAUTHORIZED, TOO_MANY_REQUESTS, SERVER_ERROR = 200, 204, 401, 429, 500
CONTENT_TIMEOUT_S, CONTENT_POLL_S = 30.0, 0.05
DIGITS = re.compile(r"\d{1,19}")
OBJECT_PATH = re.compile(r"(?:(?:obs|s3):/)?/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/(.*)")
OBJECT_FIELDS = frozenset({"code_dir", "boot_file", "obs_url", "app_url", "boot_file_url", "data_url", "train_url"})
PLACEHOLDER = "placeholder.txt"  # makes a folder exist
# By the final phase of a job that ended by itself, and by its status in version 1.
EXIT_CODES: dict[Any, int] = {"Completed": 0, "Failed": 1, 10: 0, 11: 1}
UNTIL_STOPPED_S = 30 * 24 * 3600.0


class Kind(StrEnum):
    """How two responses to the same request differ; the first two fail a check."""

    OTHER_STATUS = "other status"
    OTHER_TYPE = "other type"
    ONLY_RECORDED = "only recorded"
    ONLY_EMULATED = "only emulated"


@dataclass(frozen=True)
class Difference:
    """A difference between what was recorded and what the emulator sent."""

    kind: Kind
    message: str

    @property
    def fails(self) -> bool:
        """Whether it is more than a field that one of them leaves out."""
        return self.kind in (Kind.OTHER_STATUS, Kind.OTHER_TYPE)


@dataclass(frozen=True)
class Comparison:
    """What the emulator responded with: by the documents (`findings`) and beside the recording (`differences`).

    `skipped` says why a request was not played; then `status` is None.
    """

    status: int | None
    skipped: str = ""
    findings: Sequence[Finding] = ()
    differences: Sequence[Difference] = ()

    @property
    def fails(self) -> bool:
        """Whether the emulator breaks the documents, or differs from the recording in a status or a type."""
        broken = any(finding.breaks_contract for finding in self.findings)
        return broken or any(difference.fails for difference in self.differences)


def replayed(exchanges: Sequence[Exchange], documents: Documents) -> Iterator[Comparison]:
    """Play the exchanges on an emulator that is started for them; raises EmulatorError, httpx.HTTPError."""
    with temporary_folder() as folder, serving(folder, Identity("replay")) as emulator:
        objects = objects_of(emulator.environment)
        for bucket, keys in object_paths(exchanges).items():
            objects.make_bucket(bucket)
            objects.put(bucket, *sorted(keys))
        for plan in job_plans(exchanges):
            emulator.plan(**plan)
        emulator.freeze()
        token = login.token(emulator.endpoint, login_of(emulator.environment))
        with httpx.Client(base_url=emulator.endpoint, timeout=TIMEOUT_S, trust_env=False) as client:
            client.headers["X-Auth-Token"] = token
            player = Player(client, emulator.environment["MODELARTS_PROJECT_ID"], emulator.advance, documents)
            session = Session(documents)
            for exchange in exchanges:
                played = player.play(exchange)
                yield Comparison(None, played) if isinstance(played, str) else compared(exchange, played, session)


def compared(recorded: Exchange, emulated: Exchange, session: Session) -> Comparison:
    """The emulator's response beside the recorded one and the documents."""
    found = session.see(emulated)
    if recorded.status != emulated.status:
        text = f"the recording has {recorded.status}, the emulator {emulated.status}: {emulated.response_body.decode()}"
        return Comparison(emulated.status, "", found, [Difference(Kind.OTHER_STATUS, text[:300])])
    bodies = parsed(recorded.response_body), parsed(emulated.response_body)
    return Comparison(emulated.status, "", found, list(differences(*bodies)))


def object_paths(exchanges: Iterable[Exchange]) -> dict[str, set[str]]:
    """The keys, by their bucket, of each object that requests name, and of one in each folder that they name."""
    found: dict[str, set[str]] = {}
    for exchange in exchanges:
        for name, text in texts(parsed(exchange.request_body)):
            if name in OBJECT_FIELDS and (path := OBJECT_PATH.fullmatch(text)):
                bucket, key = path.groups()
                found.setdefault(bucket, set()).add(key + PLACEHOLDER if not key or key.endswith("/") else key)
    return found


def texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts of a JSON value with the name of the field that they are in, also in a list."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, child in value.items():
            yield from texts(child, key)
    elif isinstance(value, list):
        for child in value:
            yield from texts(child, name)


def job_plans(exchanges: Iterable[Exchange]) -> list[dict[str, Any]]:
    """How long each job of the responses ran and with which exit code, as plans of the emulator.

    A job that is never shown after its end runs on until it is stopped.
    """
    shown = (parsed(exchange.response_body) for exchange in exchanges if exchange.status < 400)
    return list({plan["job"]: plan for value in shown for plan in shown_plans(value)}.values())


def shown_plans(shown: Any) -> Iterator[dict[str, Any]]:
    children = shown.values() if isinstance(shown, dict) else shown if isinstance(shown, list) else ()
    for child in children:
        yield from shown_plans(child)
    if not isinstance(shown, dict):
        return
    metadata, status = shown.get("metadata"), shown.get("status")
    if isinstance(metadata, dict) and isinstance(status, dict) and "phase" in status:
        yield plan_of(metadata.get("name"), status.get("duration"), EXIT_CODES.get(status["phase"]))
    elif isinstance(status, int) and "job_name" in shown:
        yield plan_of(shown["job_name"], shown.get("duration"), EXIT_CODES.get(status))


def plan_of(name: Any, duration_ms: Any, exit_code: int | None) -> dict[str, Any]:
    """The plan of a job that has ended with the exit code, or of one without."""
    if exit_code is None:
        return {"job": str(name), "duration": UNTIL_STOPPED_S}
    seconds = duration_ms / 1000 if isinstance(duration_ms, int) else 0
    return {"job": str(name), "duration": max(seconds, 0), "exit_code": exit_code}


class Player:
    """Plays exchanges in their order; `advance` moves the clock of the emulator (s). Raises httpx.HTTPError."""

    def __init__(
        self, client: httpx.Client, project_id: str, advance: Callable[[float], None], documents: Documents
    ) -> None:
        self._client = client
        self._project_id = project_id
        self._advance = advance
        self._documents = documents
        self._ids: dict[str, str] = {}  # UUIDs and hexadecimal ids, wherever they are
        self._numbers: dict[tuple[str, str, str], str] = {}  # by the collection that they count, and their name
        self._time: datetime | None = None

    def play(self, recorded: Exchange) -> Exchange | str:
        """Send the request with what stands for its ids here, and learn those of the response; or say why not."""
        address = urlsplit(recorded.url)
        found = self._documents.find(recorded.method, address.path)
        if found is None:
            return "no document has this request"
        operation, values = found
        body = parsed(recorded.request_body)
        if reason := self._reason_not_to_play(recorded, operation, values, body):
            return reason
        self._pass_time(time_of(recorded))
        path = operation.url_path(self._path_values(operation, values))
        query = [(name, self._here(value)) for name, value in parse_qsl(address.query, keep_blank_values=True)]
        media = recorded.request_headers.get("content-type", "application/json")
        request = self._client.build_request(
            recorded.method,
            f"{path}?{urlencode(query)}" if query else path,
            headers={"Content-Type": media} if recorded.request_body else {},
            content=None if body is None else json.dumps(self._here(body)),
        )
        if recorded.status == UNAUTHORIZED:
            request.headers["X-Auth-Token"] = REDACTED
        emulated = self._sent(request, recorded)
        if recorded.status < 400 and emulated.status < 400:
            self._learn(operation.collection, parsed(recorded.response_body), parsed(emulated.response_body))
        return emulated

    def _reason_not_to_play(
        self, recorded: Exchange, operation: Operation, values: Mapping[str, str], body: Any
    ) -> str | None:
        if operation.name == "iam":
            return "logins are not played"
        if operation.not_emulated is not None:
            return "the emulator does not have this operation"
        if recorded.status == 0:
            return "the recording has no response"
        if recorded.status == TOO_MANY_REQUESTS or recorded.status >= SERVER_ERROR:
            return f"status {recorded.status} says how the service was, not what it was asked"
        if recorded.request_body and body is None:
            return "the request is not JSON"
        if recorded.status < 400 and (unknown := self._unknown(operation, values, body)):
            return f"{unknown} existed before the recording"
        return None

    def _unknown(self, operation: Operation, values: Mapping[str, str], body: Any) -> str | None:
        """An id in the request that no earlier response had."""
        for name, value in values.items():
            is_number = name.endswith("_id") and DIGITS.fullmatch(value)
            known = value.lower() in self._ids or (operation.collection, name, value) in self._numbers
            if name != PROJECT and (IDS.fullmatch(value) or is_number) and not known:
                return f"{name} {value}"
        ids = (found for _, text in texts(body) for found in IDS.findall(text))
        return next((f"id {found}" for found in ids if found.lower() not in self._ids), None)

    def _sent(self, request: httpx.Request, recorded: Exchange) -> Exchange:
        """Send the request; wait for content that the recording has, because a log comes a moment after its job."""
        give_up = time.monotonic() + CONTENT_TIMEOUT_S
        while True:
            emulated = Exchange.of(self._client.send(request))
            is_early = request.method == "GET" and (recorded.status, emulated.status) == (OK, NO_CONTENT)
            if not is_early or time.monotonic() > give_up:
                return emulated
            time.sleep(CONTENT_POLL_S)

    def _pass_time(self, now: datetime) -> None:
        moment = now if now.tzinfo else now.replace(tzinfo=UTC)
        if self._time is not None and moment > self._time:
            self._advance((moment - self._time).total_seconds())
        self._time = max(self._time or moment, moment)

    def _path_values(self, operation: Operation, values: Mapping[str, str]) -> dict[str, str]:
        numbers, counted = self._numbers, operation.collection
        found = {name: numbers.get((counted, name, value), self._here(value)) for name, value in values.items()}
        return found | {PROJECT: self._project_id}

    def _here(self, recorded: Any) -> Any:
        """The value with the ids that stand for recorded ones."""
        if isinstance(recorded, dict):
            return {name: self._here(child) for name, child in recorded.items()}
        if isinstance(recorded, list):
            return [self._here(child) for child in recorded]
        if isinstance(recorded, str):
            return IDS.sub(lambda found: self._ids.get(found[0].lower(), found[0]), recorded)
        return recorded

    def _learn(self, counted: str, recorded: Any, emulated: Any, name: str = "") -> None:
        """Take the ids at the same places of two responses; the first that stands for an id stays.

        Lists of several entries teach nothing: they may have another order.
        """
        if isinstance(recorded, dict) and isinstance(emulated, dict):
            for key in recorded.keys() & emulated.keys():
                self._learn(counted, recorded[key], emulated[key], key)
        elif isinstance(recorded, list) and isinstance(emulated, list) and len(recorded) == len(emulated) == 1:
            self._learn(counted, recorded[0], emulated[0], name)
        elif isinstance(recorded, str) and isinstance(emulated, str) and IDS.fullmatch(recorded):
            self._ids.setdefault(recorded.lower(), emulated)
        elif name.endswith("_id") and type(recorded) is type(emulated) is int:
            self._numbers.setdefault((counted, name, str(recorded)), str(emulated))


def time_of(exchange: Exchange) -> datetime:
    """When the service responded, by its own clock if the response has a date."""
    with contextlib.suppress(KeyError, ValueError):
        return parsedate_to_datetime(exchange.response_headers["date"])
    return exchange.started_at


def differences(recorded: Any, emulated: Any) -> Iterator[Difference]:
    """How the shapes of two JSON values differ; null stands for any type, and is the same as a missing field.

    Entries of lists are taken together: lists may be of different lengths. Below a field that one of them has not,
    nothing more is reported.
    """
    one, other = shape(recorded), shape(emulated)
    for mine, theirs, kind in ((one, other, Kind.ONLY_RECORDED), (other, one, Kind.ONLY_EMULATED)):
        for place in sorted(mine.keys() - theirs.keys()):
            parent = place.rpartition(".")[0] if not place.endswith("[]") else place.removesuffix("[]")
            if parent in theirs and not place.endswith("[]"):  # an empty list says nothing about its entries
                yield Difference(kind, f"{place} ({types(mine[place])})")
    for place in sorted(one.keys() & other.keys()):
        if not one[place] & other[place]:
            yield Difference(Kind.OTHER_TYPE, f"{place or 'body'} is {types(one[place])}, not {types(other[place])}")


def types(found: set[str]) -> str:
    return " or ".join(sorted(found))


def shape(value: Any) -> dict[str, set[str]]:
    """The types of all values by their place, such as `items[].metadata.name`; nothing for null."""
    found: dict[str, set[str]] = {}
    for place, kind in places(value, ""):
        found.setdefault(place, set()).add(kind)
    return found


def places(value: Any, place: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield place, "object"
        for name, child in value.items():
            yield from places(child, f"{place}.{name}" if place else name)
    elif isinstance(value, list):
        yield place, "list"
        for child in value:
            yield from places(child, f"{place}[]")
    elif isinstance(value, bool):
        yield place, "boolean"
    elif isinstance(value, int | float):
        yield place, "number"
    elif isinstance(value, str):
        yield place, "text"
