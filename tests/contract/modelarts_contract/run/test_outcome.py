"""The record of a run: what a process of schemathesis writes down, its parent reads again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Kind
from modelarts_contract.run.outcome import Outcome, Response, read, to_line
from modelarts_contract.run.result import Finding, Message

EXCHANGE = Exchange("GET", "http://here/x", 404, {"A": "1"}, b"", {"B": "2"}, b'{"id": "\xff\xe4"}')
FINDING = Finding.of(("GET /x", "a_check", "AKind", "item 7 of 'x'"), EXCHANGE, title="It fails", message="item 7")


@pytest.mark.parametrize(
    "entry",
    [
        FINDING,
        replace(FINDING, phase="coverage", curl="curl -X GET", also=("GET /y", "GET /z")),
        Finding.of(("GET /x", "a_check", "AKind", ""), title="Nobody answers", message="no response"),
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
    again = Finding.of(("GET /x", "a_check", "AKind", "item 8 of 'y'"), title="It fails", message="item 8")
    note = Finding.of(("GET /x", Kind.UNKNOWN_FIELD, "mood", ""), title="New", message="mood is new")
    outcome = Outcome("v2", 1, "", [FINDING, note, again, replace(FINDING, id="", identity=("GET /y",))])

    assert (again.id, again.identity) == (FINDING.id, FINDING.identity)
    assert [each.identity[0] for each in outcome.findings] == ["GET /x", "GET /y"]
    assert (outcome.findings[0], outcome.notes, outcome.failures) == (FINDING, [note], 2)


def test_a_request_without_a_response_has_none() -> None:
    lost = replace(EXCHANGE, status=0, response_body=b"")

    assert Message.of(lost) == (Message({"a": "1"}, "", method="GET", url="http://here/x"), None)
