"""The story of `--write`: one algorithm and one job on the cheapest flavor, from their creation to their deletion.

Every exchange is checked against the documents. The job has `auto_stop`, so that it costs an hour at most whatever
happens to this machine; names, and what is deleted, are the guard's business.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from modelarts_contract.documents import Documents
from modelarts_contract.exchange import Exchange
from modelarts_contract.validation import findings

from .promises import ABSENT, PROBLEMS, STEPS, Project, rejection, words
from .result import PromiseResult
from .service import Service

__all__ = ["run_story"]

LIMIT_HOURS = 1  # of the job; the service's smallest unit


class Story:
    """What has been created so far, and the steps that use it."""

    def __init__(self, project: Project, code_dir: str) -> None:
        self.project = project
        self.code = {"code_dir": code_dir, "boot_file": f"{code_dir}boot.py"}
        self.known: dict[str, Any] = {}

    def prepare(self) -> None:
        """The cheapest flavor and an engine are found."""
        flavors = self.project.ask("GET", "/training-job-flavors")["flavors"]
        engines = self.project.ask("GET", "/training-job-engines")["items"]
        require(flavors and engines, "the project has neither flavors nor engines")
        self.known["flavor_id"] = min(flavors, key=cost)["flavor_id"]
        self.known["engine"] = {name: engines[0][name] for name in ("engine_id", "engine_name", "engine_version")}

    def create_algorithm(self) -> None:
        """An algorithm is created, shown, found in the list, and changed."""
        metadata = {"name": self.project.service.name("algorithm"), "description": "as created"}
        body = {"metadata": metadata, "job_config": {**self.code, "engine": self.known["engine"]}}
        self.known["algorithm_id"] = self.project.ask("POST", "/algorithms", body)["metadata"]["id"]
        path = f"/algorithms/{self.known['algorithm_id']}"
        shown = self.project.ask("GET", path)["metadata"]
        require(shown["name"] == metadata["name"], "another name is shown than was given")
        found = self.project.ask("GET", "/algorithms", limit=50, searches=f"name:{metadata['name']}")["items"]
        require(any(item["metadata"]["id"] == shown["id"] for item in found), "it is not in the list")
        self.project.ask("PUT", path, {**body, "metadata": {**metadata, "description": "as changed"}})
        shown = self.project.ask("GET", path)["metadata"]
        require(shown.get("description") == "as changed", "the changed description is lost")

    def create_job(self) -> None:
        """A job is created on one node of the flavor, with a limit to its time; it is shown, found and described."""
        plan = self.project.service.plans["short"]
        metadata: dict[str, Any] = {"name": self.project.service.name("job"), **({"annotations": plan} if plan else {})}
        spec = {
            "resource": {"flavor_id": self.known["flavor_id"], "node_count": 1},
            "auto_stop": {"time_unit": "HOURS", "duration": LIMIT_HOURS},
        }
        body = {"kind": "job", "metadata": metadata, "algorithm": {"id": self.known["algorithm_id"]}, "spec": spec}
        job = self.project.ask("POST", "/training-jobs", body)
        self.known |= {"job_id": job["metadata"]["id"], "phases": [job["status"]["phase"]]}
        path = f"/training-jobs/{self.known['job_id']}"
        self.project.ask("PUT", path, {"description": "as changed"})
        require(self.project.ask("GET", path)["metadata"].get("description") == "as changed", "a description is lost")
        found = self.project.jobs(("name", "like", [metadata["name"]]))
        require(any(item["metadata"]["id"] == self.known["job_id"] for item in found), "a search does not find it")

    def finish_job(self) -> None:
        """The job goes through its phases in their order and ends well."""
        seen = self.project.phases(self.known["job_id"], lambda seen: bool(seen) and seen[-1] not in STEPS)
        steps: Iterator[tuple[str, str]] = zip([*self.known["phases"], *seen], seen, strict=False)
        wrong = [(before, after) for before, after in steps if before != after and after not in STEPS.get(before, ())]
        require(not wrong, f"it went from {wrong[0][0]} to {wrong[0][1]}" if wrong else "")
        require(seen[-1] == "Completed", f"it ends as {seen[-1]}")

    def read_about_job(self) -> None:
        """Its events, its log, a link to it, and its metrics are shown."""
        path = f"/training-jobs/{self.known['job_id']}"
        task = self.project.ask("GET", path)["status"]["tasks"][0]
        self.project.ask("GET", f"{path}/events")
        self.project.ask("GET", f"{path}/tasks/{task}/logs/preview")
        self.project.ask("GET", f"{path}/tasks/{task}/logs/url")
        self.project.ask("GET", f"{path}/metrics/{task}")

    def delete_job(self) -> None:
        """The job is deleted, and not found any more."""
        self._delete(f"/training-jobs/{self.known['job_id']}")

    def delete_algorithm(self) -> None:
        """The algorithm is deleted, and not found any more."""
        self._delete(f"/algorithms/{self.known['algorithm_id']}")

    def _delete(self, path: str) -> None:
        self.project.ask("DELETE", path)
        give_up = time.monotonic() + self.project.service.patience_s
        while rejection(self.project.call("GET", path)) not in ABSENT:
            require(time.monotonic() < give_up, "it is still shown after its deletion")
            time.sleep(self.project.service.poll_s)

    def steps(self) -> Iterator[Callable[[], None]]:
        yield from (self.prepare, self.create_algorithm, self.create_job, self.finish_job, self.read_about_job)
        yield from (self.delete_job, self.delete_algorithm)


def run_story(service: Service, code_dir: str) -> Iterator[PromiseResult]:
    """Go through the story, and say of every step whether it went as documented; after a failure, no further step."""
    documents, broken = Documents(("v2",)), ""
    with Project(service) as project:
        exchanges: list[Exchange] = []
        project.client.event_hooks["response"] = [lambda response: exchanges.append(read(response))]
        for step in Story(project, code_dir).steps():
            name = f"story: {(step.__doc__ or step.__name__).rstrip('.')}"
            if broken:
                yield PromiseResult(name, "v2", "skipped", broken)
                continue
            exchanges.clear()
            try:
                step()
                problem = "; ".join(
                    f"{exchange.method} {exchange.url}: {finding.message}"
                    for exchange in exchanges
                    for finding in findings(exchange, documents)
                    if finding.breaks_contract
                )
            except PROBLEMS as error:
                problem = words(error)
            if problem:
                broken = "an earlier step failed"
            yield PromiseResult(name, "v2", "broken" if problem else "kept", problem)


def read(response: httpx.Response) -> Exchange:
    response.read()
    return Exchange.of(response)


def require(is_so: object, otherwise: str) -> None:
    """Raise AssertionError with the text if it is not so."""
    if not is_so:
        raise AssertionError(otherwise)


def cost(flavor: dict[str, Any]) -> tuple[object, ...]:
    """What orders flavors by their price: no accelerator, few charged units, few cores, little memory."""
    info = flavor.get("flavor_info") or {}
    sizes = json.dumps([info.get("cpu"), info.get("memory")])
    numbers = [int(word) for word in "".join(c if c.isdigit() else " " for c in sizes).split()]
    return flavor.get("flavor_type") != "CPU", (flavor.get("billing") or {}).get("unit_num") or 0, sum(numbers)
