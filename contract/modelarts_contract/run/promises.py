"""Promises of the service that no schema states and no single call shows, each a function that a test calls.

They hold for any service, and raise AssertionError where one is broken. Those in `WRITING` create what they look at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

import modelarts_openapi
from modelarts_openapi.error_codes import ERROR_CODES
from modelarts_openapi.phases import TRANSITIONS

from .result import PromiseResult
from .service import Service

__all__ = [
    "ABSENT",
    "PROBLEMS",
    "READING",
    "STEPS",
    "WRITING",
    "NotSettledError",
    "Project",
    "checked",
    "rejection",
    "words",
]


def steps() -> dict[str, set[str]]:
    """The phases that can be seen after each phase that is not final; phases between them may not be seen."""
    found = {str(phase): {str(each) for each in following} for phase, following in TRANSITIONS.items() if following}
    for _ in found:
        for phase, after in found.items():
            after |= set().union(*(found.get(each, set()) for each in after)) - {phase}
    return found


STEPS = steps()
ABSENT = {code for code, fact in ERROR_CODES.items() if fact.exception == "NotFound"}
PAGES = 5
LOOKS = 3  # at a list that others change


class Project:
    """The project of a token at a service, and calls to it."""

    def __init__(self, service: Service, token: str = "", project_id: str = "") -> None:
        self.service = service
        self.known = service.stand_ins
        self.url = f"{service.endpoint}/v2/{project_id or service.environment['MODELARTS_PROJECT_ID']}"
        # The guard of a real service may wait a while before it sends a request.
        headers = {"X-Auth-Token": token or service.token}
        limit_s = 600 if service.is_real else 30
        self.client = httpx.Client(headers=headers, timeout=limit_s, verify=service.tls, trust_env=False)

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> httpx.Response:
        given = {} if body is None else {"json": body}
        return self.client.request(method, self.url + path, params=query or None, **given)

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Call, and return what a success says."""
        response = self.call(method, path, body, **query)
        assert response.is_success, f"{method} {path}: {response.status_code} {response.text}"
        return response.json() if response.content else None

    def job(self, plan: str = "short", **metadata: Any) -> dict[str, Any]:
        """Create a job that does what the plan says; return the response."""
        name = self.service.name("promise")
        created: dict[str, Any] = self.ask(
            "POST",
            "/training-jobs",
            {
                "kind": "job",
                "metadata": {"name": name, "annotations": self.known["plans"][plan], **metadata},
                "algorithm": {"id": self.known["algorithm_id"]},
                "spec": {"resource": {"flavor_id": self.known["flavor_id"], "node_count": 1}},
            },
        )
        return created

    def jobs(self, *filters: tuple[str, str, list[str]], **members: Any) -> list[dict[str, Any]]:
        """The first page of the jobs that a search finds."""
        named = [{"key": key, "operator": operator, "value": value} for key, operator, value in filters]
        body = {"limit": 50, **({"filters": named} if named else {}), **members}
        return list(self.ask("POST", "/training-job-searches", body)["items"])

    def phases(self, job_id: str, enough: Callable[[list[str]], bool]) -> list[str]:
        """The phases that the job is seen in, until they are enough."""
        seen: list[str] = []
        give_up = time.monotonic() + self.service.patience_s
        while not enough(seen):
            assert time.monotonic() < give_up, f"job {job_id} went through {seen} and no further"
            time.sleep(self.service.poll_s if seen else 0)
            seen.append(self.ask("GET", f"/training-jobs/{job_id}")["status"]["phase"])
        return seen


def pages_fit_together(project: Project) -> None:
    """Pages of any size show the same things in the same order, each once."""
    for method, path, pagination in listings(project.known):

        def show(number: int, limit: int) -> tuple[list[Any], int | None]:
            return page(project, method, path, pagination, number, limit)  # noqa: B023 - called in this round only

        largest, looks = pagination.get("largest", 50), []
        for _ in range(LOOKS):
            whole, total = show(0, largest)
            pages = {limit: [item for n in range(PAGES) for item in show(n, limit)[0]] for limit in (1, 3)}
            is_settled = show(0, largest) == (whole, total)
            problem = misfit(whole, total, pages)
            if is_settled and not problem:
                break
            looks.append((whole, total, pages) if is_settled else None)
        else:
            # A neighbour who creates and deletes something between two looks at the list moves the pages as well, but
            # not three times in the same way.
            if looks[0] is None or any(look != looks[0] for look in looks):
                raise NotSettledError(f"{path} changes all the time")
            raise AssertionError(f"{path}{problem}")


def misfit(whole: list[Any], total: int | None, pages: Mapping[int, list[Any]]) -> str:
    """What is wrong with a list and its pages, whose sizes are given; empty if nothing is."""
    if len(set(map(repr, whole))) < len(whole):
        return " shows something twice"
    if total is not None and total < len(whole):
        return f" counts {total} and shows {len(whole)}"
    wrong = [limit for limit, items in pages.items() if items != whole[: limit * PAGES]]
    return f": pages of {wrong[0]} are not the list" if wrong else ""


class NotSettledError(AssertionError):
    """Others work in the project, so that the promise cannot be looked at; a failure where there are no others."""


def listings(known: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the lists that come in pages and that everybody has: method, path below the project, pagination."""
    for path, item in modelarts_openapi.load("v2")["paths"].items():
        for method, operation in item.items():
            if isinstance(operation, dict) and "x-pagination" in operation and "autosearch" not in path:
                below = path.removeprefix("/v2/{project_id}")
                if "{" not in below or "training_job_id" in known:
                    yield method.upper(), below.format(**known), operation["x-pagination"]


def page(
    project: Project, method: str, path: str, pagination: Mapping[str, Any], number: int, limit: int
) -> tuple[list[Any], int | None]:
    position = number if pagination["counts"] == "pages" else number * limit
    given = {pagination["limit"]: limit, pagination["position"]: pagination.get("first", 0) + position}
    response = project.ask(method, path, given) if pagination["in"] == "body" else project.ask(method, path, **given)
    items = response[pagination["items"]]
    total = response.get(pagination.get("total"))
    return [item["metadata"]["id"] if "id" in pagination else item for item in items], total


def lists_are_sorted(project: Project) -> None:
    """A list has the order that was asked for; how a real service compares names is its own affair."""
    for key in ("create_time",) if project.service.is_real else ("create_time", "name"):
        up = [job["metadata"][key] for job in project.jobs(sort_by=key, order="asc")]
        down = [job["metadata"][key] for job in project.jobs(sort_by=key, order="desc")]
        assert (up, down) == (sorted(up), sorted(down, reverse=True)), f"jobs are not sorted by {key}"


def filters_select(project: Project) -> None:
    """A search finds the things that fit its conditions and no others."""
    everything = project.jobs()
    assert project.jobs(("name", "like", ["no-job-has-such-a-name"])) == [], "a condition on the name is ignored"
    for phase in {job["status"]["phase"] for job in everything} | {"Failed"}:
        found = {job["status"]["phase"] for job in project.jobs(("phase", "in", [phase]))}
        assert found <= {phase}, f"jobs in {found} are found in {phase}"
    for job in everything[:1]:
        if project.service.is_real and not project.call("GET", f"/training-jobs/{job['metadata']['id']}").is_success:
            raise NotSettledError("the newest job was deleted meanwhile")
        name = job["metadata"]["name"]
        names = [item["metadata"]["name"] for item in project.jobs(("name", "like", [name]))]
        assert name in names, f"a job is not found by its name {name}"
        assert all(name in other for other in names), f"{names} are found by {name}"


def log_link_expires(project: Project) -> None:
    """The link to a log needs no token and is signed for a time."""
    if "training_job_id" not in project.known:
        return
    job, task = project.known["training_job_id"], project.known["task_id"]
    link = project.ask("GET", f"/training-jobs/{job}/tasks/{task}/logs/url")["obs_url"]
    query = parse_qs(urlsplit(link).query)
    assert {"Expires", "X-Amz-Expires"} & set(query), "the link to a log never expires"
    assert {"Signature", "X-Amz-Signature"} & set(query), "the link to a log is not signed"
    assert httpx.get(link).is_success, "the link to a log cannot be opened"


def description_is_stored(project: Project) -> None:
    """What is written is read again: a job's description as created and as changed."""
    job = project.job(description="as created")
    path = f"/training-jobs/{job['metadata']['id']}"
    assert project.ask("GET", path)["metadata"]["description"] == "as created", "a new job's description is lost"
    project.ask("PUT", path, {"description": "as changed"})
    assert project.ask("GET", path)["metadata"]["description"] == "as changed", "a changed description is lost"


def algorithm_is_stored(project: Project) -> None:
    """What is written is read again: an algorithm's description as created and as changed."""
    code = {key: project.known[key] for key in ("code_dir", "boot_file", "engine")}
    metadata = {"name": project.service.name("promise"), "description": "as created"}
    created = project.ask("POST", "/algorithms", {"metadata": metadata, "job_config": code})
    path = f"/algorithms/{created['metadata']['id']}"
    assert project.ask("GET", path)["metadata"]["description"] == "as created", "an algorithm's description is lost"
    changed = {"metadata": {**metadata, "description": "as changed"}, "job_config": code}
    project.ask("PUT", path, changed)
    assert project.ask("GET", path)["metadata"]["description"] == "as changed", "an algorithm's change is lost"
    project.ask("DELETE", path)
    assert rejection(project.call("GET", path)) in ABSENT, "a deleted algorithm is still shown"


def an_end_is_final(project: Project) -> None:
    """A job goes through its phases in their order, and once it has ended it stays as it is."""
    job = project.job("short")
    seen = project.phases(job["metadata"]["id"], lambda seen: len(seen) > 3 and seen[-4] not in STEPS)
    steps = list(zip([job["status"]["phase"], *seen], seen, strict=False))
    wrong = [(before, after) for before, after in steps if before != after and after not in STEPS.get(before, ())]
    assert not wrong, f"a job went from {wrong[0][0]} to {wrong[0][1]}"
    assert seen[-1] == "Completed", f"a job that exits with 0 ends as {seen[-1]}"


def a_stopped_job_ends(project: Project) -> None:
    """A job that is stopped ends as Terminated, and cannot be stopped again."""
    path = f"/training-jobs/{project.job('long')['metadata']['id']}"
    project.ask("POST", f"{path}/actions", {"action_type": "terminate"})
    seen = project.phases(path.rpartition("/")[2], lambda seen: bool(seen) and seen[-1] not in {"Creating", "Pending"})
    assert seen[-1] in {"Terminating", "Terminated"}, f"a job that was stopped is {seen[-1]}"
    project.phases(path.rpartition("/")[2], lambda seen: bool(seen) and seen[-1] == "Terminated")
    again = project.call("POST", f"{path}/actions", {"action_type": "terminate"})
    assert again.status_code == 409, f"a job that has ended can be stopped: {again.status_code}"


def a_deleted_job_is_gone(project: Project) -> None:
    """A job that was deleted is neither shown nor listed, and its log and events are gone with it."""
    job = project.job("short")["metadata"]
    path = f"/training-jobs/{job['id']}"
    project.ask("DELETE", path)
    for below in ("", "/events", "/tasks/worker-0/logs/preview", "/metrics/worker-0"):
        assert rejection(project.call("GET", path + below)) in ABSENT, f"of a deleted job, {below or 'all'} is shown"
    assert project.jobs(("name", "like", [job["name"]])) == [], "a deleted job is listed"


def rejection(response: httpx.Response) -> str | None:
    return None if response.is_success else str(response.json().get("error_code"))


# What a response can cause that is not as documented: members are missing, null, or of another type.
PROBLEMS = (AssertionError, LookupError, TypeError, ValueError, AttributeError, httpx.HTTPError, httpx.InvalidURL)


def words(problem: Exception) -> str:
    """What is wrong, for a report."""
    if isinstance(problem, AssertionError | httpx.HTTPError):
        return str(problem)
    return f"a response is not as documented: {type(problem).__name__}: {problem}"


READING = (pages_fit_together, lists_are_sorted, filters_select, log_link_expires)
WRITING = (
    description_is_stored,
    algorithm_is_stored,
    an_end_is_final,
    a_stopped_job_ends,
    a_deleted_job_is_gone,
)


def checked(service: Service, names: Collection[str]) -> Iterator[PromiseResult]:
    """Look at every promise of the service that these documents make."""
    if "v2" not in names:
        return
    for promise in (*READING, *WRITING):
        name = promise.__name__.replace("_", " ")
        if promise in WRITING and service.is_real:
            yield PromiseResult(name, "v2", "skipped", "at a real service, the story of --write shows it")
            continue
        with Project(service) as project:
            try:
                promise(project)
            except NotSettledError as reason:
                yield PromiseResult(name, "v2", "skipped" if service.is_real else "broken", str(reason))
            except PROBLEMS as problem:
                yield PromiseResult(name, "v2", "broken", words(problem))
            else:
                yield PromiseResult(name, "v2", "kept")
