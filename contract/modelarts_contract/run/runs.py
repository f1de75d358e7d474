"""One process of schemathesis over a document."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

from modelarts_contract.documents import Operation, load, operations
from modelarts_contract.expressions import fingerprint
from modelarts_contract.run.outcome import RECORD, Outcome, read
from modelarts_contract.run.service import SUBJECT, Service
from modelarts_documents.keys import copied
from modelarts_documents.schema import operations as written_in
from modelarts_documents.schema import resolve

__all__ = ["CALLS", "SEED", "Processes", "RunError", "run"]

CONFIG = Path(__file__).with_name("schemathesis.toml")
HOOKS = "modelarts_contract.run.hooks"
SEED = 20250801
# Little else: for every call, `requests` searches the whole environment for a proxy.
VARIABLES = ("PATH", "HOME", "TMPDIR", "LANG", "VIRTUAL_ENV")
CALLS = ("--phases", "examples,coverage,fuzzing")
WHOLE_DEPTH = 3  # of places in a body whose members are all tried: the operation, and its outermost members
CLOSING = ("additionalProperties", "unevaluatedProperties")
KEPT = 3  # every third of the members further inside is tried
# A real service is read: no thousands of values of each parameter.
READ = ("--phases", "examples,fuzzing")
# Against a real service: no made-up credentials, and the guard may wait before it sends a request.
GUARDED = ("--exclude-checks", "ignored_auth", "--request-timeout", "600", "--max-examples", "1")


def is_left_out(service: Service, operation: Operation) -> bool:
    """Whether schemathesis sends nothing to it: at a service, all that does not read, or had no success so far.

    A token that schemathesis makes up would be a rejected login there.
    """
    is_unknown = operation.label not in service.found or SUBJECT in operation.parameters("header")
    return service.reason_to_skip(operation) is not None or (service.is_real and is_unknown)


class RunError(Exception):
    """Why schemathesis has tried nothing."""


class Processes:
    """The processes of a run, which end with it."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._mutex = threading.Lock()
        self._is_ended = False

    def run(self, command: list[str], **options: Any) -> tuple[int, str]:
        """Run a process to its end; return its exit status and its output."""
        with self._mutex:
            if self._is_ended:
                return 1, "the run has ended"
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
            self._running.add(process)
        try:
            said, _ = process.communicate()
            return process.returncode, said
        finally:
            process.kill()
            self._running.discard(process)

    def end(self) -> None:
        """End those that run, and start no more."""
        with self._mutex:
            self._is_ended = True
            for process in self._running:
                process.kill()


def fitted(service: Service, name: str, seed: int, *, thorough: bool = True) -> dict[str, Any]:
    """The document as schemathesis gets it.

    Our own emulator has no `default` responses: it gives none that the document does not spell out.
    Unless the run is thorough, large bodies have some of their optional members only, others under another seed.
    """
    document = copied(load(name))
    for *_, operation in written_in(document):
        if not service.is_real:
            operation["responses"].pop("default", None)
        content = resolve(document, operation.get("requestBody", {})).get("content", {})
        if not thorough and content:
            pruned_content = {
                media: {**found, "schema": pruned(document, found.get("schema", {}), [seed, operation["operationId"]])}
                for media, found in content.items()
            }
            operation["requestBody"] = {**resolve(document, operation["requestBody"]), "content": pruned_content}
    return document


def pruned(document: Mapping[str, Any], schema: Any, place: list[Any], above: tuple[str, ...] = ()) -> Any:
    """The schema with the required and some of the optional members of inner objects, and without references.

    One to a schema that it is in stays. An object that lacks some members takes others, so that a body which has them
    is not malformed.
    """
    reference = schema.get("$ref", "") if isinstance(schema, Mapping) else ""
    if reference in above or not isinstance(schema, Mapping):
        return schema
    above = (*above, reference) if reference else above
    found = dict(resolve(document, schema))
    if "properties" in found:
        members, required = found["properties"], found.get("required", ())
        found["properties"] = {
            name: pruned(document, inner, [*place, name], above)
            for name, inner in members.items()
            if len(place) < WHOLE_DEPTH or name in required or fingerprint([*place, name]) % KEPT == 0
        }
        if len(found["properties"]) < len(members):
            found = {key: value for key, value in found.items() if key not in CLOSING}
    if "items" in found:
        found["items"] = pruned(document, found["items"], [*place, 0], above)
    return found


def configuration(document: str, found: Mapping[str, Any]) -> str:
    """The settings of schemathesis, with the statuses that overlays expect, and with paths that exist."""
    tables = [CONFIG.read_text("utf-8")]
    for id_, operation in operations(document).items():
        lines = []
        if statuses := operation.contract.get("statuses"):
            lines.append(f"checks.positive_data_acceptance.expected-statuses = {json.dumps(statuses)}")
        for name, value in found.get(operation.label, {}).items():
            lines.append(f"parameters.{json.dumps(f'path.{name}')} = {json.dumps(str(value))}")
        if lines:
            tables.append("\n".join(["[[operations]]", f"include-operation-id = {json.dumps(id_)}", *lines]))
    return "\n\n".join(tables)


def run(
    service: Service,
    folder: Path,
    name: str,
    document: str,
    *options: str,
    seed: int = SEED,
    url: str | None = None,
    hooks: Path | None = None,
    thorough: bool = False,
    processes: Processes | None = None,
) -> Outcome:
    """Run schemathesis over the document, in a new folder of this name.

    RunError if schemathesis does not start.
    """
    folder = folder.resolve() / name  # schemathesis works in a folder of its own
    folder.mkdir(parents=True)
    (folder / "openapi.json").write_text(json.dumps(fitted(service, document, seed, thorough=thorough)))
    (folder / CONFIG.name).write_text(configuration(document, service.found if service.is_real else {}))
    command = [sys.executable, "-m", "schemathesis.cli", "run", "openapi.json"]
    command += ["--url", url or service.url_of(document), "--no-color"]
    command += ["--seed", str(seed), *options]
    command += GUARDED if service.is_real else ()
    for id_, operation in operations(document).items():
        command += ("--exclude-operation-id", id_) if is_left_out(service, operation) else ()
    environment = {
        **{name: os.environ[name] for name in VARIABLES if name in os.environ},
        **service.environment,
        "SCHEMATHESIS_HOOKS": HOOKS,
        # What hypothesis knows of Unicode takes seconds to make anew.
        "HYPOTHESIS_STORAGE_DIRECTORY": str(platformdirs.user_cache_path("modelarts-toolkit") / "hypothesis"),
        # Everything goes to this machine: without it, requests searches the environment for a proxy for every call.
        "NO_PROXY": "127.0.0.1",
        "CONTRACT_RUN": json.dumps(
            {
                "scope": {
                    "known": service.stand_ins,
                    "token": service.token,
                    "login": service.login_body,
                    "iam_endpoint": service.environment.get("MODELARTS_IAM_ENDPOINT"),
                },
                "prefix": service.prefix,
                "is_real": service.is_real,
                "seed": seed,
                "thorough": thorough,
                "hooks": str(hooks.resolve()) if hooks else None,
            }
        ),
    }
    status, text = (processes or Processes()).run(command, cwd=folder, env=environment)
    if not (folder / RECORD).exists():
        if hooks and (reasons := re.findall(r"^\w+(?:Error|Exception)\b.*", text, re.MULTILINE)):
            raise RunError(f"{hooks} cannot be loaded: {reasons[-1]}")
        raise RunError(f"schemathesis did not run:\n{text[-6000:]}")
    return Outcome(name, status, text, [*read(folder / RECORD)])
