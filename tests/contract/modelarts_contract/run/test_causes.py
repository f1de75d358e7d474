"""Findings with one cause are one finding, in which all of them stand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding, Kind
from modelarts_contract.run import baseline
from modelarts_contract.run.causes import by_cause

LABELS = ("GET /a", "GET /b", "PUT /b")
FINDINGS = st.lists(
    st.builds(
        lambda kind, label, where, message, status, **given: Finding(
            kind, label, f"{where} {message}", where, "v2", label=label, **given
        ).shown_by(Exchange(label[:3], f"http://here{label[4:]}", status, response_body=b"{}"), "reading"),
        kind=st.sampled_from([Kind.TIME, Kind.TOTAL, Kind.SECURITY, Kind.SUCCESS, Kind.INVALID_RESPONSE, Kind.CHECK]),
        label=st.sampled_from(LABELS),
        where=st.sampled_from(["", "total", "items[0].total", "items[1].start", "start"]),
        message=st.sampled_from(["is 5", "is wrong", "does not fit to start", "is 'x'"]),
        status=st.sampled_from([200, 400, 500]),
        check=st.sampled_from(["", "", "mine", "not_a_server_error"]),
        known=st.booleans(),
    ),
    max_size=12,
)


@given(FINDINGS)
def test_each_finding_stands_in_one_cause(findings: list[Finding]) -> None:
    """None is lost or doubled; what the baseline lists stays apart; the heaviest come first."""
    found = by_cause(findings)

    whole = [(each.known, each.identity) for cause in found for each in (cause, *cause.also)]
    assert set(whole) == {(each.known, each.identity) for each in findings}
    assert len(whole) == len(set(whole))
    weights = [cause.kind.weight for cause in found]
    assert weights == sorted(weights, reverse=True)
    for cause in found:
        assert all(each.kind.weight <= cause.kind.weight for each in cause.also), cause
        assert not (cause.known and cause.also), cause


@given(FINDINGS)
def test_a_baseline_lists_all_that_has_the_cause(findings: list[Finding]) -> None:
    """So that nothing of it is new in the next run."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "baseline.json"
        baseline.update(file, by_cause(findings))

        assert {each.id for each in findings} == baseline.known(file)


BASE = Finding(Kind.TIME, "list", "items[0].start is 5: no time", "items[0].start", "v2", label="GET /a")
PAGE = Exchange("GET", "http://here/a", 200, response_body=b"[5]")
FIRST = BASE.shown_by(PAGE, "reading")
DETAILS = replace(FIRST, label="GET /b", operation="show", message="start is 7: no time", where="start")
ELSEWHERE = FIRST.shown_by(replace(PAGE, response_body=b"[6]"), "reading")


@pytest.mark.parametrize(
    ("second", "is_one"),
    [
        (DETAILS, True),
        (replace(DETAILS, message="start is 7: before create"), False),
        (replace(DETAILS, kind=Kind.IDENTITY), False),
        (replace(FIRST, kind=Kind.TOTAL, message="duration does not fit to start", where="duration"), True),
        (replace(FIRST, kind=Kind.TOTAL, message="total is 1", where="total"), False),
        (replace(FIRST, message="end is 1: no time", where="end"), True),
        (replace(ELSEWHERE, message="end is 1: no time", where="end"), False),
    ],
    ids=["same field", "other fault", "other kind", "about it", "other field", "same kind", "other response"],
)
def test_what_has_one_cause(second: Finding, is_one: bool) -> None:
    """The same of one field, wherever; or in one response, of one kind or about the field."""
    assert len(by_cause([FIRST, second])) == (1 if is_one else 2)


def test_the_heaviest_finding_of_a_cause_stands_for_it() -> None:
    lost = replace(FIRST, kind=Kind.UPDATE, message="start was not changed", where="")

    (found,) = by_cause([FIRST, lost])

    assert (found.kind, [each.kind for each in found.also]) == (Kind.UPDATE, [Kind.TIME])
