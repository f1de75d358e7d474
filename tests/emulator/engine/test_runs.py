"""Runs in their table, and who of them may start now."""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, select

from modelarts_emulator.engine import events, runs, tables
from modelarts_emulator.engine.runs import Held, Line, Run, new_id
from modelarts_emulator.engine.scheduler import UNLIMITED, Capacity, Nodes, Pool
from modelarts_emulator.execution.devices import Device
from modelarts_emulator.execution.protocol import JobSpec
from modelarts_openapi.phases import Phase


def job(name: str, create_time: int, phase: Phase, launched: bool = False) -> Run:
    return Run(
        name,
        "p",
        1,
        create_time,
        JobSpec(name, name, environments={}, service_environments={}),
        phase=phase,
        launched=launched,
    )


@pytest.fixture
def connection(engine: Engine) -> Iterator[Connection]:
    with engine.begin() as opened:
        yield opened


def test_what_may_change_is_found_and_nothing_else(connection: Connection) -> None:
    """What requests have made or stopped, what is late, and what the executor says, or all that it may run."""
    launched = [job("quiet", 1, "Running", launched=True), job("changed", 2, "Running", launched=True)]
    late = Run("late", "p", 1, 3, phase="Running", launched=True, attempt_start=1000, max_duration=500)
    others = [job("new", 4, "Creating"), job("queued", 5, "Pending"), job("ended", 6, "Completed", launched=True)]
    for each in (*launched, late, *others):
        runs.add(connection, each)

    assert [run.id for run in runs.due(connection, 1499, ["changed", "ended", "unknown"])] == ["changed", "new"]
    assert [run.id for run in runs.due(connection, 1500, [])] == ["late", "new"]
    assert [run.id for run in runs.due(connection, 0, None)] == ["quiet", "changed", "late", "new"]
    assert runs.next_deadline(connection) == 1500


def test_the_queue_begins_with_restarted_jobs_then_higher_priorities_then_older_ones(connection: Connection) -> None:
    """Without those that need more nodes than there are."""
    for name, nodes, created, priority, attempt in (
        ("young", 1, 4, 1, 0), ("old", 1, 3, 1, 0), ("wide", 3, 1, 1, 0),
        ("important", 1, 5, 3, 0), ("again", 1, 6, 1, 1),
    ):  # fmt: skip
        run = Run(name, "p", nodes, created, flavor_id="f", priority=priority, attempt=attempt, phase="Pending")
        runs.add(connection, run)

    assert runs.waiting_lines(connection) == [Line("f")]
    assert [run.id for run in runs.waiting(connection, Line("f"), 2, 9)] == ["again", "important", "old", "young"]
    assert [run.id for run in runs.waiting(connection, Line("f"), 9, 3)] == ["again", "important", "wide"]
    assert runs.waiting(connection, Line("g"), 9, 9) == []


def test_a_removed_job_keeps_its_nodes_until_it_is_removed_from_the_executor(connection: Connection) -> None:
    running, queued = job("running", 1, "Running", launched=True), job("queued", 2, "Pending")
    for each in (running, queued):
        runs.add(connection, each)
    runs.remove(connection, running)
    runs.remove(connection, queued)

    assert runs.held(connection) == [Held("", 1, [])]


def test_what_is_saved_is_read_again_and_a_removed_job_stays_removed(connection: Connection) -> None:
    """A removed job takes all its events away."""
    kept, removed = job("kept", 1, "Pending"), job("removed", 2, "Pending")
    for each in (kept, removed):
        runs.add(connection, each)
        events.add(connection, [events.Event(each.id, 1000, "The job has been created.")])
    runs.remove(connection, removed)
    kept.attempt, kept.event_counts, kept.past_duration, kept.running_records = 2, {"worker-0": 3}, 4, [{"start_at": 1}]

    runs.save(connection, [kept, removed])

    assert runs.get(connection, "kept") == kept
    assert runs.get(connection, "removed") is None
    assert connection.execute(select(tables.events.c.run_id)).all() == [("kept",)]


def test_more_jobs_are_read_at_once_than_a_statement_has_parameters(connection: Connection) -> None:
    """A search, and the supervisor, ask for as many as they need."""
    most = 300_000 if connection.dialect.name == "sqlite" else 70_000
    for each in (job("first", 1, "Pending"), job("last", 2, "Pending")):
        runs.add(connection, each)

    found = runs.by_ids(connection, ["first", *map(str, range(most)), "last"])
    assert [each.id for each in found] == ["first", "last"]


def test_identifiers_are_uuids_that_sort_in_the_order_of_their_making(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while the clock stands."""
    made = [new_id() for _ in range(10_000)]

    assert made == sorted(set(made))
    assert {(uuid.UUID(text).version, uuid.UUID(text).variant) for text in made} == {(8, uuid.RFC_4122)}

    now = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now)

    held = [new_id() for _ in range(1000)]
    assert [*made, *held] == sorted({*made, *held})


def queued(name: str, nodes: int = 1, flavor: str = "a", **changes: object) -> Run:
    changes = {"create_time": 1, "phase": "Pending"} | changes
    return Run(name, "p", nodes, flavor_id=flavor, **changes)  # type: ignore[arg-type]


def admitted(nodes: Nodes, *lines: list[Run]) -> list[str]:
    return [entry.id for entry in nodes.admit(lines)]


def test_a_job_that_does_not_fit_bars_those_of_its_flavor_and_no_others() -> None:
    nodes = Nodes(Capacity(10, {"a": 4, "b": 1}), [])
    line = [
        queued(name, count, create_time=number) for number, (name, count) in enumerate([("x", 3), ("y", 2), ("z", 1)])
    ]

    assert admitted(nodes, line, [queued("other", 1, "b", create_time=9)]) == ["x", "other"]


def test_a_waiting_job_shows_what_is_used_up() -> None:
    """Where removed jobs still run, no node is free."""
    nodes = Nodes(Capacity(10, {"a": 2}), [Held("a", 1), Held("b", 5)])

    assert admitted(nodes, [queued("wide", 2)]) == []
    assert nodes.has_free(Line("a"))
    assert nodes.obstacle(queued("wide", 2)).endswith("; of 2 nodes of flavor a, 1 is free")
    assert nodes.obstacle(queued("wider", 3)) == "it needs 3 nodes of flavor a, and there are 2"

    nodes = Nodes(Capacity(10, {"a": 2}), [Held("a", 3)])
    assert not nodes.has_free(Line("a"))
    assert nodes.obstacle(queued("waiting")) == "it needs 1 node; of 2 nodes of flavor a, 0 are free"

    nodes = Nodes(Capacity(10), [Held("a", 2**20)])  # a flavor without nodes of its own has enough for everybody
    assert nodes.has_free(Line("a"))
    assert admitted(nodes, [queued("wide", 1_000_000)]) == ["wide"]


def test_every_job_counts_with_all_its_nodes_and_against_the_number_of_jobs() -> None:
    """Whatever their flavors."""
    nodes = Nodes(Capacity(4, {"a": 6}), [Held("a", 2), Held("a", 1)])

    assert admitted(nodes, [queued("first", 2), queued("last", 1), queued("late", 1)]) == ["first", "last"]
    assert nodes.running == 4
    assert not nodes.has_free(Line("a"))
    assert nodes.obstacle(queued("late")) == "as many jobs run as may run at once (4)"
    assert nodes.obstacle(queued("wide", 7)) == "it needs 7 nodes of flavor a, and there are 6"

    nodes = Nodes(Capacity(1), [Held("b", 1)])

    assert admitted(nodes, [queued("waiting")]) == []
    assert nodes.obstacle(queued("waiting")) == "as many jobs run as may run at once (1)"
    assert admitted(Nodes(Capacity(1), []), [queued("b", flavor="a")], [queued("a", flavor="b")]) == ["a"]


def test_restarted_jobs_come_first_then_high_priority_then_early_ones() -> None:
    lines = [
        [queued("urgent", flavor="a", create_time=8, priority=3)],
        [queued("early", flavor="b", create_time=1, priority=1), queued("late", flavor="b", create_time=2, priority=1)],
        [queued("restarted", flavor="c", create_time=9, attempt=1)],
    ]

    assert admitted(Nodes(Capacity(10), []), *lines) == ["restarted", "urgent", "early", "late"]


POOL = Pool(tuple(Device(f"GPU-{number}", index=str(number)) for number in range(4)))
CARDS = Capacity(
    99,
    {"few": 1},
    POOL,
)
COUNTS = {"local.gpu": 1, "one": 1, "few": 1, "two": 2, "all": 4, "more": 5}


def line_of(flavor: str) -> Line:
    return Line(flavor, "gpu" if flavor in COUNTS else "", COUNTS.get(flavor, 0))


def accelerated(name: str, nodes: int, flavor: str, **changes: object) -> Run:
    return queued(name, nodes, flavor, device_kind="gpu", device_count=COUNTS[flavor], **changes)


def cards(run: Run) -> list[list[str]]:
    return [[device["id"] for device in own] for own in run.devices]


def test_each_node_takes_its_accelerators_and_who_waits_for_them_keeps_back_all_that_want_any() -> None:
    """But neither those that want none, nor those that wait for nodes of their flavor keep back anybody."""
    nodes = Nodes(CARDS, [Held("one", 1, ["GPU-1"]), Held("few", 1, ["another machine's"])])
    wide, late, none = (
        accelerated("wide", 2, "two"),
        accelerated("late", 1, "one", create_time=2),
        queued("none", 7, "cpu"),
    )
    pair = accelerated("pair", 1, "two", create_time=0)
    line = [accelerated("same flavor", 1, "few", create_time=0)]

    assert admitted(nodes, [pair, wide], [late], [none], line) == ["pair", "none"]
    assert (cards(pair), cards(none)) == ([["GPU-0", "GPU-2"]], [])
    assert nodes.obstacle(wide) == (
        "it needs 2 GPUs on each of 2 nodes; of 4 GPUs, 1 is free, and jobs before it may need them"
    )
    assert nodes.obstacle(accelerated("x", 1, "all")).startswith("it needs 4 GPUs; of 4 GPUs, 1 is free")
    assert nodes.obstacle(line[0]).endswith("of 1 node of flavor few, 0 are free")
    assert [nodes.has_free(line_of(flavor)) for flavor in ("all", "few")] == [True, False]
    assert [nodes.most(line_of(flavor)) for flavor in ("two", "all")] == [2, 1]


def test_a_job_that_has_too_few_accelerators_for_its_last_node_takes_none() -> None:
    nodes = Nodes(Capacity(99, {}, POOL), [Held("one", 1, ["GPU-0"])])
    wide = accelerated("wide", 2, "two")

    assert (admitted(nodes, [wide]), wide.devices) == ([], [])
    assert "of 4 GPUs, 3 are free" in nodes.obstacle(wide)


def test_a_flavor_can_have_the_name_of_a_kind_of_accelerator() -> None:
    """Who waits for its nodes keeps back nobody that wants an accelerator."""
    nodes = Nodes(Capacity(99, {"gpu": 1}, POOL), [])

    assert admitted(nodes, [queued("wide", 2, "gpu")], [accelerated("one", 1, "one", create_time=2)]) == ["one"]


def test_accelerators_that_the_machine_has_not_are_names_unless_somebody_may_see_those_of_others() -> None:
    """So it is as long as runs have some of an earlier emulator, and for flavors that were made of its machine."""
    bare = Capacity(9, flavors=["one", "local.gpu"])
    run = accelerated("a", 2, "one")

    assert admitted(Nodes(bare, []), [run]) == ["a"]
    assert (run.launched, cards(run)) == (True, [])
    assert Nodes(bare, []).most(Line("local.gpu", "gpu", 1)) == UNLIMITED
    assert Nodes(bare, []).most(Line("local.gpu.2", "gpu", 2)) == 0
    assert Nodes(bare, []).most(Line("local.cpu")) == UNLIMITED
    others = Nodes(bare, [Held("one", 1, ["GPU-9"])])
    assert others.obstacle(run) == "it needs 1 GPU on each of 2 nodes, and there are 0 GPUs"
    assert [others.most(line_of("one")), others.most(line_of("cpu"))] == [0, UNLIMITED]
    assert [others.has_free(line_of("one")), others.has_free(line_of("cpu"))] == [False, True]


def test_tasks_share_accelerators_and_those_of_removed_runs_are_held_without_nodes() -> None:
    pool = Pool((Device("GPU-0", index="0"),), 2)
    nodes = Nodes(Capacity(2, {"one": 1}, pool), [Held("one", 0, ["GPU-0"])])
    first, second = accelerated("first", 1, "one"), accelerated("second", 1, "local.gpu")

    assert (nodes.running, nodes.most(line_of("one"))) == (0, 1)
    assert nodes.obstacle(first) == (
        "it needs 1 GPU; of 2 places on each of 1 GPU, 1 is free, and jobs before it may need them"
    )
    assert admitted(nodes, [first], [second]) == ["first"]
    assert nodes.obstacle(second).startswith("it needs 1 GPU; of 2 places on each of 1 GPU, 0 are free")
    assert nodes.obstacle(accelerated("third", 1, "two")) == "it needs 2 GPUs, and there is 1 GPU"


def test_what_no_machine_can_have_waits_and_keeps_back_nobody() -> None:
    """It may come from a life of the emulator with more accelerators."""
    nodes = Nodes(CARDS, [])

    assert [nodes.most(line_of(flavor)) for flavor in ("more", "one")] == [0, 4]
    assert nodes.obstacle(accelerated("x", 1, "more")) == "it needs 5 GPUs, and there are 4 GPUs"


@given(st.integers(1, 3), st.lists(st.tuples(st.sampled_from(["one", "two", "all", "cpu"]), st.integers(1, 4))))
def test_no_accelerator_has_more_tasks_than_it_may_and_none_idles_while_the_first_in_line_could_run(
    places: int, wanted: list[tuple[str, int]]
) -> None:
    """Whatever waits, and in whatever order jobs end; a node has as many different ones as its flavor says."""
    capacity = replace(CARDS, pool=replace(POOL, tasks_per_device=places))
    waiting = [
        (accelerated if flavor in COUNTS else queued)(f"{number:03}", nodes, flavor, create_time=number)
        for number, (flavor, nodes) in enumerate(wanted)
    ]
    running: list[Run] = []
    while waiting or running:
        held = [Held(run.flavor_id, run.node_count, [card for own in cards(run) for card in own]) for run in running]
        nodes = Nodes(capacity, held)
        waiting = [run for run in waiting if run.node_count <= nodes.most(run.line)]
        lines = [[run for run in waiting if run.flavor_id == flavor] for flavor in ("one", "two", "all", "cpu")]
        began = nodes.admit([line for line in lines if line and nodes.has_free(line[0].line)])
        running += began
        waiting = [run for run in waiting if run not in began]
        counts = Counter(card for run in running for own in cards(run) for card in own)
        assert all(count <= places for count in counts.values()), counts
        for run in running:
            own = [len(set(ids)) for ids in cards(run)]
            wants = run.device_count
            assert own == ([wants] * run.node_count if wants else []), (run, own)
        first = next((run for run in waiting if run.flavor_id != "cpu"), None)
        if first is not None:
            free = sum(min(places - counts[device.id], first.node_count) for device in POOL.devices)
            assert free < first.device_count * first.node_count, (first, counts)
        assert running or not waiting, "nothing runs, and somebody waits"
        running = running[1::2]


def test_the_variables_of_a_job_take_precedence_over_those_of_the_platform() -> None:
    spec = JobSpec("a", "a", service_environments={"S3_ENDPOINT": "of the job"})
    run = Run("a", "p", 1, 0, spec)

    made = run.job_spec({"S3_ENDPOINT": "of the platform", "S3_VERSION": "1"})

    assert made.service_environments == {"S3_ENDPOINT": "of the job", "S3_VERSION": "1"}
