"""A recording is played on an emulator that is started for it, and what both responded with is compared.

Ids that the emulator gives take the place of recorded ones. Left out are logins, operations that the emulator does not
have, and requests about what existed before the recording began.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import httpx

from modelarts_contract import login
from modelarts_contract.documents import Documents
from modelarts_contract.emulator import login_of, serving
from modelarts_contract.exchange import Exchange, within
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.objects import objects_of, put_objects
from modelarts_contract.redaction import IDS, REDACTED
from modelarts_contract.rules.lifecycle import phase_of
from modelarts_contract.rules.session import TEMPORARY, Session
from modelarts_contract.rules.times import service_time
from modelarts_contract.seen import Seen, dig, parsed, texts, whole
from modelarts_contract.temporary import temporary_folder
from modelarts_contract.validation import GATEWAY

__all__ = ["Player", "Replay", "differences", "job_plans", "object_paths", "replayed"]

TIMEOUT_S = 60
PROJECT = "project_id"
OK, NO_CONTENT, UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 200, 204, 401, 403, 404
TOO_MANY_REQUESTS, SERVER_ERROR = 429, 500
CONTENT_TIMEOUT_S, CONTENT_POLL_S = 30.0, 0.05
DIGITS = re.compile(r"\d{1,19}")
STANDS_IN = re.compile(rf"{IDS.pattern}|name-[0-9a-f]{{8}}", re.IGNORECASE)  # what a recording has instead
OBJECT_PATH = re.compile(r"(?:(?:obs|s3):/)?/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/(.*))")
OBJECT_FIELDS = frozenset({"code_dir", "boot_file", "obs_url", "app_url", "boot_file_url", "data_url", "train_url"})
PLACEHOLDER = "placeholder.txt"  # makes a folder exist
EXIT_CODES = {"Completed": 0, "Failed": 1}  # by the final phase of a job that ended by itself
UNTIL_STOPPED_S = 30 * 24 * 3600.0
JSON_TYPES = {dict: "object", list: "list", bool: "boolean", int: "number", float: "number", str: "text"}


@dataclass(frozen=True)
class Replay:
    """What the emulator responded with, and its findings, by the documents and by comparison with the recording.

    `skipped` says why a request was not played; then `status` is None.
    """

    status: int | None
    skipped: str = ""
    findings: Sequence[Finding] = ()


def replayed(exchanges: Sequence[Exchange], documents: Documents) -> Iterator[Replay]:
    """Play the exchanges on an emulator that is started for them; raises EmulatorError, httpx.HTTPError."""
    with temporary_folder() as folder, serving(folder) as emulator:
        put_objects(objects_of(emulator.environment), object_paths(exchanges))
        for plan in job_plans(exchanges):
            emulator.plan(**plan)
        emulator.freeze()
        token = login.token(emulator.endpoint, login_of(emulator.environment))
        with httpx.Client(base_url=emulator.endpoint, timeout=TIMEOUT_S, trust_env=False) as client:
            client.headers["X-Auth-Token"] = token
            player = Player(client, emulator.environment["MODELARTS_PROJECT_ID"], emulator.advance, documents)
            session, lost = Session(documents), set[tuple[str, str, bytes]]()
            for exchange in exchanges:
                seen = Seen.of(exchange, documents)
                recorded = exchange if seen is None else seen.exchange
                played = player.play(recorded)
                key = recorded.method, recorded.url, recorded.request_body
                was_sent_before = recorded.attempts > 1 or key in lost  # and may have been served then
                if recorded.status == 0 or recorded.status in TEMPORARY:
                    lost.add(key)
                if isinstance(played, str):
                    yield Replay(None, played)
                elif was_sent_before and recorded.status >= 400:
                    yield Replay(played.status, "", session.see(played))
                else:
                    yield Replay(played.status, "", [*session.see(played), *beside(recorded, played)])


def object_paths(exchanges: Iterable[Exchange]) -> set[str]:
    """Each object that requests name, as `bucket/key`, and one in each folder that they name."""
    found = set()
    for exchange in exchanges:
        for name, sent in within(parsed(exchange.request_body)):
            if name in OBJECT_FIELDS and (path := OBJECT_PATH.fullmatch(str(sent))):
                found.add(path[1] if path[2] and not path[1].endswith("/") else path[1] + PLACEHOLDER)
    return found


def job_plans(exchanges: Iterable[Exchange]) -> list[dict[str, Any]]:
    """How long each job of the responses ran and with which exit code, as plans of the emulator.

    A job that is never shown after its end runs on until it is stopped.
    """
    plans = {}
    for exchange in exchanges:
        for _, shown in within(parsed(exchange.response_body)) if exchange.status < 400 else ():
            name, phase = dig(shown, "metadata.name") or dig(shown, "job_name"), phase_of(shown)
            if name is None or phase is None:
                continue
            plan = {"job": str(name), "duration": UNTIL_STOPPED_S}
            if phase in EXIT_CODES:
                duration_ms = whole(dig(shown, "status.duration") or dig(shown, "duration")) or 0
                plan |= {"duration": max(duration_ms / 1000, 0), "exit_code": EXIT_CODES[phase]}
            plans[plan["job"]] = plan
    return list(plans.values())


class Player:
    """Plays exchanges in their order; `advance` moves the clock of the emulator (s). Raises httpx.HTTPError."""

    def __init__(
        self, client: httpx.Client, project_id: str, advance: Callable[[float], None], documents: Documents
    ) -> None:
        self._client = client
        self._project_id = project_id
        self._advance = advance
        self._documents = documents
        self._ids: dict[str, str] = {}  # UUIDs and hexadecimal ids by themselves, numbers by `number_key`
        self._time_s = 0.0  # of the recording

    def play(self, recorded: Exchange) -> Exchange | str:
        """Send the request with what stands for its ids here, and learn those of the response; or say why not."""
        seen = Seen.of(recorded, self._documents)
        if seen is None:
            return "no document has this request"
        if reason := self._reason_not_to_play(seen):
            return reason
        self._pass_time((service_time(seen) or recorded.started_at.timestamp() * 1000) / 1000)
        collection = seen.operation.collection
        values = {
            name: self._ids.get(number_key(collection, name, value)) or self._here(value, collection)
            for name, value in seen.path.items()
        }
        path = seen.operation.url_path({**values, PROJECT: self._project_id})
        query = urlencode(self._here(seen.query, collection), doseq=True)
        media = recorded.request_headers.get("content-type", "application/json")
        request = self._client.build_request(
            recorded.method,
            f"{path}?{query}" if query else path,
            headers={"Content-Type": media} if recorded.request_body else {},
            content=json.dumps(self._here(seen.sent, collection)) if recorded.request_body else None,
        )
        if recorded.status == UNAUTHORIZED:
            request.headers["X-Auth-Token"] = REDACTED
        emulated = self._sent(request, recorded)
        if recorded.status < 400 and emulated.status < 400:
            self._learn(collection, seen.shown, parsed(emulated.response_body))
        return emulated

    def _reason_not_to_play(self, seen: Seen) -> str | None:
        status = seen.exchange.status
        if seen.operation.name == "iam":
            return "logins are not played"
        if not seen.operation.is_emulated:
            return "the emulator does not have this operation"
        if status == 0:
            return "the recording has no response"
        is_unpublished = status == NOT_FOUND and str(dig(seen.shown, "error_code")).startswith(GATEWAY)
        if status in (FORBIDDEN, TOO_MANY_REQUESTS) or status >= SERVER_ERROR or is_unpublished:
            return f"status {status} says how the service was, not what it was asked"
        if seen.exchange.request_body and seen.sent is None:
            return "the request is not JSON"
        if status < 400 and (unknown := self._unknown(seen)):
            return f"{unknown} existed before the recording"
        return None

    def _unknown(self, seen: Seen) -> str | None:
        """An id in the request that no earlier response had."""
        for name, value in seen.path.items():
            is_number = name.endswith("_id") and DIGITS.fullmatch(value)
            known = {value.lower(), number_key(seen.operation.collection, name, value)} & self._ids.keys()
            if name != PROJECT and (IDS.fullmatch(value) or is_number) and not known:
                return f"{name} {value}"
        ids = (found for text in texts(seen.sent) for found in IDS.findall(text))
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

    def _pass_time(self, now_s: float) -> None:
        if now_s > self._time_s > 0:
            self._advance(now_s - self._time_s)
        self._time_s = max(self._time_s, now_s)

    def _here(self, recorded: Any, collection: str, name: str = "") -> Any:
        """The value with the ids, cursors and names of files that stand for recorded ones."""
        if isinstance(recorded, Mapping):
            return {key: self._here(child, collection, key) for key, child in recorded.items()}
        if isinstance(recorded, list):
            return [self._here(child, collection) for child in recorded]
        if isinstance(recorded, str):
            known = self._ids.get(recorded.lower())
            return known or IDS.sub(lambda found: self._ids.get(found[0].lower(), found[0]), recorded)
        known = self._ids.get(number_key(collection, name.removeprefix("pre_"), recorded))
        return int(known) if known else recorded

    def _learn(self, collection: str, recorded: Any, emulated: Any, name: str = "") -> None:
        """Take the ids at the same places of two responses; the first that stands for an id stays.

        Lists of several entries teach nothing: they may have another order.
        """
        if isinstance(recorded, dict) and isinstance(emulated, dict):
            for key in recorded.keys() & emulated.keys():
                self._learn(collection, recorded[key], emulated[key], key)
        elif isinstance(recorded, list) and isinstance(emulated, list) and len(recorded) == len(emulated) == 1:
            self._learn(collection, recorded[0], emulated[0], name)
        elif isinstance(recorded, str) and isinstance(emulated, str) and STANDS_IN.fullmatch(recorded):
            self._ids.setdefault(recorded.lower(), emulated)
        elif name.endswith("_id") and type(recorded) is type(emulated) is int:
            self._ids.setdefault(number_key(collection, name, recorded), str(emulated))


def number_key(collection: str, name: str, number: object) -> str:
    """What distinguishes equal ids that are numbers: the collection that they count, and their name."""
    return f"{collection} {name} {number}"


def beside(recorded: Exchange, emulated: Exchange) -> Iterator[Finding]:
    """How the statuses, or else the bodies, of two responses to the same request differ."""
    if recorded.status == emulated.status:
        yield from differences(parsed(recorded.response_body), parsed(emulated.response_body))
    else:
        text = f"the recording has {recorded.status}, the emulator {emulated.status}: {emulated.response_body.decode()}"
        yield Finding(Kind.OTHER_STATUS, "", text[:300])


def differences(recorded: Any, emulated: Any) -> Iterator[Finding]:
    """The fields that only one of two JSON values has, with their types; null is the same as a missing field.

    Entries of lists are taken together: lists may be of different lengths. Below a field that one of them has not,
    nothing more is reported. What type a field may have is the business of the documents.
    """
    one, other = dict(places(recorded, "")), dict(places(emulated, ""))
    for mine, theirs, kind in ((one, other, Kind.ONLY_RECORDED), (other, one, Kind.ONLY_EMULATED)):
        for place in sorted(mine.keys() - theirs.keys()):
            # An empty list says nothing about its entries.
            if not place.endswith("[]") and place.rpartition(".")[0] in theirs:
                yield Finding(kind, "", f"{place} ({mine[place]})")


def places(value: Any, place: str) -> Iterator[tuple[str, str]]:
    """The places of all values but null, such as `items[].metadata.name`, with their types."""
    if type(value) in JSON_TYPES:
        yield place, JSON_TYPES[type(value)]
    if isinstance(value, dict):
        for name, child in value.items():
            yield from places(child, f"{place}.{name}".removeprefix("."))
    elif isinstance(value, list):
        for child in value:
            yield from places(child, f"{place}[]")
