"""One run of schemathesis over a document, and what it did: its findings, its exchanges, its speed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import modelarts_openapi

from .service import OURS, Service

__all__ = ["CALLS", "CHAINS", "REPORTS", "Outcome", "run", "table"]

ROOT = Path(__file__).parents[2]
REPORTS = ROOT / ".cache" / "contract"
# The phases in two runs that can go side by side: calls of single operations, and chains of calls.
CALLS = ("--phases", "examples,coverage,fuzzing")
CHAINS = ("--phases", "stateful")
READ_ONLY_POSTS = {"createToken", "listTrainingJobs"}


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
        """Yield for every answer: the operation (`GET /path`), the link that led there if one did, and the status."""
        for line in self.record:
            if "operation" in line:
                yield line["operation"], line.get("link"), line["status"]

    def cases(self) -> Counter[str]:
        """How many cases each phase sent, got answered and checked."""
        return Counter(line["phase"] for line in self.record if line.get("checks"))

    def seconds(self) -> dict[str, float]:
        """How long each phase took that sent anything."""
        taken = {line["phase"]: line["seconds"] for line in self.record if "seconds" in line}
        return {phase: taken[phase] for phase in self.cases()}


def kind(failure: dict[str, Any]) -> str:
    own = "Custom check failed: "
    title, type_ = str(failure["title"]), str(failure["type"])
    return title.removeprefix(own).strip("`") if title.startswith(own) else type_


def read_only_options(document: str) -> list[str]:
    """Options that leave out every operation which changes something."""
    options = []
    for path in modelarts_openapi.load(document)["paths"].values():
        for method, operation in path.items():
            if method in {"post", "put", "patch", "delete"} and operation["operationId"] not in READ_ONLY_POSTS:
                options += ["--exclude-operation-id", operation["operationId"]]
    return options


def exact(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out the `default` answers for our own emulator: it gives none that the document does not spell out."""
    if OURS:
        for path in document["paths"].values():
            for operation in path.values():
                if isinstance(operation, dict):
                    operation["responses"].pop("default", None)
    return document


def run(service: Service, folder: Path, name: str, document: str, *options: str, url: str | None = None) -> Outcome:
    """Run schemathesis with schemathesis.toml over the document; JUnit and text go to .cache under the name.

    RuntimeError if schemathesis does not get as far as a report.
    """
    REPORTS.mkdir(parents=True, exist_ok=True)
    (folder / "openapi.json").write_text(json.dumps(exact(modelarts_openapi.load(document))))
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(ROOT / "schemathesis.toml"), "run"]
    command += [str(folder / "openapi.json"), "--url", url or service.url_of(document), "--no-color"]
    command += ["--report", "junit,json", "--report-junit-path", str(REPORTS / f"{name}.xml")]
    command += ["--report-json-path", str(folder / "report.json"), *options]
    if not service.writable:
        command += read_only_options(document)
    environment = {
        **service.environment,
        "CONTRACT_DOCUMENT": document,
        "CONTRACT_RECORD": str(folder / "record.jsonl"),
        "CONTRACT_STAND_INS": json.dumps(service.stand_ins),
        "CONTRACT_CHAINS_ONLY": str(int(options[: len(CHAINS)] == CHAINS)),
        "CONTRACT_READ_ONLY": "0" if service.writable else "1",
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
