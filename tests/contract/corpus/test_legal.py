"""What HTTP and the documents allow is not a finding: in runs that read, in runs that write, and in checks."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from modelarts_contract.rules import Session
from modelarts_contract.run.judging import TEMPORARY, Judge

from . import wire
from .conftest import Bench
from .legal import FORMS, LEGAL

NAMES = ("v1", "v2", "iam")
FEW = [
    "listAlgorithms",
    "listTrainingJobs",
    "listTrainingJobEvents",
    "listTrainingJobConfigs",
    "showTrainingJobDetails",
]


QUICK = {
    "429 for one of five",
    "lists that lag",
    "new values of open lists",
    "headers in upper case",
    "one of ten is reset",
}


@pytest.fixture(
    params=[pytest.param(name, marks=[] if name in QUICK else [pytest.mark.ci]) for name in (*LEGAL, *FORMS)]
)
def behaving(request: pytest.FixtureRequest, bench: Bench) -> Iterator[Bench]:
    """The service with one of the behaviours."""
    name = request.param
    if name in LEGAL:
        bench.behave = LEGAL[name]()
        yield bench
        return
    address = bench.url
    with wire.serving(address, FORMS[name]) as bench.url:
        yield bench
    bench.url = address


@pytest.mark.timeout(300)
@pytest.mark.parametrize("chosen", [FEW, pytest.param([], marks=pytest.mark.soak, id="all")])
def test_legal_behaviour_is_no_finding(behaving: Bench, chosen: list[str]) -> None:
    """Nothing is found by a run that reads, one that writes, or a check of what they sent."""
    runs = [behaving.read(NAMES, chosen), behaving.write_guarded(NAMES)]

    assert [found for judge in runs for found in findings(judge)] == []
    assert [judge.service.trouble for judge in runs] == [None, None]
    assert min(len(judge.exchanges) for judge in runs) > 30


def findings(judge: Judge) -> Iterator[str]:
    """What the run has found, and what a check of its exchanges finds."""
    yield from (
        line["finding"]["message"]
        for outcome in judge.outcomes().values()
        for line in outcome.record
        if "finding" in line
    )
    session = Session(judge.documents)
    for exchange in judge.exchanges:
        found = [each for each in session.see(exchange) if each.breaks_contract]
        yield from (f"check: {each.message}" for each in found if exchange.status not in TEMPORARY)
