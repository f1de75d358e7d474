"""Rules about times: what a response shows has happened, and a job does not run longer than since its start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from modelarts_contract.finding import Finding, Kind
from modelarts_contract.seen import Seen, dig, moment, whole

__all__ = ["CLOCK_MS", "RULES", "service_time"]

CLOCK_MS = 60_000  # how far the clocks of a service may be apart
SHORT_MS = 600_000  # a running job that is younger says too little about the unit of its duration
FUTURE = re.compile(
    "expire|valid|next|(^|\\.)(start|end)_time$"
)  # not of a job, whose times are nested, but of a request
FACTOR = 100  # between a duration and the time since the start, if they have different units


def times_have_been(seen: Seen, memory: Any) -> Iterator[Finding]:
    """What a response shows has happened: not after its Date, nor before what it is about was created."""
    now, path = service_time(seen), urlsplit(seen.exchange.url).path
    if now is None or not seen.is_success or seen.schema is None:
        return
    since = max(
        (created_at(thing.shown) for place, thing in memory.things.items() if f"{path}/".startswith(f"{place}/")),
        default=0,
    )
    if seen.operation.kind == "create":
        since = max(since, now)
    for where, time_ms in moments(seen):
        if time_ms > now + CLOCK_MS and not FUTURE.search(where):
            yield Finding.of(
                seen, Kind.TIME, f"{where} is {(time_ms - now) // 1000} s after the Date of the response", where
            )
        elif (
            since and 0 < time_ms < since - CLOCK_MS and not (seen.operation.kind == "create" and "create" not in where)
        ):
            yield Finding.of(seen, Kind.TIME, f"{where} is {(since - time_ms) // 1000} s before the creation", where)


def created_at(shown: Mapping[str, Any]) -> int:
    """When a thing was created, in ms; 0 if that is not known."""
    return whole(shown.get("metadata.create_time", shown.get("create_time"))) or 0


def moments(seen: Seen) -> Iterator[tuple[str, int]]:
    """The times of a response in ms since 1970, by their places."""
    for place in seen.places:
        where, value = ".".join(step for step in place.where if isinstance(step, str)), place.value
        unit = next((part.schema["x-time-unit"] for part in place.parts if "x-time-unit" in part.schema), None)
        time_s, number = moment(value) if unit == "RFC 3339" and isinstance(value, str) else None, whole(value)
        if time_s is not None:  # another text is a finding about its form
            yield where, round(time_s * 1000)
        elif unit and number:
            yield where, number if unit == "ms" else number * 1000


def job_fits_together(seen: Seen, _: object) -> Iterator[Finding]:
    """A job does not start before it was created, nor run longer than since then."""
    for _paths, shown in seen.things:
        if isinstance(shown, Mapping):
            yield from times_fit(seen, shown)


def times_fit(seen: Seen, shown: Mapping[str, Any]) -> Iterator[Finding]:
    status = shown.get("status") if isinstance(shown.get("status"), dict) else shown
    created = whole(dig(shown, "metadata.create_time") or shown.get("create_time"))
    started, duration = whole(dig(status, "start_time")), whole(dig(status, "duration"))
    if created and started and started < created - CLOCK_MS:
        yield Finding.of(seen, Kind.TIME, f"start_time is {started}, before create_time {created}", "start_time")
    now, since = service_time(seen), started or created
    if now is None or not since or duration is None or started == 0 or now < since:
        return
    if duration > now - since + CLOCK_MS:
        message = f"duration is {duration} ms, and {now - since} ms have passed since {since}"
        yield Finding.of(seen, Kind.TIME, message, "duration")
    is_running = dig(status, "phase") == "Running" and started
    if is_running and now - since > SHORT_MS and duration < (now - since) / FACTOR:
        message = f"duration is {duration} ms, and the job runs for {now - since} ms"
        yield Finding.of(seen, Kind.TIME, message, "duration")


def service_time(seen: Seen) -> int | None:
    """The time of the response by the clock of the service, in ms since 1970; None if it does not say it."""
    try:
        return round(parsedate_to_datetime(seen.exchange.response_headers["date"]).timestamp() * 1000)
    except (KeyError, ValueError):
        return None


RULES = (job_fits_together, times_have_been)
