"""A run: what it reads and writes, every document's calls, and the result of all."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from modelarts_contract import har
from modelarts_contract.documents import operations
from modelarts_contract.exchange import Exchange
from modelarts_contract.redaction import Redaction
from modelarts_contract.run import evidence
from modelarts_contract.run.assumptions import Assumption, judged
from modelarts_contract.run.collecting import collected
from modelarts_contract.run.emulated import serving
from modelarts_contract.run.evidence import EVIDENCE
from modelarts_contract.run.judging import Judge
from modelarts_contract.run.outcome import Outcome
from modelarts_contract.run.plan import Plan
from modelarts_contract.run.reading import Reader
from modelarts_contract.run.result import PromiseResult, Result
from modelarts_contract.run.runs import CALLS, READ, Processes, is_left_out, run
from modelarts_contract.run.service import Service
from modelarts_contract.run.story import Story

__all__ = ["HAR", "tried"]

CODE = "/contract/code/"  # in the object storage of the emulator of a run
HAR = "session.har"  # what the run itself read and wrote

Say = Callable[[str], None]


class ContractRun:
    """One run: `say` gets what was done and the next step, `folder` keeps the output of schemathesis.

    The service is there once it begins.
    """

    def __init__(self, plan: Plan, folder: Path, say: Say) -> None:
        self.plan, self.folder, self.say = plan, folder, say
        self.service: Service | None = None
        self.began, self.processes, self.redaction = time.monotonic(), Processes(), Redaction()
        chosen = set(plan.operations)
        self.names = [name for name in plan.documents if not chosen or chosen & set(operations(name))]
        self.stories: list[PromiseResult] = []
        self.outcomes: dict[str, list[Outcome]] = {name: [] for name in self.names}
        self.redacted: list[Exchange] = []
        self.assumptions: list[Assumption] = []

    def read(self, service: Service, code_dir: str | None) -> dict[str, Any]:
        """Read existing things, and write where there is code to run; returns what exists, by operation."""
        with Judge(service, self.plan.documents) as judge:
            reader = Reader(judge, self.plan.operations)
            try:
                reader.run()
                if code_dir is not None and not self.plan.operations:
                    say = self.say if service.is_real else lambda _: None
                    self.stories += Story(judge, code_dir, say).run(self.plan.documents)
            finally:
                # What the guard says of a missing response is not the service's.
                seen = [
                    each if each.status else dataclasses.replace(each, response_body=b"") for each in judge.exchanges
                ]
                self.redacted = list(map(self.redaction, seen))
                har.write(self.folder / HAR, self.redacted)
                if service.is_real:
                    self.assumptions = judged(seen, judge.documents.names)
                for name, outcome in judge.outcomes().items():
                    self.add(name, outcome)
            return reader.existing()

    def add(self, name: str, outcome: Outcome) -> None:
        if count := sum(each.checks > 0 for each in outcome.responses):
            self.say(f"{outcome.name}: {count} responses checked")
        self.outcomes.setdefault(name, []).append(outcome)

    def run(self, service: Service, code_dir: str | None) -> None:
        """Read, write, then call."""
        self.service, self.began = service, time.monotonic()
        self.service = dataclasses.replace(service, found=self.read(service, code_dir))
        self.call_all(self.service)

    def emulator(self) -> AbstractContextManager[Service]:
        """An emulator that is started for the run."""
        folder = self.folder / "emulator"
        folder.mkdir()
        return serving(folder, self.names)

    def call_all(self, service: Service) -> None:
        """Let schemathesis call the operations, in as many processes at a time as there are cores; a real one's in one.

        The documents with the most operations come first, so that the processes end together.
        """
        names = sorted(self.names, key=lambda name: len(operations(name)), reverse=True)
        with ThreadPoolExecutor(1 if service.is_real else os.cpu_count()) as pool:
            try:
                list(pool.map(partial(self.call, service), names))
            except BaseException:
                self.processes.end()
                raise

    def call(self, service: Service, document: str) -> None:
        """Call each operation for itself, if there is one that can be called."""
        if service.trouble is not None or all(is_left_out(service, each) for each in operations(document).values()):
            return
        only = [part for id_ in self.plan.operations for part in ("--include-operation-id", id_)]
        options: dict[str, Any] = {"hooks": self.plan.hooks, "thorough": self.plan.thorough}
        options |= {"seed": self.plan.seed, "processes": self.processes}
        phases = READ if service.is_real else CALLS
        self.add(document, run(service, self.folder, f"{document}-calls", document, *phases, *only, **options))


def tried(
    plan: Plan,
    service: Service | None,
    folder: Path,
    code_dir: str | None = None,
    say: Say = lambda _: None,
) -> Result:
    """Follow the plan: read existing things, write, and let schemathesis make cases.

    At a service, a run writes if there is code to run there.

    Without a service, on an emulator of its own. Whatever the service responds, there is a result; its `trouble`
    says why nothing more could be sent. Raises KeyboardInterrupt where that comes before an emulator has started.
    """
    started_at, is_interrupted = datetime.now(UTC), False
    whole = ContractRun(plan, folder, say)
    try:
        with nullcontext(service) if service is not None else whole.emulator() as found:
            whole.run(found, CODE if service is None else code_dir)
    except KeyboardInterrupt:
        is_interrupted = True
    finally:
        whole.processes.end()
    if whole.service is None:
        raise KeyboardInterrupt
    outcomes = {name: whole.outcomes[name] for name in whole.names}
    took = started_at, time.monotonic() - whole.began
    result = collected(
        plan, whole.service, outcomes, whole.stories, *took, whole.redaction, is_interrupted=is_interrupted
    )
    if not whole.service.is_real:
        return result
    result = dataclasses.replace(result, assumptions=whole.assumptions)
    evidence.write(folder / EVIDENCE, result, whole.redacted, whole.redaction, whole.service.addresses)
    return result
