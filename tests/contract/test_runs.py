"""A run counts how many valid requests an operation accepts."""

from __future__ import annotations

import pytest

from modelarts_contract.documents import operations
from modelarts_contract.run.completeness import chance_of_fewer, rejected_too_often
from modelarts_contract.run.outcome import Outcome, Response

FLAVORS = operations("v2")["showTrainingJobFlavors"]


@pytest.mark.parametrize(
    ("label", "share"),
    [
        (FLAVORS.label, FLAVORS.contract["share"]),
        ("POST /v2/{project_id}/training-job-searches", 0.9),
    ],
)
def test_an_operation_must_accept_its_share_of_valid_requests(label: str, share: float) -> None:
    """The share counts requests about existing things only; slightly less can be chance, much less is not."""
    enough = int(share * 100)

    def record(accepted: int) -> Outcome:
        statuses = [200 if number < accepted else 400 for number in range(100)]
        counted = [Response("coverage", label, status, grounded=True) for status in statuses]
        return Outcome("v2", 0, "", [*counted, *[Response("coverage", label, 400)] * 100])

    assert rejected_too_often("v2", [record(enough)]) == {}
    assert rejected_too_often("v2", [record(enough - 3)]) == {}
    assert [text.split()[0] for text, _ in rejected_too_often("v2", [record(enough - 15)]).values()] == [
        str(enough - 15)
    ]


def test_the_share_of_any_number_of_requests_can_be_judged() -> None:
    assert chance_of_fewer(90_000, 100_000, 0.9) == pytest.approx(0.5, abs=0.01)
    assert [chance_of_fewer(0, 3, 0), chance_of_fewer(2, 3, 1), chance_of_fewer(0, 0, 0.9)] == [1, 0, 1]
