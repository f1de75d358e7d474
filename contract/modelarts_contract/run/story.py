"""The stories of a run that writes: what requests do is seen, from the creation of things to their deletion.

Every request is judged by the documents and the rules; the overlays list the stories (`effects`). At a service, jobs
run on the cheapest flavor and end by themselves at once; those of version 2 also have `auto_stop`. Names, and what is
deleted, are the guard's business.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from modelarts_contract.documents import operations
from modelarts_contract.expressions import Names
from modelarts_contract.finding import Kind
from modelarts_contract.run.effects import (
    EffectError,
    UnavailableError,
    UncheckedError,
    effects_of,
    failure,
    show_effects,
)
from modelarts_contract.run.judging import Judge
from modelarts_contract.run.result import PromiseResult
from modelarts_contract.seen import Seen, dig, parsed

__all__ = ["Story"]


class Story:
    """The stories of a run; `known` has what their requests need."""

    def __init__(self, judge: Judge, code_dir: str, say: Callable[[str], None]) -> None:
        self.judge = judge
        self.say = say
        self.known: dict[str, Any] = {
            "code_dir": code_dir,
            "boot_file": f"{code_dir}boot.py",
            "run": judge.service.prefix,
            "plans": judge.service.plans,
        }
        self.names = Names(judge.service.prefix)

    def run(self, names: tuple[str, ...]) -> Iterator[PromiseResult]:
        """Run the stories of the documents; yield the result of each."""
        for document in names:
            for title, steps in effects_of(document, is_real=self.judge.service.is_real):
                yield self.run_story(document, title, steps)

    def run_story(self, document: str, title: str, steps: list[Mapping[str, Any]]) -> PromiseResult:
        """Run one story; what is wrong in it is recorded, once for an operation."""
        name = self.judge.phase = f"story: {title}"
        self.say(name)
        try:
            self.choose_hardware(document)
            show_effects(self.judge, document, steps, {"known": self.known, "names": self.names}, self.say)
        except UnavailableError as reason:
            return PromiseResult(name, document, "not available", str(reason))
        except UncheckedError as reason:
            return PromiseResult(name, document, "not checked", str(reason))
        except EffectError as problem:
            seen = problem.exchange and Seen.of(problem.exchange, self.judge.documents)
            operation = seen.operation if seen else operations(document)[steps[0]["call"]]
            if (name, operation.label) not in self.judge.broken:
                self.judge.report(operation, problem.exchange, Kind.STORY, f"{title}: {problem}")
            return PromiseResult(name, document, "broken", str(problem))
        return PromiseResult(name, document, "kept")

    def choose_hardware(self, document: str) -> None:
        """Choose the engine and the cheapest hardware that the project offers."""
        if document == "v2" and "engine" not in self.known:
            engines = self.offered("v2", "showTrainingJobEngines", "items")
            flavors = self.offered("v2", "showTrainingJobFlavors", "flavors")
            self.known["engine"] = {key: engines[0].get(key) for key in ("engine_id", "engine_name", "engine_version")}
            self.known["flavor_id"] = min(flavors, key=cost).get("flavor_id")
        if document == "v1" and "spec_id" not in self.known:
            engines = self.offered("v1", "listJobEngines", "engines", job_type="train")
            specs = self.offered("v1", "listJobResourceSpecs", "specs", job_type="train")
            usual = [each for each in engines if "TensorFlow" in str(each.get("engine_name"))] or engines
            self.known["engine_id"] = usual[-1].get("engine_id")
            self.known["spec_id"] = min(specs, key=cost).get("spec_id")

    def offered(self, document: str, operation_id: str, member: str, **query: Any) -> list[dict[str, Any]]:
        """What the project offers to run on, which is not empty; raises EffectError."""
        exchange = self.judge.call(operations(document)[operation_id], {}, query)
        found = dig(parsed(exchange.response_body), member)
        entries = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
        if problem := failure(exchange) or ("" if entries else f"the project has no {member}"):
            raise EffectError(problem, exchange)
        return entries


def cost(flavor: Mapping[str, Any]) -> tuple[object, ...]:
    """What orders flavors and specifications by their price: no accelerator, few charged units, few cores."""
    info = flavor.get("flavor_info") or flavor
    sizes = json.dumps([info.get("cpu"), info.get("memory"), info.get("core")])
    numbers = [int(word) for word in "".join(c if c.isdigit() else " " for c in sizes).split()]
    units = (flavor.get("billing") or {}).get("unit_num") or flavor.get("unit_num") or 0
    is_plain = flavor.get("flavor_type") == "CPU" or flavor.get("gpu_num") == 0
    return not is_plain, units, sum(numbers)
