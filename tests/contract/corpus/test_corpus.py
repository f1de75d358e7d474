"""Deviations of a service are found by runs; difficult behaviours of one that keeps its contract are not findings."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import httpx
import pytest
from tests.contract.corpus.changes import emptied
from tests.contract.corpus.conftest import CODE, Bench
from tests.contract.corpus.deviations import DEVIATIONS, Deviation
from tests.contract.corpus.legal import Behaviour, closed
from tests.contract.played import with_json

from modelarts_contract.documents import operations
from modelarts_contract.proxy import Forward, ProxyRequest, ProxyResponse
from modelarts_contract.rules.session import Session
from modelarts_contract.run.judging import Judge

pytestmark = pytest.mark.ci

LEADING = {"v2.listTrainingJobs", "v2.listAlgorithms", "v1.listTrainingJobs", "v1.listTrainingJobConfigs"}
SHARE = 0.95  # of the deviations must be found


def one_per_rule(where: str) -> list[Deviation]:
    """The first deviation that each rule must find, of operations that lead to no others."""
    first: dict[frozenset[str], Deviation] = {}
    for deviation in DEVIATIONS:
        if deviation.where == where and deviation.operation not in LEADING:
            first.setdefault(deviation.rules, deviation)
    return list(first.values())


def batches(todo: list[Deviation], where: str) -> Iterator[list[Deviation]]:
    """Deviations that do not hide one another: lists apart from what they lead to, each operation once."""
    while todo:
        is_leading = todo[0].operation in LEADING
        batch: dict[str, Deviation] = {}
        for deviation in todo:
            key = kind_of(deviation) if where == "write" else deviation.operation
            if (deviation.operation in LEADING) is is_leading or where == "write":
                batch.setdefault(key, deviation)
        yield list(batch.values())
        todo = [deviation for deviation in todo if deviation not in batch.values()]


def kind_of(deviation: Deviation) -> str:
    """Which story of a run that writes shows the deviation; of tags and searches it is that of jobs."""
    path = deviation.tried.path
    kind = next(part for part in path.split("/")[3:] if part)
    return path[:3] + ("training-jobs" if kind in ("training-job-searches", "modelarts-training-job") else kind)


def is_found(deviation: Deviation, found: set[tuple[str, str]]) -> bool:
    label = deviation.tried.label
    kinds = {kind for operation, kind in found if operation == label or deviation.where == "write"}
    return bool(kinds & deviation.rules)


def test_every_rule_finds_a_deviation(bench: Bench) -> None:
    """One of each kind that a run shows which reads."""
    runs = tried(bench, one_per_rule("read"), "read")

    assert [each for batch, judge in runs for each in missed(batch, judge)] == []


def test_lost_effects_are_found(bench: Bench) -> None:
    """What a request sets, and what an action does, is seen by a run that writes."""
    todo = [each for each in DEVIATIONS if each.where == "write" and ("story" in each.rules or "dropped" in each.name)]

    assert [each for batch, judge in tried(bench, todo, "write") for each in missed(batch, judge)] == []


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("where", ["read", "write"])
def test_deviations_are_found(bench: Bench, where: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each by the rule that the table names; a check of the same exchanges finds those that are in an exchange."""
    todo = [deviation for deviation in DEVIATIONS if deviation.where == where]
    lost, checked = list[Deviation](), 0
    for batch, judge in tried(bench, todo, where):
        lost += missed(batch, judge)
        checked += found_by_check(batch, judge)
    with capsys.disabled():
        said = f"{where}: {len(todo) - len(lost)} of {len(todo)} deviations found, {checked} by a check"
        sys.stdout.write(f"\n{said}\n")

    assert len(lost) <= (1 - SHARE) * len(todo), "\n".join(map(str, lost))


def tried(bench: Bench, todo: list[Deviation], where: str) -> Iterator[tuple[list[Deviation], Judge]]:
    """What a run sees of each batch."""
    for batch in batches(todo, where):
        bench.changes = {deviation.operation: deviation.change() for deviation in batch}
        names = tuple(sorted({deviation.tried.name for deviation in batch}))
        chosen = sorted({deviation.tried.operation_id for deviation in batch})
        yield batch, bench.read(names, chosen) if where == "read" else bench.write(names)


def missed(batch: list[Deviation], judge: Judge) -> list[Deviation]:
    """Those that the run misses."""
    found = {
        (each.label, each.kind.value)
        for outcome in judge.outcomes().values()
        for each in (*outcome.findings, *outcome.notes)
    }
    return [deviation for deviation in batch if not is_found(deviation, found)]


def found_by_check(batch: list[Deviation], judge: Judge) -> int:
    """The number of those that a check of the run's exchanges finds."""
    session = Session(judge.documents)
    seen = {
        (operations(each.document)[each.operation].label, each.kind.value)
        for exchange in judge.exchanges
        for each in session.see(exchange)
        if each.document and each.operation
    }
    return sum(is_found(deviation, seen) for deviation in batch)


DAY_MS = 86_400_000
LISTS = [
    "listAlgorithms",
    "listTrainingJobs",
    "listTrainingJobConfigs",
    "showAlgorithmByUuid",
    "showTrainingJobDetails",
]


def empty(request: ProxyRequest, forward: Forward) -> ProxyResponse:
    """Show an account without anything of its own."""
    return with_json(
        forward(request),
        lambda body: emptied(body) if isinstance(body, dict) and "engine" not in request.path else body,
    )


class Busy:
    """A project in which things are created all the while, and as many deleted: totals stay, and pages move.

    Every so many requests, one comes and the oldest goes; both between two requests, or one after the other.
    """

    def __init__(self, bench: Bench, every: int, *, is_at_once: bool) -> None:
        self.bench, self.turn, self.every, self.is_at_once = bench, itertools.count(1), every, is_at_once
        self.made = list[str]()
        known = bench.emulated
        project = known.environment["MODELARTS_PROJECT_ID"]
        self.algorithms = f"/v2/{project}/algorithms"
        self.configs = f"/v1/{project}/training-job-configs"
        self.code = {"code_dir": CODE, "boot_file": f"{CODE}boot.py", "engine": known.stand_ins["engine"]}

    def __call__(self, request: ProxyRequest, forward: Forward) -> ProxyResponse:
        turn, left = divmod(next(self.turn), self.every)
        if left == 0 and (self.is_at_once or turn % 2):
            self.create(turn)
        if left == 0 and (self.is_at_once or turn % 2 == 0):
            while len(self.made) > 2:
                self.call("DELETE", self.made.pop(0))
        return forward(request)

    def create(self, turn: int) -> None:
        body = {"metadata": {"name": f"neighbour-{turn}"}, "job_config": self.code}
        made = self.call("POST", self.algorithms, body).json()
        self.made.append(f"{self.algorithms}/{made['metadata']['id']}")
        settings = {"worker_server_num": 1, "engine_id": 4, "spec_id": 7, "app_url": CODE}
        settings |= {"config_name": f"neighbour-{turn}", "boot_file_url": f"{CODE}boot.py"}
        self.call("POST", self.configs, settings)
        self.made.append(f"{self.configs}/neighbour-{turn}")

    def call(self, method: str, url: str, body: object = None) -> httpx.Response:
        return self.bench.client.request(method, url, json=body).raise_for_status()


BEHAVIOURS: dict[str, Callable[[Bench], Behaviour]] = {
    **{
        f"as many come as go, {how} after {every} requests": partial(Busy, every=every, is_at_once=how == "at once")
        for every in (1, 2, 3, 5)
        for how in ("at once", "in turn")
    },
    "an empty account": lambda _: empty,
}


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_service_that_keeps_its_contract_gives_no_finding(name: str, bench: Bench) -> None:
    bench.behave = BEHAVIOURS[name](bench)

    judge = bench.read(chosen=LISTS)

    assert [each.message for outcome in judge.outcomes().values() for each in outcome.findings] == []
    assert judge.service.trouble is None
    assert judge.statuses


def test_a_whole_reading_of_all_documents_finds_nothing(bench: Bench) -> None:
    """Ids and names of one document are not those of another, nor those of boards those of jobs."""
    judge = bench.read(("iam", "v1", "v2"))

    assert [each.message for outcome in judge.outcomes().values() for each in outcome.findings] == []
    assert judge.service.trouble is None


def retired(bench: Bench) -> Behaviour:
    """Show things as two days old, and catalogues without what they have."""
    known = bench.emulated.stand_ins
    used = {known["flavor_id"], known["engine"]["engine_id"], known["v1"]["engine_id"], known["v1"]["spec_id"]}
    lists = {"flavors": "total_count", "items": "total", "engines": "", "specs": "spec_total_count"}

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(each) for each in value]
        if not isinstance(value, dict):
            return value
        aged = {"create_time": value["create_time"] - 2 * DAY_MS} if isinstance(value.get("create_time"), int) else {}
        return {**{name: changed(each) for name, each in value.items()}, **aged}

    def sold(body: dict[str, Any]) -> dict[str, Any]:
        name = next(each for each in lists if each in body)
        left = [
            each for each in body[name] if not used & {each.get(id_) for id_ in ("flavor_id", "engine_id", "spec_id")}
        ]
        return {**body, name: left, **({lists[name]: len(left)} if lists[name] in body else {})}

    def behave(request: ProxyRequest, forward: Forward) -> ProxyResponse:
        is_catalogue = request.path.endswith(("-flavors", "-engines", "-specs"))
        return with_json(forward(request), sold if is_catalogue else changed)

    return behave


def test_a_catalogue_may_lack_what_older_things_have(bench: Bench) -> None:
    """Flavors and engines of jobs and algorithms are retired some day."""
    bench.behave = retired(bench)
    catalogues = ["showTrainingJobFlavors", "showTrainingJobEngines", "listJobEngines", "listJobResourceSpecs"]

    judge = bench.read(chosen=[*catalogues, "showTrainingJobDetails", "showAlgorithmByUuid", "showTrainingJobVersion"])

    assert [each.message for outcome in judge.outcomes().values() for each in outcome.findings] == []


def test_a_quota_is_no_broken_contract(bench: Bench) -> None:
    """The story is not available; other things of the account are created."""
    bench.behave = closed("/algorithms", 400, "ModelArts.0104", "POST", "The quota of algorithms is used up.")()

    judge = bench.write(("v2",))

    assert judge.outcomes()["v2"].findings == []
