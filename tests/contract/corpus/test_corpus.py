"""Deviations of a service are found by runs, and by a check of what they recorded."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from modelarts_contract.documents import operations
from modelarts_contract.rules import Session

from .conftest import Bench
from .deviations import DEVIATIONS, Deviation

ROOTS = ("list", "showTrainingJobFlavors", "showTrainingJobEngines", "showSearchAlgorithms")
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
    """Which story of a run that writes shows the deviation."""
    path = operations(deviation.operation[:2])[deviation.operation[3:]].path
    return (
        next(part for part in path.split("/")[3:] if part).replace("training-job-searches", "training-jobs") + path[:3]
    )


def is_found(deviation: Deviation, found: set[tuple[str, str]]) -> bool:
    label = operations(deviation.operation[:2])[deviation.operation[3:]].label
    kinds = {kind for operation, kind in found if operation == label or deviation.where == "write"}
    return bool(kinds & deviation.rules)


def test_every_rule_finds_a_deviation(bench: Bench) -> None:
    """One of each kind that a run shows which reads."""
    missed, _ = tried(bench, one_per_rule("read"), "read")

    assert missed == []


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("where", ["read", "write"])
def test_deviations_are_found(bench: Bench, where: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each by the rule that the table names; a check of the same exchanges finds those that are in an exchange."""
    todo = [deviation for deviation in DEVIATIONS if deviation.where == where]
    missed, checked = tried(bench, todo, where)
    with capsys.disabled():
        said = f"{where}: {len(todo) - len(missed)} of {len(todo)} deviations found, {checked} by a check"
        sys.stdout.write(f"\n{said}\n")

    assert len(missed) <= (1 - SHARE) * len(todo), "\n".join(map(str, missed))


def tried(bench: Bench, todo: list[Deviation], where: str) -> tuple[list[Deviation], int]:
    """Those that a run misses, and the number of those that a check of its exchanges finds."""
    missed, checked = [], 0
    for batch in batches(todo, where):
        bench.changes = {deviation.operation: deviation.change() for deviation in batch}
        names = tuple(sorted({deviation.operation[:2] for deviation in batch}))
        chosen = sorted({deviation.operation[3:] for deviation in batch})
        judge = bench.read(names, chosen) if where == "read" else bench.write(names)
        found = {
            (line[key]["operation"], line[key]["check"])
            for outcome in judge.outcomes().values()
            for line in outcome.record
            for key in ("finding", "news")
            if key in line
        }
        missed += [deviation for deviation in batch if not is_found(deviation, found)]
        session = Session(judge.documents)
        seen = {
            (operations(each.document)[each.operation].label, each.kind.value)
            for exchange in judge.exchanges
            for each in session.see(exchange)
            if each.document and each.operation
        }
        checked += sum(is_found(deviation, seen) for deviation in batch)
    return missed, checked
