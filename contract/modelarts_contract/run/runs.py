"""One process of schemathesis over a document."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import platformdirs

from modelarts_contract.documents import Operation, each, load, operations, overlay, resolve

from .outcome import Outcome
from .service import Service

__all__ = ["CALLS", "CHAINS", "SEED", "run"]

CONFIG = Path(__file__).with_name("schemathesis.toml")
HOOKS = "modelarts_contract.run.hooks"
SEED = 20250801
# The phases in two runs that can go side by side: calls of single operations, and chains of calls.
CALLS = ("--phases", "examples,coverage,fuzzing")
CHAINS = ("--phases", "stateful")
CHAIN_EXAMPLES = 30  # runs of up to 20 steps, unless the overlay has another number
# A real service is read: no thousands of values of each parameter, and few chains.
READ = ("--phases", "examples,fuzzing")
# Against a real service: no made-up credentials, and the guard may wait before it sends a request.
GUARDED = ("--exclude-checks", "ignored_auth", "--request-timeout", "600", "--max-examples", "1")


def is_left_out(service: Service, operation: Operation) -> bool:
    """Whether schemathesis sends nothing to it: at a service, all that does not read, or had no success so far."""
    if not service.is_real:
        return operation.not_emulated is not None
    return operation.kind != "read" or operation.label not in service.found


def fitted(service: Service, name: str) -> dict[str, Any]:
    """The document, without what schemathesis must not see: links to operations that the run leaves out.

    For our own emulator these are also the `default` responses, for it gives none that the document does not spell out.
    """
    document = copy.deepcopy(load(name))
    by_id = operations(name)
    for operation in each(document):
        if not service.is_real:
            operation["responses"].pop("default", None)
        for response in operation["responses"].values():
            followed = {
                link: entry
                for link, entry in response.get("links", {}).items()
                if not is_left_out(service, by_id[resolve(document, entry)["operationId"]])
            }
            response |= {"links": followed} if "links" in response else {}
    return document


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
    baseline: Path | None = None,
    thorough: bool = False,
) -> Outcome:
    """Run schemathesis over the document, in a new folder of this name.

    RuntimeError if schemathesis does not get as far as a report.
    """
    folder = folder.resolve() / name  # schemathesis works in a folder of its own
    baseline = baseline and baseline.resolve()
    folder.mkdir(parents=True)
    (folder / "openapi.json").write_text(json.dumps(fitted(service, document)))
    (folder / CONFIG.name).write_text(configuration(document, service.found if service.is_real else {}))
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(folder / CONFIG.name), "run"]
    command += [str(folder / "openapi.json"), "--url", url or service.url_of(document), "--no-color"]
    command += ["--report", "json"]
    command += ["--report-json-path", str(folder / "report.json")]
    if options[: len(CHAINS)] == CHAINS:
        command += ["--max-examples", str(overlay(document).get("chains", CHAIN_EXAMPLES))]
    command += ["--seed", str(seed), *options]
    if baseline:
        command += ["--baseline", str(baseline)]
    command += GUARDED if service.is_real else ()
    for id_, operation in operations(document).items():
        command += ("--exclude-operation-id", id_) if is_left_out(service, operation) else ()
    # A signature is about the service's own host: nothing may stand in front of it.
    forms = overlay(document).get("signatures", []) if url is None and not service.is_real else []
    environment = {
        **service.environment,
        "SCHEMATHESIS_HOOKS": HOOKS,
        # What hypothesis knows of Unicode takes seconds to make anew.
        "HYPOTHESIS_STORAGE_DIRECTORY": str(platformdirs.user_cache_path("modelarts-toolkit") / "hypothesis"),
        # Everything goes to this machine: without it, requests searches the environment for a proxy for every call.
        "NO_PROXY": "127.0.0.1",
        "CONTRACT_DOCUMENT": str(folder / "openapi.json"),
        "CONTRACT_URL": service.url_of(document),
        "CONTRACT_RECORD": str(folder / "record.jsonl"),
        "CONTRACT_STAND_INS": json.dumps(service.stand_ins),
        "CONTRACT_CHAINS_ONLY": str(int(options[: len(CHAINS)] == CHAINS)),
        "CONTRACT_GUARDED": str(int(service.is_real)),
        "CONTRACT_PREFIX": service.prefix,
        "CONTRACT_TOKEN": service.token,
        "CONTRACT_SEED": str(seed),
        "CONTRACT_THOROUGH": str(int(thorough)),
        "CONTRACT_SIGNATURES": json.dumps(forms),
        "CONTRACT_LOGIN": json.dumps(service.login_body),
        **({"CONTRACT_BASELINE": str(baseline)} if baseline else {}),
    }
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    ended, text = time.monotonic(), done.stdout + done.stderr
    if not (folder / "report.json").exists():
        raise RuntimeError(f"schemathesis did not run:\n{text[-6000:]}")
    record = [json.loads(line) for line in (folder / "record.jsonl").read_text().splitlines()]
    return Outcome(name, done.returncode, text, record, began, ended)
