"""Rules about what one response says twice: counts, what it repeats of the request, times and tasks of a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from .documents import resolve
from .seen import Seen, dig, texts, whole
from .validation import Finding, Kind

__all__ = ["counts_fit", "errors_say_why", "job_fits_together", "nothing_is_listed_twice", "request_is_repeated"]

CLOCK_MS = 60_000  # how far the clocks of a service may be apart
SHORT_MS = 600_000  # a running job that is younger says too little about the unit of its duration
FACTOR = 100  # between a duration and the time since the start, if they have different units


def counts_fit(seen: Seen, _: object) -> Iterator[Finding]:
    """A number that counts a list of the response (`x-counts`) is the length of that list."""
    if not seen.is_success or not isinstance(seen.shown, dict):
        return
    for name, schema in resolve(seen.operation.document, seen.schema or {}).get("properties", {}).items():
        place = resolve(seen.operation.document, schema).get("x-counts") or schema.get("x-counts")
        number, counted = whole(seen.shown.get(name)), dig(seen.shown, place) if place else None
        if number is not None and isinstance(counted, list) and number != len(counted):
            yield Finding.of(seen, Kind.TOTAL, f"{name} is {number}, and {place} has {len(counted)} entries", name)


def nothing_is_listed_twice(seen: Seen, _: object) -> Iterator[Finding]:
    """A list without pages has each entry once."""
    place = "" if seen.operation.pagination else seen.operation.contract.get("item-id", "")
    if place and seen.is_success and isinstance(seen.shown, dict):
        entries = next((value for value in seen.shown.values() if isinstance(value, list)), [])
        ids = [str(dig(entry, place)) for entry in entries]
        for twice in sorted({each for each in ids if ids.count(each) > 1}):
            yield Finding.of(seen, Kind.PAGES, f"the list shows {twice} twice")


def errors_say_why(seen: Seen, _: object) -> Iterator[Finding]:
    """An error with a code has a message, too."""
    if seen.exchange.status < 400 or not isinstance(seen.shown, dict) or "error_code" not in seen.shown:
        return
    if not any(seen.shown.get(name) for name in ("error_msg", "error_message")):
        yield Finding.of(seen, Kind.MISSING_FIELD, "the error has a code, and no message", "error_msg")


def request_is_repeated(seen: Seen, _: object) -> Iterator[Finding]:
    """What a response repeats of its path, or of the settings of a page, is as it was sent."""
    if not seen.is_success or not isinstance(seen.shown, dict):
        return
    settings = {name: value for name, value in seen.given.items() if seen.operation.pagination}
    for name, value in {**settings, **seen.path}.items():
        shown = seen.shown.get(name)
        if isinstance(shown, str | int) and shown != "" and isinstance(value, str | int) and str(shown) != str(value):
            yield Finding.of(seen, Kind.IDENTITY, f"{name} was sent as {value!r}, and {shown!r} is shown", name)


def job_fits_together(seen: Seen, _: object) -> Iterator[Finding]:
    """A job does not start before it was created, nor run longer than since then; its tasks are those that it lists."""
    for _paths, shown in seen.things:
        if isinstance(shown, Mapping):
            yield from times_fit(seen, shown)
            yield from tasks_fit(seen, shown)


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


def tasks_fit(seen: Seen, shown: Mapping[str, Any]) -> Iterator[Finding]:
    tasks, statuses = dig(shown, "status.tasks"), dig(shown, "status.task_statuses")
    if not isinstance(tasks, list) or not isinstance(statuses, list):
        return
    unknown = sorted({str(dig(each, "task")) for each in statuses} - set(texts(tasks)))
    if unknown:
        message = f"task_statuses has {unknown[0]}, and tasks has {', '.join(texts(tasks)) or 'none'}"
        yield Finding.of(seen, Kind.IDENTITY, message, "status.task_statuses")
