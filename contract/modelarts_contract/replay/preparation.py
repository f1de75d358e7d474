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
EXIT_CODES = {"Completed": 0, "Failed": 1}  # by the final phase of a job
COMPLETED = 10  # the status of a completed version of version 1


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
    """How long each job ran that a response shows after its end, and with which exit code, as plans of the emulator."""
    plans = {}
    for exchange in exchanges:
        if exchange.status < 400:
            for plan in ended(json_of(exchange.response_body)):
                plans[plan["job"]] = plan
    return list(plans.values())


def ended(shown: Any) -> Iterator[dict[str, Any]]:
    if isinstance(shown, list):
        for child in shown:
            yield from ended(child)
    if not isinstance(shown, dict):
        return
    yield from (plan for child in shown.values() for plan in ended(child))
    metadata, status = shown.get("metadata"), shown.get("status")
    if isinstance(metadata, dict) and isinstance(status, dict) and status.get("phase") in EXIT_CODES:
        yield plan_of(metadata.get("name"), status.get("duration"), EXIT_CODES[status["phase"]])
    elif status == COMPLETED and "job_name" in shown:
        yield plan_of(shown["job_name"], shown.get("duration"), 0)


def plan_of(name: Any, duration_ms: Any, exit_code: int) -> dict[str, Any]:
    seconds = duration_ms / 1000 if isinstance(duration_ms, int) else 0
    return {"job": str(name), "duration": max(seconds, 0), "exit_code": exit_code}
