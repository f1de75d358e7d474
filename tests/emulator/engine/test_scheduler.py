"""Who may start now."""

from __future__ import annotations

from modelarts_emulator.engine.runs import Run
from modelarts_emulator.engine.scheduler import Nodes


def job(name: str, nodes: int = 1, flavor: str = "a", **changes: object) -> Run:
    changes = {"create_time": 1, "phase": "Pending"} | changes
    return Run(name, "p", nodes, flavor_id=flavor, **changes)  # type: ignore[arg-type]


def admitted(nodes: Nodes, *lines: list[Run]) -> list[str]:
    return [entry.id for entry in nodes.admit(lines)]


def test_a_job_that_does_not_fit_bars_those_of_its_flavor_and_no_others() -> None:
    nodes = Nodes({"a": 4, "b": 1}, 10, [])
    line = [job(name, count, create_time=number) for number, (name, count) in enumerate([("x", 3), ("y", 2), ("z", 1)])]

    assert admitted(nodes, line, [job("other", 1, "b", create_time=9)]) == ["x", "other"]


def test_no_more_jobs_run_than_may_run_at_once_whatever_their_flavors() -> None:
    nodes = Nodes({}, 1, [("b", 1)])

    assert admitted(nodes, [job("waiting")]) == []
    assert nodes.obstacle(job("waiting")) == "as many jobs run as may run at once (1)"
    assert admitted(Nodes({}, 1, []), [job("b", flavor="a")], [job("a", flavor="b")]) == ["a"]


def test_a_waiting_job_shows_what_is_used_up() -> None:
    nodes = Nodes({"a": 2}, 10, [("a", 1), ("b", 5)])

    assert admitted(nodes, [job("wide", 2)]) == []
    assert nodes.has_free("a")
    assert nodes.obstacle(job("wide", 2)).startswith("of 2 nodes of flavor a, 1 are free")
    assert nodes.obstacle(job("wider", 3)) == "it needs 3 nodes of flavor a, and there are 2"


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
