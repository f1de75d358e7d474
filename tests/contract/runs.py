"""One run of schemathesis over a document, and what it did: its findings, its exchanges, its speed."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import documents
from .operations import operations
from .service import Service

__all__ = [
    "CALLS",
    "CHAINS",
    "REPORTS",
    "SHARES",
    "SIGNED",
    "Outcome",
    "leads_astray",
    "rejected_too_often",
    "run",
    "table",
]

ROOT = Path(__file__).parents[2]
# Each process of pytest-xdist has a folder of its own.
REPORTS = Path(os.environ.get("CONTRACT_REPORTS") or ROOT / ".cache" / "contract")
REPORTS /= os.environ.get("PYTEST_XDIST_WORKER", "")
# The phases in two runs that can go side by side: calls of single operations, and chains of calls.
CALLS = ("--phases", "examples,coverage,fuzzing")
CHAINS = ("--phases", "stateful")
# Other logins than the token take few calls of each operation.
SIGNED = ("--phases", "examples,fuzzing", "--max-examples", "2")
CHAIN_EXAMPLES = {"iam": 10, "v1": 30, "v2": 30}  # runs of up to 20 steps; IAM has three links to follow
# Against a real service: no made-up credentials, and the guard may wait before it sends a request.
GUARDED = ("--exclude-checks", "ignored_auth", "--request-timeout", "600")


# The share of well-formed requests about existing things that must succeed. It is less for calls whose conditions and
# optional members have rules that no schema states; chains call these with less luck, and are not counted.
SHARE = 0.9
CHANCE = 0.01  # a share that is lower than this by chance alone says nothing: few requests of a run may be such
SHARES = {
    "v1.listTrainingJobConfigs": 0.7,
    "v1.listTrainingJobs": 0.6,
    "v1.listVisualizationJobs": 0.6,
    "v1.showTrainingJobConfig": 0.6,
    "v1.showTrainingJobLog": 0.9,
    "v2.createAlgorithm": 0.3,
    "v2.createTrainingJob": 0.45,
    "v2.listAlgorithms": 0.6,
    "v2.listTrainingJobEvents": 0.45,
    "v2.listTrainingJobs": 0.45,
}


@dataclass(frozen=True)
class Outcome:
    """What one run did: its exit status, its text, its findings, and every exchange."""

    name: str
    exit_status: int
    output: str
    report: dict[str, Any]
    record: list[dict[str, Any]]
    began: float
    ended: float

    @property
    def findings(self) -> set[str]:
        """The kinds of failures; for a check of our own, its name."""
        return set(map(kind, self.report["failures"]))

    def findings_of(self, label: str) -> set[str]:
        """The kinds of failures of one operation (`GET /path`)."""
        return {kind(failure) for failure in self.report["failures"] if label in failure["operations"]}

    @property
    def failures(self) -> int:
        """How many failures were found; a run that broke off counts as one."""
        return max(len(self.report["failures"]), int(self.exit_status != 0))

    def exchanges(self) -> Iterator[tuple[str, str | None, int]]:
        """Yield for every response: the operation (`GET /path`), the link that led there if one did, and the status."""
        for line in self.record:
            if "operation" in line:
                yield line["operation"], line.get("link"), line["status"]

    def cases(self) -> Counter[str]:
        """How many cases each phase sent, how many got a response, and how many were checked."""
        return Counter(line["phase"] for line in self.record if line.get("checks"))

    def seconds(self) -> dict[str, float]:
        """How long each phase took that sent anything."""
        taken = {line["phase"]: line["seconds"] for line in self.record if "seconds" in line}
        return {phase: taken[phase] for phase in self.cases()}


def rejected_too_often(document: str, outcomes: Iterable[Outcome]) -> dict[str, str]:
    """The operations that reject more requests than they may, by id, with how many succeeded of how many."""
    lines = [line for outcome in outcomes for line in outcome.record if line.get("grounded")]
    found = {}
    for id_, operation in operations(document).items():
        mine = [line for line in lines if line["operation"] == operation.label]
        share = SHARES.get(f"{document}.{id_}")
        if share is not None:
            mine = [line for line in mine if line["phase"] != "stateful"]
        accepted = sum(200 <= line["status"] < 400 for line in mine)
        if chance_of_fewer(accepted, len(mine), share or SHARE) < CHANCE:
            found[id_] = f"{accepted} of {len(mine)} succeeded"
    return found


def chance_of_fewer(accepted: int, tried: int, share: float) -> float:
    """The probability that at most this number of requests succeed if the share is the probability of each."""
    return sum(math.comb(tried, count) * share**count * (1 - share) ** (tried - count) for count in range(accepted + 1))


def kind(failure: dict[str, Any]) -> str:
    own = "Custom check failed: "
    title, type_ = str(failure["title"]), str(failure["type"])
    return title.removeprefix(own).strip("`") if title.startswith(own) else type_


def guarded_options(service: Service, document: str) -> list[str]:
    """Options for a real service: they leave out logins, and if we only read, whatever changes something."""
    options = [*GUARDED, *os.environ.get("CONTRACT_OPTIONS", "").split()]
    for operation in operations(document).values():
        if operation.kind == "login" or not (service.writable or operation.kind == "read"):
            options += ["--exclude-operation-id", operation.operation_id]
    return options


def leads_astray(document: str, source: str, link: dict[str, Any]) -> bool:
    """Whether a link leads from what was read to a change: the first of a list can be somebody else's."""
    by_id = operations(document)
    return by_id[source].kind == "read" and by_id[link["operationId"]].kind != "read"


def fitted(service: Service, name: str) -> dict[str, Any]:
    """The document, without what schemathesis must not see.

    For our own emulator these are the `default` responses, for it gives none that the document does not spell out;
    for a real service the links that lead from what was read to a change.
    """
    document = documents.load(name)
    for operation in each(document):
        if not service.is_real:
            operation["responses"].pop("default", None)
        for response in operation["responses"].values() if service.is_real else ():
            links = response.get("links", {})
            for link in [link for link in links if leads_astray(name, operation["operationId"], links[link])]:
                del links[link]
    return document


def each(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in document["paths"].values():
        yield from (operation for operation in path.values() if isinstance(operation, dict))


def run(service: Service, folder: Path, name: str, document: str, *options: str, url: str | None = None) -> Outcome:
    """Run schemathesis with schemathesis.toml over the document; JUnit and text go to .cache under the name.

    RuntimeError if schemathesis does not get as far as a report.
    """
    REPORTS.mkdir(parents=True, exist_ok=True)
    (folder / "openapi.json").write_text(json.dumps(fitted(service, document)))
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(ROOT / "schemathesis.toml"), "run"]
    command += [str(folder / "openapi.json"), "--url", url or service.url_of(document), "--no-color"]
    command += ["--report", "junit,json", "--report-junit-path", str(REPORTS / f"{name}.xml")]
    command += ["--report-json-path", str(folder / "report.json")]
    if options[: len(CHAINS)] == CHAINS:
        command += ["--max-examples", str(CHAIN_EXAMPLES[document])]
    command += options
    if service.is_real:
        command += guarded_options(service, document)
    environment = {
        **service.environment,
        "CONTRACT_DOCUMENT": document,
        "CONTRACT_RECORD": str(folder / "record.jsonl"),
        "CONTRACT_STAND_INS": json.dumps(service.stand_ins),
        "CONTRACT_CHAINS_ONLY": str(int(options[: len(CHAINS)] == CHAINS)),
        "CONTRACT_GUARDED": str(int(service.is_real)),
        "CONTRACT_READ_ONLY": str(int(not service.writable)),
        "CONTRACT_PREFIX": service.prefix,
        "CONTRACT_TOKEN": service.token,
        "CONTRACT_SIGNATURE": service.signature,
        "CONTRACT_LOGIN": json.dumps(service.login_body),
    }
    began = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    ended, text = time.monotonic(), done.stdout + done.stderr
    (REPORTS / f"{name}.txt").write_text(text)
    if not (folder / "report.json").exists():
        raise RuntimeError(f"schemathesis did not run:\n{text[-6000:]}")
    report = json.loads((folder / "report.json").read_text())
    record = [json.loads(line) for line in (folder / "record.jsonl").read_text().splitlines()]
    return Outcome(name, done.returncode, text, report, record, began, ended)


def table(outcomes: Iterable[Outcome]) -> str:
    """Cases that were sent and checked, per run and phase and in all; the last line is about the time on the wall."""
    outcomes = list(outcomes)
    wall = max(outcome.ended for outcome in outcomes) - min(outcome.began for outcome in outcomes)
    whole = sum(outcome.cases().total() for outcome in outcomes)
    lines = [f"{'run':<16} {'phase':<10} {'cases':>7} {'seconds':>8} {'cases/s':>8}"]
    for outcome in outcomes:
        for phase, seconds in outcome.seconds().items():
            lines.append(row(outcome.name, phase, outcome.cases()[phase], seconds))
    return "\n".join([*lines, row("all", f"{os.cpu_count()} cores", whole, wall)])


def row(name: str, phase: str, cases: int, seconds: float) -> str:
    return f"{name:<16} {phase:<10} {cases:>7} {seconds:>8.1f} {cases / seconds:>8.0f}"
