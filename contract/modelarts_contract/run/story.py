"""The stories of a run that writes: things of each kind, from their creation to their deletion.

Every request is judged by the documents and the rules; a story sends what these need to see. At a service, jobs run on
the cheapest flavor and end by themselves at once; those of version 2 also have `auto_stop`. What is created stands in
the overlays (`bodies`), and what else requests do (`effects`). Names, and what is deleted, are the guard's business.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from modelarts_contract.documents import Operation, operations, overlay
from modelarts_contract.exchange import Exchange
from modelarts_contract.rules import FINAL_PHASES, STEPS, TEMPORARY, phase_of
from modelarts_contract.seen import dig, items_of, leaves, parsed
from modelarts_contract.validation import Kind

from .effects import EffectError, Progress, UnavailableError, UncheckedError, effects_of, show_effects
from .expressions import Names, changed, evaluate
from .judging import Judge, is_unavailable
from .result import PromiseResult

__all__ = ["RESOURCES", "Resource", "Story"]

CHANGED = "as changed"  # a description
CREATIONS = 4  # requests for one thing, as long as they get no lasting response


@dataclass(frozen=True)
class Resource:
    """The operations of a kind of things; `parameter` is in their paths, `member` has the id and `name` the name."""

    kind: str
    document: str
    parameter: str
    member: str
    name: str
    create: str
    listing: str
    change: str
    delete: str
    show: str = ""
    stop: str = ""

    def operation(self, role: str) -> Operation:
        return operations(self.document)[getattr(self, role)]

    def search(self, name: str) -> dict[str, Any]:
        """The parameters with which a list has the thing of this name."""
        if self.kind == "training-jobs":
            return {"limit": 50, "filters": [{"key": "name", "operator": "like", "value": [name]}]}
        if self.kind == "algorithms":
            return {"limit": 50, "searches": f"name:{name}"}
        if self.kind == "training-experiments":
            return {"limit": 50}
        return {"per_page": 1000, "search_content": name}

    def listed(self, judge: Judge, **given: Any) -> list[Any]:
        """The things that a list with these parameters has; raises StepError if it cannot be read."""
        listing = self.operation("listing")
        in_body = listing.pagination["in"] == "body"
        exchange = judge.ask(listing, {}, None if in_body else given, given if in_body else None)
        if not 200 <= exchange.status < 300:
            raise StepError(f"the list cannot be read: {words(exchange)}", exchange)
        return items_of(listing, parsed(exchange.response_body))

    def find(self, judge: Judge, name: str) -> list[str]:
        """The ids of the things of exactly this name; raises StepError if the list cannot be read."""
        items = self.listed(judge, **self.search(name))
        return [str(dig(item, self.member)) for item in items if dig(item, self.name) == name]

    def stopped(self, judge: Judge, id_: str) -> Iterator[Exchange]:
        """Stop a job, or all versions of one; yield the exchanges."""
        path = {self.parameter: id_}
        if self.document == "v2":
            yield judge.ask(self.operation("stop"), path, None, {"action_type": "terminate"})
            return
        versions = dig(parsed(judge.ask(self.operation("show"), path).response_body), "versions")
        for version in versions if isinstance(versions, list) else ():
            yield judge.ask(self.operation("stop"), {**path, "version_id": dig(version, "version_id")})


RESOURCES = {
    resource.kind: resource
    for resource in (
        Resource(
            *("algorithms", "v2", "algorithm_id", "metadata.id", "metadata.name", "createAlgorithm", "listAlgorithms"),
            *("changeAlgorithm", "deleteAlgorithm", "showAlgorithmByUuid"),
        ),
        Resource(
            *("training-jobs", "v2", "training_job_id", "metadata.id", "metadata.name", "createTrainingJob"),
            *("listTrainingJobs", "changeTrainingJobDescription", "deleteTrainingJob", "showTrainingJobDetails"),
            "stopTrainingJob",
        ),
        Resource(
            *("training-experiments", "v2", "experiment_id", "metadata.id", "metadata.name"),
            *("createTrainingExperiment", "listTrainingExperiments", "changeTrainingExperiment"),
            *("deleteTrainingExperiment", "showTrainingExperimentDetails"),
        ),
        Resource(
            *("v1/training-job-configs", "v1", "config_name", "config_name", "config_name", "createTrainingJobConfig"),
            *("listTrainingJobConfigs", "updateTrainingJobConfig", "deleteTrainingJobConfig", "showTrainingJobConfig"),
        ),
        Resource(
            *("v1/training-jobs", "v1", "job_id", "job_id", "job_name", "createTrainingJob", "listTrainingJobs"),
            *("updateTrainingJob", "deleteTrainingJob", "listTrainingJobVersions", "stopTrainingJobVersion"),
        ),
    )
}


class StepError(Exception):
    """A step of a story does not work."""

    def __init__(self, message: str, exchange: Exchange | None = None) -> None:
        super().__init__(message)
        self.exchange = exchange


class Story:
    """The life of one thing of each kind; `known` has what the bodies need."""

    def __init__(self, judge: Judge, code_dir: str, say: Callable[[str], None]) -> None:
        self.judge = judge
        self.service = judge.service
        self.say = say
        self.known: dict[str, Any] = {
            "code_dir": code_dir,
            "boot_file": f"{code_dir}boot.py",
            "run": judge.service.prefix,
        }
        self.names = Names(judge.service.prefix)
        self.deletion_s = judge.service.deletion_s  # what is left to wait until deleted things are gone

    def run(self, names: tuple[str, ...]) -> Iterator[PromiseResult]:
        """Tell the story of every kind of the documents, and show effects; say of each how it went."""
        for resource in RESOURCES.values():
            if resource.document not in names:
                continue
            yield self.told(resource, "is created, found, changed and deleted", partial(self.life, resource))
        for document in names:
            for title, steps in effects_of(document, is_real=self.service.is_real):
                yield self.told(document, title, partial(self.effect, document, steps))

    def told(self, what: Resource | str, title: str, tell: Callable[[], None]) -> PromiseResult:
        """Tell one story; what is wrong in it is recorded."""
        document = what if isinstance(what, str) else what.document
        name = f"story: {title}" if isinstance(what, str) else f"story: a thing of {what.kind} {title}"
        self.judge.phase = name
        self.say(name)
        try:
            tell()
        except UnavailableError as reason:
            return PromiseResult(name, document, "not available", str(reason))
        except UncheckedError as reason:
            return PromiseResult(name, document, "not checked", str(reason))
        except (StepError, EffectError) as problem:
            found = problem.exchange and self.judge.documents.find(problem.exchange.method, path_of(problem.exchange))
            operation = found[0] if found else creation_of(document, what)
            self.judge.problem(operation, problem.exchange, Kind.STORY, f"{title}: {problem}")
            return PromiseResult(name, document, "broken", str(problem))
        return PromiseResult(name, document, "kept")

    def effect(self, document: str, steps: list[Mapping[str, Any]]) -> None:
        """Show the effects of some requests."""
        self.learn(document)
        if document == "v2":
            self.known["job"] = self.body_of(RESOURCES["training-jobs"])[1]
        self.known["plans"] = self.service.plans
        show_effects(self.judge, document, steps, {"known": self.known, "names": self.names}, self.say)

    def life(self, resource: Resource) -> None:
        """Create, show, find, change, wait for the end, and delete."""
        name, body = self.body_of(resource)
        id_ = self.create(resource, body, name)
        self.show(resource, id_)
        self.expect_listed(resource, name, id_)
        self.change(resource, id_, name, body)
        self.show(resource, id_, CHANGED)
        self.expect_listed(resource, name, id_)
        if resource.stop:
            self.wait_for_end(resource, id_)
        self.delete(resource, id_, name)

    def body_of(self, resource: Resource) -> tuple[str, dict[str, Any]]:
        """A name and a body for a creation; raises StepError if the project offers nothing to run on."""
        name = self.names.take("short-job" if resource.stop else "thing")
        if resource.kind != "training-experiments":
            self.learn(resource.document)
        entry = overlay(resource.document)["bodies"][resource.kind]
        known = {**self.known, "thing": name, "annotations": self.service.plans.get("short")}
        scope = {"known": known, "names": self.names}
        further = {} if self.service.is_real else entry.get("emulated", {})
        return name, changed(evaluate(entry["body"], scope), {"set": further}, scope)

    def learn(self, document: str) -> None:
        """Learn what the project offers to run on."""
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
        """What the project offers to run on, which is not empty."""
        operation = operations(document)[operation_id]
        exchange = self.succeed(self.judge.ask(operation, {}, query))
        found = dig(parsed(exchange.response_body), member)
        entries = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
        if not entries:
            raise StepError(f"the project has no {member}", exchange)
        return entries

    def create(self, resource: Resource, body: dict[str, Any], name: str) -> str:
        """Create the thing; return its id.

        A request without a lasting response may have been served, and the next one is rejected then: so the thing is
        looked up by its name, which nothing else has.
        """
        attempts = 0
        for _ in range(CREATIONS):
            exchange = self.judge.ask(resource.operation("create"), {}, None, body)
            attempts += exchange.attempts
            if 200 <= exchange.status < 300:
                break
            is_lost = exchange.status == 0 or exchange.status in TEMPORARY
            if (is_lost or attempts > 1) and (ids := self.listed_within(resource, name)):
                if self.service.guard is not None and self.service.guard.journal is not None:
                    self.service.guard.journal.created(resource.kind, name, ids[0])
                return ids[0]
            if not is_lost:
                break
        if exchange.status == 0 or exchange.status in TEMPORARY:
            raise UncheckedError(f"the creation gets no lasting response: {words(exchange)}")
        self.succeed(exchange)
        shown = parsed(exchange.response_body)
        id_ = name if resource.name == resource.member else dig(shown, resource.member)
        if id_ is None:
            raise StepError("the response to the creation has no id", exchange)
        return str(id_)

    def show(self, resource: Resource, id_: str, text: str = "") -> Any:
        """What the service shows of the thing, with this text in it, after a moment at most; raises StepError."""
        give_up = time.monotonic() + self.service.lag_s
        while True:
            is_late = time.monotonic() > give_up
            exchange = self.on(resource, "show", id_)
            shown = parsed(exchange.response_body)
            if is_late or not (self.judge.is_absent(exchange) or (text and text not in leaves(shown).values())):
                return parsed(self.succeed(exchange).response_body)
            time.sleep(self.service.poll_s)

    def on(self, resource: Resource, role: str, id_: str, body: Any = None) -> Exchange:
        """Call an operation of the thing."""
        return self.judge.ask(resource.operation(role), {resource.parameter: id_}, None, body)

    def change(self, resource: Resource, id_: str, name: str, body: dict[str, Any]) -> None:
        """Give the thing another description, and nothing else."""
        if resource.kind == "algorithms":
            given: dict[str, Any] = {**body, "metadata": {"name": name, "description": CHANGED}}
        elif resource.kind == "v1/training-job-configs":
            given = {key: value for key, value in body.items() if key != "config_name"} | {"config_desc": CHANGED}
        else:
            given = {"description" if resource.document == "v2" else "job_desc": CHANGED}
        self.succeed(self.on(resource, "change", id_, given))

    def expect_listed(self, resource: Resource, name: str, id_: str) -> None:
        """The list finds the thing by its name, after a moment at most."""
        if id_ not in self.listed_within(resource, name, id_):
            raise StepError(f"{resource.listing} does not find it by its name within {self.service.effect_s:.0f} s")

    def listed_within(self, resource: Resource, name: str, id_: str = "") -> list[str]:
        """The ids of the things of this name that a list shows, as soon as it shows one, or the one of this id."""
        give_up = time.monotonic() + self.service.effect_s
        while True:
            is_late = time.monotonic() > give_up
            ids = resource.find(self.judge, name)
            if (id_ in ids if id_ else ids) or is_late:
                return ids
            time.sleep(self.service.poll_s)

    def wait_for_end(self, resource: Resource, id_: str) -> None:
        """Poll until the job has ended as it has to, and a few times more: an end is final.

        A list may show an earlier phase for a moment. A phase that the documents do not have may come before the end.
        """
        give_up, more, phase, before = time.monotonic() + self.service.patience_s, 3, None, None
        lag_s = self.service.lag_s if resource.operation("show").pagination else 0.0
        progress = Progress(self.say, f"{resource.kind} {id_}", self.service.patience_s, time.monotonic())
        while more:
            if time.monotonic() > give_up:
                kind = StepError if phase in STEPS else UncheckedError
                raise kind(f"it is still {phase} after {self.service.patience_s:.0f} s")
            shown = self.show(resource, id_)
            versions = dig(shown, "versions")
            phase = phase_of(versions[0] if isinstance(versions, list) and versions else shown)
            if phase != before:
                self.say(f"{resource.kind} {id_}: {phase}")
            before = phase
            progress.see(phase, time.monotonic())
            is_ended = phase in FINAL_PHASES
            more -= is_ended
            time.sleep(max(self.service.poll_s, lag_s / 2 if is_ended else 0))
        if phase != "Completed":
            raise StepError(f"it ends as {phase}")

    def delete(self, resource: Resource, id_: str, name: str) -> None:
        """After a moment, the thing is neither shown nor listed."""
        deletion = self.on(resource, "delete", id_)
        self.say(f"{resource.kind} {id_}: deleted; waiting until it is gone")
        if deletion.attempts == 1 or not self.judge.is_absent(deletion):  # a repeated one may find nothing
            self.succeed(deletion)
        began = time.monotonic()
        while True:
            waited_s = time.monotonic() - began
            exchange = self.on(resource, "show", id_)
            is_listed = bool(resource.find(self.judge, name))
            is_absent = self.judge.is_absent(exchange)
            if is_absent and not is_listed:
                return
            if waited_s > max(self.deletion_s, self.service.lag_s):
                self.deletion_s -= waited_s
                where = "listed" if is_absent else "shown"
                raise StepError(f"it is still {where} {waited_s:.0f} s after its deletion", exchange)
            time.sleep(self.service.poll_s)

    def succeed(self, exchange: Exchange) -> Exchange:
        """The exchange, which is a success; raises UnavailableError, UncheckedError or StepError."""
        if 200 <= exchange.status < 300:
            return exchange
        if exchange.status == 0 or exchange.status in TEMPORARY:
            raise UncheckedError(f"no lasting response: {words(exchange)}")
        if is_unavailable(exchange):
            raise UnavailableError(words(exchange))
        raise StepError(words(exchange), exchange)


def creation_of(document: str, what: Resource | str) -> Operation:
    """The operation that a story without an exchange is about."""
    return operations(document)["createTrainingJob"] if isinstance(what, str) else what.operation("create")


def words(exchange: Exchange) -> str:
    said = exchange.response_body.decode("utf-8", "replace")[:300]
    return f"{exchange.method} {path_of(exchange)} gets status {exchange.status}: {said}"


def path_of(exchange: Exchange) -> str:
    return urlsplit(exchange.url).path


def cost(flavor: Mapping[str, Any]) -> tuple[object, ...]:
    """What orders flavors and specifications by their price: no accelerator, few charged units, few cores."""
    info = flavor.get("flavor_info") or flavor
    sizes = json.dumps([info.get("cpu"), info.get("memory"), info.get("core")])
    numbers = [int(word) for word in "".join(c if c.isdigit() else " " for c in sizes).split()]
    units = (flavor.get("billing") or {}).get("unit_num") or flavor.get("unit_num") or 0
    is_plain = flavor.get("flavor_type") == "CPU" or flavor.get("gpu_num") == 0
    return not is_plain, units, sum(numbers)
