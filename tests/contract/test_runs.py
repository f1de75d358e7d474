"""The summary of a run counts what was sent, what got a response, and what was checked."""

from __future__ import annotations

import pytest

from modelarts_contract.documents import operations
from modelarts_contract.run.completeness import rejected_too_often
from modelarts_contract.run.outcome import Outcome, table

EVENTS = operations("v2")["listTrainingJobEvents"]
RECORD = [
    {"phase": "fuzzing", "operation": "GET /v3", "status": 200, "checks": 7},
    {"phase": "fuzzing", "operation": "GET /v3", "status": 200, "checks": 0},
    {"phase": "fuzzing", "seconds": 0.5},
    {"phase": "stateful", "operation": "GET /v3", "status": 404, "checks": 7, "link": "somewhere"},
    {"phase": "stateful", "seconds": 0.25},
    {"phase": "examples", "seconds": 0.25},
]


def outcome(exit_status: int = 0, found: int = 0, began: float = 100) -> Outcome:
    findings = [{"finding": {"identity": [str(number)], "known": False}, "phase": "fuzzing"} for number in range(found)]
    return Outcome("v2-calls", exit_status, "", [*RECORD, *findings], began, began + 4)


def test_a_case_counts_if_a_check_looked_at_its_response() -> None:
    assert outcome().cases() == {"fuzzing": 1, "stateful": 1}


def test_every_exchange_is_reported_with_the_link_that_led_there() -> None:
    assert list(outcome().exchanges()) == [
        ("GET /v3", None, 200),
        ("GET /v3", None, 200),
        ("GET /v3", "somewhere", 404),
    ]


@pytest.mark.parametrize(("exit_status", "found", "expected"), [(0, 0, 0), (1, 3, 3), (1, 0, 1)])
def test_a_run_that_breaks_off_is_a_failure(exit_status: int, found: int, expected: int) -> None:
    broken = outcome(exit_status, found)

    assert broken.failures == expected


def test_the_rate_of_all_runs_is_by_the_clock_on_the_wall() -> None:
    """Runs side by side take the time from the beginning of the first to the end of the last."""
    lines = table([outcome(), outcome(began=102)]).splitlines()

    assert [line.split()[2:] for line in lines[1:3]] == [["1", "0.5", "2"], ["1", "0.2", "4"]]
    assert lines[-1].split()[-3:] == ["4", "6.0", "1"]


@pytest.mark.parametrize(
    ("label", "phase", "share"),
    [
        (EVENTS.label, "coverage", EVENTS.contract["share"]),
        ("POST /v2/{project_id}/training-job-searches", "coverage", 0.9),
        ("POST /v2/{project_id}/training-job-searches", "stateful", 0.9),
    ],
)
def test_an_operation_must_accept_its_share_of_valid_requests(label: str, phase: str, share: float) -> None:
    """The share counts requests about existing things only; slightly less can be chance, much less is not."""
    enough = int(share * 100)

    def record(accepted: int) -> Outcome:
        line = {"operation": label, "phase": phase, "checks": 1}
        lines = [{**line, "grounded": True, "status": 200 if number < accepted else 400} for number in range(100)]
        ignored = [{**line, "grounded": False, "status": 400}] * 100
        return Outcome("v2", 0, "", [*lines, *ignored], 0, 1)

    assert rejected_too_often("v2", [record(enough)]) == {}
    assert rejected_too_often("v2", [record(enough - 3)]) == {}
    assert [found.succeeded for found in rejected_too_often("v2", [record(enough - 15)]).values()] == [enough - 15]
