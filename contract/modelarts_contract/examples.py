"""Recorded exchanges as examples of the documents, and as seeds of the emulator."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .documents import Documents, Operation, resolve
from .exchange import Exchange
from .insertions import Insertion, entry_of_mapping, inserted
from .replay.preparation import object_paths
from .replay.values import json_of
from .sources import Sources
from .validation import Kind, Pointer, findings

__all__ = ["CASE", "ExampleError", "example_files", "seed_files"]

CASE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
BOOT = "print('a script of the recording')\n"
# The folders of seeds whose files are requests of these operations.
SEEDS = {
    ("v2", "createAlgorithm"): "algorithms",
    ("v2", "createTrainingJob"): "training-jobs",
    ("v1", "createTrainingJobConfig"): "v1-training-job-configs",
    ("v1", "createTrainingJob"): "v1-training-jobs",
}


class ExampleError(Exception):
    """The exchange cannot be an example or a seed; the message says why."""


@dataclass(frozen=True)
class Payload:
    """A body with the part of the document whose example it is."""

    name: str
    content: Any
    pointer: Pointer


def example_files(exchange: Exchange, case: str, openapi: Path, documents: Documents) -> dict[Path, str]:
    """The files that make examples of the bodies: one for each, and the file of the path, which names them.

    Raises ExampleError, also if a file exists already; SourcesError.
    """
    operation = accepted(exchange, documents)
    sources = Sources(openapi.resolve())
    made: dict[Path, str] = {}
    changes: dict[Path, set[Insertion]] = {}
    for payload in payloads(operation, exchange, case):
        file = sources.folder / operation.name / "examples" / f"{payload.name}.json"
        if file.exists():
            raise ExampleError(f"{file} exists already: choose another case than {case}")
        part = sources.find(operation.name, payload.pointer)
        if part is None or not part.file.is_relative_to(sources.folder / operation.name / "paths"):
            raise ExampleError(f"status {exchange.status} of {operation.operation_id} is shared with other operations")
        reference = {payload.name: {"value": {"$ref": os.path.relpath(file, part.file.parent)}}}
        listed = part.child("examples")
        place = list(entry_of_mapping(listed, reference) if listed else entry_of_mapping(part, {"examples": reference}))
        if not place:
            raise ExampleError(f"{part.file} has no place for an example in block style")
        changes.setdefault(part.file, set()).update(place)
        made[file] = json.dumps(payload.content, indent=2, ensure_ascii=False) + "\n"
    if not made:
        raise ExampleError(f"entry of {operation.operation_id} has no JSON in its bodies")
    return made | {file: inserted(file.read_text("utf-8"), texts) for file, texts in changes.items()}


def accepted(exchange: Exchange, documents: Documents) -> Operation:
    """The operation of the exchange; raises ExampleError if a document does not describe all of the exchange.

    A field that all other examples have may be missing: then the new example says so.
    """
    found = [finding for finding in findings(exchange, documents) if finding.kind is not Kind.MISSING_FIELD]
    if found:
        raise ExampleError(f"it is not as documented: {found[0].message}")
    match = documents.find(exchange.method, urlsplit(exchange.url).path)
    if match is None or not exchange.status:
        raise ExampleError("the recording has no response")
    return match[0]


def payloads(operation: Operation, exchange: Exchange, case: str) -> Iterator[Payload]:
    """The bodies that are JSON, each with the place of its examples."""
    name = f"{operation.operation_id}.{case}"
    request = json_of(exchange.request_body)
    if request is not None and exchange.status < 400:
        pointer = (*operation.pointer, "requestBody", "content", media(operation.definition["requestBody"], operation))
        yield Payload(name, request, pointer)
        name += "-response"
    response = json_of(exchange.response_body)
    responses = operation.definition["responses"]
    if response is not None and str(exchange.status) in responses:
        status = str(exchange.status)
        pointer = (*operation.pointer, "responses", status, "content", media(responses[status], operation))
        yield Payload(name, response, pointer)


def media(described: Mapping[str, Any], operation: Operation) -> str:
    content: Mapping[str, Any] = resolve(operation.document, described)["content"]
    return next(name for name in content if "json" in name)


def seed_files(exchange: Exchange, case: str, seeds: Path, documents: Documents) -> dict[Path, str]:
    """The files from which an emulator creates what the request created, with the objects that it names.

    Raises ExampleError, also if a file exists already.
    """
    operation = accepted(exchange, documents)
    folder = SEEDS.get((operation.name, operation.operation_id))
    if folder is None or exchange.status >= 400:
        raise ExampleError(f"{operation.operation_id} creates nothing that seeds can have")
    body = json_of(exchange.request_body)
    if (body.get("algorithm") or {}).get("id"):
        raise ExampleError("the job uses a stored algorithm: write its seed by hand, with @<file> as the id")
    file = seeds / folder / f"{case}.json"
    if file.exists():
        raise ExampleError(f"{file} exists already: choose another case than {case}")
    objects = {seeds / "objects" / bucket / key: BOOT for bucket, key in object_paths([exchange])}
    return {file: json.dumps(body, indent=2, ensure_ascii=False) + "\n", **objects}
