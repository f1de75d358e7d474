"""A run: every document's calls and chains of calls, what no single call shows, and the result of all."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

import modelarts_openapi
from modelarts_contract import har
from modelarts_contract.documents import operations
from modelarts_contract.redaction import Redaction

from .baseline import is_known
from .collecting import collected
from .completeness import missed_links
from .judging import Judge
from .outcome import Outcome
from .reading import Reader
from .result import PromiseResult, Result
from .runs import CALLS, CHAINS, READ, SEED, is_left_out, run
from .service import Service
from .story import Story

__all__ = ["SEED", "Plan", "outcomes", "tried"]

CHAIN_SEEDS = 4  # most runs of chains, until every link was followed
ROUND = 1_000_000  # between the seeds of two runs of chains, so that none repeats another one

Another = Callable[[], AbstractContextManager[Service]]
Note = Callable[[Outcome], None]


def ignore(_: Outcome) -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Plan:
    """What a run tries: these documents, or only these operations, with this seed.

    `baseline` is the file of known findings; `thorough` leaves out none of many like cases; `access` are the options
    of the command that say which service is tried, and how.
    """

    documents: tuple[str, ...] = modelarts_openapi.NAMES
    operations: tuple[str, ...] = ()
    seed: int = SEED
    baseline: Path | None = None
    thorough: bool = False
    access: tuple[str, ...] = ()

    def options(self) -> tuple[str, ...]:
        return tuple(part for id_ in self.operations for part in ("--include-operation-id", id_))

    def knows(self, identity: tuple[str, ...]) -> bool:
        """Whether the baseline lists a finding about the whole run."""
        return self.baseline is not None and is_known(self.baseline, identity)

    def chosen(self, document: str) -> bool:
        """Whether anything of the document is tried."""
        return not self.operations or bool(set(self.operations) & set(operations(document)))


def tried(
    plan: Plan,
    service: Service,
    another: Another,
    folder: Path,
    code_dir: str | None = None,
    note: Note = ignore,
    say: Callable[[str], None] = print,
) -> Result:
    """Try what the plan says: read what is there, write where there is code to run, and let schemathesis make cases.

    `folder` keeps what schemathesis says, `note` gets each outcome, `say` what is done next. Whatever the service
    responds, there is a result; its `trouble` says why nothing more could be sent.
    """
    started_at, began = datetime.now(UTC), time.monotonic()
    promises: list[PromiseResult] = []
    with Judge(service, plan.documents) as judge:
        reader = Reader(judge, plan.operations)
        try:
            reader.run()
            if code_dir is not None and not plan.operations:
                promises += Story(judge, code_dir, say).run(plan.documents)
        except httpx.HTTPError as problem:
            say(f"the run broke off: {problem}")
    har.write(folder / "session.har", map(Redaction(), judge.exchanges))
    read = judge.outcomes()
    for outcome in read.values():
        note(outcome)
    found, cpu_s = outcomes(plan, dataclasses.replace(service, found=reader.existing()), another, folder, note)
    whole = {name: [read[name], *found.get(name, [])] for name in plan.documents if plan.chosen(name)}
    return collected(plan, service, whole, promises, started_at, time.monotonic() - began, cpu_s)


def outcomes(
    plan: Plan, service: Service, another: Another, folder: Path, note: Note = ignore
) -> tuple[dict[str, list[Outcome]], float | None]:
    """Run schemathesis over every document: calls and chains, as many processes at a time as there are cores.

    Chains have an emulator to themselves: lists would lead them to what calls need. Runs at a real service go one by
    one, in this thread, so that an interrupt ends them.
    Returns the processor time of the emulators, in seconds, too; None for another service.
    """
    names = [name for name in plan.documents if plan.chosen(name)]
    if service.is_real:
        found = {}
        for name in names:
            if service.trouble is None and any(not is_left_out(service, each) for each in operations(name).values()):
                found[name] = [calls(plan, service, name, folder, note)]
        return found, None
    with ThreadPoolExecutor(os.cpu_count()) as pool, contextlib.ExitStack() as stack:
        services = [service]
        before = service.cpu_s() or 0.0
        called = {name: pool.submit(calls, plan, service, name, folder, note) for name in names}
        chained = {}
        if not plan.operations:
            services.append(stack.enter_context(another()))
            before += services[1].cpu_s() or 0.0
            chained = {name: pool.submit(chains, plan, services[1], name, folder, note) for name in names}
        found = {name: [called[name].result(), *(chained[name].result() if name in chained else [])] for name in names}
        return found, sum(one.cpu_s() or 0.0 for one in services) - before


def calls(plan: Plan, service: Service, document: str, folder: Path, note: Note) -> Outcome:
    """Call each operation for itself."""
    given: dict[str, Any] = {"seed": plan.seed, "baseline": plan.baseline, "thorough": plan.thorough}
    phases = READ if service.is_real else CALLS
    found = run(service, folder, f"{document}-calls", document, *phases, *plan.options(), **given)
    note(found)
    return found


def chains(plan: Plan, service: Service, document: str, folder: Path, note: Note) -> list[Outcome]:
    """Run chains of calls until every link was followed, under at most four seeds.

    Ids come from the service, so that no seed makes two runs alike, and where a repetition goes another way than the
    first time, schemathesis ends a run before its time.
    """
    found: list[Outcome] = []
    for number in range(CHAIN_SEEDS):
        name, seed = f"{document}-chains-{number + 1}", plan.seed + number * ROUND
        found.append(run(service, folder, name, document, *CHAINS, seed=seed, baseline=plan.baseline))
        note(found[-1])
        if found[-1].failures or not missed_links(document, found):
            break
    return found
