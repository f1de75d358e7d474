"""Who may start now."""

from __future__ import annotations

from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.scheduler import Nodes


def job(name: str, nodes: int = 1, flavor: str = "a", **changes: object) -> Run:
    changes = {"create_time": 1, "phase": "Pending"} | changes
    return Run(name, "p", nodes, flavor_id=flavor, **changes)  # type: ignore[arg-type]


def admitted(nodes: Nodes, *lines: list[Run]) -> list[str]:
    return [entry.id for entry in nodes.admit(lines)]


def test_every_running_job_counts_with_all_its_nodes() -> None:
    nodes = Nodes({"a": 6}, 4, [("a", 2), ("a", 1)])

    assert admitted(nodes, [job("first", 2), job("last", 1), job("late", 1)]) == ["first", "last"]
    assert nodes.running == 4
    assert not nodes.has_free("a")
    assert nodes.obstacle(job("late")) == "as many jobs run as may run at once (4)"


def test_a_flavor_without_nodes_of_its_own_has_enough_for_everybody() -> None:
    nodes = Nodes({}, 10, [("a", 2**20)])

    assert nodes.has_free("a")
    assert admitted(nodes, [job("wide", 1_000_000)]) == ["wide"]


def test_a_job_that_waits_where_removed_ones_still_run_is_told_of_no_free_node() -> None:
    nodes = Nodes({"a": 2}, 10, [("a", 3)])

    assert not nodes.has_free("a")
    assert nodes.obstacle(job("waiting")) == "of 2 nodes of flavor a, 0 are free, and jobs before it may need them"


def test_restarted_jobs_come_first_then_high_priority_then_early_ones() -> None:
    lines = [
        [job("urgent", flavor="a", create_time=8, priority=3)],
        [job("early", flavor="b", create_time=1, priority=1), job("late", flavor="b", create_time=2, priority=1)],
        [job("restarted", flavor="c", create_time=9, attempt=1)],
    ]

    assert admitted(Nodes({}, 10, []), *lines) == ["restarted", "urgent", "early", "late"]
