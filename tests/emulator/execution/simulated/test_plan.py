"""Plans: read from annotations and from JSON, checked, and merged."""

from __future__ import annotations

from typing import Any

import pytest

from modelarts_emulator.execution.simulated.plan import PlanError, Plans, from_annotations


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

    assert from_annotations(annotations, 2) == {
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
        Plans().add(**plan)


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
