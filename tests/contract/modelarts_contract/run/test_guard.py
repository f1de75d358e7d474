"""The guard in front of a real service: what it lets through, how fast, and when it gives up."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from modelarts_contract.documents import Documents, Operation
from modelarts_contract.proxy import ProxyRequest, ProxyResponse
from modelarts_contract.resources import RESOURCES, Resource
from modelarts_contract.run.guard import LOST_LIMIT, TOKEN, Guard
from modelarts_contract.run.journal import Journal
from modelarts_toolkit.settings.config import Config

OURS = "0" * 32


class Service:
    """A service that counts what reaches it, and responds unless it is silent."""

    def __init__(self) -> None:
        self.requests = 0
        self.is_silent = False

    def forward(self, request: ProxyRequest) -> ProxyResponse:
        self.requests += 1
        if self.is_silent:
            raise httpx.ConnectError("no response")
        return ProxyResponse(201, json.dumps({"metadata": {"id": "a1"}}).encode(), {})


@pytest.fixture
def service() -> Service:
    return Service()


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Journal]:
    monkeypatch.setenv("CONTRACT_JOURNALS", str(tmp_path))
    found = Journal.create(endpoint="https://modelarts.example.com", project_id=OURS)
    yield found
    found.release()


def guard(journal: Journal | None, rate: float = 1e6) -> Guard:
    config = Config(
        endpoint="https://modelarts.example.com",
        iam_endpoint="https://iam.example.com",
        project_id=OURS,
        token="t",
    )
    return Guard(config, journal, rate)


def test_a_silent_service_is_given_up(service: Service) -> None:
    """After a few requests without a response, no more are sent."""
    gate, request = guard(None), ProxyRequest("GET", f"/v2/{OURS}/algorithms", "", {"x-auth-token": TOKEN}, b"")
    service.is_silent = True

    for _ in range(LOST_LIMIT - 1):
        with pytest.raises(httpx.ConnectError):
            gate.training(request, service.forward)
    statuses = [gate.training(request, service.forward).status for _ in range(3)]

    assert (statuses, service.requests) == ([502, 503, 503], LOST_LIMIT)
    assert gate.trouble == "no response to 3 requests: ConnectError"


def test_requests_keep_to_the_rate(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here by a clock that stands still: two a second."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    monkeypatch.setattr(time, "sleep", pauses.append)
    gate, request = guard(None, rate=2), ProxyRequest("GET", f"/v2/{OURS}/algorithms", "", {}, b"")

    for _ in range(4):
        gate.training(request, service.forward)

    assert pauses == [0.0, 0.5, 1.0, 1.5]


def test_a_journal_whose_last_line_was_cut_off_is_opened_and_removed(journal: Journal) -> None:
    """The request that it announced was not sent. What is written afterwards can be read again."""
    journal.announce("algorithms", "a")
    journal.created("algorithms", "a", "a1")
    with journal.path.open("a") as file:
        file.write('{"event": "announced", "kind": "algor')
    journal.release()

    found = Journal(journal.path)
    assert [entry.id for entry in found.left("algorithms")] == ["a1"]
    found.announce("algorithms", "b")
    found.release()
    found = Journal(journal.path)
    assert [entry.name for entry in found.left("algorithms")] == ["a", "b"]
    for entry in found.left("algorithms"):
        found.deleted(entry)
    found.close()

    assert not journal.path.exists()


@pytest.mark.parametrize("path", ["training-jobs/batch-delete", "training-quotas"])
def test_a_batch_has_only_what_the_run_created(path: str, journal: Journal, service: Service) -> None:
    """Its jobs stand in the body; a request that names none, such as one about quotas, is not sent at all."""
    journal.created("training-jobs", f"{journal.prefix}a", "mine")
    gate = guard(journal)

    def status(*ids: str) -> int:
        body = json.dumps({"jobs": [{"kind": "job", "metadata": {"id": id_}} for id_ in ids]}).encode()
        method = "PUT" if "quotas" in path else "POST"
        request = ProxyRequest(method, f"/v2/{OURS}/{path}", "", {"x-auth-token": TOKEN}, body)
        return gate.training(request, service.forward).status

    assert [status("mine", "others"), status("others"), status()] == [403, 403, 403]
    assert service.requests == 0


CHANGING = [each for each in Documents(("v1", "v2")).operations if each.kind not in ("read", "login")]


@pytest.mark.parametrize("operation", CHANGING, ids=lambda each: each.operation_id)
def test_nothing_is_changed_or_created_that_is_not_of_the_run(
    operation: Operation, journal: Journal, service: Service
) -> None:
    """Whatever the operation, and whether ids and names stand in its path or its body; nor without any of them."""
    journal.created("v1/training-jobs", f"{journal.prefix}a", "mine")
    jobs = [{"kind": "job", "metadata": {"id": "others"}}]
    path = operation.url_path(dict.fromkeys(operation.parameter_names, "others") | {"project_id": OURS})
    contents: list[object] = [
        {},
        {"job_name": "x", "config_name": "x", "metadata": {"name": "x"}, "jobs": jobs},
        [],
        None,
    ]
    for content in contents:
        body = json.dumps(content).encode()
        request = ProxyRequest(operation.method, path, "", {"x-auth-token": TOKEN}, body)
        assert guard(journal).training(request, service.forward).status == 403, content

    assert service.requests == 0


@pytest.mark.parametrize("resource", RESOURCES.values(), ids=RESOURCES)
def test_what_the_run_created_is_shown_stopped_and_deleted(
    resource: Resource, journal: Journal, service: Service
) -> None:
    """By the id that the overlay names, in every path below it; not by the id of another kind."""
    below = [each for each in CHANGING if each.path.startswith(resource.operation("delete").path)]
    for kind, status in ((resource.kind, 201), ("another kind", 403)):
        journal.created(kind, f"{journal.prefix}a", kind.replace("/", "-")[:6])
        for operation in below:
            values = dict.fromkeys(operation.parameter_names, kind.replace("/", "-")[:6]) | {"project_id": OURS}
            request = ProxyRequest(operation.method, operation.url_path(values), "", {"x-auth-token": TOKEN}, b"{}")
            assert guard(journal).training(request, service.forward).status == status, (operation.label, kind)
