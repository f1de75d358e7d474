"""The queue: who may start now."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from modelarts_emulator.jobs.runs import Run
from modelarts_emulator.jobs.scheduler import Queue

UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine


def job(name: str, nodes: int = 1, flavor: str = "a", **changes: object) -> Run:
    changes = {"create_time": 1, "phase": "Pending"} | changes
    return Run(name, "p", nodes, flavor_id=flavor, **changes)  # type: ignore[arg-type]


def admitted(queue: Queue) -> list[str]:
    return [entry.id for entry in queue.admit()]


def test_a_restarted_job_goes_first_then_the_higher_priority_then_the_older_job() -> None:
    queue = Queue({}, 10)
    for entry in (
        job("young", create_time=3),
        job("old", create_time=2),
        job("important", create_time=4, priority=3),
        job("restarted", create_time=5, attempt=1),
    ):
        queue.update(entry)

    assert admitted(queue) == ["restarted", "important", "old", "young"]


def test_a_job_that_does_not_fit_bars_those_of_its_flavor_and_no_others() -> None:
    queue = Queue({"a": 4, "b": 1}, 10)
    for number, entry in enumerate([("x", 3, "a"), ("wide", 2, "a"), ("narrow", 1, "a"), ("other", 1, "b")]):
        queue.update(job(*entry, create_time=number))

    assert admitted(queue) == ["x", "other"]

    queue.release("x")

    assert admitted(queue) == ["wide", "narrow"]


def test_no_more_jobs_run_than_may_run_at_once_whatever_their_flavors() -> None:
    queue = Queue({}, 1)
    queue.update(job("running", flavor="b", launched=True))
    queue.update(job("waiting"))

    assert admitted(queue) == []
    assert queue.obstacle(job("waiting")) == "as many jobs run as may run at once (1)"

    queue.release("running")

    assert admitted(queue) == ["waiting"]


def test_a_waiting_job_shows_what_is_used_up() -> None:
    queue = Queue({"a": 2}, 10)
    queue.update(job("running", 2, launched=True))
    queue.update(job("waiting"))

    assert admitted(queue) == []
    assert queue.obstacle(job("waiting")).startswith("of 2 nodes of flavor a, 0 are free")


def test_a_job_that_wants_more_nodes_than_a_later_start_of_the_emulator_has_bars_nobody() -> None:
    queue = Queue({"a": 2}, 10)
    queue.update(job("wide", 3, create_time=1))
    queue.update(job("narrow", 1, create_time=2))

    assert admitted(queue) == ["narrow"]
    assert queue.obstacle(job("wide", 3)) == "it needs 3 nodes of flavor a, and there are 2"


def test_a_job_that_left_or_that_waits_again_is_there_once() -> None:
    queue = Queue({}, 10)
    queue.update(job("gone"))
    queue.update(job("kept"))
    queue.update(job("kept"))
    queue.release("gone")

    assert admitted(queue) == ["kept"]
    assert admitted(queue) == []


def test_a_job_that_is_withdrawn_does_not_start_and_keeps_its_room_until_it_is_released() -> None:
    queue = Queue({"a": 1}, 10)
    queue.update(job("running", launched=True))
    queue.update(job("withdrawn", create_time=0))
    queue.withdraw("withdrawn")
    queue.withdraw("running")
    queue.update(job("waiting"))

    assert admitted(queue) == []

    queue.release("running")

    assert admitted(queue) == ["waiting"]


def test_a_job_that_is_updated_has_its_room_once() -> None:
    """As one that has been launched since, with other nodes, or that has ended."""
    queue = Queue({"a": 3}, 10)
    queue.update(job("growing", 1, launched=True))
    queue.update(job("growing", 2, launched=True))
    queue.update(job("waiting", 1))

    assert admitted(queue) == ["waiting"]

    queue.update(job("growing", 2, launched=True, phase="Completed"))
    queue.update(job("last", 2))

    assert admitted(queue) == ["last"]


def test_of_two_flavors_the_job_that_goes_first_is_admitted() -> None:
    """Whose ranks are equal but for the last member."""
    queue = Queue({}, 1)
    queue.update(job("b", flavor="a"))
    queue.update(job("a", flavor="b"))

    assert admitted(queue) == ["a"]


def test_a_job_that_needs_all_nodes_shows_that_they_are_used() -> None:
    queue = Queue({"a": 2}, 10)
    queue.update(job("running", 1, launched=True))

    assert queue.obstacle(job("wide", 2)).startswith("of 2 nodes of flavor a, 1 are free")


@pytest.mark.parametrize("most", [1, 3, 100])
@UNHURRIED
@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from("ab")), max_size=30))
def test_never_are_more_nodes_in_use_than_there_are_and_every_job_gets_its_turn(
    most: int, wanted: list[tuple[int, str]]
) -> None:
    queue = Queue({"a": 4, "b": 5}, most)
    for number, (nodes, flavor) in enumerate(wanted):
        queue.update(job(str(number), nodes, flavor, create_time=number))
    running: list[Run] = []
    started: list[str] = []
    while (new := queue.admit()) or running:
        running += new
        started += [entry.id for entry in new]

        assert len(running) <= most
        for flavor, there in (("a", 4), ("b", 5)):
            assert sum(entry.node_count for entry in running if entry.flavor_id == flavor) <= there
        queue.release(running.pop(0).id)

    assert sorted(started, key=int) == [str(number) for number in range(len(wanted))]
