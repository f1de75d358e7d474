"""The reports of a run say which promise broke, where, what was sent and received, and how to repeat it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from modelarts_contract.exchange import Exchange
from modelarts_contract.finding import Finding, Kind, Message
from modelarts_contract.redaction import Redaction
from modelarts_contract.run import baseline, reports, result
from modelarts_contract.run.collecting import Redactor
from modelarts_contract.run.result import (
    DocumentResult,
    OperationResult,
    PromiseResult,
    Result,
    Skipped,
)
from modelarts_contract.run.service import Service

FINDING = Finding(
    Kind.UNKNOWN_STATUS,
    operation="listAlgorithms",
    message="Received: 203\nDocumented: 200, 400",
    document="v2",
    label="GET /v2/{project_id}/algorithms",
    check="status_code_conformance",
    phase="coverage",
    request=Message({"Accept": "*/*"}, "", method="GET", url="http://127.0.0.1:1/v2/p/algorithms?limit=1"),
    response=Message({"Content-Type": "application/json"}, '{"items": "<b>&\x1b[31m"}', status=203),
    repeat="modelarts contract run --documents v2 --seed 7 --operation listAlgorithms",
)
KNOWN = dataclasses.replace(FINDING, kind=Kind.EMPTY, known=True)
WHOLE = Finding(Kind.STORY, "", "it ends as Failed", document="v2", phase="story: a job runs")
RESULT = Result(
    service="emulator",
    is_emulator=True,
    run="local",
    seed=7,
    started_at="2026-01-01T00:00:00+00:00",
    duration_s=2.0,
    documents={
        "v2": DocumentResult(
            {
                "listAlgorithms": OperationResult(
                    "GET", "/v2/{project_id}/algorithms", 5, {"203": 5}, {"coverage": 5}, verdict="broken"
                ),
                "createAlgorithm": OperationResult("POST", "/v2/{project_id}/algorithms", reason="the run only reads"),
            }
        )
    },
    findings=[FINDING, KNOWN, WHOLE],
    promises=[PromiseResult("story: a job runs", "v2", "broken", "it ends as Failed")],
    skipped=[Skipped("other projects", "no second user")],
)


def test_every_report_says_what_a_finding_is(tmp_path: Path) -> None:
    reports.write(RESULT, tmp_path)

    texts = [(tmp_path / "report.txt").read_text(), "".join(junit_of(tmp_path).itertext())]
    for part in (FINDING.title, "Received: 203", "algorithms?limit=1", FINDING.repeat, KNOWN.title):
        assert [part in text for text in texts] == [True, True], part


def junit_of(folder: Path) -> ElementTree.Element:
    return ElementTree.parse(folder / "junit.xml").getroot()


def test_junit_counts_new_findings_as_failures_and_known_ones_as_output(tmp_path: Path) -> None:
    reports.write(RESULT, tmp_path)

    suite = junit_of(tmp_path).find("testsuite")
    assert suite is not None
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "3", "failures": "2", "skipped": "1",
    }  # fmt: skip
    assert [case.get("name") for case in suite.iter("testcase")] == [
        "listAlgorithms", "createAlgorithm", "story: a job runs",
    ]  # fmt: skip
    assert len(suite.findall("testcase/failure")) == 2


def test_the_text_ends_with_the_verdict() -> None:
    lines = reports.text(RESULT).splitlines()

    assert lines[-1] == "The contract is broken: 2 findings, and 1 known"
    assert "5 cases in 2.0 s, 2 per second, seed 7" in lines


def test_the_first_screen_counts_what_does_not_fit() -> None:
    """With the operations of the rest."""
    again = [dataclasses.replace(FINDING, message=f"number {number}") for number in range(8)]
    other = dataclasses.replace(FINDING, operation="showTag")

    screen = reports.screen(dataclasses.replace(RESULT, findings=[other, *again])).splitlines()

    assert [line.partition(":")[0] for line in screen[1:7:3]] == ["1. v2 showTag", "2. v2 listAlgorithms"]
    assert screen[-1] == "   and 3 more, of v2 listAlgorithms"


def test_things_that_are_left_do_not_hide_that_the_contract_is_kept() -> None:
    documents = {"v2": DocumentResult({"listAlgorithms": OperationResult("GET", "/v2", 1, verdict="kept")})}
    result = dataclasses.replace(RESULT, findings=[], documents=documents, left="a job")

    assert reports.summary(result).splitlines()[-1] == "The contract is kept: 0 findings"


def test_control_characters_of_a_service_do_not_reach_the_terminal() -> None:
    assert "<b>&\\x1b[31m" in reports.described(FINDING)
    assert "\x1b" not in reports.text(RESULT)


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    file = result.write(RESULT, tmp_path)

    again = result.read(file)

    assert (again.cases, again.findings, again.documents) == (5, RESULT.findings, RESULT.documents)
    assert (again.promises, again.skipped) == (RESULT.promises, RESULT.skipped)
    file.write_text('{"format": 99}')
    with pytest.raises(ValueError, match="format 99"):
        result.read(file)


def test_a_baseline_lists_what_was_found_and_keeps_what_it_said_of_it(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"

    assert baseline.update(file, [FINDING]) == 1
    assert baseline.known(file) == {FINDING.id}

    file.write_text(file.read_text().replace('"title"', '"reason": "reported", "title"'))
    baseline.update(file, [FINDING])
    assert '"reason": "reported"' in file.read_text()

    file.write_text(file.read_text().replace('"reason": "reported"', '"expires": "2020-01-01"'))
    assert baseline.known(file) == set()


def test_secrets_are_replaced_wherever_they_stand() -> None:
    redact = Redactor(Service({}, "a-secret-token", {}, "", stand_ins={"neighbour": {"token": "x"}}))

    received = Message({"X-Auth-Token": "other", "Via": "a-secret-token"}, "[a-secret-token]", status=200)
    _, shown = redact.messages(dataclasses.replace(FINDING, response=received))

    assert shown == Message({"X-Auth-Token": "REDACTED", "Via": "REDACTED"}, "[REDACTED]", status=200)


REDACTION = Redaction()
NAMES = st.from_regex(r"[a-z]{2,6}[-_ .][A-Z][a-z']{3,9}[\"\\\\]?[0-9]{2}", fullmatch=True)


@settings(max_examples=40)
@given(NAMES, NAMES, st.text(min_size=12))
def test_a_finding_about_a_service_shows_nothing_that_a_recording_hides(name: str, key: str, text: str) -> None:
    """Neither quoted nor in a path; the same name has the same stand-in as in the exchange."""
    assume(name != key)
    body = {"metadata": {"name": name, "description": text, "labels": {key: "x"}}}
    shown = json.loads(
        REDACTION(Exchange("GET", "http://here", 200, response_body=json.dumps(body).encode())).response_body
    )

    said = REDACTION.sentence(f"metadata.labels.{key} is {name!r}, not {json.dumps(text)}, of {name}")

    assert [part for part in (name, key, text) if part in said] == []
    assert said.startswith(f"metadata.labels.{next(iter(shown['metadata']['labels']))} is")
    assert said.count(shown["metadata"]["name"]) == 2


@given(message=st.text("\n\r\t A\x1b\u2028"))
def test_a_finding_has_no_empty_line_on_the_first_screen(message: str) -> None:
    """Also one whose message is empty, or begins with line breaks."""
    found = dataclasses.replace(FINDING, message=message)

    screen = reports.screen(dataclasses.replace(RESULT, findings=[found])).split("\n")

    assert [line for line in screen if not line.strip()] == []
    assert screen[1] == f"1. v2 listAlgorithms: {found.title}"
