"""The record of a run: what a process of schemathesis writes down, its parent reads again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding, Kind, Message
from modelarts_contract.run.outcome import Outcome, Response, read, to_line

EXCHANGE = Exchange("GET", "http://here/x", 404, {"A": "1"}, b"", {"B": "2"}, b'{"id": "\xff\xe4"}')
BARE = Finding(Kind.TOTAL, "showX", "items[7].n is 7", "items[7].n", "v2", label="GET /x")
FINDING = BARE.shown_by(EXCHANGE, "reading")


@pytest.mark.parametrize(
    "entry",
    [
        FINDING,
        replace(FINDING, kind=Kind.CHECK, check="mine", known=True, also=(BARE, FINDING)),
        BARE,
        Response("coverage", "GET /x", 200),
        Response("fuzzing", "GET /x", 404, 3, True, "ModelArts.0105", *Message.of(EXCHANGE)),
    ],
    ids=["with an exchange", "with all that there is", "without an exchange", "success", "rejection"],
)
def test_an_entry_of_a_record_is_read_as_it_was_written(entry: Finding | Response, tmp_path: Path) -> None:
    (tmp_path / "record").write_text(to_line(entry) * 2, "utf-8")

    assert [*read(tmp_path / "record")] == [entry, entry]


def test_a_finding_is_the_same_with_other_values_and_counts_once() -> None:
    """What is new and breaks nothing does not count."""
    again = replace(FINDING, message="items[8].n is 123", where="items[8].n")
    note = replace(FINDING, kind=Kind.UNKNOWN_FIELD)
    outcome = Outcome("v2", 1, "", [FINDING, note, again, replace(FINDING, label="GET /y")])

    assert (again.id, again.identity) == (FINDING.id, FINDING.identity)
    assert [each.label for each in outcome.findings] == ["GET /x", "GET /y"]
    assert (outcome.findings[0], outcome.notes) == (FINDING, [note])


def test_a_request_without_a_response_has_none() -> None:
    lost = replace(EXCHANGE, status=0, response_body=b"")

    assert Message.of(lost) == (Message({"a": "1"}, "", method="GET", url="http://here/x"), None)
