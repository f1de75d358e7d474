"""Difficult behaviours of a service that keeps its contract: no finding, and no run without a result."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable

import httpx
import pytest
from tests.contract.played import with_json

from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse

from .conftest import CODE, Bench

JSON = {"content-type": "application/json", "retry-after": "0"}
Behaviour = Callable[[ProxyRequest, Forward], ProxyResponse]
LISTS = [
    "listAlgorithms",
    "listTrainingJobs",
    "listTrainingJobConfigs",
    "showAlgorithmByUuid",
    "showTrainingJobDetails",
]


def sometimes(every: int, status: int) -> Behaviour:
    """Reject one of so many requests."""
    counter = itertools.count(1)
    rejected = ProxyResponse(status, b'{"error_code":"APIG.0308","error_msg":"busy"}', JSON)
    return lambda request, forward: rejected if next(counter) % every == 0 else forward(request)


def slow(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    threading.Event().wait(0.05)
    return forward(request)


def where(part: str, status: int, code: str, text: str = "no") -> Behaviour:
    """Reject what has this part in its path."""
    body = json.dumps({"error_code": code, "error_msg": text}).encode()
    return lambda request, forward: ProxyResponse(status, body, JSON) if part in request.path else forward(request)


def newer(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Show members that the documents do not have."""
    found = forward(request)
    if found.status not in (200, 201) or not found.body:
        return found
    return with_json(found, lambda shown: {**shown, "trace": "x"} if isinstance(shown, dict) else shown)


def empty(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Show an account without anything of its own."""
    found = forward(request)
    if found.status != 200 or not found.body:
        return found

    def emptied(body: object) -> object:
        if not isinstance(body, dict):
            return body
        lists: dict[str, list[object]] = {
            name: [] for name in ("items", "jobs", "configs") if isinstance(body.get(name), list)
        }
        totals = {name: 0 for name in body if name in ("total", "count") or name.endswith("total_count")}
        return {**body, **lists, **totals} if lists and "engine" not in request.path else body

    return with_json(found, emptied)


class Neighbour:
    """Creates an algorithm and a configuration before one list, and deletes them before a later one."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.turn, self.made = bench, itertools.count(), list[str]()
        known = bench.emulated
        project = known.environment["MODELARTS_PROJECT_ID"]
        self.algorithms = f"{known.endpoint}/v2/{project}/algorithms"
        self.configs = f"{known.endpoint}/v1/{project}/training-job-configs"
        self.headers = {"X-Auth-Token": known.token}
        self.code = {"code_dir": CODE, "boot_file": f"{CODE}boot.py", "engine": known.stand_ins["engine"]}

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        turn = next(self.turn)
        if turn % 3 == 0:
            body = {"metadata": {"name": f"neighbour-{turn}"}, "job_config": self.code}
            made = self.call("POST", self.algorithms, body).json()
            self.made.append(f"{self.algorithms}/{made['metadata']['id']}")
            settings = {"worker_server_num": 1, "engine_id": 4, "spec_id": 7, "app_url": CODE}
            settings |= {"config_name": f"neighbour-{turn}", "boot_file_url": f"{CODE}boot.py"}
            self.call("POST", self.configs, settings)
            self.made.append(f"{self.configs}/neighbour-{turn}")
        elif turn % 3 == 2:
            while self.made:
                self.call("DELETE", self.made.pop())
        return forward(request)

    def call(self, method: str, url: str, body: object = None) -> httpx.Response:
        return httpx.request(method, url, json=body, headers=self.headers, trust_env=False).raise_for_status()


BEHAVIOURS: dict[str, Callable[[Bench], Behaviour]] = {
    "nothing": lambda _: lambda request, forward: forward(request),
    "a busy neighbour": Neighbour,
    "3 % of 503": lambda _: sometimes(33, 503),
    "20 % of 429": lambda _: sometimes(5, 429),
    "latency": lambda _: slow,
    "an empty account": lambda _: empty,
    "members that are new": lambda _: newer,
    "no permission for some": lambda _: where("/algorithms", 403, "ModelArts.0108"),
    "a path that is not published": lambda _: where("/training-job-engines", 404, "APIG.0101"),
}


SOAKED = {"3 % of 503", "latency", "members that are new"}  # "20 % of 429" and "nothing" go most of the same ways


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] if name in SOAKED else []) for name in BEHAVIOURS]
)
def test_a_service_that_keeps_its_contract_gives_no_finding(name: str, bench: Bench) -> None:
    bench.behave = BEHAVIOURS[name](bench)

    judge = bench.read(chosen=LISTS)

    found = [
        line["finding"]["message"] for one in judge.outcomes().values() for line in one.record if "finding" in line
    ]
    assert found == []
    assert judge.service.trouble is None
    assert judge.statuses


@pytest.mark.timeout(300)
def test_a_quota_is_no_broken_contract(bench: Bench) -> None:
    """The story is not available; other things of the account are created."""
    full = where("/algorithms", 400, "ModelArts.0104", "The quota of algorithms is used up.")
    bench.behave = lambda request, forward: (full if request.method == "POST" else lambda r, f: f(r))(request, forward)

    judge = bench.write(("v2",))

    assert [line for line in judge.outcomes()["v2"].record if "finding" in line] == []
