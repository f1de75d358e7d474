"""What has to exist before a recording is played: objects that its requests name, and the course of its jobs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from modelarts_contract.exchange import Exchange

from .values import json_of, named_texts

__all__ = ["job_plans", "object_paths"]

OBJECT_PATH = re.compile(r"(?:(?:obs|s3):/)?/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/(.*)")
OBJECT_FIELDS = frozenset({"code_dir", "boot_file", "obs_url", "app_url", "boot_file_url", "data_url", "train_url"})
PLACEHOLDER = "placeholder.txt"  # makes a folder exist
# By the final phase of a job that ended by itself, and by its status in version 1.
EXIT_CODES: dict[Any, int] = {"Completed": 0, "Failed": 1, 10: 0, 11: 1}
UNTIL_STOPPED_S = 30 * 24 * 3600.0


def object_paths(exchanges: Iterable[Exchange]) -> set[tuple[str, str]]:
    """Bucket and key of each object that requests name, and of one in each folder that they name."""
    found = set()
    for exchange in exchanges:
        for name, text in named_texts(json_of(exchange.request_body)):
            if name in OBJECT_FIELDS and (path := OBJECT_PATH.fullmatch(text)):
                bucket, key = path.groups()
                found.add((bucket, key + PLACEHOLDER if not key or key.endswith("/") else key))
    return found


def job_plans(exchanges: Iterable[Exchange]) -> list[dict[str, Any]]:
    """How long each job of the responses ran and with which exit code, as plans of the emulator.

    A job that is never shown after its end runs on until it is stopped.
    """
    plans = {}
    for exchange in exchanges:
        if exchange.status < 400:
            for plan in shown_plans(json_of(exchange.response_body)):
                plans[plan["job"]] = plan
    return list(plans.values())


def shown_plans(shown: Any) -> Iterator[dict[str, Any]]:
    if isinstance(shown, list):
        for child in shown:
            yield from shown_plans(child)
    if not isinstance(shown, dict):
        return
    yield from (plan for child in shown.values() for plan in shown_plans(child))
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
