"""Plans: read from annotations and from JSON, checked, and merged."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_emulator.execution.simulated.plan import PlanError, TaskPlan, check, from_annotations, merge, render
from modelarts_emulator.execution.simulated.plans import Plans


def test_annotations_say_what_a_plan_says() -> None:
    annotations = {
        "emulator/duration": "10,20.5",
        "emulator/exit-code": "1,0",
        "emulator/preparation": "2",
        "emulator/stop-duration": "3",
        "emulator/failure": "preempted@5,",
        "emulator/log": "a\n@2.5 b",
        "emulator/cpuUsage": "10,20",
        "emulator/memUsage": "30",
        "emulator/exit-code.worker-1": "7",
        "key_task": "worker",
    }

    assert check(from_annotations(annotations, 2)) == {
        "duration": [10.0, 20.5],
        "exit_code": [1, 0],
        "preparation": 2.0,
        "stop_duration": 3.0,
        "failure": ["preempted@5", ""],
        "log": ["a", "@2.5 b"],
        "metrics": {"cpuUsage": [10.0, 20.0], "memUsage": [30.0]},
        "tasks": {"worker-1": {"exit_code": [7]}},
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("emulator/duration", "soon"),
        ("emulator/duration", "-1"),
        ("emulator/duration", "nan"),
        ("emulator/duration", "inf"),
        ("emulator/duration", ""),
        ("emulator/exit-code", "256"),
        ("emulator/exit-code", "1.5"),
        ("emulator/failure", "rain@5"),
        ("emulator/failure", "hung"),
        ("emulator/cpuUsage", "101"),
        ("emulator/metrics", "1"),
        ("emulator/color", "red"),
        ("emulator/", "1"),
        ("emulator/exit-code.worker-2", "1"),
    ],
)
def test_a_wrong_annotation_is_rejected_by_name(name: str, text: str) -> None:
    with pytest.raises(PlanError, match=f"^{name}: "):
        from_annotations({name: text}, node_count=2)


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        ([], 'the plan: the value is not of type "object"'),
        ({"duration": "10"}, 'duration: the value is not of type "number"'),
        ({"duration": -1}, "duration: the value is less than the minimum of 0"),
        ({"duration": [5, -1]}, "duration: the value is less than the minimum of 0"),
        ({"duration": []}, "duration: the value has less than 1 item"),
        ({"duration": True}, 'duration: the value is not of type "number"'),
        ({"exit_code": -1}, "exit_code: the value is less than the minimum of 0"),
        (
            {"failure": "hung"},
            "failure: give preempted, hung, node_lost, disk_full or out_of_memory and after how many seconds",
        ),
        ({"color": "red"}, "the plan: there is no color: use preparation, duration, exit_code, .*, metrics, tasks"),
        ({"tasks": {"ps-0": {}}}, "tasks: there is no ps-0: use worker-0, worker-1"),
        ({"tasks": {"worker-0": {"tasks": {}}}}, "tasks.worker-0: there is no tasks: use preparation, .*, metrics$"),
        ({"metrics": {"speed": 1}}, "metrics: there is no speed: use cpuUsage, "),
        ({"log": [1]}, 'log.0: the value is not of type "string"'),
        ({"log": "hello"}, "log: give a list of lines, such as "),
    ],
)
def test_a_wrong_plan_is_rejected_with_the_reason(plan: Any, reason: str) -> None:
    with pytest.raises(PlanError, match=f"^{reason}"):
        check(plan)


def test_the_last_value_holds_for_further_attempts_and_a_failure_does_not_come_again() -> None:
    plan = {"duration": [10, 20], "exit_code": 3, "failure": "hung@5"}
    parts = [TaskPlan.of(plan, "worker-0", attempt) for attempt in range(3)]

    assert [part.duration for part in parts] == [10, 20, 20]
    assert [part.exit_code for part in parts] == [3, 3, 3]
    assert [part.planned_failure for part in parts] == [(5.0, "hung"), None, None]


def test_a_line_without_a_time_comes_with_the_one_before_it() -> None:
    assert TaskPlan.of({"log": ["a", "@2 b", "c", "@1 d"]}, "worker-0", 0).log == (
        (0, "a"),
        (2, "b"),
        (2, "c"),
        (2, "d"),
    )


def test_the_plan_of_a_task_wins_over_the_one_of_all() -> None:
    plan = {"exit_code": 0, "tasks": {"worker-1": {"exit_code": 1}}}

    assert [TaskPlan.of(plan, f"worker-{index}", 0).exit_code for index in range(2)] == [0, 1]


def test_of_several_plans_a_member_of_the_last_one_wins() -> None:
    plans = [
        {"duration": 1, "exit_code": 1, "tasks": {"worker-0": {"exit_code": 2, "duration": 3}}},
        {"exit_code": 5, "tasks": {"worker-0": {"log": ["a"]}}},
    ]

    assert merge(plans) == {"duration": 1, "exit_code": 5, "tasks": {"worker-0": {"duration": 3, "log": ["a"]}}}


def test_only_known_names_in_braces_are_replaced() -> None:
    assert render("{lr} {unknown} {} {{lr}}", {"lr": "0.1"}) == "0.1 {unknown} {} {0.1}"


def test_plans_fit_by_pattern_and_the_newest_counts_last() -> None:
    plans = Plans()
    plans.add(job="train-*", duration=1)
    plans.add(exit_code=2)
    plans.add(job="other", duration=3)

    assert plans.of("train-1") == [{"duration": 1}, {"exit_code": 2}]
    assert [plan["job"] for plan in plans.list()] == ["train-*", "*", "other"]
    plans.clear()
    assert plans.of("train-1") == []


@pytest.mark.parametrize("members", [{"job": 1}, {"job": ""}, {"duration": -1}, {"self": 1}])
def test_a_wrong_plan_is_not_put_in_place(members: dict[str, Any]) -> None:
    plans = Plans()
    with pytest.raises(PlanError):
        plans.add(**members)

    assert plans.list() == []
